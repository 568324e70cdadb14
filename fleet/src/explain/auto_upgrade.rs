//! Why auto-upgrade is on, off or detecting (`agent-protocol 10.5`, `product 7`).

use std::cmp::Ordering;

use super::span::{age, span};
use super::{Due, Explanation, Ground};
use crate::catalog::Origin;
use crate::delegate::{GroupFacts, hint, implicit_tag};
use crate::overrides::{self, Override};
use crate::scope::Scope;
use crate::upgrade::{AutoUpgrade, FIRST_UPGRADABLE_BUILD, Reason, State, age_hint};
use crate::view::GroupView;

/// A group.
#[must_use]
pub fn auto_upgrade(group: &GroupView, ground: &Ground) -> Explanation<AutoUpgrade> {
    let state = group.rollup.auto_upgrade;
    let facts = &group.facts;
    let mut explained = Explanation::new(state, because(&state, facts, ground));
    explained.fact("Type", facts.kind.as_str());
    if let Some(platform) = hint(&facts.tags, "platform") {
        explained.fact("Platform tag", platform);
    }
    if let Some(lowest) = &group.rollup.version {
        explained.fact("Lowest connected version", lowest.to_string());
        if matches!(state.reason, Reason::ImageTooOld) {
            explained.fact("First image with an upgrader", format!("build {FIRST_UPGRADABLE_BUILD}"));
        }
    }
    match facts.upgrader_seen {
        Some(at) => explained.fact("Last upgrader call", at),
        None => explained.fact("Last upgrader call", "never"),
    };
    explained.fact("First seen", facts.first_seen).fact("Compared at", ground.now);
    explained.fact("On up to", format!("{} after a call", span(ground.policy.upgrader_seen)));
    if let Some(latest) = target(group, ground) {
        explained.fact("Upgrades lead to", latest.0).fact("Set by", latest.1);
    }
    explained.rule = rule(ground);
    explained.changes = changes(&state);
    explained.due = state.due_at(facts, &ground.policy).into_iter().map(|at| due(at, &state)).collect();
    explained.notes = notes(group, &state, ground);
    explained
}

fn due(at: crate::time::Timestamp, state: &AutoUpgrade) -> Due {
    let what = match state.state {
        State::Detecting => "off, unless the upgrader calls",
        State::On | State::Off | State::Synchronizing | State::Unknown => {
            "off, unless the upgrader calls again"
        }
    };
    Due { at, what: what.to_owned(), changes_state: true }
}

fn because(state: &AutoUpgrade, facts: &GroupFacts, ground: &Ground) -> String {
    let limit = span(ground.policy.upgrader_seen);
    let since = |at: crate::time::Timestamp| age(at.age(ground.now), ground.policy.upgrader_seen);
    match state.reason {
        Reason::Runner => "Delegate 3.x has no upgrader.".to_owned(),
        Reason::Ecs => "There is no upgrader on ECS and Fargate.".to_owned(),
        Reason::GoClient => {
            "The embedded client of virtual-machine runners has no upgrader; its host program updates it."
                .to_owned()
        }
        Reason::LegacyWatcher => {
            "The watcher of a legacy image replaces its delegate process by itself.".to_owned()
        }
        Reason::ImageTooOld => format!(
            "The image is older than build {FIRST_UPGRADABLE_BUILD}, the first that works with an upgrader."
        ),
        Reason::Seen(at) => format!("The upgrader called {} ago, not more than {limit}.", since(at)),
        Reason::Waiting => format!(
            "The group was first seen {} ago, not more than {limit}, and no upgrader has called yet.",
            since(facts.first_seen)
        ),
        Reason::NotSeen(Some(at)) => {
            format!("The upgrader called last {} ago, more than {limit}.", since(at))
        }
        Reason::Told => {
            "The mirrored server says so; whether its upgrader calls is known there alone.".to_owned()
        }
        Reason::NotSeen(None) => {
            format!("No upgrader ever called, and the group has been known for more than {limit}.")
        }
    }
}

fn rule(ground: &Ground) -> Vec<String> {
    let limit = span(ground.policy.upgrader_seen);
    vec![format!(
        "Auto-upgrade is on while the upgrader called at most {limit} ago, detecting during the first {limit} of a group \
         whose upgrader has not called yet, else off. 3.x, ECS, Fargate and the embedded client are always off; legacy \
         images count as on, because their watcher updates them."
    )]
}

