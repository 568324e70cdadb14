//! What an instance was, and why that changed (`product 3.6`).

mod past;
mod strip;
mod window;

pub use past::{Change, Past, Run, known, runs};
pub use strip::{Availability, Slot, strip};
pub use window::Window;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::policy::Policy;
use crate::time::{DAY, MINUTE, Timestamp};

/// How far back the turns of an instance are kept in memory, in milliseconds.
pub const RECENT: i64 = DAY;
/// The half hour that one mark of the chart of heartbeats stands for, in milliseconds.
pub const SLOT: i64 = 30 * MINUTE;
/// Turns of one instance that are kept in memory at most, newest first to stay.
pub const MAX_RECENT: usize = 64;

/// What an instance was or became.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// Heartbeats arrive.
    Connected,
    /// Silent for more than 300 s.
    NotConnected,
    /// No longer listed.
    Hidden,
}

/// Why a state changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// First registration.
    Registered,
    /// No heartbeat for too long.
    Silence,
    /// Unregistered: a planned stop.
    Goodbye,
    /// A heartbeat after a loss.
    Return,
    /// A heartbeat more than 10 minutes after the one before.
    LongPause,
    /// Another version than before.
    Version,
    /// Deleted by a person.
    Deleted,
    /// Listed again by a person.
    Restored,
    /// Retention passed.
    Retention,
}

/// One change of state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Turn {
    /// When it happened, not when it was noticed.
    pub at: Timestamp,
    /// The new state.
    pub to: State,
}

/// The turns of one instance within [`RECENT`], oldest first; none where nothing happened.
pub type Turns = Option<Arc<[Turn]>>;

/// The turns with one more: in the order of time, without those that are too old or too many by `now`.
#[must_use]
pub fn with_turn(turns: &Turns, turn: Turn, now: Timestamp) -> Turns {
    let known = turns.as_deref().unwrap_or_default();
    let mut kept: Vec<Turn> = known.iter().copied().filter(|kept| kept.at.age(now) <= RECENT).collect();
    if turn.at.age(now) <= RECENT && !kept.contains(&turn) {
        let place = kept.partition_point(|kept| kept.at <= turn.at);
        kept.insert(place, turn);
    }
    let surplus = kept.len().saturating_sub(MAX_RECENT);
    kept.drain(..surplus);
    (!kept.is_empty()).then(|| kept.into())
}

/// Whether an instance is called unstable (`product 3.6`, P7): it was lost `flap_count` times within `flap_window`,
/// and not yet for one whole window without a change.
#[must_use]
pub fn is_unstable(turns: &[Turn], policy: &Policy, now: Timestamp) -> bool {
    let past = || turns.iter().filter(|turn| turn.at <= now);
    let settled = past().next_back().is_none_or(|last| last.at.age(now) > policy.flap_window);
    if settled || policy.flap_count == 0 {
        return false;
    }
    let losses: Vec<Timestamp> =
        past().filter(|turn| turn.to == State::NotConnected).map(|turn| turn.at).collect();
    let count = usize::try_from(policy.flap_count).unwrap_or(usize::MAX);
    losses.windows(count).any(|run| match run {
        [first, .., last] => first.age(*last) <= policy.flap_window,
        _ => count == 1,
    })
}

/// A stretch of time in one state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// Its beginning.
    pub from: Timestamp,
    /// Its end, not included.
    pub until: Timestamp,
    /// The state all along.
    pub state: State,
}

/// What is known of an instance's life, for [`spans`].
#[derive(Clone, Copy, Debug)]
pub struct Life<'a> {
    /// Its first registration.
    pub registered_at: Timestamp,
    /// Its newest heartbeat.
    pub last_heartbeat: Option<Timestamp>,
    /// Its turns, oldest first.
    pub turns: &'a [Turn],
}

/// The states of an instance from `from` to `now`, without gaps, beginning no earlier than its registration.
///
/// `timeout`: [`Policy::timeout`]. Silence that nobody has recorded yet counts from the moment at which it becomes one.
#[must_use]
pub fn spans(life: Life<'_>, from: Timestamp, timeout: i64, now: Timestamp) -> Vec<Span> {
    let steps = life.turns.iter().map(|turn| (turn.at, turn.to));
    let from = from.max(life.registered_at);
    let walked = walk(from, Some(before(life, timeout)), steps, life.last_heartbeat, timeout, now);
    let span =
        |stretch: Stretch| Some(Span { from: stretch.from, until: stretch.until, state: stretch.state? });
    walked.into_iter().filter_map(span).collect()
}

/// What began a stretch of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Began {
    /// It began before.
    Before,
    /// The step at this place.
    Step(usize),
    /// Silence that nobody has recorded yet.
    Silence,
}

/// A stretch of time in one state; none where it is not known.
struct Stretch {
    from: Timestamp,
    until: Timestamp,
    state: Option<State>,
    began: Began,
}

/// Goes through `steps`, oldest first, from `from` to `now`; neighbours in one state are one stretch.
fn walk(
    from: Timestamp,
    before: Option<State>,
    steps: impl Iterator<Item = (Timestamp, State)>,
    last_heartbeat: Option<Timestamp>,
    timeout: i64,
    now: Timestamp,
) -> Vec<Stretch> {
    let mut stretches: Vec<Stretch> = Vec::new();
    let mut add = |start: Timestamp, until: Timestamp, state: Option<State>, began: Began| {
        let (start, until) = (start.max(from), until.min(now));
        if start >= until {
            return;
        }
        match stretches.last_mut().filter(|last| last.state == state && last.until == start) {
            Some(last) => last.until = until,
            None => stretches.push(Stretch { from: start, until, state, began }),
        }
    };
    let (mut since, mut state, mut began) = (from, before, Began::Before);
    for (place, (at, to)) in steps.enumerate().filter(|(_, (at, _))| *at <= now) {
        add(since, at, state, began);
        since = since.max(at);
        if state != Some(to) {
            (state, began) = (Some(to), Began::Step(place));
        }
    }
    let silent_from = last_heartbeat.map(|beat| beat.plus(timeout).max(since));
    match silent_from.filter(|at| state == Some(State::Connected) && *at < now) {
        Some(at) => {
            add(since, at, state, began);
            add(at, now, Some(State::NotConnected), Began::Silence);
        }
        None => add(since, now, state, began),
    }
    stretches
}

/// The state before the first known turn.
fn before(life: Life<'_>, timeout: i64) -> State {
    match life.turns.first() {
        None if life.last_heartbeat.is_none() => State::NotConnected,
        None | Some(Turn { to: State::NotConnected, .. }) => State::Connected,
        // Silence would have been recorded within the kept time, so it was hidden all that while.
        Some(Turn { to: State::Connected, .. }) => State::Hidden,
        Some(Turn { to: State::Hidden, at }) => {
            let silent = life.last_heartbeat.is_some_and(|beat| beat.age(*at) > timeout);
            if silent { State::NotConnected } else { State::Connected }
        }
    }
}
