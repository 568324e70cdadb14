//! What is known of one group, as a list of terms and values (`product 11.5`).

use std::collections::BTreeMap;

use fleet::delegate::Family;
use fleet::health::Standing;
use fleet::view::GroupView;
use leptos::prelude::*;

use crate::components::badges::{differences_text, double_delegate_text};
use crate::components::cells::auto_upgrade::advice;
use crate::components::cells::{name, tags};
use crate::components::empty::level_word;
use crate::components::list::Listing;
use crate::components::{icons, status, time};
use crate::words;

/// The panel of facts.
#[must_use]
pub fn facts(group: &GroupView, listing: &Listing<'_>) -> AnyView {
    let facts = &group.facts;
    let as_of = listing.snapshot.as_of;
    let (_, platform) = name::platform(facts);
    let identifier = facts.identifier.to_string();
    let copy = view! {
        <code>{identifier.clone()}</code>
        <button type="button" class="btn icon js" data-copy=identifier aria-label="Copy identifier">
            {icons::icon(icons::COPY)}
        </button>
    };
    let token =
        if facts.token_name.is_empty() { "not known".to_owned() } else { facts.token_name.to_string() };
    let description =
        if facts.description.is_empty() { "none".to_owned() } else { facts.description.to_string() };
    let scope = format!("{} ({})", facts.scope, level_word(facts.scope.level()));
    let double = group.rollup.double_delegate.map(double_delegate_text);
    view! {
        <section class="panel" aria-labelledby="facts" data-key="facts">
            <h2 id="facts" class="facts-head">"Overview"</h2>
            <dl class="facts">
                {fact("Group name", facts.name.to_string().into_any())}
                {fact("Identifier", copy.into_any())}
                {fact("Type", platform.into_any())}
                {fact("Family", family(facts.family).into_any())}
                {fact("Scope", scope.into_any())}
                {fact("Token", token.into_any())}
                {fact("First seen", time::instant(facts.first_seen, as_of))}
                {fact("Redundancy", redundancy(group).into_any())}
                {fact("Auto-upgrade", upgrade(group, listing))}
                {fact("Versions", versions(group))}
                {fact("Tags", tag_list(group))}
                {fact("Description", description.into_any())}
                {differences_text(group).map(|what| fact("Members differ", differ(&what).into_any()))}
                {double.map(|text| fact("Possible double delegate", text.into_any()))}
            </dl>
            {(group.rollup.standing == Standing::Expired).then(expired_note)}
        </section>
    }
    .into_any()
}

fn fact(term: &'static str, value: AnyView) -> AnyView {
    view! { <div data-key=term><dt>{term}</dt><dd>{value}</dd></div> }.into_any()
}

/// `2 of 3 connected, tolerates the loss of 1` (`product 9.1`).
#[must_use]
pub fn redundancy(group: &GroupView) -> String {
    let counts = &group.rollup.counts;
    let share =
        format!("{} of {} connected", words::number(counts.connected), words::number(counts.instances));
    match (counts.connected, group.rollup.tolerates) {
        (0, _) => format!("{share}, does no work"),
        (_, 0) => format!("{share}, tolerates no loss"),
        (_, n) => format!("{share}, tolerates the loss of {}", words::number(n)),
    }
}

const fn family(family: Family) -> &'static str {
    match family {
        Family::Java => "Classic delegate",
        Family::Runner => "Delegate 3.x (runner)",
        Family::Go => "Embedded client of a virtual-machine runner",
    }
}

fn upgrade(group: &GroupView, listing: &Listing<'_>) -> AnyView {
    let state = &group.rollup.auto_upgrade;
    view! {
        {status::auto_upgrade(state).view()}
        <p>{state.reason_text()}"."</p>
        {advice(state, group, listing.snapshot.as_of)}
    }
    .into_any()
}

fn versions(group: &GroupView) -> AnyView {
    let mut running: BTreeMap<&str, u64> = BTreeMap::new();
    for member in group.members.iter().filter(|member| member.assessment.connectivity.is_connected()) {
        *running
            .entry(member.facts.version.as_ref().map_or("not reported", |version| version.as_str()))
            .or_default() += 1;
    }
    if running.is_empty() {
        return "N/A, nothing is connected".into_any();
    }
    let lines: Vec<_> = running
        .into_iter()
        .map(|(version, n)| format!("{version} on {}", words::count(n, "instance", "instances")))
        .map(|line| view! { <li class="num">{line}</li> })
        .collect();
    view! { <ul>{lines}</ul> }.into_any()
}

fn tag_list(group: &GroupView) -> AnyView {
    let (implicit, custom): (Vec<_>, Vec<_>) =
        tags::all(&group.facts).into_iter().partition(|(_, implicit)| *implicit);
    let shown = |tags: Vec<(String, bool)>| {
        tags.into_iter().map(|(text, implicit)| tags::tag(&text, implicit)).collect::<Vec<_>>()
    };
    let custom = (!custom.is_empty())
        .then(|| view! { <div class="tags all"><span class="sub">"Custom"</span>{shown(custom)}</div> });
    let implicit = (!implicit.is_empty())
        .then(|| view! { <div class="tags all"><span class="sub">"Implicit"</span>{shown(implicit)}</div> });
    view! { {custom}{implicit} }.into_any()
}

fn differ(what: &str) -> String {
    format!("Connected members differ in {what}. Members should be alike: work goes to any of them.")
}

fn expired_note() -> AnyView {
    view! {
        <p class="hint">
            "Expired is a reminder: it does not stop this delegate and is not the cause of a failure. "
            "Old versions drift away from what their manager expects, so upgrade when you can."
        </p>
    }
    .into_any()
}
