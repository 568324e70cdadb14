//! One instance in memory: facts that change rarely, a heartbeat that changes always.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU8, Ordering};

use fleet::delegate::InstanceFacts;
use fleet::history::{Turn, Turns, with_turn};
use fleet::time::{SECOND, Timestamp};
use parking_lot::RwLock;

use crate::store::State;

/// How far a heartbeat may lie ahead before the clock is taken to have gone back: nodes differ a little.
pub(super) const AHEAD: i64 = 10 * SECOND;

/// One instance. A heartbeat touches atomics only.
#[derive(Debug)]
pub(super) struct Cell {
    /// The id that the server gave; aliases lead here too.
    pub(super) id: Arc<str>,
    facts: RwLock<Arc<InstanceFacts>>,
    /// Milliseconds; 0 before the first heartbeat.
    beat: AtomicI64,
    /// The newest heartbeat that the store is known to hold, in its journal or in the row.
    stored_beat: AtomicI64,
    /// The one that this node has put into the row; 0 if none.
    row_beat: AtomicI64,
    /// The last state that history knows.
    recorded: AtomicU8,
    /// Its changes of state within the last day.
    turns: RwLock<Turns>,
    /// Whether the flusher already has it on its list.
    dirty: AtomicBool,
    /// Whether the flusher already knows of changed facts.
    unsaved: AtomicBool,
    /// Whether the store confirmed its row.
    stored: AtomicBool,
    /// Whether the database refused its row for what it holds: trying again makes no sense until that changes.
    refused: AtomicBool,
    /// Whether an open tombstone hides it: its own, or that of its group.
    deleted: AtomicBool,
}

impl Cell {
    pub(super) fn new(
        facts: Arc<InstanceFacts>,
        beat: Option<Timestamp>,
        recorded: State,
        stored: bool,
    ) -> Self {
        Self {
            id: Arc::clone(&facts.id),
            facts: RwLock::new(facts),
            beat: AtomicI64::new(beat.map_or(0, Timestamp::millis)),
            stored_beat: AtomicI64::new(if stored { beat.map_or(0, Timestamp::millis) } else { 0 }),
            row_beat: AtomicI64::new(0),
            recorded: AtomicU8::new(code(recorded)),
            turns: RwLock::new(None),
            dirty: AtomicBool::new(false),
            unsaved: AtomicBool::new(false),
            stored: AtomicBool::new(stored),
            refused: AtomicBool::new(false),
            deleted: AtomicBool::new(false),
        }
    }

    pub(super) fn facts(&self) -> Arc<InstanceFacts> {
        Arc::clone(&self.facts.read())
    }

    /// Runs `read` on the facts without taking a share of them.
    pub(super) fn with_facts<T>(&self, read: impl FnOnce(&InstanceFacts) -> T) -> T {
        read(&self.facts.read())
    }

    /// Replaces the facts by what `change` makes of the current ones; none leaves them.
    pub(super) fn update(
        &self,
        change: impl FnOnce(&InstanceFacts) -> Option<InstanceFacts>,
    ) -> Option<Arc<InstanceFacts>> {
        let mut facts = self.facts.write();
        let changed = Arc::new(change(&facts)?);
        *facts = Arc::clone(&changed);
        self.refused.store(false, Ordering::Release);
        Some(changed)
    }

    pub(super) fn last_heartbeat(&self) -> Option<Timestamp> {
        match self.beat.load(Ordering::Acquire) {
            0 => None,
            millis => Some(Timestamp::from_millis(millis)),
        }
    }

    /// Moves the heartbeat forward and returns the one before. After the clock went back, the one before lies ahead; it
    /// is as old as this one then.
    pub(super) fn beat(&self, now: Timestamp) -> Option<Timestamp> {
        match self.beat.fetch_max(now.millis(), Ordering::AcqRel) {
            0 => None,
            ahead if ahead > now.millis().saturating_add(AHEAD) => {
                self.beat.store(now.millis(), Ordering::Relaxed);
                Some(now)
            }
            millis => Some(Timestamp::from_millis(millis)),
        }
    }

    /// Moves the heartbeat forward to one that another node has stored, and returns the one before. An old one changes
    /// nothing: it says nothing about the clock.
    pub(super) fn hear(&self, at: Timestamp) -> Option<Timestamp> {
        self.note_stored(at);
        match self.beat.fetch_max(at.millis(), Ordering::AcqRel) {
            0 => None,
            millis => Some(Timestamp::from_millis(millis)),
        }
    }

    /// Notes that the store holds this heartbeat.
    pub(super) fn note_stored(&self, at: Timestamp) {
        self.stored_beat.fetch_max(at.millis(), Ordering::AcqRel);
    }

