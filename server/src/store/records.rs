//! A batch as rows of the database: flat, free of repeated keys, in the order of their keys.
//!
//! PostgreSQL refuses to touch a row twice in one statement, and writers that lock rows in one order do not
//! deadlock.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::sync::Arc;

use fleet::delegate::GroupFacts;
use fleet::time::Timestamp;
use fleet::troubleshoot::Attempt;
use serde::Serialize;

use super::decode::ScopeKey;
use super::error::encode;
use super::words::Word;
use super::{Alias, Batch, Beat, InstanceRow, Silence, StoreError, Tombstone, Transition, TurnedAway};

/// How many rows one statement takes: bounds the size of a message.
pub(super) const CHUNK: usize = 5_000;

/// A row with a key.
trait Keyed: Sized {
    /// Order of the keys.
    fn order(&self, other: &Self) -> Ordering;

    /// Becomes `later`, a row of the same key, by the rules of [`Batch`].
    fn replace(&mut self, later: Self) {
        *self = later;
    }
}

/// One row per key, as if the rows had been written one after the other.
fn settled<R: Keyed>(rows: impl IntoIterator<Item = R>) -> Vec<R> {
    let mut rows: Vec<R> = rows.into_iter().collect();
    rows.sort_by(R::order);
    let mut settled: Vec<R> = Vec::with_capacity(rows.len());
    for row in rows {
        match settled.last_mut() {
            Some(last) if last.order(&row) == Ordering::Equal => last.replace(row),
            _ => settled.push(row),
        }
    }
    settled
}

/// A text that both databases can hold: PostgreSQL knows no NUL character.
pub(super) fn plain(text: &str) -> Cow<'_, str> {
    if text.contains('\0') { Cow::Owned(text.replace('\0', "\u{fffd}")) } else { Cow::Borrowed(text) }
}

fn millis(at: Option<Timestamp>) -> Option<i64> {
    at.map(Timestamp::millis)
}

/// A row of `delegate_groups`.
#[derive(Debug, Serialize)]
pub(super) struct GroupRecord<'a> {
    pub(super) account: Cow<'a, str>,
    pub(super) id: Cow<'a, str>,
    pub(super) organization: &'a str,
    pub(super) project: &'a str,
    pub(super) name: Cow<'a, str>,
    pub(super) identifier: Cow<'a, str>,
    pub(super) kind: Cow<'a, str>,
    pub(super) family: &'static str,
    pub(super) description: Cow<'a, str>,
    pub(super) tags: String,
    pub(super) first_seen: i64,
    pub(super) last_active: i64,
    pub(super) upgrader_seen: Option<i64>,
    pub(super) by_choice: bool,
    pub(super) token_name: Cow<'a, str>,
    pub(super) approval: &'static str,
    pub(super) returned_at: Option<i64>,
}

impl<'a> TryFrom<&'a GroupFacts> for GroupRecord<'a> {
    type Error = StoreError;

    fn try_from(facts: &'a GroupFacts) -> Result<Self, StoreError> {
        let scope = ScopeKey::from(&*facts.scope);
        Ok(Self {
            account: scope.account.into(),
            id: plain(&facts.id),
            organization: scope.organization,
            project: scope.project,
            name: plain(&facts.name),
            identifier: plain(&facts.identifier),
            kind: plain(facts.kind.as_str()),
            family: facts.family.word(),
            description: plain(&facts.description),
            tags: serde_json::to_string(&facts.tags).map_err(encode)?,
            first_seen: facts.first_seen.millis(),
            last_active: facts.last_active.millis(),
            upgrader_seen: millis(facts.upgrader_seen),
            by_choice: facts.by_choice,
            token_name: plain(&facts.token_name),
            approval: facts.approval.word(),
            returned_at: millis(facts.returned_at),
        })
    }
}

impl Keyed for GroupRecord<'_> {
    fn order(&self, other: &Self) -> Ordering {
        (&self.account, &self.id).cmp(&(&other.account, &other.id))
    }

    fn replace(&mut self, later: Self) {
        *self = Self {
            first_seen: self.first_seen.min(later.first_seen),
            last_active: self.last_active.max(later.last_active),
            upgrader_seen: self.upgrader_seen.max(later.upgrader_seen),
            returned_at: self.returned_at.max(later.returned_at),
            // Only the first row of a group decides.
            approval: self.approval,
            by_choice: self.by_choice,
            ..later
        };
    }
}

