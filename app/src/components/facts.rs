//! What is known of one group, as a list of terms and values (`product 11.5`).

use std::collections::{BTreeMap, BTreeSet};

use fleet::delegate::Family;
use fleet::health::Standing;
use fleet::upgrade::{State, age_hint};
use fleet::version::{Line, Version};
use fleet::view::GroupView;
use leptos::prelude::*;

use crate::components::badges::{differences_text, double_delegate_text};
use crate::components::cells::auto_upgrade::{advice, auto_upgrade_link};
use crate::components::cells::{name, tags};
use crate::components::empty::level_word;
use crate::components::list::Listing;
use crate::components::rights::Right;
use crate::components::update::update;
use crate::components::{form, icons, links, time};
use crate::port::Target;
use crate::words;

/// The panel of facts.
#[must_use]
pub fn facts(group: &GroupView, listing: &Listing<'_>, led_to: &Target, repository: Option<&str>) -> AnyView {
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
    let token = if facts.token_name.is_empty() {
        "not known".into_any()
    } else {
        let href = links::tokens_path(&facts.scope);
        view! { <a href=href>{facts.token_name.to_string()}</a> }.into_any()
    };
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
                {fact("Token", token)}
                {fact("First seen", time::instant(facts.first_seen, as_of))}
                {fact("Redundancy", redundant(group))}
                {fact("Auto-upgrade", upgrade(group, listing))}
                {fact("Target version", target(group, listing, led_to))}
                {fact("How to update", update(group, &listing.snapshot.latest, repository))}
                {fact("Versions", versions(group))}
                {fact("Configuration", configuration(group))}
                {fact("Tags", tag_list(group))}
                {fact("Selectors", selectors(group))}
                {fact("Description", description.into_any())}
                {differences_text(group).map(|what| fact("Members differ", differ(&what).into_any()))}
                {double.map(|text| fact("Possible double delegate", text.into_any()))}
            </dl>
            {(group.rollup.standing == Standing::Expired).then(expired_note)}
        </section>
    }
    .into_any()
}

/// One term with its value; terms are unique in their list.
#[must_use]
pub fn fact(term: &'static str, value: AnyView) -> AnyView {
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

/// Redundancy, and when it is none (`product 9.1`).
fn redundant(group: &GroupView) -> AnyView {
    view! {
        {redundancy(group)}
        <p class="sub">
            "Only instances in one place with the same rights stand in for each other: development and production are no pair."
        </p>
    }
    .into_any()
}

/// The three kinds of agents in words.
#[must_use]
pub const fn family(family: Family) -> &'static str {
    match family {
        Family::Java => "Classic delegate",
        Family::Runner => "Delegate 3.x (runner)",
        Family::Go => "Embedded client of a virtual-machine runner",
    }
}

fn upgrade(group: &GroupView, listing: &Listing<'_>) -> AnyView {
    let state = &group.rollup.auto_upgrade;
    let today = listing.snapshot.as_of.date();
    let version = group.rollup.version.as_deref();
    let runs = group.members.iter().find(|member| member.facts.version.as_deref() == version);
    let support = runs.and_then(|member| member.assessment.verdict.support);
    let old =
        age_hint(state, version, support.as_ref(), today).map(|hint| view! { <p class="warn">{hint}"."</p> });
    view! {
        {auto_upgrade_link(group)}
        <p>{state.reason_text()}"."</p>
        {advice(state, group, listing.snapshot.as_of)}
        {old}
        {by_hand(group, listing)}
    }
    .into_any()
}

/// Marks the group as updated by hand on purpose, or ends that (`product 7`, P20).
fn by_hand(group: &GroupView, listing: &Listing<'_>) -> Option<AnyView> {
    let (facts, state) = (&group.facts, &group.rollup.auto_upgrade);
    if state.state != State::Off && !facts.by_choice {
        return None;
    }
    let (word, on) = if facts.by_choice {
        ("Not by hand any more", "false")
    } else {
        ("Updated by hand on purpose", "true")
    };
    match listing.may_edit(group) {
        Right::Nobody => None,
        Right::Held => {
            let action = format!("{}/by-hand", links::group_path(facts));
            Some(form::press(action, &[("on", on)], word, format!("{word}: {}", facts.name)))
        }
        Right::Denied(why) => Some(form::refused(word, &why)),
    }
}

/// The version that the group should run, and who says so (`product 7`).
fn target(group: &GroupView, listing: &Listing<'_>, led_to: &Target) -> AnyView {
    let from = format!("from {}", led_to.from);
    if let Some(tag) = led_to.chosen.clone() {
        return view! { <span class="ver">{tag}</span><p class="sub">{from}</p> }.into_any();
    }
    let line = group.rollup.version.as_deref().map_or(Line::Classic, Version::line);
    let Some(latest) = listing.snapshot.latest.of(line) else {
        return "not known for this kind of image".into_any();
    };
    let tag = match &group.rollup.version {
        Some(version) => {
            fleet::upgrade::target(version.as_str(), None, &listing.snapshot.latest, None).image_tag
        }
        None => latest.to_string(),
    };
    view! { <span class="ver">{tag}</span><p class="sub">{from}</p> }.into_any()
}

/// The start-up profiles that its instances report.
fn configuration(group: &GroupView) -> AnyView {
    let profiles: BTreeSet<&str> =
        group.members.iter().filter_map(|member| member.facts.details.profile.as_deref()).collect();
    if profiles.is_empty() {
        return view! { <span class="quiet">"not reported"</span> }.into_any();
    }
    let codes: Vec<_> =
        profiles.into_iter().map(|profile| view! { <li><code>{profile.to_owned()}</code></li> }).collect();
    view! { <ul>{codes}</ul> }.into_any()
}

/// What can be asked for to reach this group (`product 8.2`).
fn selectors(group: &GroupView) -> AnyView {
    let tags: Vec<String> = tags::all(&group.facts).into_iter().map(|(tag, _)| tag).collect();
    let example = tags.first().cloned().unwrap_or_default();
    let text = match tags.len() {
        1 => "A step that asks for this tag".to_owned(),
        n => format!("A step that asks for any of these {n} tags, alone or together,"),
    };
    view! {
        {text}" is done here, for example "<code>{example}</code>"."
        <p class="sub">"Every tag that a step asks for must be here; tags beyond that do no harm."</p>
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