fn changes(state: &AutoUpgrade) -> Vec<String> {
    let text = match state.reason {
        Reason::Seen(_) => "Suspending or deleting the job of the upgrader, or a schedule that is too slow.",
        Reason::Waiting | Reason::NotSeen(_) => "The next call of the upgrader switches it on at once.",
        Reason::ImageTooOld => "A newer image, rolled out by hand once.",
        Reason::Runner | Reason::Ecs | Reason::GoClient => "Nothing: update it by hand every 3 to 6 months.",
        Reason::Told => "The mirrored server says something else.",
        Reason::LegacyWatcher => "A classic image in place of the legacy one.",
    };
    vec![text.to_owned()]
}

fn notes(group: &GroupView, state: &AutoUpgrade, ground: &Ground) -> Vec<String> {
    let mut notes = Vec::new();
    if let Reason::NotSeen(seen) = state.reason {
        notes.push(
            "Usual reasons: the CronJob is suspended, was deleted, or was never installed because the files for updates \
             by hand were used."
                .to_owned(),
        );
        let limit = span(ground.policy.upgrader_seen);
        let slow =
            format!("A schedule of more than {limit} flips between on and off although upgrades work.");
        notes.push(match seen {
            Some(_) => format!("{slow} If the job runs, make it hourly."),
            None => slow,
        });
    }
    if state.by_choice && state.state == State::Off {
        notes.push(
            "This group is marked as updated by hand on purpose, so the card does not count it.".to_owned(),
        );
    }
    notes.extend(old_image(group, state, ground));
    notes.extend(behind(group, state, ground));
    notes
}

/// `image is n months old; update by hand every 3 to 6 months` (`product 7`).
fn old_image(group: &GroupView, state: &AutoUpgrade, ground: &Ground) -> Option<String> {
    let version = group.rollup.version.as_deref();
    let mut of_version = group.members.iter().filter(|member| member.facts.version.as_deref() == version);
    let support = of_version.find_map(|member| member.assessment.verdict.support);
    age_hint(state, version, support.as_ref(), ground.now.date()).map(|hint| format!("{hint}."))
}

/// The image tag that a version override leads a group to, and who says so.
#[must_use]
pub fn chosen(group: &GroupView, ground: &Ground) -> Option<(String, String)> {
    over(group, ground).map(|(scope, chosen)| (chosen.image_tag.to_string(), set_by(scope, chosen)))
}

/// The override that speaks of the group.
fn over<'a>(group: &GroupView, ground: &'a Ground) -> Option<&'a (Scope, Override)> {
    let implicit = implicit_tag(&group.facts.name);
    let tags: Vec<&str> = group.facts.tags.iter().map(|tag| &**tag).chain([&*implicit]).collect();
    overrides::choose(&ground.overrides, &tags)
}

fn set_by(scope: &Scope, chosen: &Override) -> String {
    let until = chosen.valid_until.to_utc().format("%Y-%m-%d %H:%M UTC");
    format!("a version override of {scope}, until {until}")
}

/// What the upgrader is told to run, and who says so.
fn target(group: &GroupView, ground: &Ground) -> Option<(String, String)> {
    let upgrades =
        matches!(group.rollup.auto_upgrade.reason, Reason::Seen(_) | Reason::Waiting | Reason::NotSeen(_));
    if let Some(chosen) = chosen(group, ground).filter(|_| upgrades) {
        return Some(chosen);
    }
    let latest = group.members.iter().find_map(|member| member.assessment.verdict.latest.clone())?;
    upgrades.then(|| (latest.to_string(), ground.origin_text(latest.line())))
}

/// On although behind: still to be rolled out, or held back (`product 7`).
fn behind(group: &GroupView, state: &AutoUpgrade, ground: &Ground) -> Option<String> {
    let lowest = group.rollup.version.as_deref().filter(|_| matches!(state.reason, Reason::Seen(_)))?;
    if let Some((tag, from)) = chosen(group, ground) {
        let public = ground.public.as_ref()?;
        return (lowest.compare(public) == Some(Ordering::Less)).then(|| {
            format!("On, yet behind {public}, the newest public image, on purpose: {from} says {tag}.")
        });
    }
    let latest = group.members.iter().find_map(|member| member.assessment.verdict.latest.clone())?;
    if lowest.compare(&latest) == Some(Ordering::Less) {
        return Some(format!(
            "On, yet behind {latest}: the upgrader rolls it out with one of its next calls. If that does not happen, look \
             at the log of its job."
        ));
    }
    let public = ground.public.as_ref()?;
    let held = matches!(ground.origins.of(lowest.line()), Origin::Ring | Origin::Setting);
    (held && lowest.compare(public) == Some(Ordering::Less)).then(|| {
        format!(
            "On, yet behind {public}, the newest public image, on purpose: {} says {latest}.",
            ground.origin_text(lowest.line())
        )
    })
}
