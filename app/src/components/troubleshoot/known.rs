//! What is known already (`product 17.2`): facts, and what they say of the cause.

use fleet::catalog::Support;
use fleet::delegate::{Approval, Transport, hint};
use fleet::explain::{Fact, Value};
use fleet::install::NAMESPACE;
use fleet::summary::GroupConnectivity;
use fleet::time::Timestamp;
use fleet::troubleshoot::{Sign, Weight, signs as signs_of_group, signs_of_attempts};
use fleet::view::GroupView;
use leptos::prelude::*;

use crate::components::cells::heartbeat::skew_text;
use crate::components::explained::pair;
use crate::components::icons;
use crate::components::troubleshoot::way::Way;
use crate::port::explain::Dossier;
use crate::words;

/// Host names that are named.
const HOSTS: usize = 5;

/// What is known of a group, or of a scope.
#[must_use]
pub fn facts(dossier: &Dossier, group: Option<&GroupView>) -> Vec<Fact> {
    let mut facts = Vec::new();
    let mut add = |label, value: Value| facts.push(Fact { label, value });
    let Some(group) = group else {
        let snapshot = &dossier.snapshot;
        add("Scope", snapshot.scope.to_string().into());
        add("Delegates listed here", words::number(snapshot.counts.groups).into());
        if let Some(newest) = snapshot.groups.iter().map(|group| group.facts.first_seen).max() {
            add("Newest first seen", newest.into());
        }
        return facts;
    };
    let counts = &group.rollup.counts;
    let word = match group.rollup.connectivity {
        GroupConnectivity::Connected => "Connected",
        GroupConnectivity::Partial => "Partially connected",
        GroupConnectivity::NotConnected => "Not connected",
    };
    add("Connectivity", format!("{word}, {} of {}", counts.connected, counts.instances).into());
    let newest = group.members.iter().max_by_key(|member| member.last_heartbeat);
    add("Last heartbeat", newest.and_then(|member| member.last_heartbeat).map_or("never".into(), Value::At));
    if let Some(newest) = newest {
        let verdict = &newest.assessment.verdict;
        add(
            "Last version",
            newest.facts.version.as_ref().map_or("not reported".into(), |version| version.to_string().into()),
        );
        if let Some(Support { eos: Some(eos), .. }) = verdict.support {
            add("End of support", eos.into());
        }
        let transport = match newest.facts.transport {
            Transport::Polling => "Polling",
            Transport::WebSocket => "WebSocket",
        };
        add("Transport", transport.into());
        add(
            "Clock",
            newest
                .facts
                .clock_skew
                .and_then(skew_text)
                .unwrap_or_else(|| "right, or not reported".to_owned())
                .into(),
        );
    }
    match &dossier.token {
        Some(token) => {
            let state = if token.active { "active" } else { "revoked" };
            add("Token", format!("{}, {state}", token.name).into());
            if let Some(at) = token.revoked_at {
                add("Token revoked", at.into());
            }
        }
        None => add("Token", "no longer known".into()),
    }
    if group.facts.approval == Approval::Pending {
        add("Approval", "pending".into());
    }
    add(
        "Namespace",
        hint(&group.facts.tags, "namespace")
            .map_or_else(|| format!("not reported; commands use {NAMESPACE}"), ToOwned::to_owned)
            .into(),
    );
    add("Hosts", hosts(group).into());
    facts
}

fn hosts(group: &GroupView) -> String {
    let mut names: Vec<&str> = group.members.iter().map(|member| &*member.facts.host_name).collect();
    names.dedup();
    let more = names.len().saturating_sub(HOSTS);
    let shown = names.iter().take(HOSTS).copied().collect::<Vec<_>>().join(", ");
    match (shown.is_empty(), more) {
        (true, _) => "none listed".to_owned(),
        (_, 0) => shown,
        (_, more) => format!("{shown} and {} more", words::number(more as u64)),
    }
}

/// What that says of the cause.
#[must_use]
pub fn signs(dossier: &Dossier, group: Option<&GroupView>) -> Vec<Sign> {
    match group {
        Some(group) => signs_of_group(group, dossier.token.as_ref(), &dossier.attempts, &dossier.ground),
        None => signs_of_attempts(&dossier.attempts, dossier.ground.now),
    }
}

/// The panel.
#[must_use]
pub fn view(facts: Vec<Fact>, signs: Vec<Sign>, way: &Way, as_of: Timestamp) -> AnyView {
    let facts: Vec<_> =
        facts.into_iter().map(|fact| view! { <div data-key=fact.label>{pair(&fact, as_of)}</div> }).collect();
    let items: Vec<_> = signs.into_iter().map(|sign| line(sign, way)).collect();
    let items = (!items.is_empty()).then(|| view! { <ul class="signs" aria-label="Signs">{items}</ul> });
    view! {
        <section class="panel" aria-labelledby="known" data-key="known">
            <h2 id="known" class="facts-head">"What we already know"</h2>
            <dl class="facts">{facts}</dl>
            {items}
        </section>
    }
    .into_any()
}

fn line(sign: Sign, way: &Way) -> AnyView {
    let (tone, drawing, word) = match sign.weight {
        Weight::Cause => ("danger", icons::EXPIRED, "Likely cause"),
        Weight::Look => ("warn", icons::NEAR, "Worth a look"),
        Weight::Note => ("mut", icons::RING, "Good to know"),
    };
    let label = format!("What to do: {}", sign.text);
    let more = sign.step.map(|id| view! { " "<a href=way.to(id) aria-label=label>"What to do"</a> });
    view! {
        <li>
            <span class=format!("st {tone}")>{icons::icon(drawing)}{word}</span>
            <span>{sign.text}{more}</span>
        </li>
    }
    .into_any()
}
