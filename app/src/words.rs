//! Words for numbers and times that server and browser must write alike.

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
    let second = millis.rem_euclid(DAY) / SECOND;
    format!("{:02}:{:02}:{:02} UTC", second / 3_600, second / 60 % 60, second % 60)
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
    fn the_time_of_day_is_utc() {
        assert_eq!(clock(0), "00:00:00 UTC");
        assert_eq!(clock(1_795_205_220_999), "20:07:00 UTC");
        assert_eq!(clock_minute(1_795_205_220_999), "20:07 UTC");
        assert_eq!(clock(-1), "23:59:59 UTC");
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
