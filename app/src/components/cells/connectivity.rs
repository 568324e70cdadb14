//! The Connectivity column (`product 3.1`, `3.2`, `9.1`).

use fleet::delegate::GroupFacts;
use fleet::health::Connectivity;
use fleet::summary::GroupConnectivity;
use fleet::time::Timestamp;
use fleet::view::{GroupView, Member};
use leptos::prelude::*;

use crate::components::why::{Of, why_link};
use crate::components::{badges, status, time};

/// Whether all, some or none of a group's instances reach the server, with `m/n` where only some do.
#[must_use]
pub fn group_mark(group: &GroupView) -> AnyView {
    let counts = &group.rollup.counts;
    match group.rollup.connectivity {
        GroupConnectivity::Connected => status::CONNECTED.view(),
        GroupConnectivity::NotConnected => status::NOT_CONNECTED.view(),
        GroupConnectivity::Partial => {
            let share = format!("({}/{})", counts.connected, counts.instances);
            view! { {status::PARTIAL.view()}" "<span class="num warn">{share}</span> }.into_any()
        }
    }
}

/// The same as a link to its explanation.
#[must_use]
pub fn group_link(group: &GroupView) -> AnyView {
    let counts = &group.rollup.counts;
    let word = match group.rollup.connectivity {
        GroupConnectivity::Connected => status::CONNECTED.word,
        GroupConnectivity::Partial => status::PARTIAL.word,
        GroupConnectivity::NotConnected => status::NOT_CONNECTED.word,
    };
    let told = format!("{word}, {} of {}", counts.connected, counts.instances);
    why_link(&group.facts, Of::Connectivity, None, group_mark(group), &told)
}

/// The cell of a group.
#[must_use]
pub fn group_cell(group: &GroupView, as_of: Timestamp) -> AnyView {
    let counts = &group.rollup.counts;
    let share = (group.rollup.connectivity != GroupConnectivity::Partial).then(|| {
        if counts.instances == 0 {
            "no instances".to_owned()
        } else {
            format!("{} of {}", counts.connected, counts.instances)
        }
    });
    let single = badges::redundancy(group);
    let late: Vec<_> =
        group.members.iter().filter(|member| member.assessment.connectivity == Connectivity::Late).collect();
    let late = match late.as_slice() {
        [] => None,
        [member] if counts.connected == 1 => Some(late_hint(member, as_of)),
        several => Some(view! { <span class="late">{format!("{} late", several.len())}</span> }.into_any()),
    };
    view! {
        <td>
            <div class="cn">{group_link(group)}</div>
            <div class="sub num">{share}{single}{late}</div>
        </td>
    }
    .into_any()
}

/// The cell of an instance.
#[must_use]
pub fn instance_cell(group: &GroupFacts, member: &Member, as_of: Timestamp) -> AnyView {
    let mark =
        if member.assessment.connectivity.is_connected() { status::CONNECTED } else { status::NOT_CONNECTED };
    let late = (member.assessment.connectivity == Connectivity::Late)
        .then(|| view! { <div class="sub num">{late_hint(member, as_of)}</div> });
    let why = why_link(group, Of::Connectivity, Some(&member.facts.id), mark.view(), mark.word);
    view! { <td><div class="cn">{why}</div>{late}</td> }.into_any()
}

fn late_hint(member: &Member, as_of: Timestamp) -> AnyView {
    let age = member.last_heartbeat.map(|at| time::age_in_seconds(at, as_of));
    view! { <span class="late">"late, last heartbeat "{age}</span> }.into_any()
}
