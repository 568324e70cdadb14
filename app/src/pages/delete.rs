//! The last step before a delegate or one instance of it leaves the list (`product 11.3`, `ux 1.3`).

use std::sync::Arc;

use leptos::prelude::*;
use leptos_router::hooks::use_params_map;

use crate::components::confirm::{Confirm, ConfirmForm, confirm};
use crate::components::form::Sent;
use crate::components::frame::{Place, frame};
use crate::components::links;
use crate::components::nav::Area;
use crate::components::page_title::page_title;
use crate::context::PageRequest;
use crate::pages::{Asked, answer, named_in_path, scope_in_path};
use crate::port::ScopeNode;
use crate::port::access::Deletion;
use crate::words;

/// Asks the port what would go.
#[component]
pub fn DeletePage() -> impl IntoView {
    let asked = Asked::from_context();
    let (scope, access) = (scope_in_path(), asked.access());
    let identifier = named_in_path("group");
    let instance = use_params_map().get_untracked().get("instance");
    answer(asked, async move {
        let scope = scope?;
        let deletion = access?.deletion(&scope, &identifier, instance.as_deref()).await?;
        Ok(move |scopes| view! { <DeleteView deletion scopes/> }.into_any())
    })
}

/// The page itself.
#[component]
pub fn DeleteView(
    /// What would go.
    deletion: Deletion,
    /// For the scope switcher.
    scopes: Arc<Vec<ScopeNode>>,
) -> impl IntoView {
    let request = use_context::<PageRequest>().unwrap_or_default();
    let scope = &deletion.scope;
    let group = format!("{}/{}", links::delegates_path(scope), links::encode(&deletion.identifier));
    let (kind, typed, action, back) = match &deletion.instance {
        Some((id, host)) => {
            ("instance", host.to_string(), format!("{group}/instances/{}/delete", links::encode(id)), group)
        }
        None => {
            ("delegate", deletion.name.to_string(), format!("{group}/delete"), links::delegates_path(scope))
        }
    };
    let title = format!("Delete {kind} {typed}?");
    let button = if deletion.instance.is_some() { "Delete instance" } else { "Delete delegate" };
    let form = match obstacle(&deletion) {
        Some(reason) => Err(reason),
        None => Ok(ConfirmForm {
            action,
            sent: Sent::of(&request.outcome, &["", "delete"]),
            field: "name",
            typed,
            hidden: Vec::new(),
            button,
        }),
    };
    let consequences = if form.is_ok() { consequences(&deletion) } else { Vec::new() };
    let body = confirm(Confirm { title: title.clone(), consequences, back, form });
    view! {
        {page_title(&title)}
        {frame(Some(Place::new(scope, Area::Delegates)), &scopes, None, body)}
    }
}

/// Why it cannot be deleted now.
#[must_use]
pub fn obstacle(deletion: &Deletion) -> Option<String> {
    (deletion.connected > 0 && !deletion.connected_allowed).then(|| {
        format!(
            "{} connected, and the setting delegates.delete_connected of this scope does not allow to delete what is \
             connected. Stop it first, or ask an admin of this scope to change the setting.",
            standing(deletion)
        )
    })
}

/// `It is`, `Its only instance is`, `2 of 3 instances are`.
fn standing(deletion: &Deletion) -> String {
    match (&deletion.instance, deletion.connected, deletion.instances) {
        (Some(_), ..) => "It is".to_owned(),
        (None, 1, 1) => "Its only instance is".to_owned(),
        (None, connected, all) => {
            let verb = if connected == 1 { "is" } else { "are" };
            format!("{} of {} {verb}", words::number(connected), words::count(all, "instance", "instances"))
        }
    }
}

fn consequences(deletion: &Deletion) -> Vec<AnyView> {
    let leaves = match (&deletion.instance, deletion.instances) {
        (Some(_), _) => format!("It leaves the list at once. Other instances of {} stay.", deletion.name),
        (None, n) => {
            format!("It leaves the list at once, with {}.", words::count(n, "instance", "instances"))
        }
    };
    let stays = view! {
        "Only the list changes: this "<b>"does not uninstall"</b>
        " anything. What runs in your cluster or on your machines goes on running."
    };
    vec![
        leaves.into_any(),
        stays.into_any(),
        returns(deletion).into_any(),
        "You can undo this for 10 minutes.".into_any(),
    ]
}

/// What happens with its next call.
fn returns(deletion: &Deletion) -> String {
    let connected = match deletion.connected {
        0 => "If it calls again,".to_owned(),
        _ => format!("{} connected now. With its next call", standing(deletion)),
    };
    if deletion.reappears {
        format!(
            "{connected} it comes back to the list, marked as returned after delete. To prevent that, stop it or revoke \
             its token."
        )
    } else {
        format!(
            "{connected} it is turned away: it gets no work until somebody allows it again. Its process keeps running, \
             unused."
        )
    }
}
