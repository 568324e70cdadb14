//! The words that stand for enumerated values in the database. Never changed: rows hold them.

use fleet::delegate::{Approval, Family, Transport};
use fleet::mirror::Trouble;

use super::access::{Purpose, UserKind};
use super::{Cause, State, TokenStatus};

/// A value with a fixed word.
pub(super) trait Word: Sized {
    /// The word in the database.
    fn word(self) -> &'static str;
    /// The value of a word; none if no version of this program writes it.
    fn read(word: &str) -> Option<Self>;
}

macro_rules! words {
    ($($kind:ty { $($variant:ident = $word:literal),+ $(,)? })+) => {$(
        impl Word for $kind {
            fn word(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }

            fn read(word: &str) -> Option<Self> {
                match word {
                    $($word => Some(Self::$variant),)+
                    _ => None,
                }
            }
        }
    )+};
}

words! {
    Approval { Approved = "APPROVED", Pending = "PENDING", Rejected = "REJECTED" }
    Family { Go = "GO", Runner = "RUNNER", Java = "JAVA" }
    Transport { Polling = "polling", WebSocket = "websocket" }
    Trouble { Refused = "REFUSED", TooMany = "TOO_MANY", Unreachable = "UNREACHABLE" }
    TokenStatus { Active = "ACTIVE", Revoked = "REVOKED" }
    UserKind { Person = "PERSON", Service = "SERVICE" }
    Purpose { Setup = "SETUP", SignIn = "SIGN_IN" }
    State { Connected = "connected", NotConnected = "not_connected", Hidden = "hidden" }
    Cause {
        Registered = "registered",
        Silence = "silence",
        Goodbye = "goodbye",
        Return = "return",
        LongPause = "long_pause",
        Version = "version",
        Deleted = "deleted",
        Restored = "restored",
        Retention = "retention",
    }
}
