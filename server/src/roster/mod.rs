//! The live fleet in memory: written by the protocol, flushed behind, read through snapshots.

mod account;
mod admit;
mod adopt;
mod attempts;
mod beat;
mod cell;
pub mod deletion;
mod draft;
mod flusher;
mod follow;
mod following;
mod gate;
mod goodbye;
mod graves;
mod ids;
mod intern;
mod kept;
mod load;
pub mod past;
mod reference;
mod refusals;
pub mod report;
mod settle;
mod snapshot;
mod tags;
mod told;
mod upgrader;
mod usage;
mod watch;
mod writer;

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicUsize, Ordering};

use fleet::catalog::Latest;
use fleet::scope::Scope;
use fleet::time::Timestamp;
use parking_lot::{Mutex, RwLock};
use tokio_util::sync::CancellationToken;

use crate::clock::Clock;
use crate::store::{SharedStore, StoreError};
use crate::tokens::book::TokenBook;
pub use deletion::{Allowance, Deleted, Deletion, UndoError};
pub(crate) use ids::new_id;
pub use reference::{Inherited, Keep, Reference};
pub use refusals::Refusal;
pub use settle::{Mark, SETTLE_EVERY};
pub use snapshot::{SharedSnapshot, SnapshotError, count_hidden};
pub use told::ToldFleet;
pub use usage::TokenUser;
pub use writer::FlushFigures;

/// What a delegate is told of itself (`agent-protocol 4.3`, A10).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AgentStatus {
    /// The normal case.
    Enabled,
    /// Waits for approval.
    WaitingForApproval,
    /// Rejected.
    Disabled,
    /// Deleted under the refuse policy.
    Deleted,
}

/// The answer to a registration or heartbeat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Admitted {
    /// The id that the delegate must use: its own, or a fresh one.
    pub id: Arc<str>,
    /// What it is told.
    pub status: AgentStatus,
    /// Whether the stream acknowledges with an object (`agent-protocol 7.4`).
    pub heartbeat_as_object: bool,
}

/// Why the roster did not take something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RosterError {
    /// The id that the delegate sent cannot be kept.
    #[error("the delegate id has a form that cannot be kept")]
    BadId,
    /// The store did not confirm in time; nothing is promised.
    #[error("the store did not confirm the change")]
    NotStored,
    /// The roster is full.
    #[error("the roster takes no more delegates")]
    NotReady,
}

/// How large the fleet may grow; what comes beyond is refused, so that memory stays bounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Groups of all accounts.
    pub groups: usize,
    /// Instances of all accounts.
    pub instances: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { groups: 500_000, instances: 2_000_000 }
    }
}

/// What a roster is made of.
pub struct RosterParts {
    /// Where changes go.
    pub store: SharedStore,
    /// Whose last uses are written along.
    pub tokens: Arc<TokenBook>,
    /// Tells the time of flushes.
    pub clock: Clock,
    /// Settings, catalog and scopes to begin with.
    pub reference: Reference,
    /// How large the fleet may grow.
    pub limits: Limits,
    /// Cancelled to end the flusher after a last flush.
    pub stop: CancellationToken,
}

/// The live fleet.
pub struct Roster {
    accounts: RwLock<HashMap<Arc<str>, Arc<account::Account>>>,
    reference: RwLock<Arc<Reference>>,
    told: RwLock<told::Told>,
    /// `Policy::timeout`, where heartbeats read it.
    timeout: AtomicI64,
    attempts: Arc<attempts::Attempts>,
    writer: writer::Writer,
    /// One change of tags after the other.
    tag_turns: tokio::sync::Mutex<()>,
    interner: intern::Interner,
    snapshots: kept::Cache,
    /// Upgrader calls for groups that do not exist yet.
    pending_upgraders: Mutex<HashMap<upgrader::Key, Timestamp>>,
    limits: Limits,
    groups: AtomicUsize,
    instances: AtomicUsize,
    started_at: Timestamp,
    store: SharedStore,
    tokens: Arc<TokenBook>,
    others: follow::Others,
    /// When the journal was settled.
    settled_at: AtomicI64,
    told_full: AtomicBool,
    /// Whether the store held a fleet at the start: only then is there anything that could have been missed.
    resumed: bool,
}

