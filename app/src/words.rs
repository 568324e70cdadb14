//! Words for numbers and times that server and browser must write alike.

/// Asked for in `Accept` when only the live part of a page is wanted.
pub const PART: &str = "text/vnd.rollcall.part+html";

/// Milliseconds in one second.
const SECOND: i64 = 1_000;
/// Milliseconds in one minute.
const MINUTE: i64 = 60 * SECOND;
/// Milliseconds in one hour.
const HOUR: i64 = 60 * MINUTE;
/// Milliseconds in one day.
const DAY: i64 = 24 * HOUR;

/// The time of day of an instant in milliseconds, such as `20:07:00 UTC`.
#[must_use]
pub fn clock(millis: i64) -> String {
    clock_at(millis, 0)
}

/// The time of day on a clock that many minutes ahead of UTC, such as `22:07:00 UTC+2`.
#[must_use]
pub fn clock_at(millis: i64, ahead: i64) -> String {
    let second = (millis + ahead * MINUTE).rem_euclid(DAY) / SECOND;
    format!("{:02}:{:02}:{:02} {}", second / 3_600, second / 60 % 60, second % 60, zone(ahead))
}

/// Date and time to the second on such a clock, such as `2026-11-20 22:07:00 UTC+2`.
#[must_use]
pub fn exact_at(millis: i64, ahead: i64) -> String {
    format!("{} {}", date(millis + ahead * MINUTE), clock_at(millis, ahead))
}

/// An instant on such a clock as a page shows it: the time of day on the day of `now`, else date and time to the
/// minute, such as `2026-11-20 22:07 UTC+2`.
#[must_use]
pub fn stamp_at(millis: i64, now: i64, ahead: i64) -> String {
    let (there, today) = (millis + ahead * MINUTE, now + ahead * MINUTE);
    if there.div_euclid(DAY) == today.div_euclid(DAY) {
        return clock_at(millis, ahead);
    }
    let minute = there.rem_euclid(DAY) / MINUTE;
    format!("{} {:02}:{:02} {}", date(there), minute / 60, minute % 60, zone(ahead))
}

/// `UTC`, `UTC+2`, `UTC-3:30`.
fn zone(ahead: i64) -> String {
    let (sign, minutes) = (if ahead < 0 { '-' } else { '+' }, ahead.abs());
    match (minutes / 60, minutes % 60) {
        (0, 0) => "UTC".to_owned(),
        (hours, 0) => format!("UTC{sign}{hours}"),
        (hours, rest) => format!("UTC{sign}{hours}:{rest:02}"),
    }
}

