//! What a source listed, as groups of ours, and what changed since the list before (`management-api 7.3`, `7.4`).

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use client::{Delegate, Latest, Replica};
use fleet::delegate::{
    Approval, DelegateType, Details, Family, GroupFacts, InstanceFacts, Transport, clean_tags,
    free_identifier, group_identifier, implicit_tag,
};
use fleet::health::Status;
use fleet::history::{Turn, with_turn};
use fleet::mirror::{ToldGroup, ToldInstance, is_connected};
use fleet::scope::Scope;
use fleet::time::Timestamp;
use fleet::upgrade::State as Upgrades;
use fleet::version::Version;
use serde::{Deserialize, Serialize};

use crate::store::mirrors::MirrorRow;
use crate::store::{Cause, State, Transition};

/// What stands between the name of a delegate and that of its mirror in an identifier: no identifier of ours has it.
const MARK: char = '~';
/// What another server of ours says of groups that it mirrors itself: they are its sources' to tell.
const MIRRORED: &str = "mirror";

/// One list.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct List {
    pub(super) entries: Vec<Entry>,
    /// The instant of it, on the clock of the source.
    pub(super) remote_now: Timestamp,
    /// The same on ours.
    pub(super) now: Timestamp,
    /// What the source says its delegates should run.
    pub(super) latest: Option<Latest>,
}

/// One entry of a list.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Entry {
    /// What was asked for; the delegate may be below it.
    pub(super) scope: Scope,
    pub(super) delegate: Delegate,
}

/// What is remembered of the lists before.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Past {
    /// When each group was listed first, by internal id.
    groups: HashMap<String, Timestamp>,
    /// By delegate id.
    instances: HashMap<String, PastInstance>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct PastInstance {
    /// Internal id.
    group: String,
    connected: bool,
    version: Option<String>,
    version_since: Timestamp,
    first_seen: Timestamp,
    /// Turns of the last day; `true` is connected.
    turns: Vec<(Timestamp, bool)>,
}

/// How a mirror's lists are read.
pub(super) struct Reading {
    /// Internal id of the mirror.
    mirror: Arc<str>,
    name: Arc<str>,
    /// Where its groups are shown.
    pub(super) account: Arc<str>,
    /// A heartbeat that is older than this is a silence; milliseconds.
    timeout: i64,
}

impl Reading {
    pub(super) fn of(row: &MirrorRow, timeout: i64) -> Self {
        let (mirror, name) = (Arc::clone(&row.id), Arc::clone(&row.name));
        Self { mirror, name, account: Arc::clone(&row.account), timeout }
    }

    /// The groups of a list, what is to be remembered of it, and the lines of history that it adds. The same list once
    /// more adds none.
    pub(super) fn groups(&self, list: &List, past: &Past) -> (Vec<ToldGroup>, Past, Vec<Transition>) {
        let mut reader = Reader { reading: self, list, past, made: Made::default() };
        for entry in &list.entries {
            if entry.delegate.source.as_deref() != Some(MIRRORED) {
                reader.entry(entry);
            }
        }
        reader.gone();
        let Made { groups, now, lines, .. } = reader.made;
        (groups, now, lines)
    }

    /// Where a group belongs: names that cannot be identifiers are made such.
    fn place(&self, entry: &Entry) -> Scope {
        let (asked, delegate) = (&entry.scope, &entry.delegate);
        let organization = delegate.org_name.as_deref().map(word);
        let organization = organization.or_else(|| asked.organization().map(ToOwned::to_owned));
        let project = delegate.project_name.as_deref().map(word);
        let project = project.or_else(|| asked.project().map(ToOwned::to_owned));
        let made = Scope::new(&self.account, organization.as_deref(), project.as_deref());
        // Whatever else cannot be one: the list shows it in the account.
        made.or_else(|_| Scope::new(&self.account, None, None)).unwrap_or_else(|_| asked.clone())
    }
}

#[derive(Default)]
struct Made {
    groups: Vec<ToldGroup>,
    /// Their places by internal id: one that is listed twice is one.
    places: HashMap<String, usize>,
    identifiers: HashSet<(Scope, String)>,
    now: Past,
    lines: Vec<Transition>,
    /// One allocation for all instances of a version.
    versions: HashMap<String, Arc<Version>>,
}