    /// Notes that the store holds this heartbeat and perhaps no later one, whatever was known before.
    pub(super) fn stored_anew(&self, at: Option<Timestamp>) {
        self.stored_beat.store(at.map_or(0, Timestamp::millis), Ordering::Release);
        self.row_beat.store(0, Ordering::Release);
    }

    /// The newest heartbeat that the store is known to hold.
    pub(super) fn stored_beat(&self) -> Timestamp {
        Timestamp::from_millis(self.stored_beat.load(Ordering::Acquire))
    }

    /// Notes that its row holds this heartbeat.
    pub(super) fn note_settled(&self, at: Timestamp) {
        self.row_beat.fetch_max(at.millis(), Ordering::AcqRel);
    }

    /// Whether its row is known to hold the newest heartbeat.
    pub(super) fn is_settled(&self) -> bool {
        self.row_beat.load(Ordering::Acquire) >= self.beat.load(Ordering::Acquire)
    }

    /// Whether its heartbeat lies ahead, because the clock went back; it counts as heard now then.
    pub(super) fn rewind(&self, now: Timestamp) -> bool {
        let beat = self.beat.load(Ordering::Relaxed);
        let ahead = beat > now.millis().saturating_add(AHEAD);
        // Whoever beats at this moment knows better.
        ahead && self.beat.compare_exchange(beat, now.millis(), Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }

    pub(super) fn recorded(&self) -> State {
        state(self.recorded.load(Ordering::Relaxed))
    }

    /// Notes what history knows now and returns what it knew.
    pub(super) fn record(&self, to: State) -> State {
        state(self.recorded.swap(code(to), Ordering::AcqRel))
    }

    /// Notes `to` if history knows `from`; whether it did.
    pub(super) fn record_if(&self, from: State, to: State) -> bool {
        self.recorded.compare_exchange(code(from), code(to), Ordering::AcqRel, Ordering::Acquire).is_ok()
    }

    pub(super) fn turns(&self) -> Turns {
        self.turns.read().clone()
    }

    /// Remembers a change of state for a day.
    pub(super) fn turned(&self, at: Timestamp, to: State, now: Timestamp) {
        let mut turns = self.turns.write();
        *turns = with_turn(&turns, Turn { at, to }, now);
    }

    pub(super) fn is_stored(&self) -> bool {
        self.stored.load(Ordering::Acquire)
    }

    /// Whether its row is still to be written.
    pub(super) fn is_waiting(&self) -> bool {
        !self.is_stored() && !self.is_refused()
    }

    pub(super) fn is_refused(&self) -> bool {
        self.refused.load(Ordering::Acquire)
    }

    pub(super) fn set_refused(&self) {
        self.refused.store(true, Ordering::Release);
    }

    /// Lets a refused row be written again; whether it was refused.
    pub(super) fn try_again(&self) -> bool {
        self.refused.swap(false, Ordering::AcqRel)
    }

    pub(super) fn set_stored(&self) {
        self.stored.store(true, Ordering::Release);
    }

    pub(super) fn is_deleted(&self) -> bool {
        self.deleted.load(Ordering::Acquire)
    }

    pub(super) fn set_deleted(&self, deleted: bool) {
        self.deleted.store(deleted, Ordering::Release);
    }

    /// Takes the place on the flusher's list; false if it is there already.
    pub(super) fn mark_dirty(&self) -> bool {
        !self.dirty.swap(true, Ordering::AcqRel)
    }

    /// Takes the place on the flusher's list of changed facts; false if it is there already.
    pub(super) fn mark_unsaved(&self) -> bool {
        !self.unsaved.swap(true, Ordering::AcqRel)
    }

    /// Whether its facts are newer than its row, or may be.
    pub(super) fn is_unsaved(&self) -> bool {
        self.unsaved.load(Ordering::Acquire)
    }

    /// Leaves that list. Call before reading the facts.
    pub(super) fn clear_unsaved(&self) {
        self.unsaved.store(false, Ordering::Release);
    }

    /// Leaves the list. Call before reading the heartbeat, so that a later one finds its way back.
    pub(super) fn clear_dirty(&self) {
        // A swap, so that it sees the heartbeat of whoever found the place taken.
        self.dirty.swap(false, Ordering::AcqRel);
    }
}

const fn code(state: State) -> u8 {
    match state {
        State::Connected => 0,
        State::NotConnected => 1,
        State::Hidden => 2,
    }
}

const fn state(code: u8) -> State {
    match code {
        0 => State::Connected,
        1 => State::NotConnected,
        _ => State::Hidden,
    }
}
