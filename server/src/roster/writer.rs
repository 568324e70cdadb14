//! Where changes are handed to the flusher: some wait until they are durable, most do not.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

use fleet::time::Timestamp;
use parking_lot::Mutex;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use super::account::Account;
use super::cell::Cell;
use super::flusher::{Flusher, row};
use crate::store::{Batch, Tombstone, Transition, TurnedAway};

/// Changes that may wait for the flusher; senders wait when it is full.
const QUEUE: usize = 8_192;
/// Changes that share one transaction at most.
pub(super) const GROUP_COMMIT: usize = 2_048;
/// How often heartbeats are written. A kill loses what came since, and what was on its way: a second at most.
pub(super) const FLUSH_EVERY: Duration = Duration::from_millis(750);
/// Lines of history that wait for a store that is away; the oldest are dropped beyond.
const MAX_HISTORY: usize = 200_000;
/// Calls that were turned away and wait to be told.
const MAX_TURNED_AWAY: usize = 10_000;
/// How long a registration waits for its commit; agents expect an answer within 5 s (`agent-protocol 2.2`).
const CONFIRM_WITHIN: Duration = Duration::from_secs(4);

/// One change with the one who waits for it.
#[derive(Debug)]
pub(super) struct Job {
    /// Instances whose rows are made when they are written.
    pub(super) places: Vec<Place>,
    /// What goes along: aliases, history.
    pub(super) batch: Batch,
    done: oneshot::Sender<bool>,
}

impl Job {
    /// Everything to write, as it is now.
    pub(super) fn rows(&self) -> Batch {
        let mut rows = Batch::default();
        for place in &self.places {
            // Left before the facts are read, so that a later change finds its way back onto the list.
            place.1.clear_unsaved();
            rows.append(row(place));
        }
        rows.append(self.batch.clone());
        rows
    }

    pub(super) fn accounts(&self) -> impl Iterator<Item = &Arc<Account>> {
        self.places.iter().map(|(account, _)| account)
    }

    pub(super) fn answer(self, stored: bool) {
        // The one who waited may have given up; the change is stored all the same.
        let _ = self.done.send(stored);
    }
}

/// Where changes are handed in.
#[derive(Debug)]
pub(super) struct Writer {
    jobs: mpsc::Sender<Job>,
    shared: Arc<Shared>,
}

/// An instance with its account.
pub(super) type Place = (Arc<Account>, Arc<Cell>);

/// Groups with their account, by its id and theirs: one that changes often is listed once.
pub(super) type Groups = HashMap<(Arc<str>, Arc<str>), Arc<Account>>;

/// What waits between two flushes.
#[derive(Debug, Default)]
pub(super) struct Shared {
    /// Instances with a newer heartbeat.
    pub(super) dirty: Mutex<Vec<Place>>,
    /// Instances with newer facts, or whose row was never confirmed.
    pub(super) unsaved: Mutex<Vec<Place>>,
    /// Groups that changed alone, without an instance.
    pub(super) groups: Mutex<Groups>,
    pub(super) history: Mutex<VecDeque<Transition>>,
    history_dropped: AtomicU64,
    /// Tombstones that were lifted, or left behind, by a delegate that calls again.
    pub(super) tombstones: Mutex<Vec<Tombstone>>,
    /// Calls that were turned away, for other nodes.
    pub(super) turned_away: Mutex<Vec<TurnedAway>>,
    /// Last uses of tokens that could not be stored.
    pub(super) token_uses: Mutex<Vec<(Arc<str>, Timestamp)>>,
    /// Since when nothing could be stored; 0 while all is well.
    pub(super) failing_since: AtomicI64,
    /// When the last flush succeeded.
    pub(super) flushed_at: AtomicI64,
    /// Commits that the store confirmed.
    pub(super) commits: AtomicU64,
    /// Microseconds that they took together.
    pub(super) committing: AtomicU64,
    /// Held while rows are made and written.
    pub(super) writing: tokio::sync::Mutex<()>,
}

impl Shared {
    pub(super) fn beat(&self, account: &Arc<Account>, cell: &Arc<Cell>) {
        if cell.mark_dirty() {
            self.dirty.lock().push((Arc::clone(account), Arc::clone(cell)));
        }
    }

    pub(super) fn facts(&self, account: &Arc<Account>, cell: &Arc<Cell>) {
        if cell.mark_unsaved() {
            self.unsaved.lock().push((Arc::clone(account), Arc::clone(cell)));
        }
    }

    pub(super) fn tell(&self, lines: impl IntoIterator<Item = Transition>) {
        let mut history = self.history.lock();
        for line in lines {
            if history.len() >= MAX_HISTORY {
                history.pop_front();
                self.history_dropped.fetch_add(1, Ordering::Relaxed);
            }
            history.push_back(line);
        }
    }
}

