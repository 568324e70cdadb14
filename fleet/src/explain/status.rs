//! Why a version is expired, near expiry, unsupported or supported (`product 5.3` to `5.9`).

use super::span::span;
use super::{Check, Due, Explanation, Ground};
use crate::catalog::Source;
use crate::health::Standing;
use crate::policy::Anchor;
use crate::version::Line;
use crate::view::{GroupView, Member};

/// Said wherever somebody may take the flag for the cause of a failure (`product 5.9`).
const INFORMATIONAL: &str = "The status stops nothing: an expired delegate keeps running, and expiry is not why something \
     fails. But the older a version, the less it fits its manager: work may fail, caches may go wrong, results may \
     differ.";

/// One instance.
#[must_use]
pub fn version_status(member: &Member, ground: &Ground) -> Explanation<Standing> {
    let verdict = &member.assessment.verdict;
    let outcome = member.assessment.standing;
    let mut explained = Explanation::new(outcome, because(member, ground));
    let version = member.facts.version.as_deref();
    explained.fact("Version", version.map_or("not reported", |version| version.as_str()));
    if let Some(support) = verdict.support {
        if let Some(released) = support.released {
            explained.fact("Released", released);
        }
        if let Some(eos) = support.eos {
            explained.fact("End of support", eos);
        }
        if let Some(eol) = support.eol {
            explained.fact("End of life", eol);
        }
        explained.fact("Dates from", source(support.source));
    }
    if let Some(expires_at) = verdict.expires_at {
        explained.fact("Near expiry from", expires_at.plus(-ground.policy.near_expiry));
        explained.fact("Expired after", expires_at);
    }
    explained.fact("Compared at", ground.now);
    if let Some(version) = version.filter(|version| version.line() != Line::Custom) {
        let latest = verdict.latest.as_ref().map_or("not known", |latest| latest.as_str());
        explained.fact("Latest", latest).fact("Latest from", ground.origin_text(version.line()));
    }
    explained.rule = rule(ground);
    explained.checks = checks(outcome, ground);
    explained.changes = changes(outcome);
    explained.due = due(member);
    explained.notes = vec![INFORMATIONAL.to_owned()];
    explained
}

/// A group: the worst of its connected instances, and which one that is.
#[must_use]
pub fn group_status(group: &GroupView, ground: &Ground) -> Explanation<Standing> {
    let worst = group.members.iter().find(|member| {
        member.assessment.standing == group.rollup.standing && group.rollup.standing != Standing::Unreachable
    });
    let Some(worst) = worst else {
        let because = "No instance is connected, so there is no version to judge.";
        let mut explained = Explanation::new(Standing::Unreachable, because);
        explained.fact("Compared at", ground.now);
        explained.rule = rule(ground);
        explained.changes = changes(Standing::Unreachable);
        explained.notes = vec![INFORMATIONAL.to_owned()];
        return explained;
    };
    let mut explained = version_status(worst, ground);
    explained
        .facts
        .insert(0, super::Fact { label: "Decided by", value: worst.facts.host_name.to_string().into() });
    explained.rule.insert(
        0,
        "A group has the worst status of its connected instances, and the earliest of their dates."
            .to_owned(),
    );
    explained
}

fn because(member: &Member, ground: &Ground) -> String {
    let verdict = &member.assessment.verdict;
    let day = verdict.expires_at.map(crate::time::Timestamp::date);
    let end = end_word(ground.policy.anchor);
    let day = day.map(|day| day.to_string()).unwrap_or_default();
    let legacy = member.facts.version.as_ref().is_some_and(|version| version.line() == Line::Legacy);
    match member.assessment.standing {
        Standing::Expired if legacy => {
            format!("Legacy images have had no support since {day}. An upgrade is required.")
        }
        Standing::Expired => format!("The {end} of its version, {day}, is over."),
        Standing::NearExpiry => {
            format!("The {end} of its version, {day}, is at most {} away.", span(ground.policy.near_expiry))
        }
        Standing::Unsupported => match &verdict.latest {
            Some(latest) => format!("It runs an older version than {latest}, the latest for this scope."),
            None => "It runs an older version than the latest for this scope.".to_owned(),
        },
        Standing::Active => {
            "Nothing newer is out for this scope, and its support does not end soon.".to_owned()
        }
        Standing::Unknown => unknown(member),
        Standing::Unreachable => "It is not connected, so its version is not judged.".to_owned(),
    }
}

fn unknown(member: &Member) -> String {
    match member.facts.version.as_ref().map(|version| version.line()) {
        None => "It is connected but reports no version.".to_owned(),
        Some(Line::Custom) => {
            "Its version is a custom text that has no place in the order of versions.".to_owned()
        }
        Some(_) => "No latest version of its line is known, so there is nothing to compare with.".to_owned(),
    }
}

const fn end_word(anchor: Anchor) -> &'static str {
    match anchor {
        Anchor::Eos => "end of support",
        Anchor::Eol => "end of life",
    }
}

const fn source(source: Source) -> &'static str {
    match source {
        Source::Catalog => "the version catalog",
        Source::BaseEntry => "the entry of the base version in the version catalog",
        Source::Formula => {
            "the general rule: last day of the 6th month for support and of the 8th for life, the month of the version \
             being the first"
        }
        Source::LegacyEnd => "the fixed end of all legacy images",
    }
}

fn rule(ground: &Ground) -> Vec<String> {
    let policy = &ground.policy;
    let end = end_word(policy.anchor);
    vec![format!(
        "The countdown runs to the {end}, until 23:59:59 UTC of that day (setting lifecycle.anchor). The last {} before \
         it count as near expiry (lifecycle.near_expiry_days). Days are counted in UTC.",
        span(policy.near_expiry)
    )]
}

fn checks(outcome: Standing, ground: &Ground) -> Vec<Check> {
    let end = end_word(ground.policy.anchor);
    let window = span(ground.policy.near_expiry);
    let rows = [
        ("Expired", format!("now is after the {end}"), Standing::Expired),
        (
            "Near expiry",
            format!("now is within {window} before the {end}, that day included"),
            Standing::NearExpiry,
        ),
        (
            "Unsupported",
            "the version is below the latest of its line for this scope".to_owned(),
            Standing::Unsupported,
        ),
        ("Supported", "none of these".to_owned(), Standing::Active),
    ];
    if outcome.status().is_none() {
        return Vec::new();
    }
    rows.into_iter()
        .map(|(leads_to, condition, standing)| Check { leads_to, condition, met: standing == outcome })
        .collect()
}

fn changes(outcome: Standing) -> Vec<String> {
    let text = match outcome {
        Standing::Expired | Standing::NearExpiry | Standing::Unsupported => {
            "Upgrading it. A catalog with other dates or another latest version would change it too."
        }
        Standing::Active => "A newer release of its line in the catalog makes it unsupported.",
        Standing::Unknown => "A version that can be placed, or a catalog that knows the latest of its line.",
        Standing::Unreachable => "Its next heartbeat: the version is judged again at once.",
    };
    vec![text.to_owned()]
}

/// What the calendar brings next: exactly when the verdict says so.
fn due(member: &Member) -> Vec<Due> {
    let verdict = &member.assessment.verdict;
    if member.assessment.standing.status().is_none() {
        return Vec::new();
    }
    let Some(at) = verdict.due_at else { return Vec::new() };
    let expires = verdict.expires_at.is_some_and(|end| at > end);
    let word = if expires { "expired" } else { "near expiry" };
    vec![Due { at, what: format!("{word}, if it is not upgraded"), changes_state: true }]
}
