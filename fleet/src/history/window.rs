//! How far back a page looks (`product 3.6`).

use crate::time::{DAY, Timestamp};

/// A time up to now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Window {
    /// 24 hours in boxes of 30 minutes.
    #[default]
    Day,
    /// 7 days in boxes of 2 hours.
    Week,
    /// 30 days in boxes of 12 hours.
    Month,
}

impl Window {
    /// Every window, shortest first.
    pub const ALL: [Self; 3] = [Self::Day, Self::Week, Self::Month];

    /// The word in an address: `24h`, `7d`, `30d`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Day => "24h",
            Self::Week => "7d",
            Self::Month => "30d",
        }
    }

    /// Reads the word.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|window| window.as_str() == word)
    }

    /// Its length in milliseconds.
    #[must_use]
    pub const fn millis(self) -> i64 {
        match self {
            Self::Day => DAY,
            Self::Week => 7 * DAY,
            Self::Month => 30 * DAY,
        }
    }

    /// Its beginning.
    #[must_use]
    pub const fn from(self, now: Timestamp) -> Timestamp {
        now.plus(-self.millis())
    }

    /// How many boxes its strip has.
    #[must_use]
    pub const fn slots(self) -> u32 {
        match self {
            Self::Day => 48,
            Self::Week => 84,
            Self::Month => 60,
        }
    }
}
