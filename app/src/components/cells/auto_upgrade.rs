//! The Auto-upgrade column: state and reason (`product 7`).

use fleet::time::Timestamp;
use fleet::upgrade::{AutoUpgrade, Reason, State};
use fleet::view::GroupView;
use leptos::prelude::*;

use crate::components::popover::explained;
use crate::components::{status, time};

/// The cell; `place` is the row's number on the page.
#[must_use]
pub fn auto_upgrade_cell(group: &GroupView, place: usize, as_of: Timestamp) -> AnyView {
    let state = &group.rollup.auto_upgrade;
    let mark = status::auto_upgrade(state);
    let name = format!("{}. Why auto-upgrade of {} is in this state", mark.word, group.facts.name);
    let body = view! { <p>{state.reason_text()}"."</p>{advice(state, group, as_of)} }.into_any();
    view! { <td>{explained(format!("u{place}"), "why", mark.view(), name, body)}</td> }.into_any()
}

/// What follows from the state, and the last upgrader call where the reason does not name it.
#[must_use]
pub fn advice(state: &AutoUpgrade, group: &GroupView, as_of: Timestamp) -> AnyView {
    let advice = match (state.state, state.by_choice, state.reason) {
        (State::On, ..) => "New versions are rolled out without you.",
        (State::Detecting, ..) => "The upgrader has 90 minutes from the first registration to call in.",
        (State::Off, true, _) => "Marked as updated by hand on purpose, so the card does not count it.",
        (State::Off, false, Reason::Runner | Reason::Ecs | Reason::GoClient) => {
            "Update it by hand every 3 to 6 months."
        }
        (State::Off, false, _) => {
            "Check that the upgrader is installed and not suspended, or update by hand every 3 to 6 months."
        }
    };
    let named = matches!(state.reason, Reason::Seen(_) | Reason::NotSeen(Some(_)));
    let last = group
        .facts
        .upgrader_seen
        .filter(|_| !named)
        .map(|at| view! { <p class="sub">"Last upgrader call: "{time::instant(at, as_of)}</p> });
    view! { <p class="sub">{advice}</p>{last} }.into_any()
}
