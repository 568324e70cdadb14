//! The numbers that an administrator may change (`product 20`).

use serde::{Deserialize, Serialize};

use crate::time::{DAY, HOUR, MINUTE, SECOND};

/// Which catalog date "Expired" and the countdown refer to (`product 5.4`, `lifecycle.anchor`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Anchor {
    /// End of support.
    #[default]
    Eos,
    /// End of life.
    Eol,
}

/// What becomes of a deleted delegate that calls again (`agent-protocol 9.4`, `delegates.deleted_policy`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DeletedPolicy {
    /// It is listed again.
    #[default]
    Reappear,
    /// It is turned away until a person lifts that.
    Refuse,
}

/// Settings that the rules need, each with its default of `product 20`. Durations are milliseconds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Policy {
    /// `connectivity.timeout_seconds`: connected while the last heartbeat is at most this old.
    pub timeout: i64,
    /// `connectivity.late_seconds`: from this age on a connected instance is called late.
    pub late: i64,
    /// `connectivity.start_hold_seconds`: after a start of the server no loss is recorded for this long.
    pub start_hold: i64,
    /// `flap.count`: losses inside the window that make an instance unstable.
    pub flap_count: u32,
    /// `flap.window_minutes`.
    pub flap_window: i64,
    /// `retention.instance_hours`: an instance is hidden when its last heartbeat is older.
    pub instance_retention: i64,
    /// `retention.group_days`: a group is hidden when its last active instance is older.
    pub group_retention: i64,
    /// `lifecycle.anchor`.
    pub anchor: Anchor,
    /// `lifecycle.near_expiry_days`: the window before the anchor.
    pub near_expiry: i64,
    /// `upgrade.seen_minutes`: auto-upgrade is on while the upgrader was seen at most this long ago.
    pub upgrader_seen: i64,
    /// How long members may differ before a group is marked (`product 9.2`).
    pub skew: i64,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            timeout: 300 * SECOND,
            late: 180 * SECOND,
            start_hold: 300 * SECOND,
            flap_count: 3,
            flap_window: 60 * MINUTE,
            instance_retention: 6 * HOUR,
            group_retention: 7 * DAY,
            anchor: Anchor::Eos,
            near_expiry: 28 * DAY,
            upgrader_seen: 90 * MINUTE,
            skew: 30 * MINUTE,
        }
    }
}
