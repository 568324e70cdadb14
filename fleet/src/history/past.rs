//! What became of an instance, from the changes that were stored.

use super::{Began, Cause, Span, State, walk};
use crate::time::Timestamp;

/// A change as it was stored; of one that only carries news, such as another version, `from` and `to` are equal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// When it happened, not when it was noticed.
    pub at: Timestamp,
    /// None for the first state.
    pub from: Option<State>,
    /// The new state.
    pub to: State,
    /// Why.
    pub cause: Cause,
    /// What changed, such as `26.09.89620 -> 26.10.90107`; empty if nothing more is to say.
    pub note: Box<str>,
}

/// What is known of an instance's past, for [`runs`].
#[derive(Clone, Copy, Debug)]
pub struct Past<'a> {
    /// Its first registration.
    pub registered_at: Timestamp,
    /// Its newest heartbeat; none where it is not known any more.
    pub last_heartbeat: Option<Timestamp>,
    /// Its changes, oldest first; the last one before the time that is asked about may lead.
    pub changes: &'a [Change],
    /// Changes before this instant are not kept.
    pub kept_since: Timestamp,
}

/// A stretch of time in one state, and what began it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// Its beginning, or that of the time that was asked about.
    pub from: Timestamp,
    /// Its end, not included.
    pub until: Timestamp,
    /// None where nothing is known.
    pub state: Option<State>,
    /// Why it began; none where it began before the time that was asked about.
    pub cause: Option<Cause>,
    /// What the change that began it had to add; may be empty.
    pub note: Box<str>,
}

impl Run {
    /// How long it is, in milliseconds.
    #[must_use]
    pub const fn length(&self) -> i64 {
        self.from.age(self.until)
    }
}

/// The states of an instance from `from` to `now`, without gaps, beginning no earlier than its registration.
///
/// A change that only carries news begins no run. What lies before the kept history is not known, unless an older
/// change tells. Without any change the state was always what it is now. `timeout`: `Policy::timeout`.
#[must_use]
pub fn runs(past: Past<'_>, from: Timestamp, timeout: i64, now: Timestamp) -> Vec<Run> {
    let from = from.max(past.registered_at);
    let first = past.changes.first();
    let kept_since = first.map_or(past.kept_since, |first| first.at.min(past.kept_since));
    let before = first.map_or(Some(State::Connected), |first| first.from);
    let steps = past.changes.iter().map(|change| (change.at, change.to));
    let mut runs = Vec::new();
    if from < kept_since {
        let until = kept_since.min(now);
        runs.push(Run { from, until, state: None, cause: None, note: "".into() });
    }
    let known = walk(from.max(kept_since), before, steps, past.last_heartbeat, timeout, now);
    runs.extend(known.into_iter().map(|stretch| {
        let began = match stretch.began {
            Began::Step(place) => past.changes.get(place).filter(|change| change.at >= stretch.from),
            Began::Before | Began::Silence => None,
        };
        let silence = (stretch.began == Began::Silence).then_some(Cause::Silence);
        Run {
            from: stretch.from,
            until: stretch.until,
            state: stretch.state,
            cause: began.map(|change| change.cause).or(silence),
            note: began.map_or_else(|| "".into(), |change| change.note.clone()),
        }
    }));
    runs.retain(|run| run.from < run.until);
    runs
}

/// The runs whose state is known.
#[must_use]
pub fn known(runs: &[Run]) -> Vec<Span> {
    let span = |run: &Run| Some(Span { from: run.from, until: run.until, state: run.state? });
    runs.iter().filter_map(span).collect()
}
