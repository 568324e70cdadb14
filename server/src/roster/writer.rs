//! The flusher: one task that writes for everyone, many changes in one transaction.
//!
//! Registrations wait for it and share commits; heartbeats are collected and written once a second.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

use fleet::time::Timestamp;
use parking_lot::Mutex;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use super::cell::Cell;
use crate::clock::Clock;
use crate::store::{Batch, Beat, SharedStore, StoreError, Transition};
use crate::tokens::book::TokenBook;

/// Changes that may wait for the flusher; senders wait when it is full.
const QUEUE: usize = 8_192;
/// Changes that share one transaction at most.
const GROUP_COMMIT: usize = 2_048;
/// How often heartbeats are written: what a kill can lose.
const FLUSH_EVERY: Duration = Duration::from_secs(1);
/// Lines of history that wait for a store that is away; the oldest are dropped beyond.
const MAX_HISTORY: usize = 200_000;
/// How long a registration waits for its commit; agents expect an answer within 5 s (`agent-protocol 2.2`).
const CONFIRM_WITHIN: Duration = Duration::from_secs(4);

/// One change with the one who waits for it.
#[derive(Debug)]
struct Job {
    batch: Batch,
    done: Option<oneshot::Sender<bool>>,
}

/// Where changes are handed in.
#[derive(Debug)]
pub(super) struct Writer {
    jobs: mpsc::Sender<Job>,
    shared: Arc<Shared>,
}

/// What waits between two flushes.
#[derive(Debug, Default)]
struct Shared {
    dirty: Mutex<Vec<(Arc<str>, Arc<Cell>)>>,
    history: Mutex<VecDeque<Transition>>,
    history_dropped: AtomicU64,
    /// Since when nothing could be stored; 0 while all is well.
    failing_since: AtomicI64,
    /// When the last flush succeeded.
    flushed_at: AtomicI64,
}

/// Figures for `/metrics`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FlushFigures {
    /// Instances with a heartbeat that is not yet stored.
    pub dirty: usize,
    /// Lines of history that wait.
    pub history: usize,
    /// Lines of history that were dropped.
    pub history_dropped: u64,
    /// Milliseconds since the Unix epoch of the last good flush; 0 before the first.
    pub flushed_at: i64,
}

impl Writer {
    /// Starts the flusher. It ends, after a last flush, when `stop` is cancelled.
    pub(super) fn start(
        store: SharedStore,
        tokens: Arc<TokenBook>,
        clock: Clock,
        stop: CancellationToken,
    ) -> (Self, tokio::task::JoinHandle<()>) {
        let (jobs, inbox) = mpsc::channel(QUEUE);
        let shared = Arc::new(Shared::default());
        let flusher = Flusher { store, tokens, clock, shared: Arc::clone(&shared), retry: Batch::default() };
        (Self { jobs, shared }, tokio::spawn(flusher.run(inbox, stop)))
    }

    /// Writes and waits until it is durable; false if that cannot be confirmed.
    pub(super) async fn confirm(&self, batch: Batch) -> bool {
        let (done, waiter) = oneshot::channel();
        let job = Job { batch, done: Some(done) };
        let confirmed = async { self.jobs.send(job).await.is_ok() && waiter.await.unwrap_or(false) };
        tokio::time::timeout(CONFIRM_WITHIN, confirmed).await.unwrap_or(false)
    }

    /// Notes a heartbeat for the next flush.
    pub(super) fn beat(&self, account: &Arc<str>, cell: &Arc<Cell>) {
        if cell.mark_dirty() {
            self.shared.dirty.lock().push((Arc::clone(account), Arc::clone(cell)));
        }
    }

    /// Writes soon, without waiting. When the queue is full the change waits for the next change of the same row.
    pub(super) fn soon(&self, batch: Batch) {
        if let Err(mpsc::error::TrySendError::Full(job)) = self.jobs.try_send(Job { batch, done: None }) {
            tracing::warn!(instances = job.batch.instances.len(), "write queue is full, a change of facts waits");
            self.history(job.batch.transitions);
        }
    }

    /// Adds lines of history to the next flush.
    pub(super) fn history(&self, lines: impl IntoIterator<Item = Transition>) {
        let mut history = self.shared.history.lock();
        for line in lines {
            if history.len() >= MAX_HISTORY {
                history.pop_front();
                self.shared.history_dropped.fetch_add(1, Ordering::Relaxed);
            }
            history.push_back(line);
        }
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
            history: self.shared.history.lock().len(),
            history_dropped: self.shared.history_dropped.load(Ordering::Relaxed),
            flushed_at: self.shared.flushed_at.load(Ordering::Relaxed),
        }
    }
}

