//! Which rows are visible (`product 4.1`, P10), and for how long a deletion can be taken back.

use crate::policy::Policy;
use crate::time::{MINUTE, Timestamp};

/// How long a deletion can be taken back, in milliseconds.
pub const UNDO_WINDOW: i64 = 10 * MINUTE;

/// Whether an instance is still listed: its last heartbeat is at most 6 h old and it has not said goodbye since.
///
/// An instance without any heartbeat counts from its registration.
#[must_use]
pub fn instance_visible(
    last_heartbeat: Option<Timestamp>,
    registered_at: Timestamp,
    goodbye_at: Option<Timestamp>,
    policy: &Policy,
    now: Timestamp,
) -> bool {
    !said_goodbye(last_heartbeat, goodbye_at)
        && last_heartbeat.unwrap_or(registered_at).age(now) <= policy.instance_retention
}

/// Whether an instance has said goodbye and not been heard of since: a planned stop.
#[must_use]
pub fn said_goodbye(last_heartbeat: Option<Timestamp>, goodbye_at: Option<Timestamp>) -> bool {
    goodbye_at.is_some_and(|goodbye| last_heartbeat.is_none_or(|beat| beat <= goodbye))
}

/// Whether a group is still listed: its last instance was active at most 7 days ago.
#[must_use]
pub fn group_visible(last_active: Timestamp, policy: &Policy, now: Timestamp) -> bool {
    last_active.age(now) <= policy.group_retention
}

/// Whether a deletion can still be taken back: for ten minutes.
#[must_use]
pub fn undoable(deleted_at: Timestamp, now: Timestamp) -> bool {
    deleted_at.age(now) <= UNDO_WINDOW
}
