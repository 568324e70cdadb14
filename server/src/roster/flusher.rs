//! The flusher: one task that writes for everyone, many changes in one transaction.
//!
//! Registrations wait for it and share commits; heartbeats are collected and written once a second.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::writer::{FLUSH_EVERY, GROUP_COMMIT, Job, Place, Shared};
use crate::clock::Clock;
use crate::store::{Batch, Beat, InstanceRow, SharedStore, StoreError, Transition};
use crate::tokens::book::TokenBook;

pub(super) struct Flusher {
    store: SharedStore,
    tokens: Arc<TokenBook>,
    clock: Clock,
    shared: Arc<Shared>,
}

/// What one flush took from the lists.
struct Work {
    dirty: Vec<Place>,
    unsaved: Vec<Place>,
    history: Vec<Transition>,
    rest: Batch,
}

impl Flusher {
    pub(super) const fn new(store: SharedStore, tokens: Arc<TokenBook>, clock: Clock, shared: Arc<Shared>) -> Self {
        Self { store, tokens, clock, shared }
    }

    /// Works until `stop`, then writes what is left.
    pub(super) async fn run(self, mut inbox: mpsc::Receiver<Job>, stop: CancellationToken) {
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
                    self.commit(std::mem::take(&mut jobs)).await;
                }
            }
        }
        inbox.close();
        while inbox.recv_many(&mut jobs, GROUP_COMMIT).await > 0 {
            self.commit(std::mem::take(&mut jobs)).await;
        }
        self.flush().await;
    }

    /// Writes several changes in one transaction. If together they are refused for what they hold, halves are tried,
    /// so that one bad row takes nobody along.
    async fn commit(&self, jobs: Vec<Job>) {
        let mut parts = vec![jobs];
        while let Some(mut jobs) = parts.pop() {
            let mut together = Batch::default();
            for job in &jobs {
                together.append(job.batch.clone());
            }
            match self.store.write(&together).await {
                Ok(()) => {
                    self.succeeded();
                    answer(jobs, true);
                }
                Err(StoreError::Unavailable(error)) => {
                    self.failed(&error);
                    self.shared.tell(together.transitions);
                    answer(jobs, false);
                }
                Err(error) if jobs.len() <= 1 => {
                    tracing::error!(%error, "a change cannot be stored");
                    answer(jobs, false);
                }
                Err(_) => {
                    let later = jobs.split_off(jobs.len() / 2);
                    parts.push(later);
                    parts.push(jobs);
                }
            }
        }
    }

    /// Writes heartbeats, changed facts, history and last uses of tokens.
    async fn flush(&self) {
        let work = self.take();
        let mut batch = work.rest.clone();
        batch.beats = beats(&work.dirty);
        batch.transitions.clone_from(&work.history);
        for place in &work.unsaved {
            batch.append(row(place));
        }
        if batch.is_empty() {
            return;
        }
        match self.store.write(&batch).await {
            Ok(()) => {
                self.succeeded();
                for (_, cell) in &work.unsaved {
                    cell.set_stored();
                }
            }
            Err(StoreError::Unavailable(error)) => {
                self.failed(&error);
                self.give_back(work);
            }
            Err(error) => {
                tracing::error!(%error, "a flush is refused; its parts are tried alone");
                self.flush_parts(work).await;
            }
        }
    }

    fn take(&self) -> Work {
        let dirty = std::mem::take(&mut *self.shared.dirty.lock());
        let unsaved = std::mem::take(&mut *self.shared.unsaved.lock());
        for (_, cell) in &unsaved {
            cell.clear_unsaved();
        }
        let history = std::mem::take(&mut *self.shared.history.lock()).into();
        let rest = Batch { token_uses: self.tokens.uses_since_last(), ..Batch::default() };
        Work { dirty, unsaved, history, rest }
    }

    /// The store is away: everything waits for the next flush.
    fn give_back(&self, work: Work) {
        for (account, cell) in &work.dirty {
            self.shared.beat(account, cell);
        }
        for (account, cell) in &work.unsaved {
            self.shared.facts(account, cell);
        }
        let later = std::mem::take(&mut *self.shared.history.lock());
        self.shared.tell(work.history.into_iter().chain(later));
    }

    /// Heartbeats first; then rows and lines in halves until the bad ones are alone.
    async fn flush_parts(&self, work: Work) {
        let beats = Batch { beats: beats(&work.dirty), ..work.rest };
        let lines = work.history.into_iter().map(|line| Batch { transitions: vec![line], ..Batch::default() });
        let rows: Vec<Batch> = work.unsaved.iter().map(row).chain(lines).collect();
        let mut parts = vec![rows, vec![beats]];
        while let Some(mut rows) = parts.pop() {
            let mut together = Batch::default();
            for row in &rows {
                together.append(row.clone());
            }
            match self.store.write(&together).await {
                Ok(()) => self.succeeded(),
                Err(error) if rows.len() <= 1 => tracing::error!(%error, "a change cannot be stored"),
                Err(_) => {
                    let later = rows.split_off(rows.len() / 2);
                    parts.push(later);
                    parts.push(rows);
                }
            }
        }
    }

    fn succeeded(&self) {
        self.shared.flushed_at.store(self.clock.now().millis(), Ordering::Relaxed);
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

fn answer(jobs: Vec<Job>, stored: bool) {
    for job in jobs {
        job.answer(stored);
    }
}

fn beats(dirty: &[Place]) -> Vec<Beat> {
    let beat = |(account, cell): &Place| {
        // Left before the heartbeat is read, so that a later one finds its way back onto the list.
        cell.clear_dirty();
        let at = cell.last_heartbeat()?;
        Some(Beat { account: Arc::clone(&account.id), id: Arc::clone(&cell.id), at })
    };
    dirty.iter().filter_map(beat).collect()
}

/// The row of an instance as it is now, with its group: a row without its group could not be read again.
fn row((account, cell): &Place) -> Batch {
    let facts = cell.facts();
    let group = account.read(|members| members.group(&facts.group).map(|group| Arc::clone(&group.facts)));
    let row = InstanceRow { account: Arc::clone(&account.id), facts, last_heartbeat: cell.last_heartbeat() };
    Batch { groups: group.into_iter().collect(), instances: vec![row], ..Batch::default() }
}
