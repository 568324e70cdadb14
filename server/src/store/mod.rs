//! The durable record: one trait, one adapter per database.
//!
//! The adapters share what does not depend on a driver: the rows of a batch (`records`), what a row means
//! (`decode`, `fleet_reader`), and the SQL that both databases read alike (`sql`).

pub mod access;
mod batch;
mod columns;
pub mod copy;
mod decode;
mod error;
mod fleet_reader;
mod journal;
mod migrations;
pub mod mirrors;
mod news;
mod nodes;
mod open;
mod postgres;
mod records;
mod request;
mod sql;
mod sqlite;
pub mod statements;
mod words;

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use fleet::delegate::{GroupFacts, InstanceFacts};
use fleet::history::Turn;
pub use fleet::history::{Cause, State};
use fleet::scope::Scope;
use fleet::time::Timestamp;
use fleet::troubleshoot::Attempt;
use fleet::version::Version;
use serde::{Deserialize, Serialize};

pub use self::error::{StoreError, within};
pub use self::nodes::{Alone, CROSSING, Followed, NodeRow, NodeStore, SILENT_AFTER, TurnedAway};
pub use self::open::open;

/// A store as the rest of the server holds it.
pub type SharedStore = Arc<dyn Store>;

/// What survives a restart. Adapters hold no state of their own; a call is one transaction.
#[async_trait]
pub trait Store: access::AccessStore + mirrors::MirrorStore + NodeStore {
    /// `sqlite` or `postgres`.
    fn kind(&self) -> &'static str;

    /// Brings the schema up to date. Safe to call from several nodes at once.
    async fn migrate(&self) -> Result<(), StoreError>;

    /// Migrations that are not yet applied: 0 when the schema is up to date.
    async fn pending_migrations(&self) -> Result<usize, StoreError>;

    /// Whether the database answers and can be written.
    async fn ping(&self) -> Result<(), StoreError>;

    /// Releases connections and, for `SQLite`, folds the write-ahead log back.
    async fn close(&self);

    /// Writes a batch, whole or not at all. Keys may repeat: the last row wins, heartbeats only move forward.
    async fn write(&self, batch: &Batch) -> Result<(), StoreError>;

    /// Reads the fleet: every group, alias and tombstone, and instances that were active at or after `since`:
    /// registered, beat or said goodbye. The aliases of others come all the same. Returns the number of the newest change
    /// that it has seen: those behind it are told by [`NodeStore::follow`].
    async fn load(&self, since: Timestamp, sink: &mut dyn LoadSink) -> Result<i64, StoreError>;

    /// Reads when instances of all accounts became something else at or after `since`, oldest first, into
    /// [`LoadSink::turn`].
    async fn turns(&self, since: Timestamp, sink: &mut dyn LoadSink) -> Result<(), StoreError>;

    /// The number of the newest batch of heartbeats; 0 without any. See [`Store::forget_beats`].
    async fn newest_beats(&self) -> Result<i64, StoreError>;

    /// Moves last heartbeats into the rows of instances, so that batches that hold them can go. Tells no other node:
    /// nothing changes. An instance whose row holds a later one, or none, is passed over.
    async fn settle(&self, beats: &[Beat]) -> Result<(), StoreError>;

    /// Forgets batches of heartbeats up to this number, oldest first and at most `limit`; returns how many.
    async fn forget_beats(&self, until: i64, limit: u32) -> Result<u64, StoreError>;

    /// Creates scopes that do not exist yet together with their first tokens.
    ///
    /// `missing` are the scopes to create, outermost first; one that exists by now is left alone with its token.
    /// Returns those created.
    async fn create_scopes(&self, missing: &[NewScope]) -> Result<Vec<Scope>, StoreError>;

    /// Every scope, by account, organization, project.
    async fn scopes(&self) -> Result<Vec<Scope>, StoreError>;

    /// Every token of every account, revoked ones included.
    async fn tokens(&self) -> Result<Vec<TokenRow>, StoreError>;

    /// The current catalog document.
    async fn catalog(&self) -> Result<Option<String>, StoreError>;

    /// Every setting: (scope or none, key) to value.
    async fn settings(&self) -> Result<BTreeMap<(Option<Scope>, String), String>, StoreError>;

