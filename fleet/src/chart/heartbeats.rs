//! How much of the past day instances were connected, half hour by half hour.

use crate::history::{SLOT, State};
use crate::query::Filter;
use crate::time::Timestamp;
use crate::view::Member;

/// Half hours that are drawn, the current one included.
pub const SLOTS: usize = 48;
/// Below so many thousandths of the expected time a half hour is a gap.
const GAP: i64 = 950;

/// The past day of everything that is listed (`product 3.6`).
///
/// Expected is the time since an instance registered, without that during which it was hidden or had said goodbye.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heartbeats {
    /// Aligned to half hours in UTC, oldest first; the last one ends now.
    pub slots: Vec<Slot>,
    /// The instant of the snapshot.
    pub until: Timestamp,
}

/// One half hour. Durations are milliseconds, summed over instances.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slot {
    /// Its beginning.
    pub from: Timestamp,
    /// For how long instances should have been connected.
    pub expected: i64,
    /// For how long they were.
    pub connected: i64,
    /// How many instances were not, for some time of it.
    pub silent: u64,
    /// What lists exactly these.
    pub filter: Filter,
}

/// Consecutive half hours of which much is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gap {
    /// Beginning of the first one.
    pub from: Timestamp,
    /// End of the last one, or now.
    pub until: Timestamp,
}

impl Slot {
    /// Thousandths of the expected time that instances were connected, rounded down; none where nothing was expected.
    #[must_use]
    pub fn share(&self) -> Option<i64> {
        share(self.connected, self.expected)
    }

    /// Whether less than 95 % of the expected time is covered.
    #[must_use]
    pub fn is_gap(&self) -> bool {
        self.share().is_some_and(|share| share < GAP)
    }
}

impl Heartbeats {
    /// Thousandths of the expected time of the whole day, rounded down; none where nothing was expected.
    #[must_use]
    pub fn share(&self) -> Option<i64> {
        let sum = |value: fn(&Slot) -> i64| self.slots.iter().map(value).fold(0, i64::saturating_add);
        share(sum(|slot| slot.connected), sum(|slot| slot.expected))
    }

    /// The gaps, oldest first.
    #[must_use]
    pub fn gaps(&self) -> Vec<Gap> {
        let mut gaps: Vec<Gap> = Vec::new();
        for slot in self.slots.iter().filter(|slot| slot.is_gap()) {
            let until = slot.from.plus(SLOT).min(self.until);
            match gaps.last_mut().filter(|last| last.until == slot.from) {
                Some(last) => last.until = until,
                None => gaps.push(Gap { from: slot.from, until }),
            }
        }
        gaps
    }
}

fn share(connected: i64, expected: i64) -> Option<i64> {
    (expected > 0).then(|| connected.saturating_mul(1_000) / expected)
}

/// Adds up days.
pub(super) struct Tally {
    from: Timestamp,
    now: Timestamp,
    expected: Time,
    connected: Time,
    /// Differences between one slot and the next.
    silent: [i64; SLOTS + 1],
    /// Instances that were connected all the while.
    steady: i64,
}

impl Tally {
    pub(super) fn new(now: Timestamp) -> Self {
        let current = now.millis().div_euclid(SLOT).saturating_mul(SLOT);
        let before = i64::try_from(SLOTS - 1).unwrap_or(0) * SLOT;
        Self {
            from: Timestamp::from_millis(current).plus(-before),
            now,
            expected: Time::default(),
            connected: Time::default(),
            silent: [0; SLOTS + 1],
            steady: 0,
        }
    }

    pub(super) fn add(&mut self, member: &Member) {
        if member.is_steady() {
            let since = member.facts.registered_at;
            if since <= self.from {
                self.steady += 1;
            } else if since < self.now {
                let (from, until) = (self.offset(since), self.offset(self.now));
                self.expected.add(from, until);
                self.connected.add(from, until);
            }
            return;
        }
        // Each half hour counts an instance once.
        let mut counted = 0;
        for span in member.spans(self.from) {
            let (from, until) = (self.offset(span.from), self.offset(span.until));
            match span.state {
                State::Hidden => continue,
                State::Connected => self.connected.add(from, until),
                State::NotConnected => {
                    let (first, end) = (slot(from).max(counted), slot(until - 1) + 1);
                    if first < end {
                        bump(&mut self.silent, first, 1);
                        bump(&mut self.silent, end, -1);
                        counted = end;
                    }
                }
            }
            self.expected.add(from, until);
        }
    }

    fn offset(&self, at: Timestamp) -> i64 {
        self.from.age(at).max(0)
    }

    pub(super) fn finish(mut self) -> Heartbeats {
        let until = self.offset(self.now);
        self.expected.add_many(0, until, self.steady);
        self.connected.add_many(0, until, self.steady);
        let (expected, connected) = (self.expected.sums(), self.connected.sums());
        let mut silent = 0;
        let mut from = self.from;
        let slots = expected.zip(connected).zip(self.silent).map(|((expected, connected), change)| {
            silent += change;
            let slot = Slot {
                from,
                expected,
                connected,
                silent: silent.unsigned_abs(),
                filter: Filter { silent: Some(from), ..Filter::default() },
            };
            from = from.plus(SLOT);
            slot
        });
        Heartbeats { slots: slots.collect(), until: self.now }
    }
}

fn slot(offset: i64) -> usize {
    usize::try_from(offset / SLOT).unwrap_or(0)
}

fn bump(values: &mut [i64], place: usize, by: i64) {
    if let Some(value) = values.get_mut(place) {
        *value += by;
    }
}

/// Time per slot, in milliseconds. Slots that are filled whole are counted by differences, so that a span costs the
/// same however long it is.
struct Time {
    parts: [i64; SLOTS],
    whole: [i64; SLOTS + 1],
}

impl Default for Time {
    fn default() -> Self {
        Self { parts: [0; SLOTS], whole: [0; SLOTS + 1] }
    }
}

impl Time {
    /// Adds the time between two offsets from the beginning.
    fn add(&mut self, from: i64, until: i64) {
        self.add_many(from, until, 1);
    }

    /// The same for so many instances.
    fn add_many(&mut self, from: i64, until: i64, count: i64) {
        let (first, last) = (slot(from), slot(until));
        if first == last {
            bump(&mut self.parts, first, count * (until - from));
            return;
        }
        bump(&mut self.parts, first, count * (SLOT - from % SLOT));
        bump(&mut self.whole, first + 1, count);
        bump(&mut self.whole, last, -count);
        bump(&mut self.parts, last, count * (until % SLOT));
    }

    fn sums(self) -> impl Iterator<Item = i64> {
        let mut whole = 0;
        self.parts.into_iter().zip(self.whole).map(move |(part, change)| {
            whole += change;
            part + whole * SLOT
        })
    }
}
