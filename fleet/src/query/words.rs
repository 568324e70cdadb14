//! The words of enumerations, exactly as the API writes them.

use std::fmt;
use std::str::FromStr;

use super::{Availability, Column, Generation, Health, InstanceStatus, Mark, Origin, Redundancy, Sort};
use crate::delegate::Transport;
use crate::health::{Standing, Status};
use crate::summary::GroupConnectivity;
use crate::upgrade::State;

/// A word that stands for no value of an enumeration.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be one of {allowed}")]
pub struct UnknownWord {
    /// The words there are, separated by commas.
    pub allowed: String,
}

impl Health {
    /// The word in a URL: a key of `counts`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Standing(standing) => standing.as_str(),
            Self::Connected => "connected",
            Self::AutoUpgradeOff => "autoUpgradeOff",
        }
    }
}

impl Standing {
    /// Every value, worst first.
    pub const ALL: [Self; 6] =
        [Self::Expired, Self::NearExpiry, Self::Unsupported, Self::Active, Self::Unknown, Self::Unreachable];

    /// The key of `counts` that counts it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Expired => "expired",
            Self::NearExpiry => "nearExpiry",
            Self::Unsupported => "unsupported",
            Self::Active => "active",
            Self::Unknown => "unknown",
            Self::Unreachable => "unreachable",
        }
    }
}

impl Status {
    /// Every value, worst first.
    pub const ALL: [Self; 4] = [Self::Expired, Self::Expiring, Self::Unsupported, Self::Active];

    /// The word of the API.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Expired => "EXPIRED",
            Self::Expiring => "EXPIRING",
            Self::Unsupported => "UNSUPPORTED",
            Self::Active => "ACTIVE",
        }
    }
}

impl State {
    /// Every value.
    pub const ALL: [Self; 5] = [Self::On, Self::Off, Self::Detecting, Self::Synchronizing, Self::Unknown];

    /// The word of the API.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::On => "ON",
            Self::Off => "OFF",
            Self::Detecting => "DETECTING",
            Self::Synchronizing => "SYNCHRONIZING",
            Self::Unknown => "UNKNOWN",
        }
    }
}

impl Origin {
    /// Every value.
    pub const ALL: [Self; 2] = [Self::Own, Self::Mirror];

    /// The word in the URL and in JSON.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Own => "own",
            Self::Mirror => "mirror",
        }
    }
}

impl InstanceStatus {
    /// Every value.
    pub const ALL: [Self; 6] = [
        Self::Connected,
        Self::Disconnected,
        Self::Enabled,
        Self::WaitingForApproval,
        Self::Disabled,
        Self::Deleted,
    ];

    /// The word of the API.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Connected => "CONNECTED",
            Self::Disconnected => "DISCONNECTED",
            Self::Enabled => "ENABLED",
            Self::WaitingForApproval => "WAITING_FOR_APPROVAL",
            Self::Disabled => "DISABLED",
            Self::Deleted => "DELETED",
        }
    }
}

impl Column {
    /// Every value.
    pub const ALL: [Self; 6] =
        [Self::Name, Self::Connectivity, Self::Version, Self::Expiry, Self::LastHeartbeat, Self::AutoUpgrade];

    /// The word in a URL.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::Connectivity => "connectivity",
            Self::Version => "version",
            Self::Expiry => "expiry",
            Self::LastHeartbeat => "lastHeartbeat",
            Self::AutoUpgrade => "autoUpgrade",
        }
    }
}

impl Redundancy {
    /// Every value.
    pub const ALL: [Self; 3] = [Self::None, Self::Single, Self::Several];

    /// The word in a URL.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Single => "single",
            Self::Several => "several",
        }
    }
}

impl Mark {
    /// Every value.
    pub const ALL: [Self; 9] = [
        Self::Late,
        Self::Unstable,
        Self::Differ,
        Self::Double,
        Self::Incomplete,
        Self::Pending,
        Self::Returned,
        Self::ByChoice,
        Self::Clock,
    ];

    /// The word in a URL.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Late => "late",
            Self::Unstable => "unstable",
            Self::Differ => "differ",
            Self::Double => "double",
            Self::Incomplete => "incomplete",
            Self::Pending => "pending",
            Self::Returned => "returned",
            Self::ByChoice => "byChoice",
            Self::Clock => "clock",
        }
    }
}

