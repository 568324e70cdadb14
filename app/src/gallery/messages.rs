//! What pages say around, or in place of, their figures.

use fleet::query::Query;
use fleet::time::{DAY, HOUR, MINUTE};
use leptos::prelude::*;

use super::fleet::{Fleet, NOW, account};
use crate::components::confirm::{Confirm, ConfirmForm, confirm};
use crate::components::done::done;
use crate::components::form::{Sent, alert};
use crate::components::{banners as components, empty as blank, icons};
use crate::context::{FormOutcome, PageRequest};
use crate::pages::trouble::{Trouble, panel};
use crate::port::Notes;
use crate::port::access::{Refused, Undo};

pub(super) fn banners(_: &PageRequest) -> AnyView {
    let fleet = Fleet::empty();
    let undo = Undo {
        scope: account(),
        group: "g-old".into(),
        instance: "".into(),
        name: "payments-eu".into(),
        at: NOW.plus(-MINUTE),
        by: "sam@example.com".to_owned(),
    };
    let refused = Refused {
        scope: account(),
        group: "g-gone".into(),
        name: "checkout".into(),
        deleted_at: NOW.plus(-DAY),
        called_at: NOW.plus(-MINUTE),
        rejected: false,
        token: Some(("t1".into(), "edge".into())),
    };
    let notes = Notes {
        restarted_at: Some(NOW.plus(-MINUTE)),
        unstored_since: Some(NOW.plus(-HOUR)),
        deaf_since: Some(NOW.plus(-HOUR)),
        undo: vec![undo],
        refused: vec![refused],
        ..Notes::default()
    };
    let old = Notes { catalog_present: true, catalog_stale: true, ..Notes::default() };
    view! {
        {components::banners(&notes, NOW, Some(&fleet.viewer))}
        {components::banners(&old, NOW, Some(&fleet.viewer))}
    }
    .into_any()
}

/// The words of the browser about connection and session.
pub(super) fn notices(_: &PageRequest) -> AnyView {
    let notices = [
        ("warn", icons::PAUSE, "Live updates paused. Figures are as of 12:00:00 UTC.", "Resume"),
        ("danger", icons::EXPIRED, "Disconnected since 11:58 UTC. Retrying in 8 s.", "Retry"),
        ("warn", icons::NEAR, "Your session ends at 12:05:00 UTC unless you go on.", "Stay signed in"),
        ("danger", icons::EXPIRED, "Your session has ended. What you see is no longer updated.", "Sign in"),
    ];
    let shown: Vec<_> = notices
        .into_iter()
        .map(|(tone, icon, text, button)| {
            view! {
                <div class=format!("banner {tone}")>
                    {icons::icon(icon)}<p>{text}</p><button type="button" class="btn">{button}</button>
                </div>
            }
        })
        .collect();
    view! { {shown} }.into_any()
}

pub(super) fn accepted(_: &PageRequest) -> AnyView {
    done(Some("settings"))
}

pub(super) fn alerts(_: &PageRequest) -> AnyView {
    alert(vec![
        "Nothing was changed. See what is marked below.".to_owned(),
        "Sign-in does not work at the moment. Try again in a minute.".to_owned(),
    ])
}

pub(super) fn confirmation(_: &PageRequest) -> AnyView {
    typed(Sent::never())
}

pub(super) fn confirmation_wrong(_: &PageRequest) -> AnyView {
    let outcome = FormOutcome {
        form: "delete".to_owned(),
        errors: vec![("name".to_owned(), "Type payments-eu to confirm.".to_owned())],
        values: vec![("name".to_owned(), "payments".to_owned())],
        secret: None,
    };
    typed(Sent::of(&outcome, &["delete"]))
}

fn typed(sent: Sent<'_>) -> AnyView {
    let consequences = ["3 instances leave the list.", "Nothing is uninstalled from your cluster."];
    confirm(Confirm {
        title: "Delete delegate payments-eu?".to_owned(),
        consequences: consequences.into_iter().map(IntoAny::into_any).collect(),
        back: "/dev/gallery".to_owned(),
        form: Ok(ConfirmForm {
            action: "/dev/gallery".to_owned(),
            sent,
            field: "name",
            typed: "payments-eu".to_owned(),
            hidden: Vec::new(),
            button: "Delete delegate",
        }),
    })
}

pub(super) fn confirmation_refused(_: &PageRequest) -> AnyView {
    confirm(Confirm {
        title: "Delete delegate payments-eu?".to_owned(),
        consequences: Vec::new(),
        back: "/dev/gallery".to_owned(),
        form: Err("It is connected. Stop it first.".to_owned()),
    })
}

pub(super) fn empty(_: &PageRequest) -> AnyView {
    blank::no_delegates(&account(), &Query::default(), 12, None)
}

pub(super) fn no_match(_: &PageRequest) -> AnyView {
    blank::no_match(&Fleet::empty().listing())
}

pub(super) fn first_steps(_: &PageRequest) -> AnyView {
    crate::pages::accounts::first_steps()
}

pub(super) fn troubles(request: &PageRequest) -> AnyView {
    let all = [
        Trouble::NoSuchPage,
        Trouble::NoSuchScope(account()),
        Trouble::NoSuchGroup { scope: account(), identifier: "_payments_eu".to_owned() },
        Trouble::Denied("Needs core_audit_view in acme".to_owned()),
        Trouble::Unknown("token"),
        Trouble::BadParameter { field: "from", message: "must be a day such as 2026-11-14".to_owned() },
        Trouble::NotReady,
    ];
    let shown: Vec<_> = all.iter().map(|trouble| panel(trouble, request)).collect();
    view! { {shown} }.into_any()
}
