//! The words of enumerations, exactly as the API writes them.

use std::fmt;
use std::str::FromStr;

use super::{Column, Health, InstanceStatus, Sort};
use crate::health::{Standing, Status};
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
    pub const ALL: [Self; 3] = [Self::On, Self::Off, Self::Detecting];

    /// The word of the API.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::On => "ON",
            Self::Off => "OFF",
            Self::Detecting => "DETECTING",
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
    pub const ALL: [Self; 5] =
        [Self::Name, Self::Connectivity, Self::Version, Self::Expiry, Self::LastHeartbeat];

    /// The word in a URL.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::Connectivity => "connectivity",
            Self::Version => "version",
            Self::Expiry => "expiry",
            Self::LastHeartbeat => "lastHeartbeat",
        }
    }
}

fn pick<T: Copy>(text: &str, all: &[T], word: impl Fn(T) -> &'static str) -> Result<T, UnknownWord> {
    all.iter().copied().find(|&value| word(value) == text).ok_or_else(|| UnknownWord {
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