/// A row of `instances`.
#[derive(Debug, Serialize)]
pub(super) struct InstanceRecord<'a> {
    pub(super) account: Cow<'a, str>,
    pub(super) id: Cow<'a, str>,
    pub(super) group_id: Cow<'a, str>,
    pub(super) last_heartbeat: Option<i64>,
    pub(super) registered_at: i64,
    pub(super) goodbye_at: Option<i64>,
    pub(super) host_name: Cow<'a, str>,
    pub(super) ip: Cow<'a, str>,
    pub(super) ng: bool,
    pub(super) kind: Cow<'a, str>,
    pub(super) family: &'static str,
    pub(super) version: Option<Cow<'a, str>>,
    pub(super) version_since: i64,
    pub(super) tags: String,
    pub(super) transport: &'static str,
    pub(super) token_id: Cow<'a, str>,
    pub(super) immutable: Option<bool>,
    pub(super) capacity: Option<i64>,
    pub(super) clock_skew: Option<i64>,
    pub(super) incomplete: bool,
    pub(super) double_seen: Option<i64>,
    pub(super) heartbeat_as_object: bool,
    pub(super) details: String,
}

impl<'a> TryFrom<&'a InstanceRow> for InstanceRecord<'a> {
    type Error = StoreError;

    fn try_from(row: &'a InstanceRow) -> Result<Self, StoreError> {
        let facts = &*row.facts;
        Ok(Self {
            account: plain(&row.account),
            id: plain(&facts.id),
            group_id: plain(&facts.group),
            last_heartbeat: millis(row.last_heartbeat),
            registered_at: facts.registered_at.millis(),
            goodbye_at: millis(facts.goodbye_at),
            host_name: plain(&facts.host_name),
            ip: plain(&facts.ip),
            ng: facts.ng,
            kind: plain(facts.kind.as_str()),
            family: facts.family.word(),
            version: facts.version.as_deref().map(|version| plain(version.as_str())),
            version_since: facts.version_since.millis(),
            tags: serde_json::to_string(&facts.tags).map_err(encode)?,
            transport: facts.transport.word(),
            token_id: plain(&facts.token),
            immutable: facts.immutable,
            capacity: facts.capacity,
            clock_skew: facts.clock_skew,
            incomplete: facts.incomplete,
            double_seen: millis(facts.double_seen),
            heartbeat_as_object: facts.heartbeat_as_object,
            details: serde_json::to_string(&facts.details).map_err(encode)?,
        })
    }
}

impl Keyed for InstanceRecord<'_> {
    fn order(&self, other: &Self) -> Ordering {
        (&self.account, &self.id).cmp(&(&other.account, &other.id))
    }

    fn replace(&mut self, later: Self) {
        *self = Self {
            registered_at: self.registered_at.min(later.registered_at),
            last_heartbeat: self.last_heartbeat.max(later.last_heartbeat),
            ..later
        };
    }
}

/// A row of `aliases`.
#[derive(Debug, Serialize)]
pub(super) struct AliasRecord<'a> {
    pub(super) account: Cow<'a, str>,
    pub(super) alias: Cow<'a, str>,
    pub(super) instance_id: Cow<'a, str>,
}

impl<'a> From<&'a Alias> for AliasRecord<'a> {
    fn from(alias: &'a Alias) -> Self {
        Self { account: plain(&alias.account), alias: plain(&alias.alias), instance_id: plain(&alias.id) }
    }
}

impl Keyed for AliasRecord<'_> {
    fn order(&self, other: &Self) -> Ordering {
        (&self.account, &self.alias).cmp(&(&other.account, &other.alias))
    }
}

/// The key of an instance.
#[derive(Debug, Serialize)]
pub(super) struct KeyRecord<'a> {
    pub(super) account: Cow<'a, str>,
    pub(super) id: Cow<'a, str>,
}

impl Keyed for KeyRecord<'_> {
    fn order(&self, other: &Self) -> Ordering {
        (&self.account, &self.id).cmp(&(&other.account, &other.id))
    }
}

/// A heartbeat of an instance.
#[derive(Debug, Serialize)]
pub(super) struct BeatRecord<'a> {
    pub(super) account: Cow<'a, str>,
    pub(super) id: Cow<'a, str>,
    pub(super) at: i64,
}

/// Heartbeats that go into rows, one per instance.
pub(super) fn last_beats(beats: &[Beat]) -> Vec<BeatRecord<'_>> {
    settled(beats.iter().map(BeatRecord::from))
}

impl<'a> From<&'a Beat> for BeatRecord<'a> {
    fn from(beat: &'a Beat) -> Self {
        Self { account: plain(&beat.account), id: plain(&beat.id), at: beat.at.millis() }
    }
}

impl Keyed for BeatRecord<'_> {
    fn order(&self, other: &Self) -> Ordering {
        (&self.account, &self.id).cmp(&(&other.account, &other.id))
    }

    fn replace(&mut self, later: Self) {
        self.at = self.at.max(later.at);
    }
}

