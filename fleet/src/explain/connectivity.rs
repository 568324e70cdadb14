//! Why something is connected, late or not connected (`product 3.1` to `3.8`).

use super::span::{age, span};
use super::{Check, Due, Explanation, Ground};
use crate::health::Connectivity;
use crate::summary::GroupConnectivity;
use crate::time::Timestamp;
use crate::view::{GroupView, Member};

/// One instance.
#[must_use]
pub fn connectivity(member: &Member, ground: &Ground) -> Explanation<Connectivity> {
    let (policy, now) = (&ground.policy, ground.now);
    let outcome = member.assessment.connectivity;
    let mut explained = Explanation::new(outcome, because(member, ground));
    match member.last_heartbeat {
        Some(beat) => {
            explained.fact("Last heartbeat", beat).fact("Compared at", now);
            explained.fact("Age", age(beat.age(now), policy.timeout));
        }
        None => {
            explained.fact("Last heartbeat", "never").fact("Compared at", now);
        }
    }
    explained.fact("Called late from", span(policy.late)).fact("Connected up to", span(policy.timeout));
    if let Some(at) = member.facts.goodbye_at {
        explained.fact("Said goodbye", at);
    }
    explained.rule = rule(ground);
    explained.checks = checks(outcome, ground);
    explained.changes = changes(outcome.is_connected(), ground);
    explained.due = due(member, ground);
    explained.notes = notes(member, ground);
    explained
}

/// A group: all, some or none of its instances.
#[must_use]
pub fn group_connectivity(group: &GroupView, ground: &Ground) -> Explanation<GroupConnectivity> {
    let counts = &group.rollup.counts;
    let outcome = group.rollup.connectivity;
    let share = format!("{} of {} listed instances are connected", counts.connected, counts.instances);
    let because = match outcome {
        GroupConnectivity::Connected => format!("{share}: all of them."),
        GroupConnectivity::Partial => format!("{share}: some of them."),
        GroupConnectivity::NotConnected if counts.instances == 0 => {
            "No instance is listed any more, so none can be connected.".to_owned()
        }
        GroupConnectivity::NotConnected => format!("{share}: none of them."),
    };
    let mut explained = Explanation::new(outcome, because);
    explained.fact("Connected", counts.connected.to_string());
    explained.fact("Listed instances", counts.instances.to_string());
    match group.rollup.last_heartbeat {
        Some(beat) => explained.fact("Newest heartbeat", beat),
        None => explained.fact("Newest heartbeat", "never"),
    };
    explained.fact("Compared at", ground.now);
    explained.rule = vec![
        "A group is connected while all its listed instances are, and partially connected while some are."
            .to_owned(),
    ];
    explained.rule.extend(rule(ground));
    explained.changes = changes(outcome == GroupConnectivity::Connected, ground);
    explained.due = group_due(group, ground);
    explained.notes = group_notes(group, ground);
    explained
}

fn because(member: &Member, ground: &Ground) -> String {
    let policy = &ground.policy;
    let Some(beat) = member.last_heartbeat else {
        return "No heartbeat of it was ever received.".to_owned();
    };
    let old = age(beat.age(ground.now), policy.timeout);
    let late = age(beat.age(ground.now), policy.late);
    let (limit, hint) = (span(policy.timeout), span(policy.late));
    match member.assessment.connectivity {
        Connectivity::Connected => {
            format!("The last heartbeat is {late} old, less than {hint}.")
        }
        Connectivity::Late => {
            format!("The last heartbeat is {late} old: at least {hint}, but not more than {limit}.")
        }
        Connectivity::NotConnected if beat.age(ground.now) <= policy.timeout => {
            "It said goodbye, which is a planned stop: it is gone at once.".to_owned()
        }
        Connectivity::NotConnected => format!("The last heartbeat is {old} old, more than {limit}."),
    }
}

fn rule(ground: &Ground) -> Vec<String> {
    let policy = &ground.policy;
    vec![
        format!(
            "An instance is connected while its last heartbeat is at most {} old. From {} on it is called late. \
             Delegates send one every minute or more often, so one or two missed ones change nothing.",
            span(policy.timeout),
            span(policy.late)
        ),
        "Only the clock of this server counts, not that of the delegate. A lost WebSocket alone changes nothing either."
            .to_owned(),
    ]
}

