//! Calls that were turned away (`product 17.2`, `agent-protocol 4.5`).

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::time::Timestamp;

/// Why a call was turned away.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Refused {
    /// No token of the account opens the credential.
    TokenUnknown,
    /// The token was revoked.
    TokenRevoked,
    /// The credential is out of date: mostly a wrong clock.
    OutOfDate,
    /// No credential, or one without the right form.
    Unreadable,
    /// The source address may not register.
    Address,
}

impl Refused {
    /// Every reason.
    pub const ALL: [Self; 5] =
        [Self::TokenUnknown, Self::TokenRevoked, Self::OutOfDate, Self::Unreadable, Self::Address];

    /// The code of the protocol.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::TokenUnknown => "INVALID_TOKEN",
            Self::TokenRevoked => "REVOKED_TOKEN",
            Self::OutOfDate => "EXPIRED_TOKEN",
            Self::Unreadable => "NOT_AUTHENTICATED",
            Self::Address => "ACCESS_DENIED",
        }
    }

    /// What it means.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::TokenUnknown => "the token is not one of this account",
            Self::TokenRevoked => "the token was revoked",
            Self::OutOfDate => "the credential was out of date",
            Self::Unreadable => "no credential, or an unreadable one",
            Self::Address => "the source address is not on the registration allowlist",
        }
    }

    /// The finding that helps.
    #[must_use]
    pub const fn finding(self) -> &'static str {
        match self {
            Self::TokenUnknown | Self::Unreadable => "token-unknown",
            Self::TokenRevoked => "token-revoked",
            Self::OutOfDate => "clock",
            Self::Address => "address",
        }
    }
}

/// Calls of one source that were turned away for one reason. Never holds anything of the credential.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attempt {
    /// Why.
    pub refused: Refused,
    /// From where; none if that is unknown, or not for the reader.
    pub address: Option<Arc<str>>,
    /// The newest of them.
    pub at: Timestamp,
    /// How many since they began to be counted.
    pub count: u64,
    /// Name of the token, where it is known.
    pub token: Option<Arc<str>>,
}

impl Attempt {
    /// Whether both are of one source and turned away for one reason, so that they count together.
    #[must_use]
    pub fn is_like(&self, other: &Self) -> bool {
        (self.refused, &self.address, &self.token) == (other.refused, &other.address, &other.token)
    }
}