/// A list that is being read.
struct Reader<'a> {
    reading: &'a Reading,
    list: &'a List,
    past: &'a Past,
    made: Made,
}

impl Reader<'_> {
    fn entry(&mut self, entry: &Entry) {
        let scope = self.reading.place(entry);
        let id = format!("{}/{scope}/{}", self.reading.mirror, entry.delegate.name);
        let place = if let Some(place) = self.made.places.get(&id) {
            *place
        } else {
            let group = self.group(entry, scope, &id);
            self.made.places.insert(id, self.made.groups.len());
            self.made.groups.push(group);
            self.made.groups.len() - 1
        };
        let Some(facts) = self.made.groups.get(place).map(|group| Arc::clone(&group.facts)) else { return };
        let mut members = Vec::with_capacity(entry.delegate.replicas.len());
        for replica in &entry.delegate.replicas {
            if !self.made.now.instances.contains_key(&replica.uuid) {
                members.push(self.member(replica, &facts, entry.delegate.legacy));
            }
        }
        if let Some(group) = self.made.groups.get_mut(place) {
            group.members.append(&mut members);
            let newest = group.members.iter().filter_map(|member| member.last_heartbeat).max();
            let newest = newest.or_else(|| self.list.on_our_clock(entry.delegate.last_heartbeat));
            let last_active = newest.unwrap_or(facts.first_seen);
            group.facts = Arc::new(GroupFacts { last_active, ..(*facts).clone() });
        }
    }

    fn group(&mut self, entry: &Entry, scope: Scope, id: &str) -> ToldGroup {
        let delegate = &entry.delegate;
        let first_seen = self.past.groups.get(id).copied().unwrap_or(self.list.now);
        self.made.now.groups.insert(id.to_owned(), first_seen);
        let base = format!("{}{MARK}{}", group_identifier(&delegate.name), self.reading.name);
        let taken = |candidate: &str| self.made.identifiers.contains(&(scope.clone(), candidate.to_owned()));
        let identifier = free_identifier(&base, taken);
        self.made.identifiers.insert((scope.clone(), identifier.clone()));
        let implicit = implicit_tag(&delegate.name);
        let custom = delegate.tags.iter().map(String::as_str).filter(|tag| *tag != implicit);
        let runner = !delegate.replicas.is_empty() && delegate.replicas.iter().all(|replica| replica.runner);
        let facts = GroupFacts {
            id: id.into(),
            scope: Arc::new(scope),
            name: delegate.name.as_str().into(),
            identifier: identifier.into(),
            kind: DelegateType::from(delegate.kind.as_str()),
            family: if runner { Family::Runner } else { Family::Java },
            description: delegate.description.as_str().into(),
            tags: clean_tags(custom).into_iter().map(Arc::from).collect(),
            first_seen,
            last_active: first_seen,
            upgrader_seen: None,
            by_choice: false,
            token_name: "".into(),
            approval: Approval::Approved,
            returned_at: None,
        };
        let auto_upgrade = upgrades(delegate.auto_upgrade.as_deref());
        ToldGroup { facts: Arc::new(facts), auto_upgrade, members: Vec::new() }
    }

    fn member(&mut self, replica: &Replica, group: &GroupFacts, legacy: bool) -> ToldInstance {
        let heard = instant(replica.last_heartbeat);
        let connected = is_connected(replica.connected, heard, self.list.remote_now, self.reading.timeout);
        let version = replica.version.as_deref().filter(|version| !version.is_empty() && *version != "N/A");
        let known = self.past.instances.get(&replica.uuid).filter(|known| *known.group == *group.id);
        let same = known.filter(|known| known.version.as_deref() == version);
        let mut now = PastInstance {
            group: group.id.to_string(),
            connected,
            version: version.map(ToOwned::to_owned),
            version_since: same.map_or(self.list.now, |same| same.version_since),
            first_seen: known.map_or(self.list.now, |known| known.first_seen),
            turns: known.map(|known| known.turns.clone()).unwrap_or_default(),
        };
        if known.is_none_or(|known| known.connected != connected) {
            self.line(group, &replica.uuid, known.map(|known| known.connected), connected);
            now.turns = turned(&now.turns, self.list.now, connected);
        }
        let facts = self.facts(replica, group, version, &now);
        let told = ToldInstance {
            facts: Arc::new(InstanceFacts { immutable: legacy.then_some(false), ..facts }),
            last_heartbeat: self.list.on_our_clock(replica.last_heartbeat),
            connected,
            expires_at: instant(replica.expiring_at),
            status: replica.status.as_deref().and_then(|status| status.parse::<Status>().ok()),
            turns: (!now.turns.is_empty()).then(|| now.turns.iter().map(turn).collect()),
        };
        self.made.now.instances.insert(replica.uuid.clone(), now);
        told
    }

    fn facts(
        &mut self,
        replica: &Replica,
        group: &GroupFacts,
        version: Option<&str>,
        now: &PastInstance,
    ) -> InstanceFacts {
        let version = version.map(|text| {
            let shared = self.made.versions.entry(text.to_owned());
            Arc::clone(shared.or_insert_with(|| Arc::new(Version::parse(text))))
        });
        InstanceFacts {
            id: replica.uuid.as_str().into(),
            group: Arc::clone(&group.id),
            host_name: replica.host_name.as_str().into(),
            ip: "".into(),
            ng: true,
            kind: group.kind.clone(),
            family: if replica.runner { Family::Runner } else { Family::Java },
            version,
            version_since: now.version_since,
            tags: Arc::clone(&group.tags),
            transport: Transport::default(),
            token: "".into(),
            immutable: None,
            registered_at: now.first_seen,
            goodbye_at: None,
            capacity: None,
            clock_skew: None,
            incomplete: false,
            double_seen: None,
            heartbeat_as_object: false,
            details: Arc::new(Details::default()),
        }
    }

    fn line(&mut self, group: &GroupFacts, instance: &str, from: Option<bool>, to: bool) {
        let cause = match (from, to) {
            (None, _) => Cause::Registered,
            (Some(_), true) => Cause::Return,
            (Some(_), false) => Cause::Silence,
        };
        let line = transition((group.scope.account(), &group.id, instance), self.list.now, cause);
        self.made.lines.push(Transition { from: from.map(state), to: state(to), ..line });
    }

    /// Instances that a good list does not hold any more: hidden, their history is kept.
    fn gone(&mut self) {
        for (id, known) in &self.past.instances {
            if self.made.now.instances.get(id).is_some_and(|now| now.group == known.group) {
                continue;
            }
            let line = transition((&self.reading.account, &known.group, id), self.list.now, Cause::Goodbye);
            self.made.lines.push(Transition {
                from: Some(state(known.connected)),
                to: State::Hidden,
                note: "removed at source".into(),
                ..line
            });
        }
    }
}

