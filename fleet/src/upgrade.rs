//! Auto-upgrade state of a group with its reason, and the target of an upgrade (`agent-protocol 10.4`, `10.5`).

use std::cmp::Ordering;

use chrono::{Datelike as _, NaiveDate};
use serde::{Deserialize, Serialize};

use crate::catalog::{Latest, Support};
use crate::delegate::{Family, GroupFacts};
use crate::policy::Policy;
use crate::time::Timestamp;
use crate::version::{Line, Version};

/// Images below this build have no upgrader (`agent-protocol 10.5`).
pub const FIRST_UPGRADABLE_BUILD: u32 = 76_300;

/// From so many whole months on, people are told how old an image is (`product 7`).
pub const OLD_MONTHS: u32 = 3;

/// Why a working upgrader may be called off (`product 7`).
const SLOW_SCHEDULE: &str = "a schedule of more than 90 minutes shows as off";

/// In the words of the API.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum State {
    /// Upgrades by itself.
    On,
    /// Needs a person.
    Off,
    /// Too young to tell.
    Detecting,
    /// A word that a mirrored source may say (`product 7`, P19); never decided here.
    Synchronizing,
    /// A mirrored source does not say (`management-api 7.4`); never decided here.
    Unknown,
}

impl State {
    /// The place in the order of a list: on, detecting, off.
    #[must_use]
    pub const fn rank(self) -> u8 {
        match self {
            Self::On => 0,
            Self::Synchronizing => 1,
            Self::Detecting => 2,
            Self::Off => 3,
            Self::Unknown => 4,
        }
    }
}

/// Why the state is what it is: the matching row of `agent-protocol 10.5`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reason {
    /// Row 1.
    Runner,
    /// Row 2.
    Ecs,
    /// Row 3.
    GoClient,
    /// Row 4.
    LegacyWatcher,
    /// Row 5.
    ImageTooOld,
    /// Row 6.
    Seen(Timestamp),
    /// Row 7.
    Waiting,
    /// Row 8.
    NotSeen(Option<Timestamp>),
    /// The source of a mirrored group says so.
    Told,
}

/// State and reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AutoUpgrade {
    /// ON, OFF or DETECTING.
    pub state: State,
    /// The first matching row.
    pub reason: Reason,
    /// Marked as updated by hand on purpose: OFF, but not counted by the card (`product 7`, P20).
    pub by_choice: bool,
}

impl AutoUpgrade {
    /// As the source of a mirrored group says it.
    #[must_use]
    pub const fn told(state: State) -> Self {
        Self { state, reason: Reason::Told, by_choice: false }
    }

    /// Whether the fourth card counts this group (`product 6.1`).
    #[must_use]
    pub fn counts_as_off(&self) -> bool {
        self.state == State::Off && !self.by_choice
    }

    /// When the passing of time alone ends this state: the first millisecond after `upgrader_seen` has passed.
    #[must_use]
    pub fn due_at(&self, group: &GroupFacts, policy: &Policy) -> Option<Timestamp> {
        let end = |from: Timestamp| from.plus(policy.upgrader_seen.saturating_add(1));
        match self.reason {
            Reason::Seen(at) => Some(end(at)),
            Reason::Waiting => Some(end(group.first_seen)),
            _ => None,
        }
    }

    /// The reason in words; times are written in UTC.
    #[must_use]
    pub fn reason_text(&self) -> String {
        match self.reason {
            Reason::Runner => "Not supported by 3.x".to_owned(),
            Reason::Ecs => "Not supported on ECS".to_owned(),
            Reason::GoClient => "Embedded client has no upgrader".to_owned(),
            Reason::LegacyWatcher => "Watcher updates this legacy type".to_owned(),
            Reason::ImageTooOld => "Image too old for the upgrader".to_owned(),
            Reason::Seen(at) => format!("Upgrader last seen {}", in_utc(at)),
            Reason::Waiting => "Waiting for the first upgrader call".to_owned(),
            Reason::Told => "As the mirrored server says".to_owned(),
            Reason::NotSeen(None) => format!("Upgrader never seen; {SLOW_SCHEDULE}"),
            Reason::NotSeen(Some(at)) => format!("Upgrader last seen {}; {SLOW_SCHEDULE}", in_utc(at)),
        }
    }
}

fn in_utc(at: Timestamp) -> impl std::fmt::Display {
    at.to_utc().format("%Y-%m-%d %H:%M UTC")
}

/// The state of a group; `lowest` is the lowest version among its connected instances.
#[must_use]
pub fn auto_upgrade(
    group: &GroupFacts,
    lowest: Option<&Version>,
    policy: &Policy,
    now: Timestamp,
) -> AutoUpgrade {
    let (state, reason) = row(group, lowest, policy, now);
    AutoUpgrade { state, reason, by_choice: group.by_choice }
}