impl Generation {
    /// Every value.
    pub const ALL: [Self; 2] = [Self::Classic, Self::Runner];

    /// The word in a URL.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Classic => "classic",
            Self::Runner => "3.x",
        }
    }
}

impl Availability {
    /// Every value.
    pub const ALL: [Self; 2] = [Self::Available, Self::Expired];

    /// The word in a URL.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Available => "AVAILABLE",
            Self::Expired => "EXPIRED",
        }
    }
}

impl GroupConnectivity {
    /// Every value.
    pub const ALL: [Self; 3] = [Self::Connected, Self::Partial, Self::NotConnected];

    /// The word in a URL.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Connected => "connected",
            Self::Partial => "partial",
            Self::NotConnected => "notConnected",
        }
    }
}

impl Transport {
    /// Every value.
    pub const ALL: [Self; 2] = [Self::Polling, Self::WebSocket];

    /// The word in a URL.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Polling => "polling",
            Self::WebSocket => "websocket",
        }
    }
}

/// The value of a word; people type words as they come, so their case does not count.
fn pick<T: Copy>(text: &str, all: &[T], word: impl Fn(T) -> &'static str) -> Result<T, UnknownWord> {
    all.iter().copied().find(|&value| word(value).eq_ignore_ascii_case(text)).ok_or_else(|| UnknownWord {
        allowed: all.iter().map(|&value| word(value)).collect::<Vec<_>>().join(", "),
    })
}

impl FromStr for Health {
    type Err = UnknownWord;

    fn from_str(text: &str) -> Result<Self, UnknownWord> {
        pick(text, &Self::ALL, Self::as_str)
    }
}

impl FromStr for Status {
    type Err = UnknownWord;

    fn from_str(text: &str) -> Result<Self, UnknownWord> {
        pick(text, &Self::ALL, Self::as_str)
    }
}

impl FromStr for State {
    type Err = UnknownWord;

    fn from_str(text: &str) -> Result<Self, UnknownWord> {
        pick(text, &Self::ALL, Self::as_str)
    }
}

impl FromStr for Origin {
    type Err = UnknownWord;

    fn from_str(text: &str) -> Result<Self, UnknownWord> {
        pick(text, &Self::ALL, Self::as_str)
    }
}

impl FromStr for InstanceStatus {
    type Err = UnknownWord;

    fn from_str(text: &str) -> Result<Self, UnknownWord> {
        pick(text, &Self::ALL, Self::as_str)
    }
}

impl FromStr for Column {
    type Err = UnknownWord;

    fn from_str(text: &str) -> Result<Self, UnknownWord> {
        pick(text, &Self::ALL, Self::as_str)
    }
}

impl FromStr for Redundancy {
    type Err = UnknownWord;

    fn from_str(text: &str) -> Result<Self, UnknownWord> {
        pick(text, &Self::ALL, Self::as_str)
    }
}

impl FromStr for Mark {
    type Err = UnknownWord;

    fn from_str(text: &str) -> Result<Self, UnknownWord> {
        pick(text, &Self::ALL, Self::as_str)
    }
}

impl FromStr for Generation {
    type Err = UnknownWord;

    fn from_str(text: &str) -> Result<Self, UnknownWord> {
        pick(text, &Self::ALL, Self::as_str)
    }
}

impl FromStr for Availability {
    type Err = UnknownWord;

    fn from_str(text: &str) -> Result<Self, UnknownWord> {
        pick(text, &Self::ALL, Self::as_str)
    }
}

impl FromStr for GroupConnectivity {
    type Err = UnknownWord;

    fn from_str(text: &str) -> Result<Self, UnknownWord> {
        pick(text, &Self::ALL, Self::as_str)
    }
}

impl FromStr for Transport {
    type Err = UnknownWord;

    fn from_str(text: &str) -> Result<Self, UnknownWord> {
        pick(text, &Self::ALL, Self::as_str)
    }
}

impl FromStr for Sort {
    type Err = UnknownWord;

    /// A column's word, with `-` in front for largest first.
    fn from_str(text: &str) -> Result<Self, UnknownWord> {
        let (descending, column) = text.strip_prefix('-').map_or((false, text), |column| (true, column));
        Ok(Self { column: column.parse()?, descending })
    }
}

impl fmt::Display for Sort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.descending { "-" } else { "" };
        write!(f, "{sign}{}", self.column.as_str())
    }
}