    /// Transitions within a time, newest first.
    async fn history(&self, wanted: &HistoryWanted<'_>) -> Result<Vec<Transition>, StoreError>;

    /// Transitions of a group, or of one of its instances, newest first.
    async fn transitions(
        &self,
        account: &str,
        group: &str,
        instance: Option<&str>,
        limit: u32,
    ) -> Result<Vec<Transition>, StoreError> {
        let (from, until) = (Timestamp::from_millis(i64::MIN), Timestamp::from_millis(i64::MAX));
        self.history(&HistoryWanted { account, group, instance, from, until, limit }).await
    }

    /// Removes transitions from before this instant, `limit` at most, so that no transaction lasts long; how many
    /// went.
    async fn purge_history(&self, before: Timestamp, limit: u32) -> Result<u64, StoreError>;

    /// How often scopes, tokens, catalog and settings changed; compared to see changes of other processes.
    async fn revisions(&self) -> Result<Revisions, StoreError>;
}

/// Which transitions.
#[derive(Clone, Copy, Debug)]
pub struct HistoryWanted<'a> {
    /// Account identifier.
    pub account: &'a str,
    /// `GroupFacts::id`.
    pub group: &'a str,
    /// Delegate id; none for every instance of the group.
    pub instance: Option<&'a str>,
    /// First instant.
    pub from: Timestamp,
    /// Last instant.
    pub until: Timestamp,
    /// Lines at most; the oldest are left out.
    pub limit: u32,
}

/// Change counters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Revisions {
    /// Scopes.
    pub scopes: i64,
    /// Tokens, their last use excepted.
    pub tokens: i64,
    /// Catalog.
    pub catalog: i64,
    /// Settings.
    pub settings: i64,
    /// People, roles, assignments, keys.
    pub access: i64,
    /// Every change of which nodes tell each other; counted only where several can share the database.
    pub fleet: i64,
}

/// Receives the fleet row by row, so that a million rows need no second copy. One that keeps them shares equal texts.
pub trait LoadSink: Send {
    /// The shared form of a text that repeats often.
    fn intern(&mut self, text: &str) -> Arc<str> {
        text.into()
    }
    /// The shared form of a version.
    fn intern_version(&mut self, text: &str) -> Arc<Version> {
        Arc::new(Version::parse(text))
    }
    /// The shared form of a list of tags.
    fn intern_tags(&mut self, tags: Vec<String>) -> Arc<[Arc<str>]> {
        tags.into_iter().map(Arc::from).collect()
    }
    /// One group.
    fn group(&mut self, facts: GroupFacts);
    /// One instance; always after its group.
    fn instance(&mut self, account: &str, facts: InstanceFacts, last_heartbeat: Option<Timestamp>);
    /// One alias; always after its instance.
    fn alias(&mut self, alias: Alias);
    /// One tombstone.
    fn tombstone(&mut self, tombstone: Tombstone);
    /// One change of state of an instance, which may be unknown by now. Passed over unless somebody wants to know.
    fn turn(&mut self, _account: &str, _instance: &str, _turn: Turn) {}
    /// One instance that is no more, told by another node.
    fn removed(&mut self, _account: &str, _instance: &str) {}
    /// One heartbeat that another node heard; always after the rows.
    fn beat(&mut self, _account: &str, _instance: &str, _at: Timestamp) {}
    /// One use of a token on another node.
    fn token_use(&mut self, _token: &str, _at: Timestamp) {}
    /// One call of a deleted or rejected delegate that another node turned away.
    fn turned_away(&mut self, _call: TurnedAway) {}
    /// A person did something to delegates of this account on another node; always after the rows.
    fn deed(&mut self, _account: &str) {}
    /// Calls that another node turned away at the door.
    fn attempted(&mut self, _account: &str, _calls: Attempt) {}
}

/// Changes that belong together.
///
/// Applied in the order of the fields, history before everything: an instance that is both put in and removed is gone. A
/// batch may be written again when it is unknown whether it arrived. NUL characters become U+FFFD: not every database can
/// hold them.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    /// Inserted or replaced by (account, id); `first_seen` keeps the smaller, `last_active`, `upgrader_seen` and
    /// `returned_at` the larger value; scope, name, identifier, `approval` and `by_choice` keep the first one: only
    /// [`access::Change::SetApproval`] and [`access::Change::SetByChoice`] change the last two.
    pub groups: Vec<Arc<GroupFacts>>,
    /// Groups that only come along with their instances: inserted, or of a known one what moves one way. Another node may
    /// have written the rest of it since they were made. Before `groups`.
    pub companions: Vec<Arc<GroupFacts>>,
    /// Inserted or replaced by (account, id); `registered_at` keeps the smaller value. Where several nodes write,
    /// `goodbye_at` keeps one that is later than the heartbeat, by [`CROSSING`] at most: another node heard it. A row that
    /// was rebuilt from a WebSocket frame alone never replaces a complete one.
    pub instances: Vec<InstanceRow>,
    /// Inserted or replaced by (account, alias).
    pub aliases: Vec<Alias>,
    /// Instances that never were, such as placeholders: (account, id). Aliases that mean them go with them.
    pub removed: Vec<(Arc<str>, Arc<str>)>,
    /// Heartbeats of instances, appended to the journal; those of unknown ids are passed over when it is read.
    pub beats: Vec<Beat>,
    /// History, only ever added. A line of the same instance, time, state and cause as a stored one is passed over.
    pub transitions: Vec<Transition>,
    /// Inserted or replaced by (account, group, instance).
    pub tombstones: Vec<Tombstone>,
    /// Last uses of tokens, by token id.
    pub token_uses: Vec<(Arc<str>, Timestamp)>,
    /// Told to other nodes, never stored.
    pub turned_away: Vec<TurnedAway>,
    /// The same: calls that were turned away at the door, by account.
    pub attempts: Vec<(Arc<str>, Attempt)>,
}

