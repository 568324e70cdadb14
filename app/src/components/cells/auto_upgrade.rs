//! The Auto-upgrade column: state and reason (`product 7`).

use fleet::time::Timestamp;
use fleet::upgrade::{AutoUpgrade, Reason, State};
use fleet::view::GroupView;
use leptos::prelude::*;

use crate::components::why::{Of, why_link};
use crate::components::{status, time};

/// The cell.
#[must_use]
pub fn auto_upgrade_cell(group: &GroupView) -> AnyView {
    view! { <td>{auto_upgrade_link(group)}</td> }.into_any()
}

/// The word for the state, which leads to its explanation.
#[must_use]
pub fn auto_upgrade_link(group: &GroupView) -> AnyView {
    let mark = status::auto_upgrade(&group.rollup.auto_upgrade);
    why_link(&group.facts, Of::AutoUpgrade, None, mark.view(), mark.word)
}

/// What follows from the state, and the last upgrader call where the reason does not name it.
#[must_use]
pub fn advice(state: &AutoUpgrade, group: &GroupView, as_of: Timestamp) -> AnyView {
    let advice = match (state.state, state.by_choice, state.reason) {
        (_, _, Reason::Told) => "Whether and when its upgrader calls is known to the mirrored server alone.",
        (State::On, ..) => "New versions are rolled out without you.",
        (State::Detecting, ..) => "The upgrader has 90 minutes from the first registration to call in.",
        (State::Off, true, _) => "Marked as updated by hand on purpose, so the card does not count it.",
        (State::Off, false, Reason::Runner | Reason::Ecs | Reason::GoClient) => {
            "Update it by hand every 3 to 6 months."
        }
        (State::Off | State::Synchronizing | State::Unknown, ..) => {
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
