//! How another server's fleet is read: how often, what is believed, and how old it is (`management-api 7`).

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::delegate::{GroupFacts, InstanceFacts};
use crate::health::Status;
use crate::history::Turns;
use crate::time::{HOUR, MINUTE, Timestamp};
use crate::upgrade::State;
use crate::version::Version;

/// The shortest time between two cycles: data of the source have a grain of 10 to 60 s.
pub const SHORTEST: i64 = MINUTE;
/// The longest time that rate limits lead to.
pub const LONGEST: i64 = 15 * MINUTE;
/// How often one whose key is refused tries again.
pub const REFUSED: i64 = HOUR;
/// One without success for so long is stale.
pub const STALE: i64 = 15 * MINUTE;
/// How many good cycles end a slower pace.
const GOOD_CYCLES: u32 = 3;

/// Where a group is read from that is not one of ours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The name that people gave the mirror.
    pub name: Arc<str>,
    /// The instant of what is shown, by our clock: that of the last good list.
    pub as_of: Timestamp,
    /// Why nothing newer could be read since; none while all is well.
    pub trouble: Option<Trouble>,
    /// What it says its delegates should run, where it says so.
    pub latest: Option<Arc<Version>>,
}

impl Source {
    /// Whether what is shown is so old that people are told.
    #[must_use]
    pub fn is_stale(&self, now: Timestamp) -> bool {
        is_stale(Some(self.as_of), self.as_of, now)
    }
}

/// Why a source cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Trouble {
    /// The key is refused.
    Refused,
    /// It wants to be asked less often.
    TooMany,
    /// Anything else.
    Unreachable,
}

/// A group as its source tells it.
#[derive(Clone, Debug)]
pub struct ToldGroup {
    /// What is known of it; what the source does not say is empty.
    pub facts: Arc<GroupFacts>,
    /// Whether it upgrades itself.
    pub auto_upgrade: State,
    /// Its instances.
    pub members: Vec<ToldInstance>,
}

/// An instance as its source tells it.
#[derive(Clone, Debug)]
pub struct ToldInstance {
    /// What is known of it; what the source does not say is empty.
    pub facts: Arc<InstanceFacts>,
    /// On our clock.
    pub last_heartbeat: Option<Timestamp>,
    /// Whether it reaches the source.
    pub connected: bool,
    /// The anchor instant; none where the source does not say.
    pub expires_at: Option<Timestamp>,
    /// The state of its version; none where the source does not say.
    pub status: Option<Status>,
    /// Its turns within the last day.
    pub turns: Turns,
}

/// How a cycle ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cycle {
    /// The list was read.
    Good,
    /// Too many requests; to be repeated after so many milliseconds, if the source says so.
    TooMany {
        /// Of the header `Retry-After`.
        retry_after: Option<i64>,
    },
    /// The key is refused.
    Refused,
    /// Anything else: no answer, a 5xx, an answer that is no list.
    Failed,
}

/// What a mirror remembers from one cycle to the next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Memory {
    /// How often it asks.
    pub pace: Pace,
    /// What it believes.
    pub belief: Belief,
}

/// How often one mirror asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pace {
    /// As it was set up, milliseconds.
    normal: i64,
    /// As it is, milliseconds.
    interval: i64,
    /// Good cycles in a row since the pace was slowed down.
    good: u32,
}

impl Pace {
    /// One that asks every so many milliseconds, but never more often than once a minute.
    #[must_use]
    pub fn new(interval: i64) -> Self {
        let normal = interval.max(SHORTEST);
        Self { normal, interval: normal, good: 0 }
    }

    /// The same with another normal interval.
    #[must_use]
    pub fn at(self, interval: i64) -> Self {
        let new = Self::new(interval);
        if self.interval == self.normal { new } else { Self { normal: new.normal, ..self } }
    }

    /// How long to wait after a cycle. `jitter` is a random number from 0 to 1, which becomes up to 10 % more or less.
    pub fn after(&mut self, cycle: Cycle, jitter: f64) -> i64 {
        let wait = match cycle {
            Cycle::Good => {
                self.good += 1;
                if self.good >= GOOD_CYCLES {
                    self.interval = self.normal;
                }
                self.interval
            }
            Cycle::TooMany { .. } => {
                self.good = 0;
                // One that asks less often than that by itself is not made to ask more often.
                self.interval = (self.interval * 2).min(LONGEST.max(self.normal));
                self.interval
            }
            Cycle::Refused | Cycle::Failed => {
                self.good = 0;
                if cycle == Cycle::Refused { REFUSED.max(self.normal) } else { self.interval }
            }
        };
        let asked = match cycle {
            Cycle::TooMany { retry_after } => retry_after.unwrap_or(0).min(REFUSED),
            _ => 0,
        };
        jittered(wait, jitter).max(SHORTEST).max(asked)
    }
}

impl Default for Pace {
    fn default() -> Self {
        Self::new(SHORTEST)
    }
}

/// A time with up to 10 % more or less.
fn jittered(wait: i64, jitter: f64) -> i64 {
    let tenth = wait / 10;
    // A tenth of 15 minutes is far below 2^52.
    #[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "small numbers")]
    let shift = (tenth as f64 * (jitter.clamp(0.0, 1.0) * 2.0 - 1.0)) as i64;
    wait + shift
}

/// Whether a list is believed: an empty one after one that was not is, when it comes a second time in a row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Belief {
    /// Whether the last list that was believed held anything.
    held: bool,
    /// Whether the last list was empty and not believed.
    doubted: bool,
}

impl Belief {
    /// Notes a cycle that failed: what comes after it is not in a row with what was before.
    pub const fn interrupted(&mut self) {
        self.doubted = false;
    }

    /// Whether to believe a list of so many delegates, which is noted.
    pub fn of(&mut self, delegates: usize) -> bool {
        let believed = delegates > 0 || !self.held || self.doubted;
        self.doubted = !believed;
        if believed {
            self.held = delegates > 0;
        }
        believed
    }
}

/// Whether a mirror's data are so old that people are told.
#[must_use]
pub fn is_stale(last_success: Option<Timestamp>, set_up_at: Timestamp, now: Timestamp) -> bool {
    last_success.unwrap_or(set_up_at).age(now) > STALE
}

/// Whether an instance counts as connected: as the source says, else by its last heartbeat on the source's clock
/// (`management-api 7.4`).
#[must_use]
pub fn is_connected(
    given: Option<bool>,
    last_heartbeat: Option<Timestamp>,
    remote_now: Timestamp,
    timeout: i64,
) -> bool {
    given.unwrap_or_else(|| last_heartbeat.is_some_and(|at| at.age(remote_now) <= timeout))
}
