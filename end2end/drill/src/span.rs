//! Durations as people write them.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer};

/// A duration: a number of seconds, or a number with `ms`, `s`, `m`, `h` or `d` behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Span(pub Duration);

/// A text that is no duration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a duration is a number of seconds, or a number followed by ms, s, m, h or d")]
pub struct SpanError;

/// The longest span; far beyond any use, and still safe to add to an instant.
const LONGEST: f64 = 366.0 * 86_400.0;

impl Span {
    /// So many seconds.
    #[must_use]
    pub const fn seconds(seconds: u64) -> Self {
        Self(Duration::from_secs(seconds))
    }

    fn from_seconds(seconds: f64) -> Result<Self, SpanError> {
        if !(0.0..=LONGEST).contains(&seconds) {
            return Err(SpanError);
        }
        Duration::try_from_secs_f64(seconds).map(Self).map_err(|_| SpanError)
    }
}

impl FromStr for Span {
    type Err = SpanError;

    fn from_str(text: &str) -> Result<Self, SpanError> {
        let text = text.trim();
        let end = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
        let (number, unit) = text.split_at(end);
        let factor = match unit {
            "ms" => 0.001,
            "" | "s" => 1.0,
            "m" => 60.0,
            "h" => 3_600.0,
            "d" => 86_400.0,
            _ => return Err(SpanError),
        };
        let number: f64 = number.trim().parse().map_err(|_| SpanError)?;
        Self::from_seconds(number * factor)
    }
}

impl<'de> Deserialize<'de> for Span {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(SpanVisitor)
    }
}

struct SpanVisitor;

impl Visitor<'_> for SpanVisitor {
    type Value = Span;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number of seconds or a text such as \"5m\"")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Span, E> {
        text.parse().map_err(E::custom)
    }

    fn visit_f64<E: de::Error>(self, seconds: f64) -> Result<Span, E> {
        Span::from_seconds(seconds).map_err(E::custom)
    }

    fn visit_i64<E: de::Error>(self, seconds: i64) -> Result<Span, E> {
        u64::try_from(seconds).map_err(E::custom).and_then(|seconds| self.visit_u64(seconds))
    }

    fn visit_u64<E: de::Error>(self, seconds: u64) -> Result<Span, E> {
        let seconds = u32::try_from(seconds).map_err(E::custom)?;
        Span::from_seconds(f64::from(seconds)).map_err(E::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_seconds_and_units_multiply() {
        for (text, millis) in [
            ("90", 90_000),
            ("1.5", 1_500),
            ("250ms", 250),
            ("20s", 20_000),
            ("5m", 300_000),
            ("2h", 7_200_000),
            ("1d", 86_400_000),
            (" 0 ", 0),
        ] {
            assert_eq!(text.parse(), Ok(Span(Duration::from_millis(millis))), "{text}");
        }
    }

    #[test]
    fn other_texts_are_refused() {
        for text in ["", "s", "-1", "5 weeks", "1e400", "NaN", "inf", "367d"] {
            assert_eq!(text.parse::<Span>(), Err(SpanError), "{text}");
        }
    }
}
