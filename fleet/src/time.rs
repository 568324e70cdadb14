//! Instants in milliseconds. Time is always an argument here; nothing in this crate reads a clock.

use chrono::{DateTime, NaiveDate, NaiveTime, Utc};
use serde::{Deserialize, Serialize};

/// Milliseconds in one second.
pub const SECOND: i64 = 1_000;
/// Milliseconds in one minute.
pub const MINUTE: i64 = 60 * SECOND;
/// Milliseconds in one hour.
pub const HOUR: i64 = 60 * MINUTE;
/// Milliseconds in one day.
pub const DAY: i64 = 24 * HOUR;

/// An instant in milliseconds since the Unix epoch, UTC.
///
/// Every age in the rules is compared in milliseconds (`product 20`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Timestamp(i64);

impl Timestamp {
    /// The instant `millis` milliseconds after the Unix epoch.
    #[must_use]
    pub const fn from_millis(millis: i64) -> Self {
        Self(millis)
    }

    /// Milliseconds since the Unix epoch.
    #[must_use]
    pub const fn millis(self) -> i64 {
        self.0
    }

    /// Milliseconds from this instant to `now`; negative if this instant lies ahead.
    #[must_use]
    pub const fn age(self, now: Self) -> i64 {
        now.0.saturating_sub(self.0)
    }

    /// This instant moved by `millis` milliseconds, forward or back.
    #[must_use]
    pub const fn plus(self, millis: i64) -> Self {
        Self(self.0.saturating_add(millis))
    }

    /// 23:59:59 UTC of `date`: the anchor instant of a version (`product 5.4`).
    #[must_use]
    pub fn end_of_day(date: NaiveDate) -> Self {
        let time = NaiveTime::from_hms_opt(23, 59, 59).unwrap_or(NaiveTime::MIN);
        Self(date.and_time(time).and_utc().timestamp_millis())
    }

    /// 00:00:00 UTC of `date`.
    #[must_use]
    pub fn start_of_day(date: NaiveDate) -> Self {
        Self(date.and_time(NaiveTime::MIN).and_utc().timestamp_millis())
    }

    /// The calendar day in UTC; the first representable day for instants that no calendar holds.
    #[must_use]
    pub fn date(self) -> NaiveDate {
        self.to_utc().date_naive()
    }

    /// The same instant for formatting; clamped to the calendar's range.
    #[must_use]
    pub fn to_utc(self) -> DateTime<Utc> {
        let clamp = if self.0 < 0 { DateTime::<Utc>::MIN_UTC } else { DateTime::<Utc>::MAX_UTC };
        DateTime::from_timestamp_millis(self.0).unwrap_or(clamp)
    }
}

impl From<DateTime<Utc>> for Timestamp {
    fn from(at: DateTime<Utc>) -> Self {
        Self(at.timestamp_millis())
    }
}
