//! The Instance status column: word and countdown with date (`product 5.7`, `5.8`).

use fleet::catalog::{Source, Support};
use fleet::delegate::GroupFacts;
use fleet::health::{Standing, status_text_with_date};
use fleet::policy::{Anchor, Policy};
use fleet::summary::GroupConnectivity;
use fleet::time::Timestamp;
use fleet::view::{GroupView, Member};
use leptos::prelude::*;

use crate::components::group_head::Tab;
use crate::components::list::Listing;
use crate::components::why::{Of, why_link};
use crate::components::{links, status};
use crate::context::framed;

/// Said in place of a status where there is none.
const NO_STATUS: &str = "-";
/// The same in words.
const NONE: &str = "None, not connected";

/// The cell of a group: the word of its worst connected member, the countdown of the member it speaks of.
#[must_use]
pub fn group_cell(group: &GroupView, listing: &Listing<'_>) -> AnyView {
    let Some(mark) = status::standing(group.rollup.standing) else {
        let why = why_link(&group.facts, Of::Status, None, NO_STATUS.into_any(), NONE);
        return view! { <td class="quiet"><div class="cn">{why}{troubleshoot(group)}</div></td> }.into_any();
    };
    let speaker = group.rollup.speaker.and_then(|at| group.members.get(at));
    let worst = group.members.iter().find(|member| member.assessment.standing == group.rollup.standing);
    let behind = worst.and_then(behind);
    let countdown = speaker.and_then(|member| countdown(member, listing.policy, listing.snapshot.as_of));
    let told = told(mark, behind.as_ref(), countdown.as_ref());
    let why = why_link(&group.facts, Of::Status, None, mark.view(), &told);
    let behind = behind.map(|text| view! { " "<span class="sub nb">{text}</span> });
    view! { <td class="stat"><div class="cn">{why}{behind}</div><div class="sub num">{countdown}</div></td> }
        .into_any()
}

/// The cell of an instance.
#[must_use]
pub fn instance_cell(group: &GroupFacts, member: &Member, policy: &Policy, now: Timestamp) -> AnyView {
    let id = Some(&*member.facts.id);
    let Some(mark) = status::standing(member.assessment.standing) else {
        let why = why_link(group, Of::Status, id, NO_STATUS.into_any(), NONE);
        return view! { <td class="quiet">{why}</td> }.into_any();
    };
    let behind = behind(member);
    let countdown = countdown(member, policy, now);
    let why = why_link(group, Of::Status, id, mark.view(), &told(mark, behind.as_ref(), countdown.as_ref()));
    let behind = behind.map(|text| view! { " "<span class="sub nb">{text}</span> });
    view! { <td><div class="cn">{why}{behind}</div><div class="sub num">{countdown}</div></td> }.into_any()
}

/// `Near expiry, Expiring in 10 days (2026-11-30)`.
fn told(mark: status::Mark, behind: Option<&String>, countdown: Option<&String>) -> String {
    let mut told = mark.word.to_owned();
    for text in [behind, countdown].into_iter().flatten() {
        told.push_str(", ");
        told.push_str(text);
    }
    told
}

/// The way to the questions that find the cause, where nothing is connected (`product 11.3`).
fn troubleshoot(group: &GroupView) -> Option<AnyView> {
    let here = group.source.is_none() && !framed();
    (group.rollup.connectivity == GroupConnectivity::NotConnected && here).then(|| {
        let href = Tab::Troubleshoot.path(&links::group_path(&group.facts));
        let label = format!("Troubleshoot {}", group.facts.name);
        view! { <a class="ts" href=href aria-label=label>"Troubleshoot"</a> }.into_any()
    })
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
