//! What is known of one instance, as a list of terms and values (`product 11.5`).

use std::sync::Arc;

use fleet::catalog::Support;
use fleet::delegate::{Family, GroupFacts, InstanceFacts, Transport, hint};
use fleet::health::status_text_with_date;
use fleet::mirror::Source;
use fleet::policy::Policy;
use fleet::time::Timestamp;
use fleet::view::Member;
use leptos::prelude::*;

use crate::components::cells::heartbeat::skew_text;
use crate::components::cells::name;
use crate::components::facts::{fact, family};
use crate::components::{icons, links, status, time};
use crate::words;

/// Said where a delegate tells nothing.
const NOT_REPORTED: &str = "not reported";

/// The panel of facts. `token`: name, and whether it is active.
#[must_use]
pub fn instance_facts(
    group: &GroupFacts,
    member: &Member,
    token: Option<&(Arc<str>, bool)>,
    source: Option<&Source>,
    policy: &Policy,
    as_of: Timestamp,
) -> AnyView {
    let facts = &*member.facts;
    let task_types = match source {
        Some(_) => reported(None),
        None => words::number(facts.details.task_types.into()).into_any(),
    };
    let (_, platform) =
        name::platform(&GroupFacts { kind: facts.kind.clone(), family: facts.family, ..group.clone() });
    view! {
        <section class="panel" aria-labelledby="facts" data-key="facts">
            <h2 id="facts" class="facts-head">"Facts"</h2>
            <dl class="facts">
                {fact("Instance id", copied(&facts.id))}
                {fact("Host name", text(&facts.host_name))}
                {fact("IP address", text(&facts.ip))}
                {fact("Connected", connected(member))}
                {fact("Last heartbeat", last(member, as_of))}
                {fact("Version", version(member, as_of))}
                {fact("Status", standing(member, policy, as_of))}
                {fact("Released", date(member, |support| support.released))}
                {fact("End of support", date(member, |support| support.eos))}
                {fact("End of life", date(member, |support| support.eol))}
                {fact("Token", self::token(group, token, source))}
                {fact("Transport", transport(facts.transport, source).into_any())}
                {fact("Family", family(facts.family).into_any())}
                {fact("Type", platform.into_any())}
                {fact("Capacity", capacity(facts).into_any())}
                {fact("Clock", clock(facts).into_any())}
                {fact("First registration", time::instant(facts.registered_at, as_of))}
                {facts.goodbye_at.map(|at| fact("Said goodbye", time::instant(at, as_of)))}
                {fact("Namespace", hinted(facts, "namespace"))}
                {fact("Cluster", hinted(facts, "cluster"))}
                {fact("Connection", connection(facts))}
                {fact("Location", reported(facts.details.location.as_deref()))}
                {fact("Configuration", reported(facts.details.profile.as_deref()))}
                {fact("Size", reported(facts.details.size.as_deref()))}
                {fact("Task types", task_types)}
                {fact("Image", immutable(facts).into_any())}
            </dl>
        </section>
    }
    .into_any()
}

fn copied(id: &str) -> AnyView {
    view! {
        <code>{id.to_owned()}</code>
        <button type="button" class="btn icon js" data-copy=id.to_owned() aria-label="Copy instance id">
            {icons::icon(icons::COPY)}
        </button>
    }
    .into_any()
}

fn text(text: &str) -> AnyView {
    reported(Some(text).filter(|text| !text.is_empty()))
}

fn reported(text: Option<&str>) -> AnyView {
    match text {
        Some(text) => text.to_owned().into_any(),
        None => view! { <span class="quiet">{NOT_REPORTED}</span> }.into_any(),
    }
}

fn connected(member: &Member) -> AnyView {
    let mark =
        if member.assessment.connectivity.is_connected() { status::CONNECTED } else { status::NOT_CONNECTED };
    mark.view()
}

fn last(member: &Member, as_of: Timestamp) -> AnyView {
    match member.last_heartbeat {
        Some(at) => view! {
            {time::age(at, as_of)}
            <span class="sub">" "{time::exact_text(at)}" UTC"</span>
        }
        .into_any(),
        None => "-".into_any(),
    }
}

fn version(member: &Member, as_of: Timestamp) -> AnyView {
    let Some(version) = &member.facts.version else { return reported(None) };
    view! {
        <span class="ver">{version.to_string()}</span>
        <span class="sub">" since "{time::instant(member.facts.version_since, as_of)}</span>
    }
    .into_any()
}

fn standing(member: &Member, policy: &Policy, as_of: Timestamp) -> AnyView {
    let mark = status::standing(member.assessment.standing).map(status::Mark::view);
    let countdown = status_text_with_date(&member.assessment, member.facts.version.as_deref(), policy, as_of);
    match mark {
        Some(mark) => view! { {mark}<p class="sub num">{countdown}</p> }.into_any(),
        None => view! { <span class="quiet">"None, not connected"</span> }.into_any(),
    }
}

fn date<D: ToString>(member: &Member, which: impl Fn(Support) -> Option<D>) -> AnyView {
    match member.assessment.verdict.support.and_then(which).map(|date| date.to_string()) {
        Some(date) => {
            let machine = date.clone();
            view! { <time datetime=machine>{date}</time> }.into_any()
        }
        None => view! { <span class="quiet">"not known"</span> }.into_any(),
    }
}

fn token(group: &GroupFacts, token: Option<&(Arc<str>, bool)>, source: Option<&Source>) -> AnyView {
    let href = links::tokens_path(&group.scope);
    match token {
        Some((name, active)) => {
            let state = if *active { "active" } else { "revoked" };
            view! { <a href=href>{name.to_string()}</a>", "{state} }.into_any()
        }
        None if source.is_some() => "not known".into_any(),
        None => "not known any more".into_any(),
    }
}

/// How heartbeats come in (`product 3.5`).
#[must_use]
pub const fn transport(transport: Transport, source: Option<&Source>) -> &'static str {
    match (source, transport) {
        // Its server does not say.
        (Some(_), _) => "not known",
        (None, Transport::Polling) => "Polling",
        (None, Transport::WebSocket) => "WebSocket",
    }
}

/// How much work it takes at once (`product 8.4`).
#[must_use]
pub fn capacity(facts: &InstanceFacts) -> String {
    match (facts.capacity.and_then(|n| u64::try_from(n).ok()), facts.family) {
        (Some(n), _) => words::count(n, "task at a time", "tasks at a time"),
        (None, Family::Runner) => "no limit reported".to_owned(),
        (None, _) => NOT_REPORTED.to_owned(),
    }
}

/// How far its clock is off.
#[must_use]
pub fn clock(facts: &InstanceFacts) -> String {
    match facts.clock_skew {
        None => NOT_REPORTED.to_owned(),
        Some(skew) => skew_text(skew).unwrap_or_else(|| "within 60 s of the server".to_owned()),
    }
}

fn hinted(facts: &InstanceFacts, key: &str) -> AnyView {
    reported(hint(&facts.tags, key))
}

fn connection(facts: &InstanceFacts) -> AnyView {
    let Some(now) = facts.details.connection.clone() else { return reported(None) };
    let before = facts.details.previous_connection.clone().map(|before| {
        view! { <p class="sub">"Before the last restart: "<code>{before.to_string()}</code></p> }
    });
    view! { <code>{now.to_string()}</code>{before} }.into_any()
}

const fn immutable(facts: &InstanceFacts) -> &'static str {
    match facts.immutable {
        Some(true) => "immutable",
        Some(false) => "legacy, updates itself",
        None => NOT_REPORTED,
    }
}
