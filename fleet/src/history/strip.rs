//! The strip of heartbeats: one box for each part of a window (`product 3.6`).

use super::{Span, State};
use crate::time::Timestamp;

/// One box: how long an instance was what, in milliseconds. The five add up to its length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// Its beginning.
    pub from: Timestamp,
    /// Its end, not included.
    pub until: Timestamp,
    /// Heartbeats arrived.
    pub connected: i64,
    /// Listed, but silent.
    pub not_connected: i64,
    /// Not listed.
    pub hidden: i64,
    /// Before its first registration.
    pub unregistered: i64,
    /// Nothing is known.
    pub unknown: i64,
}

/// The boxes from `from` to `until`, equally long, oldest first; none for no time or no boxes.
///
/// `spans`: in the order of time, without overlap. Where they leave a gap, nothing is known.
#[must_use]
pub fn strip(
    spans: &[Span],
    registered_at: Timestamp,
    from: Timestamp,
    until: Timestamp,
    slots: u32,
) -> Vec<Slot> {
    let length = from.age(until).max(0);
    let edge = |place: u32| from.plus(length * i64::from(place) / i64::from(slots.max(1)));
    let boxes = (0..slots).map(|place| (edge(place), edge(place + 1)));
    boxes
        .filter(|(from, until)| from < until)
        .map(|(from, until)| slot(spans, registered_at, from, until))
        .collect()
}

fn slot(spans: &[Span], registered_at: Timestamp, from: Timestamp, until: Timestamp) -> Slot {
    let (mut connected, mut not_connected, mut hidden) = (0, 0, 0);
    for span in spans {
        let shared = span.from.max(from).age(span.until.min(until)).max(0);
        match span.state {
            State::Connected => connected += shared,
            State::NotConnected => not_connected += shared,
            State::Hidden => hidden += shared,
        }
    }
    let known = connected + not_connected + hidden;
    let rest = from.age(until) - known;
    let unregistered = from.age(registered_at.min(until)).clamp(0, rest.max(0));
    Slot { from, until, connected, not_connected, hidden, unregistered, unknown: rest - unregistered }
}

/// How much of the time an instance was there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Availability {
    /// Connected, in milliseconds.
    pub connected: i64,
    /// Listed, so that it should have been connected, in milliseconds.
    pub listed: i64,
    /// How often it was lost.
    pub losses: u32,
}

impl Availability {
    /// Of these spans. Time in which it was hidden, by a goodbye, a deletion or retention, counts neither way.
    #[must_use]
    pub fn of(spans: &[Span]) -> Self {
        let mut sum = Self::default();
        let mut before = None;
        for span in spans {
            let length = span.from.age(span.until);
            match span.state {
                State::Connected => {
                    (sum.connected, sum.listed) = (sum.connected + length, sum.listed + length);
                }
                State::NotConnected => {
                    sum.listed += length;
                    sum.losses += u32::from(before == Some(State::Connected));
                }
                State::Hidden => {}
            }
            before = Some(span.state);
        }
        sum
    }

    /// Tenths of a percent, rounded down, so that 1,000 means without any loss; none when it was never listed.
    #[must_use]
    pub const fn permille(&self) -> Option<i64> {
        if self.listed == 0 { None } else { Some(self.connected * 1_000 / self.listed) }
    }
}
