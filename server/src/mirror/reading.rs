//! What a source listed, as groups of ours, and what changed since the list before (`management-api 7.3`, `7.4`).

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use client::Replica;
use fleet::delegate::{
    Approval, DelegateType, Details, Family, GroupFacts, InstanceFacts, Transport, clean_tags,
    group_identifier, implicit_tag,
};
use fleet::health::Status;
use fleet::history::{Turn, with_turn};
use fleet::mirror::{ToldGroup, ToldInstance, is_connected};
use fleet::scope::Scope;
use fleet::time::{HOUR, Timestamp};
use fleet::upgrade::State as Upgrades;
use fleet::version::Version;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::list::{Entry, List, instant};
use crate::store::mirrors::MirrorRow;
use crate::store::{Cause, State, Transition};

/// What stands between the name of a delegate and that of its mirror in an identifier: no identifier of ours has it, and
/// no name of a mirror.
const MARK: char = '~';
/// How long one is remembered that may stand in what was not understood.
const DOUBT: i64 = HOUR;

/// A change of an instance since the list before. It happened at the instant of the list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Line {
    group: String,
    instance: String,
    /// Whether it was connected; none for one that was not listed.
    from: Option<bool>,
    /// Whether it is; none for one that is not listed any more.
    to: Option<bool>,
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
    /// Since when lists that were not understood as a whole lack it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    missing_since: Option<Timestamp>,
}

/// How a mirror's lists are read.
pub(super) struct Reading {
    /// That of the mirror.
    name: Arc<str>,
    /// Where its groups are shown.
    pub(super) account: Arc<str>,
    /// A heartbeat that is older than this is a silence; milliseconds.
    timeout: i64,
}

impl Reading {
    pub(super) fn of(row: &MirrorRow, timeout: i64) -> Self {
        Self { name: Arc::clone(&row.name), account: Arc::clone(&row.account), timeout }
    }

    /// The groups of a list, what is to be remembered of it, and the lines of history that it adds. The same list once
    /// more adds none.
    pub(super) fn groups(&self, list: &List, past: &Past) -> (Vec<ToldGroup>, Past, Vec<Line>) {
        let mut alike: HashMap<_, HashSet<_>> = HashMap::new();
        for entry in &list.entries {
            let place = (self.place(entry), group_identifier(&entry.delegate.name));
            alike.entry(place).or_default().insert(self.id(entry));
        }
        let mut reader = Reader { reading: self, list, past, made: Made::default(), alike };
        for entry in &list.entries {
            reader.entry(entry);
        }
        reader.gone();
        let Made { groups, now, lines, .. } = reader.made;
        (groups, now, lines)
    }

    /// Where a group belongs: names that cannot be identifiers are made such.
    fn place(&self, entry: &Entry) -> Scope {
        let (organization, project) = entry.names();
        let (organization, project) = (organization.map(word), project.map(word));
        let made = Scope::new(&self.account, organization.as_deref(), project.as_deref());
        // Whatever else cannot be one is shown in the account.
        made.or_else(|_| Scope::new(&self.account, None, None)).unwrap_or_else(|_| entry.scope.clone())
    }

    /// The internal id of a group: the same for the same names, whatever else is listed, and after a mirror was set up
    /// anew under its name.
    fn id(&self, entry: &Entry) -> String {
        let (organization, project) = entry.names();
        let names = [organization.unwrap_or_default(), project.unwrap_or_default(), &entry.delegate.name];
        short_hash(&[&[&*self.account, &*self.name], &names[..]].concat())
    }
}

#[derive(Default)]
struct Made {
    groups: Vec<ToldGroup>,
    /// Their places by internal id: one that is listed twice is one.
    places: HashMap<String, usize>,
    now: Past,
    lines: Vec<Line>,
    /// One allocation for all instances of a version.
    versions: HashMap<String, Arc<Version>>,
}

/// A list that is being read.
struct Reader<'a> {
    reading: &'a Reading,
    list: &'a List,
    past: &'a Past,
    made: Made,
    /// The groups of one scope whose names make the same identifier, by internal id.
    alike: HashMap<(Scope, String), HashSet<String>>,
}

