//! The last snapshot of each scope, and what it is still worth.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::{Duration, Instant};

use fleet::scope::Scope;
use fleet::time::Timestamp;
use fleet::view::Sight;
use parking_lot::Mutex as Lock;
use quick_cache::sync;
use tokio::sync::Mutex;

use super::account::Version;
use super::snapshot::SharedSnapshot;

/// Scopes whose last snapshot is kept.
const KEPT: usize = 64;
/// A snapshot is renewed at this age, even if nothing but time has passed.
const MAX_AGE: i64 = 1_000;
/// Computing a large one takes a while: nobody waits for that who can be shown one that is no older than this.
const PASSABLE: i64 = 3_000;
/// A change asks for a new snapshot, but computing a large one may take only one part in this many of the time.
const DUTY: u32 = 4;
/// Up to so many instances a snapshot is made whenever something has changed.
const SMALL: u64 = 20_000;
/// One that nobody asked for since is given up.
const UNASKED: Duration = Duration::from_mins(1);

/// The last snapshot of each scope.
pub(super) struct Cache(sync::Cache<(Scope, Sight), Arc<Slot>>);

/// That of one scope.
#[derive(Default)]
pub(super) struct Slot {
    held: Lock<Option<Held>>,
    /// One computation after the other.
    pub(super) turn: Arc<Mutex<()>>,
}

struct Held {
    shared: Arc<SharedSnapshot>,
    made: Instant,
    cost: Duration,
}

/// What the last snapshot is worth to whoever asks now.
#[derive(Debug)]
pub(super) enum Worth {
    /// As good as a new one.
    Fresh(Arc<SharedSnapshot>),
    /// Good enough while a new one is made.
    Passable(Arc<SharedSnapshot>),
    /// Too old, made before something that a person did, or not there.
    Nothing,
}

impl Cache {
    pub(super) fn new() -> Self {
        Self(sync::Cache::new(KEPT))
    }

    pub(super) fn slot(&self, key: &(Scope, Sight)) -> Arc<Slot> {
        let slot = self.0.get_or_insert_with(key, || Ok::<_, Infallible>(Arc::default()));
        slot.unwrap_or_default()
    }

    /// Frees snapshots that nobody asked for lately.
    pub(super) fn forget_old(&self) {
        self.0.retain(|_, slot| {
            let being_made = slot.turn.try_lock().is_err();
            being_made || slot.held.lock().as_ref().is_some_and(|held| held.made.elapsed() < UNASKED)
        });
    }
}

impl Slot {
    /// What is held, for somebody who knows that this is the version and the time.
    pub(super) fn look(&self, version: Version, now: Timestamp) -> Worth {
        self.held.lock().as_ref().map_or(Worth::Nothing, |held| held.worth(version, now))
    }

    /// Whatever is held.
    pub(super) fn last(&self) -> Option<Arc<SharedSnapshot>> {
        self.held.lock().as_ref().map(|held| Arc::clone(&held.shared))
    }

    /// Holds one whose computation took so long.
    pub(super) fn keep(&self, shared: Arc<SharedSnapshot>, cost: Duration) {
        *self.held.lock() = Some(Held { shared, made: Instant::now(), cost });
    }
}

impl Held {
    fn worth(&self, version: Version, now: Timestamp) -> Worth {
        let (age, made_at) = (self.shared.snapshot.as_of.age(now), self.shared.version);
        let is_large = self.shared.snapshot.counts.instances > SMALL;
        // A change of a large one must wait its turn, unless a person made it.
        let patient = is_large && made_at.deeds == version.deeds;
        let rests = patient && self.made.elapsed() < self.cost * DUTY;
        if (-MAX_AGE..MAX_AGE).contains(&age) && (made_at == version || rests) {
            Worth::Fresh(Arc::clone(&self.shared))
        } else if patient && (-MAX_AGE..PASSABLE).contains(&age) {
            Worth::Passable(Arc::clone(&self.shared))
        } else {
            Worth::Nothing
        }
    }
}

#[cfg(test)]
mod tests {
    use fleet::catalog::Latest;
    use fleet::summary::Counts;
    use fleet::view::{Extent, Snapshot};

    use super::*;

    const NOW: Timestamp = Timestamp::from_millis(1_000_000);
    const VERSION: Version = Version { deeds: 1, changes: 1 };
    const CHANGED: Version = Version { deeds: 1, changes: 2 };
    const DONE: Version = Version { deeds: 2, changes: 2 };

    fn held(instances: u64, cost: Duration) -> Slot {
        let scope: Scope = "acme".parse().unwrap();
        let mut snapshot = Snapshot::new(scope, Extent::Exact, NOW, Latest::default(), Vec::new());
        snapshot.counts.instances = instances;
        let slot = Slot::default();
        slot.keep(Arc::new(SharedSnapshot::new(snapshot, (Counts::default(), 0), VERSION)), cost);
        slot
    }

    #[track_caller]
    fn is_fresh(worth: &Worth) {
        assert!(matches!(worth, Worth::Fresh(_)), "{worth:?}");
    }

    #[track_caller]
    fn is_passable(worth: &Worth) {
        assert!(matches!(worth, Worth::Passable(_)), "{worth:?}");
    }

    #[track_caller]
    fn is_nothing(worth: &Worth) {
        assert!(matches!(worth, Worth::Nothing), "{worth:?}");
    }

    #[test]
    fn nobody_is_shown_a_small_fleet_of_a_second_ago_or_from_before_a_change() {
        let slot = held(SMALL, Duration::from_hours(1));
        is_fresh(&slot.look(VERSION, NOW.plus(MAX_AGE - 1)));
        is_nothing(&slot.look(VERSION, NOW.plus(MAX_AGE)));
        is_nothing(&slot.look(CHANGED, NOW));
    }

    #[test]
    fn a_large_one_rests_after_a_change_but_never_after_what_a_person_did() {
        let slot = held(SMALL + 1, Duration::from_hours(1));
        is_fresh(&slot.look(VERSION, NOW));
        is_fresh(&slot.look(CHANGED, NOW));
        is_nothing(&slot.look(DONE, NOW));
    }

    #[test]
    fn nobody_waits_for_a_large_one_who_can_be_shown_that_of_three_seconds_ago() {
        let slot = held(SMALL + 1, Duration::ZERO);
        is_passable(&slot.look(CHANGED, NOW));
        is_passable(&slot.look(VERSION, NOW.plus(MAX_AGE)));
        is_passable(&slot.look(VERSION, NOW.plus(PASSABLE - 1)));
        is_nothing(&slot.look(VERSION, NOW.plus(PASSABLE)));
        is_nothing(&slot.look(DONE, NOW.plus(MAX_AGE)));
    }

    #[test]
    fn a_clock_that_was_set_back_makes_nothing_of_it() {
        let slot = held(SMALL + 1, Duration::from_hours(1));
        is_nothing(&slot.look(VERSION, NOW.plus(-MAX_AGE - 1)));
    }
}
