//! How fast the time of the agents runs.

use std::time::Duration;

/// A factor on every interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Pace(f64);

/// A speed that cannot be played.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the speed must lie between 0.01 and 10000")]
pub struct PaceError;

impl Pace {
    /// 1 is the pace of real agents, 10 is ten times as fast.
    pub(super) fn new(speed: f64) -> Result<Self, PaceError> {
        (0.01..=10_000.0).contains(&speed).then_some(Self(speed)).ok_or(PaceError)
    }

    /// What an interval of the protocol becomes; at least 1 ms, so that no loop runs hot.
    pub(super) fn of(self, interval: Duration) -> Duration {
        (interval.div_f64(self.0)).max(Duration::from_millis(1))
    }

    /// The same for so many milliseconds.
    pub(super) fn millis(self, millis: u64) -> Duration {
        self.of(Duration::from_millis(millis))
    }

    /// The same for so many seconds.
    pub(super) fn seconds(self, seconds: u64) -> Duration {
        self.of(Duration::from_secs(seconds))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_shrink_by_the_speed_and_never_to_nothing() {
        assert_eq!(Pace::new(1.0).unwrap().seconds(50), Duration::from_secs(50));
        assert_eq!(Pace::new(10.0).unwrap().seconds(50), Duration::from_secs(5));
        assert_eq!(Pace::new(10_000.0).unwrap().millis(0), Duration::from_millis(1));
    }

    #[test]
    fn other_speeds_are_refused() {
        for speed in [0.0, -1.0, 20_000.0, f64::NAN, f64::INFINITY] {
            assert_eq!(Pace::new(speed), Err(PaceError), "{speed}");
        }
    }
}