impl List {
    /// An instant of the source's clock; 0 stands for never, and so does what lies before it.
    fn on_our_clock(&self, millis: i64) -> Option<Timestamp> {
        instant(millis).map(|at| at.plus(self.remote_now.age(self.now)))
    }
}

fn instant(millis: i64) -> Option<Timestamp> {
    (millis > 0).then(|| Timestamp::from_millis(millis))
}

/// A display name as an identifier.
fn word(name: &str) -> String {
    let kept = |letter: char| if letter.is_ascii_alphanumeric() || letter == '_' { letter } else { '_' };
    name.trim().chars().map(kept).collect()
}

fn upgrades(word: Option<&str>) -> Upgrades {
    word.and_then(|word| word.parse().ok()).unwrap_or(Upgrades::Unknown)
}

const fn state(connected: bool) -> State {
    if connected { State::Connected } else { State::NotConnected }
}

fn turn(&(at, connected): &(Timestamp, bool)) -> Turn {
    Turn { at, to: state(connected) }
}

/// The turns with one more.
fn turned(turns: &[(Timestamp, bool)], now: Timestamp, connected: bool) -> Vec<(Timestamp, bool)> {
    let before = (!turns.is_empty()).then(|| turns.iter().map(turn).collect());
    let after = with_turn(&before, turn(&(now, connected)), now);
    after.iter().flat_map(|turns| turns.iter()).map(|turn| (turn.at, turn.to == State::Connected)).collect()
}

fn transition((account, group, instance): (&str, &str, &str), at: Timestamp, cause: Cause) -> Transition {
    Transition {
        account: account.into(),
        group: group.into(),
        instance: instance.into(),
        at,
        from: None,
        to: State::Connected,
        cause,
        note: "".into(),
        silence: None,
    }
}

#[cfg(test)]
mod tests;
