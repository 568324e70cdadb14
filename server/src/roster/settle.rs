//! Heartbeats from the journal into the rows of those who fell silent, so that the journal can be forgotten.
//!
//! Whoever goes on beating is in a later batch anyway: a fleet that is well costs next to no writes of rows.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use fleet::time::{DAY, MINUTE, SECOND, Timestamp};

use super::Roster;
use super::account::Account;
use super::cell::Cell;
use super::writer::Place;
use crate::store::{Beat, StoreError};

/// How often the journal is settled. Longer than delegates pause between two heartbeats, or every one would be settled.
pub const SETTLE_EVERY: Duration = Duration::from_mins(2);
/// The same in milliseconds.
const ROUND: i64 = 2 * MINUTE;
/// In a day every row is visited once, so that none lags behind by much more.
const SLICES: i64 = DAY / ROUND;
/// How far clocks of nodes may differ.
const TOLERANCE: i64 = 10 * SECOND;
/// Rows that are written at a time.
const CHUNK: usize = 1_000;
/// Batches that are forgotten at a time.
const FORGET: u32 = 20;
/// Instances that are looked at before others may write.
const LOOK: usize = 10_000;
/// The writer rests this many times longer than it works.
const REST: u32 = 9;

/// A place in the journal.
#[derive(Clone, Copy, Debug)]
pub struct Mark {
    /// The newest batch.
    number: i64,
    /// When it was.
    at: Timestamp,
}

impl Roster {
    /// The end of the journal, for the next call of [`Roster::settle`].
    ///
    /// # Errors
    /// The store cannot be read.
    pub async fn mark(&self, now: Timestamp) -> Result<Mark, StoreError> {
        Ok(Mark { number: self.store.newest_beats().await?, at: now })
    }

    /// Settles the journal up to a mark and forgets it; does nothing while another node does, or while this one does not
    /// know what the others hear.
    ///
    /// # Errors
    /// The store cannot be written. Nothing is lost: it is done again from the next mark.
    pub async fn settle(&self, mark: Mark, now: Timestamp) -> Result<(), StoreError> {
        let Some(_alone) = self.store.alone("heartbeats").await? else {
            self.settled_at.store(now.millis(), Ordering::Relaxed);
            return Ok(());
        };
        // Whatever lies before the mark is in memory from here on.
        self.follow(now).await?;
        let mut chosen: Vec<Place> = Vec::new();
        for account in self.all_accounts() {
            self.choose(&account, mark, &mut chosen).await;
        }
        for places in chosen.chunks(CHUNK) {
            let started = Instant::now();
            let beats: Vec<Beat> = places.iter().filter_map(beat).collect();
            if let Err(error) = self.store.settle(&beats).await {
                for (_, cell) in places {
                    cell.unsettle();
                }
                return Err(error);
            }
            tokio::time::sleep(started.elapsed() * REST).await;
        }
        while self.store.forget_beats(mark.number, FORGET).await? >= u64::from(FORGET) {
            tokio::task::yield_now().await;
        }
        self.settled_at.store(now.millis(), Ordering::Relaxed);
        Ok(())
    }

    /// When the journal was last settled, by this node or another one; the epoch before the first time.
    #[must_use]
    pub fn settled_at(&self) -> Timestamp {
        Timestamp::from_millis(self.settled_at.load(Ordering::Relaxed))
    }

    /// Adds the members of an account whose newest heartbeat may be in no batch behind the mark.
    async fn choose(&self, account: &Arc<Account>, mark: Mark, chosen: &mut Vec<Place>) {
        let heard_until = mark.at.plus(TOLERANCE);
        let slice = (mark.at.millis() / ROUND).rem_euclid(SLICES).unsigned_abs();
        let groups: Vec<_> =
            account.read(|members| members.groups().map(|group| Arc::clone(&group.members)).collect());
        let cells: Vec<&Arc<Cell>> = groups.iter().flat_map(|members| members.iter()).collect();
        for cells in cells.chunks(LOOK) {
            // With nothing on its way to the store, whoever is not on the flusher's list is stored.
            let _still = self.writer.still().await;
            for cell in cells {
                let Some(last) = cell.last_heartbeat() else { continue };
                let only_before = last <= heard_until && !cell.is_settled();
                if only_before || cell.is_dirty() || slice_of(cell) == slice {
                    chosen.push((Arc::clone(account), Arc::clone(cell)));
                }
            }
        }
    }
}

fn beat((account, cell): &Place) -> Option<Beat> {
    cell.set_settled();
    let at = cell.last_heartbeat()?;
    Some(Beat { account: Arc::clone(&account.id), id: Arc::clone(&cell.id), at })
}

fn slice_of(cell: &Cell) -> u64 {
    let mut hasher = DefaultHasher::new();
    cell.id.hash(&mut hasher);
    hasher.finish() % SLICES.unsigned_abs()
}