/// The day of an instant in UTC, such as `2026-11-20`. Counted by years that begin in March, so that a leap day is the
/// last one of its year.
fn date(millis: i64) -> String {
    let days = millis.div_euclid(DAY) + 719_468;
    let (era, day_of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    format!("{:04}-{month:02}-{day:02}", year + era * 400 + next)
}

/// The time of day to the minute, such as `20:07 UTC`.
#[must_use]
pub fn clock_minute(millis: i64) -> String {
    let minute = millis.rem_euclid(DAY) / MINUTE;
    format!("{:02}:{:02} UTC", minute / 60, minute % 60)
}

/// How long ago, from an age in milliseconds: `8 s ago`, `2 min ago`, `3 h ago`, `5 days ago`.
///
/// Seconds below two minutes (`product 3.4`). An instant that lies ahead counts as now.
#[must_use]
pub fn ago(age: i64) -> String {
    let age = age.max(0);
    if age < 2 * MINUTE {
        seconds_ago(age)
    } else if age < 2 * HOUR {
        format!("{} min ago", age / MINUTE)
    } else if age < 2 * DAY {
        format!("{} h ago", age / HOUR)
    } else {
        format!("{} days ago", age / DAY)
    }
}

/// An age in whole seconds, such as `215 s ago`.
#[must_use]
pub fn seconds_ago(age: i64) -> String {
    format!("{} s ago", age.max(0) / SECOND)
}

/// A length of time from milliseconds, in the two largest units that say something: `45 s`, `12 min`, `3 h 5 min`,
/// `2 days 4 h`.
#[must_use]
pub fn duration(millis: i64) -> String {
    let millis = millis.max(0);
    let (days, hours, minutes) = (millis / DAY, millis % DAY / HOUR, millis % HOUR / MINUTE);
    let two = |first: String, second: String, rest: i64| {
        if rest == 0 { first } else { format!("{first} {second}") }
    };
    if days > 0 {
        two(count(days.unsigned_abs(), "day", "days"), format!("{hours} h"), hours)
    } else if hours > 0 {
        two(format!("{hours} h"), format!("{minutes} min"), minutes)
    } else if minutes > 0 {
        format!("{minutes} min")
    } else {
        format!("{} s", millis / SECOND)
    }
}

/// A number for reading: digits in groups of three from 10,000 on.
#[must_use]
pub fn number(n: u64) -> String {
    let digits = n.to_string();
    if digits.len() < 5 {
        return digits;
    }
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number with its noun, such as `1 instance` or `3 instances`.
#[must_use]
pub fn count(n: u64, one: &str, many: &str) -> String {
    format!("{} {}", number(n), if n == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_are_seconds_below_two_minutes_and_never_one_letter_units() {
        assert_eq!(ago(-5 * SECOND), "0 s ago");
        assert_eq!(ago(999), "0 s ago");
        assert_eq!(ago(119 * SECOND), "119 s ago");
        assert_eq!(ago(120 * SECOND), "2 min ago");
        assert_eq!(ago(2 * HOUR - 1), "119 min ago");
        assert_eq!(ago(2 * HOUR), "2 h ago");
        assert_eq!(ago(2 * DAY - 1), "47 h ago");
        assert_eq!(ago(2 * DAY), "2 days ago");
        assert_eq!(seconds_ago(215_999), "215 s ago");
    }

    #[test]
    fn lengths_of_time_have_two_units_at_most() {
        assert_eq!(duration(-1), "0 s");
        assert_eq!(duration(59 * SECOND + 999), "59 s");
        assert_eq!(duration(MINUTE), "1 min");
        assert_eq!(duration(HOUR), "1 h");
        assert_eq!(duration(3 * HOUR + 5 * MINUTE + SECOND), "3 h 5 min");
        assert_eq!(duration(DAY + 59 * MINUTE), "1 day");
        assert_eq!(duration(2 * DAY + 4 * HOUR), "2 days 4 h");
    }

    #[test]
    fn the_time_of_day_is_utc() {
        assert_eq!(clock(0), "00:00:00 UTC");
        assert_eq!(clock(1_795_205_220_999), "20:07:00 UTC");
        assert_eq!(clock_minute(1_795_205_220_999), "20:07 UTC");
        assert_eq!(clock(-1), "23:59:59 UTC");
    }

    #[test]
    fn an_instant_carries_its_date_on_every_day_but_the_own_one() {
        let at = 1_795_205_220_999;
        assert_eq!(exact_at(at, 0), "2026-11-20 20:07:00 UTC");
        assert_eq!(stamp_at(at, at + 3 * HOUR, 0), "20:07:00 UTC");
        assert_eq!(stamp_at(at, at + 4 * HOUR, 0), "2026-11-20 20:07 UTC");
    }

    #[test]
    fn a_clock_elsewhere_has_its_own_day_and_says_how_far_it_is_from_utc() {
        let at = 1_795_205_220_999;
        assert_eq!(exact_at(at, 240), "2026-11-21 00:07:00 UTC+4");
        assert_eq!(stamp_at(at, at - HOUR, 240), "2026-11-21 00:07 UTC+4");
        assert_eq!(stamp_at(at, at, -210), "16:37:00 UTC-3:30");
    }

    #[test]
    fn dates_know_leap_years_and_the_time_before_1970() {
        for (millis, expected) in [
            (0, "1970-01-01"),
            (-1, "1969-12-31"),
            (951_782_400_000, "2000-02-29"),
            (1_709_164_800_000, "2024-02-29"),
            (1_709_251_200_000, "2024-03-01"),
            (1_767_225_599_999, "2025-12-31"),
            (4_107_542_400_000, "2100-03-01"),
        ] {
            assert_eq!(date(millis), expected);
        }
    }

    #[test]
    fn large_numbers_are_grouped_and_nouns_agree() {
        assert_eq!(number(9_999), "9999");
        assert_eq!(number(10_000), "10,000");
        assert_eq!(number(1_234_567), "1,234,567");
        assert_eq!(count(1, "instance", "instances"), "1 instance");
        assert_eq!(count(0, "instance", "instances"), "0 instances");
    }
}