impl Roster {
    /// Loads the fleet from the store and starts the flusher. The handle ends when the last flush is done.
    ///
    /// # Errors
    /// The fleet cannot be read.
    pub async fn start(parts: RosterParts) -> Result<(Arc<Self>, tokio::task::JoinHandle<()>), StoreError> {
        let started_at = parts.clock.now();
        let loaded = load::load(&*parts.store, &parts.reference.policy, started_at).await?;
        let others = follow::Others::new(loaded.number);
        let (store, tokens) = (Arc::clone(&parts.store), Arc::clone(&parts.tokens));
        let attempts = Arc::new(attempts::Attempts::default());
        let flusher = flusher::Flusher::new(parts.store, parts.tokens, Arc::clone(&attempts), parts.clock);
        let (writer, flusher) = writer::Writer::start(flusher, parts.stop);
        let roster = Self {
            resumed: loaded.instances > 0,
            groups: AtomicUsize::new(loaded.groups),
            instances: AtomicUsize::new(loaded.instances),
            accounts: RwLock::new(loaded.accounts),
            timeout: AtomicI64::new(parts.reference.policy.timeout),
            reference: RwLock::new(Arc::new(parts.reference)),
            told: RwLock::default(),
            attempts,
            writer,
            tag_turns: tokio::sync::Mutex::default(),
            interner: loaded.interner,
            snapshots: kept::Cache::new(),
            pending_upgraders: Mutex::default(),
            limits: parts.limits,
            store,
            tokens,
            others,
            settled_at: AtomicI64::new(started_at.millis()),
            told_full: AtomicBool::new(false),
            started_at,
        };
        Ok((Arc::new(roster), flusher))
    }

    /// Settings, catalog and scopes as they are now.
    #[must_use]
    pub fn reference(&self) -> Arc<Reference> {
        Arc::clone(&self.reference.read())
    }

    /// Replaces settings, catalog and scopes; every viewer is told.
    pub fn set_reference(&self, reference: Reference) {
        self.timeout.store(reference.policy.timeout, Ordering::Relaxed);
        *self.reference.write() = Arc::new(reference);
        for account in self.accounts.read().values() {
            account.changed_by_hand();
        }
    }

    /// What is latest for a scope (`product 5.5`).
    #[must_use]
    pub fn latest(&self, scope: &Scope, now: Timestamp) -> Latest {
        self.reference().latest(scope, now)
    }

    /// When the server started, as long as that explains silence (`product 3.7`, P8).
    #[must_use]
    pub fn restarted_at(&self, now: Timestamp) -> Option<Timestamp> {
        let hold = self.reference.read().policy.start_hold;
        // A start that lies ahead was before the clock went back.
        (self.resumed && (0..=hold).contains(&self.started_at.age(now))).then_some(self.started_at)
    }

    /// Since when nothing could be stored.
    #[must_use]
    pub fn unstored_since(&self) -> Option<Timestamp> {
        self.writer.failing_since()
    }

    /// Figures of the flusher.
    #[must_use]
    pub fn flush_figures(&self) -> FlushFigures {
        self.writer.figures()
    }

    /// Groups and instances in memory, hidden ones included.
    #[must_use]
    pub fn size(&self) -> (usize, usize) {
        (self.groups.load(Ordering::Relaxed), self.instances.load(Ordering::Relaxed))
    }

    /// Accounts that have a scope or a delegate.
    #[must_use]
    pub fn accounts(&self) -> Vec<Arc<str>> {
        let mut names: Vec<Arc<str>> = self.accounts.read().keys().cloned().collect();
        names.extend(self.told.read().accounts());
        names.extend(self.reference().scopes.iter().map(|scope| scope.account().into()));
        names.sort_unstable();
        names.dedup();
        names
    }

    /// Says so once when the fleet has outgrown a limit.
    fn full(&self, what: &str, limit: usize) {
        if !self.told_full.swap(true, Ordering::Relaxed) {
            tracing::error!(what, limit, "the roster is full: new delegates are turned away");
        }
    }

    fn account(&self, id: &str) -> Option<Arc<account::Account>> {
        self.accounts.read().get(id).cloned()
    }

    fn account_or_new(&self, id: &Arc<str>) -> Arc<account::Account> {
        self.account(id).unwrap_or_else(|| {
            let mut accounts = self.accounts.write();
            let account = accounts
                .entry(Arc::clone(id))
                .or_insert_with(|| Arc::new(account::Account::new(Arc::clone(id))));
            Arc::clone(account)
        })
    }
}