/// The first matching row of `agent-protocol 10.5`.
fn row(group: &GroupFacts, lowest: Option<&Version>, policy: &Policy, now: Timestamp) -> (State, Reason) {
    let recent = |at: Timestamp| at.age(now) <= policy.upgrader_seen;
    if group.family == Family::Runner {
        (State::Off, Reason::Runner)
    } else if group.is_on_ecs() {
        (State::Off, Reason::Ecs)
    } else if group.family == Family::Go {
        (State::Off, Reason::GoClient)
    } else if lowest.is_some_and(|version| version.line() == Line::Legacy) {
        (State::On, Reason::LegacyWatcher)
    } else if lowest.and_then(Version::build).is_some_and(|build| build < FIRST_UPGRADABLE_BUILD) {
        (State::Off, Reason::ImageTooOld)
    } else {
        match group.upgrader_seen {
            Some(at) if recent(at) => (State::On, Reason::Seen(at)),
            None if recent(group.first_seen) => (State::Detecting, Reason::Waiting),
            seen => (State::Off, Reason::NotSeen(seen)),
        }
    }
}

/// The age of an image in whole months: since its publication, or else since the month in its version.
///
/// None where neither is known, and for one that is published in the future.
#[must_use]
pub fn image_months(version: &Version, support: Option<&Support>, today: NaiveDate) -> Option<u32> {
    let month = || {
        let (year, month, _) = version.numbers();
        let year = 2000 + i32::try_from(year).ok()?;
        NaiveDate::from_ymd_opt(year, month, 1).filter(|_| version.line() == Line::Classic)
    };
    let released = support.and_then(|support| support.released).or_else(month)?;
    let months = (today.year() - released.year()) * 12 + i32::try_from(today.month()).ok()?
        - i32::try_from(released.month()).ok()?
        - i32::from(today.day() < released.day());
    u32::try_from(months).ok()
}

/// The hint for a delegate that does not upgrade itself and runs an image of at least [`OLD_MONTHS`] (`product 7`).
#[must_use]
pub fn age_hint(
    state: &AutoUpgrade,
    version: Option<&Version>,
    support: Option<&Support>,
    today: NaiveDate,
) -> Option<String> {
    let version = version.filter(|_| state.state == State::Off)?;
    let months = image_months(version, support, today).filter(|months| *months >= OLD_MONTHS)?;
    Some(format!("Image is {months} months old; update by hand every 3 to 6 months"))
}

/// What an upgrader is told (`agent-protocol 10.2`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Target {
    /// The image to run: the text that was asked about where there is nothing to do.
    pub image_tag: String,
    /// Whether to switch to it.
    pub should_upgrade: bool,
}

/// What an upgrader is told about the image it runs (`agent-protocol 10.4`, A24).
///
/// `current`: a tag or a full reference, `harness/delegate:26.05.89004`. `chosen`: the tag of an override; whatever differs
/// from it is switched, also to an older one. `repository`: the configured image repository; without one, that of
/// `current` is kept. Without an override it never downgrades, keeps the minimal variant minimal, and echoes what it
/// cannot parse, other variants, and a version without a known latest.
#[must_use]
pub fn target(current: &str, chosen: Option<&str>, latest: &Latest, repository: Option<&str>) -> Target {
    let (kept, tag) = split_reference(current);
    let wanted = match chosen {
        Some(chosen) => (chosen != tag).then(|| chosen.to_owned()),
        None => newer_tag(tag, latest),
    };
    match wanted {
        None => Target { image_tag: current.to_owned(), should_upgrade: false },
        Some(tag) => {
            let image_tag = match repository.or(kept) {
                Some(repository) => format!("{repository}:{tag}"),
                None => tag,
            };
            Target { image_tag, should_upgrade: true }
        }
    }
}

/// The tag to switch to; none when the current one stays.
fn newer_tag(tag: &str, latest: &Latest) -> Option<String> {
    let current = Version::parse(tag);
    let newest = latest.of(current.line())?;
    if current.compare(newest)? != Ordering::Less {
        return None;
    }
    match current.variant() {
        None if newest.is_minimal() => Some(newest.base()),
        None => Some(newest.as_str().to_owned()),
        Some("minimal") => Some(format!("{}.minimal", newest.base())),
        // Nobody knows whether such a variant of the newest version exists.
        Some(_) => None,
    }
}

/// Repository, if the text has one, and tag. The port of a registry is no tag.
fn split_reference(text: &str) -> (Option<&str>, &str) {
    match text.rsplit_once(':') {
        Some((repository, tag)) if !tag.contains('/') => (Some(repository), tag),
        _ => (None, text),
    }
}
