//! The Instance status column: word, countdown with date, and the rule behind them (`product 5.7`, `5.8`).

use fleet::catalog::{Source, Support};
use fleet::health::{Standing, status_text_with_date};
use fleet::policy::{Anchor, Policy};
use fleet::time::Timestamp;
use fleet::view::{GroupView, Member};
use leptos::prelude::*;

use crate::components::list::Listing;
use crate::components::popover::explained;
use crate::components::status;

/// Said in place of a status where there is none.
const NO_STATUS: &str = "-";

/// The cell of a group: the word of its worst connected member, the countdown of the member it speaks of.
#[must_use]
pub fn group_cell(group: &GroupView, place: usize, listing: &Listing<'_>) -> AnyView {
    let Some(mark) = status::standing(group.rollup.standing) else {
        return no_status();
    };
    let speaker = group.rollup.speaker.and_then(|at| group.members.get(at));
    let worst = group.members.iter().find(|member| member.assessment.standing == group.rollup.standing);
    let behind = worst.and_then(behind);
    let countdown = speaker.and_then(|member| countdown(member, listing.policy, listing.snapshot.as_of));
    let told: String = [Some(mark.word.to_owned()), behind.clone(), countdown.clone()]
        .into_iter()
        .flatten()
        .collect::<Vec<_>>()
        .join(", ");
    let body = explanation(group.rollup.standing, speaker, listing.policy);
    let name = format!("{told}. Explain the status of {}", group.facts.name);
    let why = explained(format!("s{place}"), "why", mark.view(), name, body);
    let behind = behind.map(|text| view! { " "<span class="sub nb">{text}</span> });
    view! { <td class="stat"><div class="cn">{why}{behind}</div><div class="sub num">{countdown}</div></td> }
        .into_any()
}

/// The cell of an instance.
#[must_use]
pub fn instance_cell(member: &Member, policy: &Policy, now: Timestamp) -> AnyView {
    let Some(mark) = status::standing(member.assessment.standing) else {
        return no_status();
    };
    let behind = behind(member).map(|text| view! { " "<span class="sub nb">{text}</span> });
    let countdown = countdown(member, policy, now);
    view! { <td><div class="cn">{mark.view()}{behind}</div><div class="sub num">{countdown}</div></td> }
        .into_any()
}

fn no_status() -> AnyView {
    view! { <td class="quiet"><span aria-hidden="true">{NO_STATUS}</span><span class="vh">"None, not connected"</span></td> }
        .into_any()
}

fn behind(member: &Member) -> Option<String> {
    let verdict = &member.assessment.verdict;
    let latest = verdict.latest.as_ref().filter(|_| member.assessment.standing == Standing::Unsupported)?;
    Some(format!("behind {latest}"))
}

fn countdown(member: &Member, policy: &Policy, now: Timestamp) -> Option<String> {
    let text = status_text_with_date(&member.assessment, member.facts.version.as_deref(), policy, now);
    (text != NO_STATUS && !text.is_empty()).then_some(text)
}

/// What the status means and where its dates come from.
fn explanation(standing: Standing, speaker: Option<&Member>, policy: &Policy) -> AnyView {
    let meaning = match standing {
        Standing::Expired => {
            "Past its support. The delegate keeps running: this is a reminder, not a failure."
        }
        Standing::NearExpiry => "Support ends soon. The delegate keeps running after that day.",
        Standing::Unsupported => "A newer version of its line is out.",
        Standing::Active => "Nothing newer is out for this scope.",
        Standing::Unknown | Standing::Unreachable => {
            "The version was not reported, or has no place in the order of versions."
        }
    };
    let version = speaker.and_then(|member| member.facts.version.as_ref());
    let facts = speaker.zip(version).map(|(member, version)| {
        let verdict = &member.assessment.verdict;
        view! {
            <dl class="kv">
                {pair("Version", Some(version.to_string()))}
                {pair("Latest", verdict.latest.as_ref().map(ToString::to_string))}
                {verdict.support.map(|support| dates(&support))}
            </dl>
            {verdict.support.map(|support| view! { <p class="sub">{rule(support.source, policy.anchor)}</p> })}
        }
    });
    view! { <p>{meaning}</p>{facts} }.into_any()
}

/// Both dates of a version, and its publication where it is known, as pairs of a definition list.
#[must_use]
pub fn dates(support: &Support) -> AnyView {
    view! {
        {pair("Released", support.released.map(|date| date.to_string()))}
        {pair("End of support", support.eos.map(|date| date.to_string()))}
        {pair("End of life", support.eol.map(|date| date.to_string()))}
    }
    .into_any()
}

fn pair(term: &'static str, value: Option<String>) -> Option<AnyView> {
    value.map(|value| view! { <dt>{term}</dt><dd class="num">{value}</dd> }.into_any())
}

/// The rule that the countdown follows, in one sentence.
#[must_use]
pub fn rule(source: Source, anchor: Anchor) -> String {
    let counted = match anchor {
        Anchor::Eos => "The countdown runs to the end of support.",
        Anchor::Eol => "The countdown runs to the end of life.",
    };
    let origin = match source {
        Source::Catalog => "Both dates come from the version catalog.",
        Source::BaseEntry => "Both dates are those of the base version in the version catalog.",
        Source::Formula => {
            "Both dates follow the general rule: end of support is the last day of the 6th month and end of life that \
             of the 8th, counting the month of the version as the first."
        }
        Source::LegacyEnd => "Support of all legacy images ended on 2024-01-31.",
    };
    format!("{counted} {origin}")
}
