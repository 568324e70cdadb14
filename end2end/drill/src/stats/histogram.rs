//! A histogram of durations with buckets of equal relative width.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use serde::{Serialize, Serializer};

/// Buckets per power of two: a value is known to about 6 %.
const STEPS: u64 = 16;
/// Enough for 2^36 microseconds, 19 hours.
const BUCKETS: usize = 33 * 16;

/// Counts durations; shared between tasks.
#[derive(Debug)]
pub struct Histogram {
    buckets: Box<[AtomicU64]>,
}

/// The counts at one instant, or the difference of two. Written to JSON as `{p50, p99, max}` in microseconds.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Latencies(Vec<u64>);

impl fmt::Debug for Latencies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries([50, 99, 100].map(|percent| (percent, self.quantile(percent)))).finish()
    }
}

impl Default for Histogram {
    fn default() -> Self {
        Self { buckets: (0..BUCKETS).map(|_| AtomicU64::new(0)).collect() }
    }
}

impl Histogram {
    /// Counts one duration.
    pub fn record(&self, took: Duration) {
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        self.buckets[bucket(micros)].fetch_add(1, Relaxed);
    }

    /// The counts now.
    #[must_use]
    pub fn read(&self) -> Latencies {
        Latencies(self.buckets.iter().map(|count| count.load(Relaxed)).collect())
    }
}

impl Latencies {
    /// The duration that so many percent of the values do not exceed; none without values.
    #[must_use]
    pub fn quantile(&self, percent: u64) -> Option<Duration> {
        let total: u64 = self.0.iter().sum();
        let rank = (total * percent.min(100)).div_ceil(100).max(1);
        let mut seen = 0;
        let at = self.0.iter().position(|count| {
            seen += count;
            seen >= rank
        })?;
        Some(Duration::from_micros(highest(at)))
    }

    /// The values that came after `earlier`.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        let before = |at: usize| earlier.0.get(at).copied().unwrap_or_default();
        Self(self.0.iter().enumerate().map(|(at, count)| count.saturating_sub(before(at))).collect())
    }
}

impl Serialize for Latencies {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let micros = |percent| self.quantile(percent).map(|value| value.as_micros());
        let entries = [("p50", micros(50)), ("p99", micros(99)), ("max", micros(100))];
        serializer.collect_map(entries)
    }
}

fn bucket(micros: u64) -> usize {
    if micros < STEPS {
        return usize::try_from(micros).unwrap_or_default();
    }
    // Between STEPS and 2 * STEPS - 1 after the shift.
    let shift = micros.ilog2() - STEPS.ilog2();
    let at = u64::from(shift + 1) * STEPS + (micros >> shift) - STEPS;
    usize::try_from(at).unwrap_or(usize::MAX).min(BUCKETS - 1)
}

/// The highest value that falls into a bucket.
fn highest(bucket: usize) -> u64 {
    let (power, step) = (bucket as u64 / STEPS, bucket as u64 % STEPS);
    if power == 0 { step } else { ((step + STEPS + 1) << (power - 1)) - 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_falls_into_the_bucket_that_ends_just_above_it() {
        for micros in [0, 1, 15, 16, 17, 31, 32, 33, 100, 999, 1_000, 65_535, 65_536, 60_000_000] {
            let at = bucket(micros);
            assert!(highest(at) >= micros, "{micros}");
            assert!(at == 0 || highest(at - 1) < micros, "{micros}");
            assert!(highest(at) - micros <= micros / 16, "{micros}");
        }
    }

    #[test]
    fn values_beyond_the_scale_are_counted_in_the_last_bucket() {
        let histogram = Histogram::default();
        histogram.record(Duration::MAX);
        assert!(histogram.read().quantile(50).unwrap() > Duration::from_hours(1));
    }

    #[test]
    fn quantiles_are_those_of_the_values() {
        let histogram = Histogram::default();
        for millis in 1..=100 {
            histogram.record(Duration::from_millis(millis));
        }
        let read = histogram.read();
        for (percent, millis) in [(50, 50), (99, 99), (100, 100)] {
            let value = read.quantile(percent).unwrap();
            let (low, high) = (Duration::from_millis(millis), Duration::from_micros(millis * 1_063));
            assert!(low <= value && value <= high, "{percent}: {value:?}");
        }
        assert_eq!(Latencies::default().quantile(50), None);
    }
}