impl Reader<'_> {
    fn entry(&mut self, entry: &Entry) {
        let (scope, id) = (self.reading.place(entry), self.reading.id(entry));
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
            let newest = members.iter().filter_map(|member| member.last_heartbeat).max();
            let newest = newest.max(self.list.on_our_clock(entry.delegate.last_heartbeat));
            group.members.append(&mut members);
            let last_active = newest.map_or(facts.last_active, |newest| newest.max(facts.last_active));
            group.facts = Arc::new(GroupFacts { last_active, ..(*facts).clone() });
        }
    }

    fn group(&mut self, entry: &Entry, scope: Scope, id: &str) -> ToldGroup {
        let delegate = &entry.delegate;
        let first_seen = self.past.groups.get(id).copied().unwrap_or(self.list.now);
        self.made.now.groups.insert(id.to_owned(), first_seen);
        let base = group_identifier(&delegate.name);
        let named = format!("{base}{MARK}{}", self.reading.name);
        // Those that look alike all say which they are, in whatever order they are listed.
        let alike = self.alike.get(&(scope.clone(), base)).is_some_and(|ids| ids.len() > 1);
        let identifier = if alike { format!("{named}{MARK}{}", &id[..8]) } else { named };
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
            missing_since: None,
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
        let (group, instance) = (group.id.to_string(), instance.to_owned());
        self.made.lines.push(Line { group, instance, from, to: Some(to) });
    }

    /// Instances that a good list does not hold any more: hidden, their history is kept. What could not be understood may
    /// hold them: then they are remembered.
    fn gone(&mut self) {
        for (id, known) in &self.past.instances {
            let now = self.made.now.instances.get(id);
            if now.is_some_and(|now| now.group == known.group) {
                continue;
            }
            let since = known.missing_since.unwrap_or(self.list.now);
            if self.list.skipped > 0 && now.is_none() && since.age(self.list.now) < DOUBT {
                let kept = PastInstance { missing_since: Some(since), ..known.clone() };
                self.made.now.instances.insert(id.clone(), kept);
                if let Some(first_seen) = self.past.groups.get(&known.group) {
                    self.made.now.groups.entry(known.group.clone()).or_insert(*first_seen);
                }
                continue;
            }
            let (group, instance) = (known.group.clone(), id.clone());
            self.made.lines.push(Line { group, instance, from: Some(known.connected), to: None });
        }
    }
}

impl Line {
    /// As it stands in the history.
    pub(super) fn transition(&self, account: &Arc<str>, at: Timestamp) -> Transition {
        let (cause, note) = match (self.from, self.to) {
            (_, None) => (Cause::Goodbye, "removed at source"),
            (None, Some(_)) => (Cause::Registered, ""),
            (Some(_), Some(true)) => (Cause::Return, ""),
            (Some(_), Some(false)) => (Cause::Silence, ""),
        };
        Transition {
            account: Arc::clone(account),
            group: self.group.as_str().into(),
            instance: self.instance.as_str().into(),
            at,
            from: self.from.map(state),
            to: self.to.map_or(State::Hidden, state),
            cause,
            note: note.into(),
            silence: None,
        }
    }
}

/// A display name as an identifier. Names that are not one already say which they are: two of them must not become one.
fn word(name: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-' | '.' | '$');
    if Scope::new(name, None, None).is_ok() {
        return name.to_owned();
    }
    let kept = name.trim().trim_start_matches('.').chars().take(64);
    let kept: String = kept.map(|letter| if plain(letter) { letter } else { '_' }).collect();
    format!("{kept}_{}", &short_hash(&[name])[..6])
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

/// Texts as 22 characters that no other ones have.
fn short_hash(texts: &[&str]) -> String {
    let mut hasher = Sha256::new();
    for text in texts {
        hasher.update((text.len() as u64).to_le_bytes());
        hasher.update(text);
    }
    URL_SAFE_NO_PAD.encode(&hasher.finalize()[..16])
}

#[cfg(test)]
mod tests;
