//! Waits for the first heartbeat, or for it to come back; the page is live, so that the answer comes by itself.

use fleet::summary::GroupConnectivity;
use fleet::time::HOUR;
use fleet::view::GroupView;
use leptos::prelude::*;

use crate::components::{icons, links, time};
use crate::port::explain::Dossier;

/// The line that changes when it calls.
#[must_use]
pub fn waiting(dossier: &Dossier, group: Option<&GroupView>) -> AnyView {
    let as_of = dossier.snapshot.as_of;
    let text = match group {
        Some(group) => of_group(group, dossier),
        None => of_scope(dossier),
    };
    let watched = view! { <span class="sub js">"This line changes by itself."</span> };
    view! {
        <div class="panel waiting" role="status" data-key="waiting">
            {text}
            <span class="sub">"As of "{time::instant(as_of, as_of)}</span>
            {watched}
        </div>
    }
    .into_any()
}

fn of_group(group: &GroupView, dossier: &Dossier) -> AnyView {
    let as_of = dossier.snapshot.as_of;
    let counts = &group.rollup.counts;
    let since =
        group.rollup.last_heartbeat.map(|at| view! { " Last heartbeat: "{time::instant(at, as_of)}"." });
    match group.rollup.connectivity {
        GroupConnectivity::Connected => view! {
            <span class="st ok">{icons::icon(icons::OK)}"Connected"</span>
            <span>"Its heartbeats arrive: all is well."{since}</span>
        }
        .into_any(),
        GroupConnectivity::Partial => view! {
            <span class="st warn">{icons::icon(icons::HALF)}"Partially connected"</span>
            <span>{format!("Waiting for the rest: {} of {} call.", counts.connected, counts.instances)}{since}</span>
        }
        .into_any(),
        GroupConnectivity::NotConnected => view! {
            <span class="st mut">{icons::icon(icons::RING)}"Waiting"</span>
            <span>"Waiting for it to come back."{since}</span>
        }
        .into_any(),
    }
}

fn of_scope(dossier: &Dossier) -> AnyView {
    let as_of = dossier.snapshot.as_of;
    let new = |group: &&GroupView| group.source.is_none() && group.facts.first_seen.age(as_of) <= HOUR;
    let arrived: Vec<_> = dossier
        .snapshot
        .groups
        .iter()
        .filter(new)
        .map(|group| {
            let name = group.facts.name.to_string();
            view! { " "<a href=links::group_path(&group.facts)>{name}</a> }
        })
        .collect();
    if arrived.is_empty() {
        return view! {
            <span class="st mut">{icons::icon(icons::RING)}"Waiting"</span>
            <span>"Waiting for the first heartbeat. None arrived for the first time in the past hour."</span>
        }
        .into_any();
    }
    view! {
        <span class="st ok">{icons::icon(icons::OK)}"Arrived"</span>
        <span>"For the first time in the past hour:"{arrived}</span>
    }
    .into_any()
}