/// A row of `transitions`.
#[derive(Debug, Serialize)]
pub(super) struct TransitionRecord<'a> {
    pub(super) account: Cow<'a, str>,
    pub(super) group_id: Cow<'a, str>,
    pub(super) instance_id: Cow<'a, str>,
    pub(super) happened_at: i64,
    pub(super) from_state: Option<&'static str>,
    pub(super) to_state: &'static str,
    pub(super) cause: &'static str,
    pub(super) note: Cow<'a, str>,
    /// What must not have been heard in between.
    #[serde(skip)]
    pub(super) silence: Option<Silence>,
}

impl<'a> From<&'a Transition> for TransitionRecord<'a> {
    fn from(transition: &'a Transition) -> Self {
        Self {
            account: plain(&transition.account),
            group_id: plain(&transition.group),
            instance_id: plain(&transition.instance),
            happened_at: transition.at.millis(),
            from_state: transition.from.map(Word::word),
            to_state: transition.to.word(),
            cause: transition.cause.word(),
            note: plain(&transition.note),
            silence: transition.silence,
        }
    }
}

/// A row of `tombstones`.
#[derive(Debug, Serialize)]
pub(super) struct TombstoneRecord<'a> {
    pub(super) account: Cow<'a, str>,
    pub(super) group_id: Cow<'a, str>,
    pub(super) instance_id: Cow<'a, str>,
    pub(super) deleted_at: i64,
    pub(super) deleted_by: Cow<'a, str>,
    pub(super) lifted_at: Option<i64>,
}

impl<'a> From<&'a Tombstone> for TombstoneRecord<'a> {
    fn from(tombstone: &'a Tombstone) -> Self {
        Self {
            account: plain(&tombstone.account),
            group_id: plain(&tombstone.group),
            instance_id: plain(&tombstone.instance),
            deleted_at: tombstone.at.millis(),
            deleted_by: plain(&tombstone.by),
            lifted_at: millis(tombstone.lifted_at),
        }
    }
}

impl Keyed for TombstoneRecord<'_> {
    fn order(&self, other: &Self) -> Ordering {
        let key = |row: &Self| (row.account.clone(), row.group_id.clone(), row.instance_id.clone());
        key(self).cmp(&key(other))
    }
}

/// The last use of a token.
#[derive(Debug, Serialize)]
pub(super) struct UseRecord<'a> {
    pub(super) id: Cow<'a, str>,
    pub(super) at: i64,
}

impl Keyed for UseRecord<'_> {
    fn order(&self, other: &Self) -> Ordering {
        self.id.cmp(&other.id)
    }

    fn replace(&mut self, later: Self) {
        self.at = self.at.max(later.at);
    }
}

/// A whole batch, ready to be sent.
#[derive(Debug)]
pub(super) struct Records<'a> {
    pub(super) groups: Vec<GroupRecord<'a>>,
    pub(super) companions: Vec<GroupRecord<'a>>,
    pub(super) instances: Vec<InstanceRecord<'a>>,
    pub(super) aliases: Vec<AliasRecord<'a>>,
    pub(super) removed: Vec<KeyRecord<'a>>,
    /// As they come: they have no row of their own.
    pub(super) beats: Vec<BeatRecord<'a>>,
    /// In their order: history has no key.
    pub(super) transitions: Vec<TransitionRecord<'a>>,
    pub(super) tombstones: Vec<TombstoneRecord<'a>>,
    pub(super) token_uses: Vec<UseRecord<'a>>,
    /// No rows: only told.
    pub(super) turned_away: &'a [TurnedAway],
    /// The same.
    pub(super) attempts: &'a [(Arc<str>, Attempt)],
}

impl<'a> TryFrom<&'a Batch> for Records<'a> {
    type Error = StoreError;

    fn try_from(batch: &'a Batch) -> Result<Self, StoreError> {
        let rows = |groups: &'a [Arc<GroupFacts>]| -> Result<Vec<GroupRecord<'a>>, StoreError> {
            groups.iter().map(|facts| (&**facts).try_into()).collect()
        };
        let instances: Result<Vec<InstanceRecord<'_>>, _> =
            batch.instances.iter().map(TryInto::try_into).collect();
        let key =
            |(account, id): &'a (Arc<str>, Arc<str>)| KeyRecord { account: plain(account), id: plain(id) };
        let token_use = |(id, at): &'a (Arc<str>, Timestamp)| UseRecord { id: plain(id), at: at.millis() };
        Ok(Self {
            groups: settled(rows(&batch.groups)?),
            companions: settled(rows(&batch.companions)?),
            instances: settled(instances?),
            aliases: settled(batch.aliases.iter().map(AliasRecord::from)),
            removed: settled(batch.removed.iter().map(key)),
            beats: batch.beats.iter().map(BeatRecord::from).collect(),
            transitions: batch.transitions.iter().map(Into::into).collect(),
            tombstones: settled(batch.tombstones.iter().map(TombstoneRecord::from)),
            token_uses: settled(batch.token_uses.iter().map(token_use)),
            turned_away: &batch.turned_away,
            attempts: &batch.attempts,
        })
    }
}
