//! What a reader can still do about deleted delegates: take it back, or deal with one that keeps calling
//! (`agent-protocol 9.4`).

use fleet::access::Permission;
use fleet::time::Timestamp;
use leptos::prelude::*;

use crate::components::form::press;
use crate::components::rights::Right;
use crate::components::{icons, links, time};
use crate::context::Viewer;
use crate::port::access::{Refused, Undo};

/// A deletion of the last ten minutes.
#[must_use]
pub fn undo(undo: &Undo, as_of: Timestamp) -> AnyView {
    let kind = if undo.instance.is_empty() { "Delegate" } else { "Instance" };
    let fields = [("group", &*undo.group), ("instance", &*undo.instance)];
    let told = format!("Undo: bring {} back", undo.name);
    view! {
        <li class="banner info" data-key=format!("u{}{}", undo.group, undo.instance)>
            {icons::icon(icons::BIN)}
            <p>
                {kind}" "<b>{undo.name.to_string()}</b>" deleted "{time::age(undo.at, as_of)}" by "
                {undo.by.clone()}". It is off the list; nothing was uninstalled."
            </p>
            {press(format!("{}/undo", undo.scope.path()), &fields, "Undo", told)}
        </li>
    }
    .into_any()
}

/// A deleted or rejected delegate that is turned away.
#[must_use]
pub fn refused(refused: &Refused, as_of: Timestamp, viewer: Option<&Viewer>) -> AnyView {
    let what = if refused.rejected { " was rejected" } else { " was deleted" };
    let token = refused.token.as_ref();
    let with = token.map(|(_, name)| view! { ", with token "<b>{name.to_string()}</b> });
    let may = |permission| Right::of(viewer, permission, &refused.scope, None).held();
    let allow = may(Permission::DelegateEdit).then(|| {
        let action = format!("{}/allow", refused.scope.path());
        press(action, &[("group", &refused.group)], "Allow", format!("Allow {}", refused.name))
    });
    let revoke = token.filter(|_| may(Permission::DelegateDelete)).map(|(id, name)| {
        let href = links::token_revoke_path(&refused.scope, id);
        let label = format!("Revoke token… {name}");
        view! { <a class="btn small" href=href aria-label=label data-dialog>"Revoke token…"</a> }
    });
    view! {
        <li class="banner warn" data-key=format!("r{}", refused.group)>
            {icons::icon(icons::NEAR)}
            <p>
                <b>{refused.name.to_string()}</b>{what}" and keeps calling, last "
                {time::age(refused.called_at, as_of)}{with}"."
            </p>
            {allow}
            {revoke}
        </li>
    }
    .into_any()
}
