//! The flusher: one task that writes for everyone, many changes in one transaction.
//!
//! Registrations wait for it and share commits; heartbeats, and changes that nobody waits for, are collected and written
//! a little more than once a second. Rows are made from the facts at the moment of writing, so that a change that waited
//! never overwrites a newer one.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use fleet::delegate::GroupFacts;
use fleet::time::Timestamp;
use fleet::troubleshoot::Attempt;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::account::Account;
use super::attempts::Attempts;
use super::writer::{FLUSH_EVERY, GROUP_COMMIT, Groups, Job, Place, Shared};
use crate::clock::Clock;
use crate::store::{
    Batch, Beat, InstanceRow, SharedStore, StoreError, Tombstone, Transition, TurnedAway, within,
};
use crate::tokens::book::TokenBook;

/// A store that takes longer to confirm is treated as away.
const PATIENCE: Duration = Duration::from_secs(30);

pub(super) struct Flusher {
    store: SharedStore,
    tokens: Arc<TokenBook>,
    attempts: Arc<Attempts>,
    clock: Clock,
    shared: Arc<Shared>,
}

/// What one flush took from the lists.
#[derive(Default)]
struct Work {
    dirty: Vec<(Place, Timestamp)>,
    unsaved: Vec<Place>,
    groups: Groups,
    history: Vec<Transition>,
    token_uses: Vec<(Arc<str>, Timestamp)>,
    tombstones: Vec<Tombstone>,
    turned_away: Vec<TurnedAway>,
    attempts: Vec<(Arc<str>, Attempt)>,
}

/// The smallest thing that the database can refuse.
enum Part {
    Row(Place),
    Group(Arc<Account>, Arc<str>),
    Line(Transition),
}

impl Flusher {
    pub(super) fn new(
        store: SharedStore,
        tokens: Arc<TokenBook>,
        attempts: Arc<Attempts>,
        clock: Clock,
    ) -> Self {
        Self { store, tokens, attempts, clock, shared: Arc::default() }
    }

