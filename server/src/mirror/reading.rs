//! What a source listed, as groups of ours, and what changed since the list before (`management-api 7.3`, `7.4`).

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use client::{Delegate, Replica};
use fleet::delegate::{
    Approval, DelegateType, Details, Family, GroupFacts, InstanceFacts, Transport, clean_tags, free_identifier,
    group_identifier, implicit_tag,
};
use fleet::history::{Turn, with_turn};
use fleet::mirror::{Source, ToldGroup, ToldInstance, is_connected};
use fleet::scope::Scope;
use fleet::time::Timestamp;
use fleet::upgrade::State as Upgrades;
use fleet::version::Version;

use crate::store::{Cause, State, Transition};

/// What stands between the name of a delegate and that of its mirror in an identifier: no identifier of ours has it.
const MARK: char = '~';

/// One list.
pub(super) struct List {
    /// Its entries with the scope that was asked about; entries may lie below it.
    pub(super) entries: Vec<(Scope, Delegate)>,
    /// The instant of it, on the clock of the source.
    pub(super) remote_now: Timestamp,
    /// The same on ours.
    pub(super) now: Timestamp,
}

/// How a mirror's lists are read.
pub(super) struct Reading<'a> {
    /// Internal id of the mirror.
    pub(super) mirror: &'a str,
    /// Its name.
    pub(super) name: &'a Arc<str>,
    /// A heartbeat that is older than this is a silence; milliseconds.
    pub(super) timeout: i64,
}

impl Reading<'_> {
    /// The groups of a list, and the lines of history that it adds; `before` are the groups of the list before.
    pub(super) fn groups(&self, list: List, before: &[ToldGroup]) -> (Vec<ToldGroup>, Vec<Transition>) {
        let known: HashMap<&str, &ToldInstance> =
            before.iter().flat_map(|group| &group.members).map(|member| (&*member.facts.id, member)).collect();
        let first_seen: HashMap<&str, Timestamp> =
            before.iter().map(|group| (&*group.facts.id, group.facts.first_seen)).collect();
        let source = Arc::new(Source { name: Arc::clone(self.name), as_of: list.now, trouble: None });
        let shift = list.remote_now.age(list.now);
        let (mut groups, mut lines) = (Vec::new(), Vec::new());
        let (mut taken, mut seen) = (HashSet::new(), HashSet::new());
        for (asked, entry) in list.entries {
            let scope = Arc::new(place(&asked, &entry));
            let id: Arc<str> = format!("{}/{scope}/{}", self.mirror, entry.name).into();
            let identifier = self.identifier(&scope, &entry.name, &mut taken);
            let mut facts = facts(&entry, &scope, id, identifier, list.now);
            if let Some(at) = first_seen.get(&*facts.id) {
                facts.first_seen = *at;
            }
            let mut members = Vec::with_capacity(entry.replicas.len());
            for replica in &entry.replicas {
                // One that is listed twice is one.
                if !seen.insert(replica.uuid.clone()) {
                    continue;
                }
                let connected = is_connected(
                    replica.connected,
                    instant(replica.last_heartbeat),
                    list.remote_now,
                    self.timeout,
                );
                let before = known.get(&*replica.uuid).copied();
                let mut told = instance(replica, &facts, connected, shift, before, list.now);
                if let Some(line) = line(&facts, &told, before, list.now) {
                    told.turns = with_turn(&told.turns, Turn { at: line.at, to: line.to }, list.now);
                    lines.push(line);
                }
                members.push(told);
            }
            let newest = members.iter().filter_map(|member| member.last_heartbeat).max();
            let newest = newest.or_else(|| instant(entry.last_heartbeat).map(|at| at.plus(shift)));
            facts.last_active = newest.unwrap_or(facts.first_seen);
            groups.push(ToldGroup {
                facts: Arc::new(facts),
                auto_upgrade: upgrades(entry.auto_upgrade.as_deref()),
                members,
                source: Arc::clone(&source),
            });
        }
        lines.extend(gone(before, &seen, list.now));
        (groups, lines)
    }

    /// Unique in its scope, also beside groups of ours.
    fn identifier(&self, scope: &Scope, name: &str, taken: &mut HashSet<(Scope, String)>) -> Arc<str> {
        let base = format!("{}{MARK}{}", group_identifier(name), self.name);
        let free = free_identifier(&base, |candidate| taken.contains(&(scope.clone(), candidate.to_owned())));
        taken.insert((scope.clone(), free.clone()));
        free.into()
    }
}

/// Where a group belongs: names that cannot be identifiers are made such.
fn place(asked: &Scope, entry: &Delegate) -> Scope {
    let (organization, project) = match (&entry.org_name, &entry.project_name) {
        (None, None) => return asked.clone(),
        (organization, project) => (organization.as_deref().map(word), project.as_deref().map(word)),
    };
    let organization = organization.or_else(|| asked.organization().map(ToOwned::to_owned));
    Scope::new(asked.account(), organization.as_deref(), project.as_deref()).unwrap_or_else(|_| asked.clone())
}