fn checks(outcome: Connectivity, ground: &Ground) -> Vec<Check> {
    let (late, timeout) = (span(ground.policy.late), span(ground.policy.timeout));
    [
        ("Connected", format!("younger than {late}"), Connectivity::Connected),
        ("Connected, late", format!("{late} to {timeout}"), Connectivity::Late),
        ("Not connected", format!("older than {timeout}, or none"), Connectivity::NotConnected),
    ]
    .into_iter()
    .map(|(leads_to, condition, state)| Check { leads_to, condition, met: state == outcome })
    .collect()
}

fn changes(connected: bool, ground: &Ground) -> Vec<String> {
    if connected {
        vec![
            format!("No heartbeat for more than {}.", span(ground.policy.timeout)),
            "A planned stop: the delegate says goodbye and leaves the list at once.".to_owned(),
            "Revoking its token: whoever holds it is shut out at once.".to_owned(),
        ]
    } else {
        vec!["The next heartbeat makes an instance connected at once.".to_owned()]
    }
}

/// What silence brings next, from now on.
fn due(member: &Member, ground: &Ground) -> Vec<Due> {
    let (policy, now) = (&ground.policy, ground.now);
    let Some(beat) = member.last_heartbeat.filter(|_| !member.hidden) else { return Vec::new() };
    let connected = member.assessment.connectivity.is_connected();
    let after = |millis: i64| beat.plus(millis.saturating_add(1));
    let state = |at: Timestamp, what: &str| Due { at, what: what.to_owned(), changes_state: true };
    let mut due = vec![];
    if connected {
        due.push(state(beat.plus(policy.late), "late, unless a heartbeat arrives"));
        due.push(state(after(policy.timeout), "not connected, unless a heartbeat arrives"));
    }
    due.push(Due {
        at: after(policy.instance_retention),
        what: format!("hidden from the list, {} after its last heartbeat", span(policy.instance_retention)),
        changes_state: false,
    });
    due.retain(|due| due.at > now);
    due
}

fn group_due(group: &GroupView, ground: &Ground) -> Vec<Due> {
    let shown = || group.members.iter().filter(|member| !member.hidden);
    let first = shown()
        .flat_map(|member| due(member, ground).into_iter().map(move |due| (due, member)))
        .filter(|(due, _)| due.changes_state)
        .min_by_key(|(due, _)| due.at)
        .map(|(due, member)| Due { what: format!("{}: {}", member.facts.host_name, due.what), ..due });
    let policy = &ground.policy;
    let hidden = Due {
        at: group.rollup.last_active.plus(policy.group_retention.saturating_add(1)),
        what: format!("the group is hidden, {} after it was last active", span(policy.group_retention)),
        changes_state: false,
    };
    let gone = (group.rollup.counts.connected == 0 && !group.hidden).then_some(hidden);
    first.into_iter().chain(gone).filter(|due| due.at > ground.now).collect()
}

fn restarted(ground: &Ground) -> Option<String> {
    ground.restarted_at.map(|_| {
        format!(
            "The server restarted a moment ago and heard nobody before that. For {} after its start no loss is recorded.",
            span(ground.policy.start_hold)
        )
    })
}

fn kept(ground: &Ground) -> String {
    format!(
        "Nothing is deleted by time. An instance is hidden {} after its last heartbeat and a group {} after its last \
         active instance; \"Show hidden\" lists them, and their history stays.",
        span(ground.policy.instance_retention),
        span(ground.policy.group_retention)
    )
}

fn notes(member: &Member, ground: &Ground) -> Vec<String> {
    let mut notes = Vec::new();
    if member.assessment.connectivity.is_connected() {
        if member.unstable {
            notes.push(format!(
                "Unstable: lost at least {} times within {}. Look at its memory, CPU and network.",
                ground.policy.flap_count,
                span(ground.policy.flap_window)
            ));
        }
        return notes;
    }
    notes.extend(restarted(ground));
    notes.push(kept(ground));
    notes
}

fn group_notes(group: &GroupView, ground: &Ground) -> Vec<String> {
    if group.rollup.connectivity == GroupConnectivity::Connected {
        return Vec::new();
    }
    let expired = "Expired is not why: the flag stops no delegate.".to_owned();
    restarted(ground).into_iter().chain([kept(ground), expired]).collect()
}