    /// Where others put what is to be written.
    pub(super) fn shared(&self) -> Arc<Shared> {
        Arc::clone(&self.shared)
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
        let _writing = self.shared.writing.lock().await;
        let mut parts = vec![jobs];
        while let Some(mut jobs) = parts.pop() {
            let mut together = Batch::default();
            for job in &jobs {
                together.append(job.rows());
            }
            match self.write(&together).await {
                Ok(()) => {
                    groups_stored(&together.groups, jobs.iter().flat_map(Job::accounts));
                    answer(jobs, true);
                }
                Err(StoreError::Unavailable(_)) => {
                    for job in &mut jobs {
                        self.shared.tell(std::mem::take(&mut job.batch.transitions));
                        self.shared.tombstones.lock().append(&mut job.batch.tombstones);
                        job.places.iter().for_each(|(account, cell)| self.shared.facts(account, cell));
                    }
                    answer(jobs, false);
                }
                Err(error) if jobs.len() <= 1 => {
                    for (account, cell) in jobs.iter().flat_map(|job| &job.places) {
                        cell.set_refused();
                        tracing::error!(%error, account = %account.id, id = %cell.id, "an instance cannot be stored");
                    }
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

    /// Writes heartbeats, changed facts, history, lifted tombstones and last uses of tokens.
    async fn flush(&self) {
        let _writing = self.shared.writing.lock().await;
        let work = self.take();
        let mut batch = work.beats();
        batch.transitions.clone_from(&work.history);
        for place in &work.unsaved {
            batch.append(row(place));
        }
        for ((_, group), account) in &work.groups {
            batch.append(group_row(account, group));
        }
        if batch.is_empty() {
            return;
        }
        match self.write(&batch).await {
            Ok(()) => {
                work.beats_stored();
                let accounts = work.unsaved.iter().map(|(account, _)| account);
                groups_stored(&batch.groups, accounts.chain(work.groups.values()));
                stored(&work.unsaved);
            }
            Err(StoreError::Unavailable(_)) => self.give_back(work),
            Err(error) => {
                tracing::error!(%error, "a flush is refused; its parts are tried alone");
                self.flush_parts(work).await;
            }
        }
    }

    fn take(&self) -> Work {
        let dirty = last_heartbeats(std::mem::take(&mut *self.shared.dirty.lock()));
        let unsaved = std::mem::take(&mut *self.shared.unsaved.lock());
        for (_, cell) in &unsaved {
            cell.clear_unsaved();
        }
        let groups = std::mem::take(&mut *self.shared.groups.lock());
        let history = std::mem::take(&mut *self.shared.history.lock()).into();
        let mut token_uses = std::mem::take(&mut *self.shared.token_uses.lock());
        token_uses.extend(self.tokens.uses_since_last());
        let tombstones = std::mem::take(&mut *self.shared.tombstones.lock());
        let turned_away = std::mem::take(&mut *self.shared.turned_away.lock());
        let attempts = self.attempts.take_untold();
        Work { dirty, unsaved, groups, history, token_uses, tombstones, turned_away, attempts }
    }

    /// The store is away: everything waits for the next flush.
    fn give_back(&self, work: Work) {
        for ((account, cell), _) in &work.dirty {
            self.shared.beat(account, cell);
        }
        for (account, cell) in &work.unsaved {
            self.shared.facts(account, cell);
        }
        self.shared.groups.lock().extend(work.groups);
        let later = std::mem::take(&mut *self.shared.history.lock());
        self.shared.tell(work.history.into_iter().chain(later));
        *self.shared.token_uses.lock() = work.token_uses;
        self.attempts.give_back(work.attempts);
        // What came in meanwhile is newer and stays behind.
        self.shared.tombstones.lock().splice(..0, work.tombstones);
    }

    /// Heartbeats first; then rows and lines in halves until the bad ones are alone.
    async fn flush_parts(&self, work: Work) {
        match self.write(&work.beats()).await {
            Ok(()) => work.beats_stored(),
            Err(StoreError::Unavailable(_)) => return self.give_back(work),
            Err(_) => {}
        }
        let rows = work.unsaved.into_iter().map(Part::Row);
        let groups = work.groups.into_iter().map(|((_, group), account)| Part::Group(account, group));
        let lines = work.history.into_iter().map(Part::Line);
        let mut parts = vec![rows.chain(groups).chain(lines).collect::<Vec<_>>()];
        while let Some(mut some) = parts.pop() {
            let mut together = Batch::default();
            for part in &some {
                together.append(part.batch());
            }
            match self.write(&together).await {
                Ok(()) => {
                    groups_stored(&together.groups, some.iter().filter_map(Part::account));
                    some.iter().for_each(Part::stored);
                }
                Err(StoreError::Unavailable(_)) => {
                    parts.push(some);
                    return self.give_back(rest_of(parts));
                }
                Err(error) if some.len() <= 1 => some.iter().for_each(|part| part.refused(&error)),
                Err(_) => {
                    let later = some.split_off(some.len() / 2);
                    parts.push(later);
                    parts.push(some);
                }
            }
        }
    }

    /// One transaction. A store that hangs is as good as one that is away.
    async fn write(&self, batch: &Batch) -> Result<(), StoreError> {
        let started = Instant::now();
        let written = within(PATIENCE, self.store.write(batch)).await;
        match &written {
            Ok(()) => self.succeeded(started.elapsed()),
            Err(StoreError::Unavailable(error)) => self.failed(error),
            Err(_) => {}
        }
        written
    }

    fn succeeded(&self, took: Duration) {
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        self.shared.commits.fetch_add(1, Ordering::Relaxed);
        self.shared.committing.fetch_add(micros, Ordering::Relaxed);
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

impl Work {
    /// Heartbeats, last uses of tokens and tombstones: no row of these can be refused for what it holds.
    fn beats(&self) -> Batch {
        Batch {
            beats: self.dirty.iter().map(|(place, at)| beat(place, *at)).collect(),
            token_uses: self.token_uses.clone(),
            tombstones: self.tombstones.clone(),
            turned_away: self.turned_away.clone(),
            attempts: self.attempts.clone(),
            ..Batch::default()
        }
    }

    fn beats_stored(&self) {
        for ((_, cell), at) in &self.dirty {
            cell.note_stored(*at);
        }
    }
}

impl Part {
    fn batch(&self) -> Batch {
        match self {
            Self::Row(place) => row(place),
            Self::Group(account, group) => group_row(account, group),
            Self::Line(line) => Batch { transitions: vec![line.clone()], ..Batch::default() },
        }
    }

    const fn account(&self) -> Option<&Arc<Account>> {
        match self {
            Self::Row((account, _)) | Self::Group(account, _) => Some(account),
            Self::Line(_) => None,
        }
    }

    fn stored(&self) {
        if let Self::Row((_, cell)) = self {
            cell.set_stored();
        }
    }

    fn refused(&self, error: &StoreError) {
        match self {
            Self::Row((account, cell)) => {
                cell.set_refused();
                tracing::error!(%error, account = %account.id, id = %cell.id, "an instance cannot be stored");
            }
            Self::Group(account, group) => {
                tracing::error!(%error, account = %account.id, %group, "a group cannot be stored");
            }
            Self::Line(line) => {
                tracing::error!(%error, account = %line.account, id = %line.instance, "a line of history cannot be stored");
            }
        }
    }
}

fn rest_of(parts: Vec<Vec<Part>>) -> Work {
    let mut work = Work::default();
    for part in parts.into_iter().rev().flatten() {
        match part {
            Part::Row(place) => work.unsaved.push(place),
            Part::Group(account, group) => {
                work.groups.insert((Arc::clone(&account.id), group), account);
            }
            Part::Line(line) => work.history.push(line),
        }
    }
    work
}

fn answer(jobs: Vec<Job>, confirmed: bool) {
    for job in jobs {
        if confirmed {
            stored(&job.places);
        }
        job.answer(confirmed);
    }
}

fn stored(places: &[Place]) {
    for (_, cell) in places {
        cell.set_stored();
    }
}

/// The newest heartbeats of those on the list, which they leave.
fn last_heartbeats(dirty: Vec<Place>) -> Vec<(Place, Timestamp)> {
    let last = |place: Place| {
        // Left before the heartbeat is read, so that a later one finds its way back onto the list.
        place.1.clear_dirty();
        let at = place.1.last_heartbeat()?;
        Some((place, at))
    };
    dirty.into_iter().filter_map(last).collect()
}

/// A heartbeat for the store.
pub(super) fn beat((account, cell): &Place, at: Timestamp) -> Beat {
    Beat { account: Arc::clone(&account.id), id: Arc::clone(&cell.id), at }
}

/// The row of an instance as it is now, with its group: a row without its group could not be read again.
pub(super) fn row((account, cell): &Place) -> Batch {
    let facts = cell.facts();
    let group = group_row(account, &facts.group);
    let row = InstanceRow { account: Arc::clone(&account.id), facts, last_heartbeat: cell.last_heartbeat() };
    Batch { instances: vec![row], ..group }
}

/// The row of a group as it is now: whole where that is news, else what moves one way.
pub(super) fn group_row(account: &Account, group: &str) -> Batch {
    let known =
        account.read(|members| members.group(group).map(|group| (Arc::clone(&group.facts), group.unsaved)));
    match known {
        Some((facts, true)) => Batch { groups: vec![facts], ..Batch::default() },
        Some((facts, false)) => Batch { companions: vec![facts], ..Batch::default() },
        None => Batch::default(),
    }
}

/// Notes that groups are stored as they were written.
fn groups_stored<'a>(groups: &[Arc<GroupFacts>], accounts: impl Iterator<Item = &'a Arc<Account>>) {
    if groups.is_empty() {
        return;
    }
    let mut done: Vec<&Arc<Account>> = Vec::new();
    for account in accounts {
        if done.iter().any(|known| Arc::ptr_eq(known, account)) {
            continue;
        }
        done.push(account);
        let own = |facts: &&Arc<GroupFacts>| facts.scope.account() == &*account.id;
        account.write(|members| groups.iter().filter(own).for_each(|facts| members.group_saved(facts)));
    }
}