/// Figures for `/metrics`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FlushFigures {
    /// Instances with a heartbeat that is not yet stored.
    pub dirty: usize,
    /// Instances with facts that are not yet stored.
    pub unsaved: usize,
    /// Lines of history that wait.
    pub history: usize,
    /// Lines of history that were dropped.
    pub history_dropped: u64,
    /// Milliseconds since the Unix epoch of the last good flush; 0 before the first.
    pub flushed_at: i64,
    /// Changes that wait for their commit.
    pub queue: usize,
    /// Commits so far.
    pub commits: u64,
    /// Time that they took together.
    pub committing: Duration,
}

impl Writer {
    /// Starts the flusher. It ends, after a last flush, when `stop` is cancelled.
    pub(super) fn start(flusher: Flusher, stop: CancellationToken) -> (Self, tokio::task::JoinHandle<()>) {
        let (jobs, inbox) = mpsc::channel(QUEUE);
        let shared = flusher.shared();
        (Self { jobs, shared }, tokio::spawn(flusher.run(inbox, stop)))
    }

    /// Writes an instance with what goes along and waits until it is durable; false if that cannot be confirmed.
    pub(super) async fn confirm(&self, place: Place, batch: Batch) -> bool {
        let (account, cell) = place.clone();
        // What other nodes wrote before must not come over it meanwhile.
        cell.mark_unsaved();
        let confirmed = self.confirm_job(vec![place], batch).await;
        if !confirmed && !cell.is_refused() {
            // Nobody knows whether it is queued.
            cell.clear_unsaved();
            self.shared.facts(&account, &cell);
        }
        confirmed
    }

    /// Waits until nothing is on its way to the store, and holds what comes next off.
    pub(super) async fn still(&self) -> tokio::sync::MutexGuard<'_, ()> {
        self.shared.writing.lock().await
    }

    /// Notes a heartbeat for the next flush.
    pub(super) fn beat(&self, account: &Arc<Account>, cell: &Arc<Cell>) {
        self.shared.beat(account, cell);
    }

    /// Notes changed facts for the next flush, which writes what they are by then.
    pub(super) fn facts(&self, account: &Arc<Account>, cell: &Arc<Cell>) {
        self.shared.facts(account, cell);
    }

    /// Notes a changed group for the next flush.
    pub(super) fn group(&self, account: &Arc<Account>, group: &Arc<str>) {
        let key = (Arc::clone(&account.id), Arc::clone(group));
        self.shared.groups.lock().insert(key, Arc::clone(account));
    }

    /// Adds lines of history to the next flush.
    pub(super) fn history(&self, lines: impl IntoIterator<Item = Transition>) {
        self.shared.tell(lines);
    }

    /// Adds tombstones to the next flush.
    pub(super) fn tombstones(&self, stones: Vec<Tombstone>) {
        self.shared.tombstones.lock().extend(stones);
    }

    /// Tells other nodes with the next flush of a call that was turned away.
    pub(super) fn turned_away(&self, call: TurnedAway) {
        let mut calls = self.shared.turned_away.lock();
        // Whoever is still calling calls again.
        if calls.len() < MAX_TURNED_AWAY {
            calls.push(call);
        }
    }

    /// The same, and waits until they are told; gives up as a registration does.
    pub(super) async fn tell_turned_away(&self, call: TurnedAway) {
        let batch = Batch { turned_away: vec![call], ..Batch::default() };
        self.confirm_job(Vec::new(), batch).await;
    }

    async fn confirm_job(&self, places: Vec<Place>, batch: Batch) -> bool {
        let (done, waiter) = oneshot::channel();
        let job = Job { places, batch, done };
        let confirmed = async { self.jobs.send(job).await.is_ok() && waiter.await.unwrap_or(false) };
        tokio::time::timeout(CONFIRM_WITHIN, confirmed).await.unwrap_or(false)
    }

    /// Since when nothing could be stored.
    pub(super) fn failing_since(&self) -> Option<Timestamp> {
        match self.shared.failing_since.load(Ordering::Relaxed) {
            0 => None,
            millis => Some(Timestamp::from_millis(millis)),
        }
    }

    pub(super) fn figures(&self) -> FlushFigures {
        FlushFigures {
            dirty: self.shared.dirty.lock().len(),
            unsaved: self.shared.unsaved.lock().len(),
            history: self.shared.history.lock().len(),
            history_dropped: self.shared.history_dropped.load(Ordering::Relaxed),
            flushed_at: self.shared.flushed_at.load(Ordering::Relaxed),
            queue: QUEUE - self.jobs.capacity(),
            commits: self.shared.commits.load(Ordering::Relaxed),
            committing: Duration::from_micros(self.shared.committing.load(Ordering::Relaxed)),
        }
    }
}