struct Flusher {
    store: SharedStore,
    tokens: Arc<TokenBook>,
    clock: Clock,
    shared: Arc<Shared>,
    /// Rows that memory holds and the store refused for now.
    retry: Batch,
}

impl Flusher {
    async fn run(mut self, mut inbox: mpsc::Receiver<Job>, stop: CancellationToken) {
        let mut tick = tokio::time::interval(FLUSH_EVERY);
        tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        let mut jobs = Vec::with_capacity(GROUP_COMMIT);
        loop {
            tokio::select! {
                biased;
                () = stop.cancelled() => break,
                _ = tick.tick() => self.flush().await,
                received = inbox.recv_many(&mut jobs, GROUP_COMMIT) => {
                    if received == 0 { break; }
                    self.commit(&mut jobs).await;
                }
            }
        }
        inbox.close();
        while inbox.recv_many(&mut jobs, GROUP_COMMIT).await > 0 {
            self.commit(&mut jobs).await;
        }
        self.flush().await;
    }

    /// Writes several changes in one transaction, and each alone if together they fail for what they hold.
    async fn commit(&mut self, jobs: &mut Vec<Job>) {
        let mut together = Batch::default();
        for job in jobs.iter() {
            together.append(job.batch.clone());
        }
        match self.store.write(&together).await {
            Ok(()) => {
                self.succeeded();
                jobs.drain(..).for_each(|job| job.answer(true));
            }
            Err(StoreError::Unavailable(error)) => {
                self.failed(&error);
                self.keep(together);
                jobs.drain(..).for_each(|job| job.answer(false));
            }
            Err(_) => {
                for job in jobs.drain(..) {
                    let stored = self.store.write(&job.batch).await;
                    if let Err(error) = &stored {
                        tracing::error!(%error, "a change could not be stored");
                    }
                    job.answer(stored.is_ok());
                }
            }
        }
    }

    /// Writes heartbeats, history, last uses of tokens, and what failed before.
    async fn flush(&mut self) {
        let mut batch = std::mem::take(&mut self.retry);
        let dirty = std::mem::take(&mut *self.shared.dirty.lock());
        batch.beats.reserve(dirty.len());
        for (account, cell) in &dirty {
            cell.clear_dirty();
            if let Some(at) = cell.last_heartbeat() {
                batch.beats.push(Beat { account: Arc::clone(account), id: Arc::clone(&cell.id), at });
            }
        }
        batch.transitions.extend(std::mem::take(&mut *self.shared.history.lock()));
        batch.token_uses = self.tokens.uses_since_last();
        if batch.is_empty() {
            return;
        }
        match self.store.write(&batch).await {
            Ok(()) => self.succeeded(),
            Err(error) => {
                self.failed(&error);
                for (account, cell) in dirty {
                    if cell.mark_dirty() {
                        self.shared.dirty.lock().push((account, cell));
                    }
                }
                batch.beats.clear();
                self.keep(batch);
            }
        }
    }

    /// Keeps rows for the next flush; rows of the same key replace each other, so this is bounded by the fleet.
    fn keep(&mut self, mut batch: Batch) {
        let mut history = self.shared.history.lock();
        for line in std::mem::take(&mut batch.transitions) {
            if history.len() < MAX_HISTORY {
                history.push_back(line);
            } else {
                self.shared.history_dropped.fetch_add(1, Ordering::Relaxed);
            }
        }
        drop(history);
        self.retry.append(batch);
        self.retry.dedupe();
    }

    fn succeeded(&self) {
        let now = self.clock.now();
        self.shared.flushed_at.store(now.millis(), Ordering::Relaxed);
        if self.shared.failing_since.swap(0, Ordering::Relaxed) != 0 {
            tracing::info!("the store takes changes again");
        }
    }

    fn failed(&self, error: &dyn std::fmt::Display) {
        let now = self.clock.now().millis();
        let first = self.shared.failing_since.compare_exchange(0, now, Ordering::Relaxed, Ordering::Relaxed);
        if first.is_ok() {
            tracing::error!(%error, "the store takes no changes; heartbeats are kept in memory");
        }
    }
}

impl Job {
    fn answer(self, stored: bool) {
        if let Some(done) = self.done {
            // The one who waited may have given up; the change is stored all the same.
            let _ = done.send(stored);
        }
    }
}
