//! Heartbeats from the journal into the rows of those who fell silent, so that the journal can be forgotten.
//!
//! Whoever goes on beating is in a later batch anyway: a fleet that is well costs next to no writes of rows.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use fleet::time::{DAY, MINUTE, SECOND, Timestamp};

use super::Roster;
use super::cell::Cell;
use super::flusher::beat;
use super::writer::Place;
use crate::clock::Clock;
use crate::store::{Beat, StoreError, within};

/// How often the journal is settled. Longer than delegates pause between two heartbeats, or every one would be settled.
pub const SETTLE_EVERY: Duration = Duration::from_mins(2);
/// The same in milliseconds.
const ROUND: i64 = 2 * MINUTE;
/// In a day every row is visited, so that a start seldom has to read rows that look as if nobody had been heard for long.
const SLICES: i64 = DAY / ROUND;
/// How much later than the mark a heartbeat must be to lie behind it in the journal: clocks of nodes differ, and go back.
/// Less than what is left of a round after the pause between two heartbeats.
const TOLERANCE: i64 = 45 * SECOND;
/// Rows that are written at a time.
const CHUNK: usize = 1_000;
/// Batches that are forgotten at a time.
const FORGET: u32 = 20;
/// The writer rests this many times longer than it works.
const REST: u32 = 9;
/// A store that takes longer is away; one that holds a million rows to be read anew may take long.
const PATIENCE: Duration = Duration::from_mins(1);

/// A place in the journal.
#[derive(Clone, Copy, Debug)]
pub struct Mark {
    /// The newest batch.
    number: i64,
    /// Later than any heartbeat up to it.
    at: Timestamp,
}

impl Roster {
    /// The end of the journal, for the next call of [`Roster::settle`].
    ///
    /// # Errors
    /// The store cannot be read.
    pub async fn mark(&self, clock: &Clock) -> Result<Mark, StoreError> {
        let number = within(PATIENCE, self.store.newest_beats()).await?;
        Ok(Mark { number, at: clock.now() })
    }

    /// Settles the journal up to a mark and forgets it; does nothing while another node does, or while this one does not
    /// know what the others hear.
    ///
    /// # Errors
    /// The store cannot be written. Nothing is lost: it is done again from the next mark.
    pub async fn settle(&self, mark: Mark, now: Timestamp) -> Result<(), StoreError> {
        let Some(_alone) = within(PATIENCE, self.store.alone("heartbeats")).await? else { return Ok(()) };
        // Whatever lies before the mark is in memory from here on.
        within(PATIENCE, self.follow(now)).await?;
        for places in self.to_settle(mark, now).chunks(CHUNK) {
            let started = Instant::now();
            let last = |place| -> Option<(&Place, Timestamp)> { Some((place, place.1.last_heartbeat()?)) };
            let last: Vec<_> = places.iter().filter_map(last).collect();
            let beats: Vec<Beat> = last.iter().map(|(place, at)| beat(place, *at)).collect();
            within(PATIENCE, self.store.settle(&beats)).await?;
            for ((_, cell), at) in last {
                cell.note_settled(at);
            }
            tokio::time::sleep(started.elapsed() * REST).await;
        }
        while within(PATIENCE, self.store.forget_beats(mark.number, FORGET)).await? >= u64::from(FORGET) {
            tokio::task::yield_now().await;
        }
        self.settled_at.store(now.millis(), Ordering::Relaxed);
        Ok(())
    }

    /// When this node last settled the journal; its start before the first time.
    #[must_use]
    pub fn settled_at(&self) -> Timestamp {
        Timestamp::from_millis(self.settled_at.load(Ordering::Relaxed))
    }

    /// Those whose newest stored heartbeat may be in no batch behind the mark, and those whose turn it is.
    fn to_settle(&self, mark: Mark, now: Timestamp) -> Vec<Place> {
        let behind = mark.at.plus(TOLERANCE);
        let slice = (mark.at.millis() / ROUND).rem_euclid(SLICES).unsigned_abs();
        let mut places = Vec::new();
        for account in self.all_accounts() {
            let groups: Vec<_> =
                account.read(|members| members.groups().map(|group| Arc::clone(&group.members)).collect());
            for cell in groups.iter().flat_map(|members| members.iter()) {
                let stored = cell.stored_beat();
                // One that lies ahead was heard before the clock went back.
                let lies_behind = stored > behind && stored <= now.plus(TOLERANCE);
                let unsure = !lies_behind || slice_of(cell) == slice;
                if unsure && !cell.is_settled() {
                    places.push((Arc::clone(&account), Arc::clone(cell)));
                }
            }
        }
        places
    }
}

fn slice_of(cell: &Cell) -> u64 {
    let mut hasher = DefaultHasher::new();
    cell.id.hash(&mut hasher);
    hasher.finish() % SLICES.unsigned_abs()
}