/// A display name as an identifier.
fn word(name: &str) -> String {
    let kept = |letter: char| if letter.is_ascii_alphanumeric() || letter == '_' { letter } else { '_' };
    name.trim().chars().map(kept).collect()
}

fn facts(entry: &Delegate, scope: &Arc<Scope>, id: Arc<str>, identifier: Arc<str>, now: Timestamp) -> GroupFacts {
    let implicit = implicit_tag(&entry.name);
    let custom = entry.tags.iter().map(String::as_str).filter(|tag| *tag != implicit);
    let runner = !entry.replicas.is_empty() && entry.replicas.iter().all(|replica| replica.runner);
    GroupFacts {
        id,
        scope: Arc::clone(scope),
        name: entry.name.as_str().into(),
        identifier,
        kind: DelegateType::from(entry.kind.as_str()),
        family: if runner { Family::Runner } else { Family::Java },
        description: entry.description.as_str().into(),
        tags: clean_tags(custom).into_iter().map(Arc::from).collect(),
        first_seen: now,
        last_active: now,
        upgrader_seen: None,
        by_choice: false,
        token_name: "".into(),
        approval: Approval::Approved,
        returned_at: None,
    }
}

fn instance(
    replica: &Replica,
    group: &GroupFacts,
    connected: bool,
    shift: i64,
    before: Option<&ToldInstance>,
    now: Timestamp,
) -> ToldInstance {
    let version = replica.version.as_deref().filter(|version| !version.is_empty() && *version != "N/A");
    let same = before.filter(|before| {
        before.facts.version.as_deref().map(Version::as_str) == version && before.facts.group == group.id
    });
    let facts = same.map_or_else(
        || {
            Arc::new(InstanceFacts {
                id: replica.uuid.as_str().into(),
                group: Arc::clone(&group.id),
                host_name: replica.host_name.as_str().into(),
                ip: "".into(),
                ng: true,
                kind: group.kind.clone(),
                family: if replica.runner { Family::Runner } else { Family::Java },
                version: version.map(|version| Arc::new(Version::parse(version))),
                version_since: now,
                tags: Arc::clone(&group.tags),
                transport: Transport::default(),
                token: "".into(),
                immutable: None,
                registered_at: before.map_or(now, |before| before.facts.registered_at),
                goodbye_at: None,
                capacity: None,
                clock_skew: None,
                incomplete: false,
                double_seen: None,
                heartbeat_as_object: false,
                details: Arc::new(Details::default()),
            })
        },
        |same| Arc::clone(&same.facts),
    );
    ToldInstance {
        facts,
        last_heartbeat: instant(replica.last_heartbeat).map(|at| at.plus(shift)),
        connected,
        expires_at: instant(replica.expiring_at),
        turns: before.and_then(|before| before.turns.clone()),
    }
}

/// 0 stands for never, and so does what lies before it.
fn instant(millis: i64) -> Option<Timestamp> {
    (millis > 0).then(|| Timestamp::from_millis(millis))
}

fn upgrades(word: Option<&str>) -> Upgrades {
    match word {
        Some("ON") => Upgrades::On,
        Some("OFF") => Upgrades::Off,
        Some("DETECTING") => Upgrades::Detecting,
        Some("SYNCHRONIZING") => Upgrades::Synchronizing,
        _ => Upgrades::Unknown,
    }
}

const fn state(connected: bool) -> State {
    if connected { State::Connected } else { State::NotConnected }
}

/// What a list adds to the history of an instance; none where it says what the one before said.
fn line(
    group: &GroupFacts,
    told: &ToldInstance,
    before: Option<&ToldInstance>,
    now: Timestamp,
) -> Option<Transition> {
    let to = state(told.connected);
    let from = before.map(|before| state(before.connected));
    if from == Some(to) {
        return None;
    }
    let cause = match (from, to) {
        (None, _) => Cause::Registered,
        (Some(_), State::Connected) => Cause::Return,
        (Some(_), _) => Cause::Silence,
    };
    Some(transition(group, told, now, (from, to), cause, ""))
}

/// Instances that a good list does not hold any more: hidden, their history is kept.
fn gone(before: &[ToldGroup], seen: &HashSet<String>, now: Timestamp) -> Vec<Transition> {
    let left = |group: &'_ ToldGroup| -> Vec<Transition> {
        let missing = group.members.iter().filter(|member| !seen.contains(&*member.facts.id));
        let line = |member: &ToldInstance| {
            let change = (Some(state(member.connected)), State::Hidden);
            transition(&group.facts, member, now, change, Cause::Goodbye, "removed at source")
        };
        missing.map(line).collect()
    };
    before.iter().flat_map(left).collect()
}

fn transition(
    group: &GroupFacts,
    told: &ToldInstance,
    at: Timestamp,
    (from, to): (Option<State>, State),
    cause: Cause,
    note: &str,
) -> Transition {
    Transition {
        account: group.scope.account().into(),
        group: Arc::clone(&group.id),
        instance: Arc::clone(&told.facts.id),
        at,
        from,
        to,
        cause,
        note: note.into(),
        silence: None,
    }
}

#[cfg(test)]
mod tests;
