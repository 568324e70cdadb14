//! The one place that reads the time.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant};

use fleet::time::Timestamp;

/// Tells the time; tests move it by hand.
#[derive(Clone, Debug)]
pub struct Clock(Source);

#[derive(Clone, Debug)]
enum Source {
    System,
    Manual(Arc<AtomicI64>),
}

impl Clock {
    /// The clock of the machine.
    #[must_use]
    pub const fn system() -> Self {
        Self(Source::System)
    }

    /// A clock that stands at `at` until it is moved; clones share it.
    #[must_use]
    pub fn manual(at: Timestamp) -> Self {
        Self(Source::Manual(Arc::new(AtomicI64::new(at.millis()))))
    }

    /// The current instant.
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "this is the one place that may")]
    pub fn now(&self) -> Timestamp {
        match &self.0 {
            Source::System => chrono::Utc::now().into(),
            Source::Manual(millis) => Timestamp::from_millis(millis.load(Ordering::Relaxed)),
        }
    }

    /// Moves a manual clock; the system's clock stays as it is.
    pub fn advance(&self, millis: i64) {
        if let Source::Manual(at) = &self.0 {
            at.fetch_add(millis, Ordering::Relaxed);
        }
    }
}

/// How far a clock may run ahead of steady time between two looks: corrections of a second are no leap.
const LEAP: Duration = Duration::from_secs(30);

/// Notices when the clock is set forward, or the machine has slept.
#[derive(Debug)]
pub struct Leaps {
    wall: Timestamp,
    steady: Instant,
}

impl Leaps {
    /// Begins now.
    #[must_use]
    pub fn new(clock: &Clock) -> Self {
        Self { wall: clock.now(), steady: Instant::now() }
    }

    /// By how much the clock leapt since the last look. A manual clock moves as it likes and leaps never.
    pub fn look(&mut self, clock: &Clock) -> Option<Duration> {
        let before = std::mem::replace(self, Self::new(clock));
        let passed = Duration::from_millis(u64::try_from(before.wall.age(self.wall)).unwrap_or(0));
        let leap = leap(passed, self.steady - before.steady);
        leap.filter(|_| matches!(clock.0, Source::System))
    }
}

fn leap(by_the_clock: Duration, steady: Duration) -> Option<Duration> {
    by_the_clock.checked_sub(steady).filter(|leap| *leap > LEAP)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_runs_thirty_seconds_ahead_leaps_and_one_that_is_corrected_does_not() {
        let look = |clock, steady| leap(Duration::from_millis(clock), Duration::from_millis(steady));
        assert_eq!(look(5_000, 5_000), None);
        assert_eq!(look(35_000, 5_000), None);
        assert_eq!(look(35_001, 5_000), Some(Duration::from_millis(30_001)));
        assert_eq!(look(0, 5_000), None, "back");
    }
}
