//! Why a version is shown, `N/A` or `not reported` (`product 5.1`, `5.6`).

use super::{Explanation, Ground};
use crate::delegate::Family;
use crate::version::{Line, Version};
use crate::view::{GroupView, Member};

/// One instance; the outcome is what its cell says.
#[must_use]
pub fn version(member: &Member, ground: &Ground) -> Explanation<String> {
    let connected = member.assessment.connectivity.is_connected();
    let reported = member.facts.version.as_deref();
    let (outcome, because) = match reported {
        _ if !connected => {
            ("N/A".to_owned(), "It is not connected, so nothing runs that could be named.".to_owned())
        }
        Some(version) => (
            version.to_string(),
            "It reported this version with its last registration or heartbeat.".to_owned(),
        ),
        None => ("not reported".to_owned(), silent(member.facts.family).to_owned()),
    };
    let mut explained = Explanation::new(outcome, because);
    explained.fact("Last reported", reported.map_or("never", Version::as_str));
    if reported.is_some() {
        explained.fact("Reported since", member.facts.version_since);
    }
    if let Some(version) = reported {
        explained.fact("Line", line(version.line()));
        facts_of_image(&mut explained, member);
        if let Some(latest) = &member.assessment.verdict.latest {
            explained
                .fact("Latest", latest.to_string())
                .fact("Latest from", ground.origin_text(version.line()));
        }
    }
    explained.fact("Compared at", ground.now);
    explained.rule = rule();
    explained.changes = vec!["The next heartbeat or registration with another version.".to_owned()];
    explained
}

/// A group: the lowest version of its connected instances.
#[must_use]
pub fn group_version(group: &GroupView, ground: &Ground) -> Explanation<String> {
    let lowest = group.rollup.version.as_ref();
    let speaker = group.members.iter().find(|member| {
        member.assessment.connectivity.is_connected() && member.facts.version.as_ref() == lowest
    });
    let (outcome, because) = match (lowest, speaker) {
        (Some(version), _) if group.rollup.other_versions > 0 => (
            version.to_string(),
            format!(
                "The lowest of {} versions that its connected instances run.",
                group.rollup.other_versions + 1
            ),
        ),
        (Some(version), _) => {
            (version.to_string(), "All its connected instances run this version.".to_owned())
        }
        (None, Some(member)) => ("not reported".to_owned(), silent(member.facts.family).to_owned()),
        (None, None) => {
            ("N/A".to_owned(), "No instance is connected, so nothing runs that could be named.".to_owned())
        }
    };
    let mut explained = match speaker.or_else(|| group.members.first()) {
        Some(member) => version(member, ground),
        None => Explanation::new(String::new(), String::new()),
    };
    (explained.outcome, explained.because) = (outcome, because);
    explained.rule = rule();
    explained.rule.insert(0, "A group shows the lowest version among its connected instances.".to_owned());
    explained
}

fn rule() -> Vec<String> {
    vec![
        "N/A means not connected. Not reported means connected without telling a version, as the embedded client of \
         virtual-machine runners and 3.x delegates with the placeholder v0.1 do."
            .to_owned(),
    ]
}

const fn silent(family: Family) -> &'static str {
    match family {
        Family::Go => "The embedded client of virtual-machine runners never tells its version.",
        Family::Runner => "This 3.x delegate sent no version, or the placeholder v0.1.",
        Family::Java => "It registered without a version.",
    }
}

const fn line(line: Line) -> &'static str {
    match line {
        Line::Classic => "classic (year.month.build)",
        Line::Legacy => "legacy (1.0.number)",
        Line::Runner => "3.x (semantic versions)",
        Line::Custom => "custom text, without a lifecycle",
    }
}

fn facts_of_image(explained: &mut Explanation<String>, member: &Member) {
    let Some(support) = member.assessment.verdict.support else { return };
    if let Some(released) = support.released {
        explained.fact("Released", released);
    }
    if let Some(eos) = support.eos {
        explained.fact("End of support", eos);
    }
    if let Some(eol) = support.eol {
        explained.fact("End of life", eol);
    }
}