/// One instance with what [`InstanceFacts`] does not hold.
#[derive(Clone, Debug, PartialEq)]
pub struct InstanceRow {
    /// Account identifier.
    pub account: Arc<str>,
    /// What is known of it.
    pub facts: Arc<InstanceFacts>,
    /// Newest heartbeat.
    pub last_heartbeat: Option<Timestamp>,
}

/// One heartbeat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Beat {
    /// Account identifier.
    pub account: Arc<str>,
    /// Delegate id.
    pub id: Arc<str>,
    /// Capture time.
    pub at: Timestamp,
}

/// A second id of an instance (`agent-protocol 8.3`, A19).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alias {
    /// Account identifier.
    pub account: Arc<str>,
    /// The id that a delegate uses.
    pub alias: Arc<str>,
    /// The instance it means.
    pub id: Arc<str>,
}

/// One line of history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transition {
    /// Account identifier.
    pub account: Arc<str>,
    /// `GroupFacts::id`.
    pub group: Arc<str>,
    /// Delegate id.
    pub instance: Arc<str>,
    /// When it happened, not when it was noticed.
    pub at: Timestamp,
    /// None for the first state.
    pub from: Option<State>,
    /// The new state; equal to `from` where only the cause is news.
    pub to: State,
    /// Why.
    pub cause: Cause,
    /// What changed, such as `26.09.89620 -> 26.10.90107`; empty if nothing more is to say.
    pub note: Box<str>,
    /// A silence that it rests on; not stored itself.
    pub silence: Option<Silence>,
}

/// A time in which nothing was heard of an instance. A heartbeat within it that another node has stored refutes the line
/// that rests on it, which is then passed over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Silence {
    /// Its beginning, excluded.
    pub after: Timestamp,
    /// Its end, excluded.
    pub before: Timestamp,
    /// The newest change of other nodes that was known when it was noticed.
    pub followed: i64,
}

/// A deleted group or instance (`agent-protocol 9.4`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tombstone {
    /// Account identifier.
    pub account: Arc<str>,
    /// `GroupFacts::id`.
    pub group: Arc<str>,
    /// Delegate id; empty for a whole group.
    pub instance: Arc<str>,
    /// When.
    pub at: Timestamp,
    /// By whom.
    pub by: Box<str>,
    /// Set once the deletion is lifted.
    pub lifted_at: Option<Timestamp>,
}

/// A scope to create, with its default token (`product 10.5`).
#[derive(Clone, Debug)]
pub struct NewScope {
    /// The scope.
    pub scope: Scope,
    /// When.
    pub created_at: Timestamp,
    /// Its first token.
    pub token: TokenRow,
}

/// Whether a token opens anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum TokenStatus {
    /// In use.
    Active,
    /// Refused at once.
    Revoked,
}

/// A delegate token as it is stored.
#[derive(Clone, PartialEq, Eq)]
pub struct TokenRow {
    /// Random, 22 characters.
    pub id: Arc<str>,
    /// Its owner scope.
    pub scope: Arc<Scope>,
    /// Unique in its scope, revoked ones included.
    pub name: Arc<str>,
    /// The key, sealed under the master key; never shown by `Debug`.
    pub sealed: Vec<u8>,
    /// SHA-256 of the token's text, lower-case hexadecimal: the hint that newer agents send (`agent-protocol 1.9`).
    pub hash: Box<str>,
    /// Active or revoked.
    pub status: TokenStatus,
    /// Creation.
    pub created_at: Timestamp,
    /// Who created it; none for SYSTEM.
    pub created_by: Option<Box<str>>,
    /// Automatic revocation.
    pub revoke_after: Option<Timestamp>,
    /// Revocation.
    pub revoked_at: Option<Timestamp>,
    /// Newest successful authentication.
    pub last_used: Option<Timestamp>,
}

impl std::fmt::Debug for TokenRow {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TokenRow")
            .field("id", &self.id)
            .field("scope", &self.scope)
            .field("name", &self.name)
            .field("status", &self.status)
            .finish_non_exhaustive()
    }
}
