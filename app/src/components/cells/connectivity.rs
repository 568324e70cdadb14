//! The Connectivity column (`product 3.1`, `3.2`, `9.1`).

use fleet::health::Connectivity;
use fleet::summary::GroupConnectivity;
use fleet::time::Timestamp;
use fleet::view::{GroupView, Member};
use leptos::prelude::*;

use crate::components::{status, time};

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
    let single = group.rollup.single_instance.then(|| {
        view! { <span class="badge" title="No instance is left if this one stops">"Single instance"</span> }
    });
    let late: Vec<_> =
        group.members.iter().filter(|member| member.assessment.connectivity == Connectivity::Late).collect();
    let late = match late.as_slice() {
        [] => None,
        [member] if counts.connected == 1 => Some(late_hint(member, as_of)),
        several => Some(view! { <span class="late">{format!("{} late", several.len())}</span> }.into_any()),
    };
    view! {
        <td>
            <div class="cn">{group_mark(group)}</div>
            <div class="sub num">{share}{single}{late}</div>
        </td>
    }
    .into_any()
}

/// The cell of an instance.
#[must_use]
pub fn instance_cell(member: &Member, as_of: Timestamp) -> AnyView {
    let mark =
        if member.assessment.connectivity.is_connected() { status::CONNECTED } else { status::NOT_CONNECTED };
    let late = (member.assessment.connectivity == Connectivity::Late)
        .then(|| view! { <div class="sub num">{late_hint(member, as_of)}</div> });
    view! { <td>{mark.view()}{late}</td> }.into_any()
}

fn late_hint(member: &Member, as_of: Timestamp) -> AnyView {
    let age = member.last_heartbeat.map(|at| time::age_in_seconds(at, as_of));
    view! { <span class="late">"late, last heartbeat "{age}</span> }.into_any()
}
