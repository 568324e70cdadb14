//! The clock of this program: everything else takes time as an argument.

use fleet::time::Timestamp;

/// The time of this machine.
#[must_use]
#[expect(clippy::disallowed_methods, reason = "the one place of this program that reads the clock")]
pub fn now() -> Timestamp {
    Timestamp::from(chrono::Utc::now())
}
