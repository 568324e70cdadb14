//! Every setting there is (`product 20`).

use fleet::scope::{Level, Scope};

/// Where a setting can be set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// For the whole server.
    Global,
    /// In a scope; it holds there and below.
    Scoped,
    /// In an account.
    Account,
    /// For the whole server, and in a scope.
    Both,
}

impl Place {
    /// Whether it can be set here; none is the whole server.
    ///
    /// # Errors
    /// Why not.
    pub fn admits(self, scope: Option<&Scope>) -> Result<(), &'static str> {
        match (self, scope.map(Scope::level)) {
            (Self::Scoped | Self::Account, None) => Err("it belongs to a scope"),
            (Self::Global, Some(_)) => Err("it belongs to the whole server, not to a scope"),
            (Self::Account, Some(Level::Organization | Level::Project)) => {
                Err("it belongs to an account, not to an organization or project")
            }
            _ => Ok(()),
        }
    }
}

/// One setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key {
    /// Its key, such as `approval.required`.
    pub name: &'static str,
    /// What it does, in one sentence.
    pub meaning: &'static str,
    /// What it may be.
    pub allowed: &'static str,
    /// What is in force when nobody set it; empty for nothing.
    pub default: &'static str,
    /// Where it can be set.
    pub place: Place,
    /// Words to choose from; empty for free text.
    pub choices: &'static [&'static str],
}

const fn key(
    name: &'static str,
    place: Place,
    default: &'static str,
    allowed: &'static str,
    meaning: &'static str,
) -> Key {
    Key { name, meaning, allowed, default, place, choices: &[] }
}

const fn choice(
    name: &'static str,
    place: Place,
    default: &'static str,
    choices: &'static [&'static str],
    allowed: &'static str,
    meaning: &'static str,
) -> Key {
    Key { name, meaning, allowed, default, place, choices }
}

const YES_NO: &[&str] = &["true", "false"];

/// Every setting, in the order in which a page lists them.
pub const KEYS: &[Key] = &[
    choice(
        "approval.required",
        Place::Scoped,
        "false",
        YES_NO,
        "true or false",
        "New delegates wait for a person before they count as eligible.",
    ),
    key(
        "registration.allowlist",
        Place::Account,
        "",
        "addresses and networks separated by commas",
        "Delegates may register from these addresses and networks only; without it from everywhere.",
    ),
    choice(
        "delegates.deleted_policy",
        Place::Both,
        "reappear",
        &["reappear", "refuse"],
        "reappear or refuse",
        "A deleted delegate that calls again is listed again, or turned away until somebody allows it.",
    ),
    choice(
        "delegates.delete_connected",
        Place::Scoped,
        "false",
        YES_NO,
        "true or false",
        "Delegates can be deleted while they are connected.",
    ),
    key(
        "versions.latest",
        Place::Scoped,
        "",
        "a version such as 26.10.90212",
        "This version counts as the latest one in place of the newest of the catalog.",
    ),
    key(
        "versions.ring",
        Place::Account,
        "",
        "the name of a ring of the catalog",
        "The latest version is that of this release ring.",
    ),
    key(
        "connectivity.timeout_seconds",
        Place::Global,
        "300",
        "10 to 86400",
        "A delegate is connected while its last heartbeat is at most this many seconds old.",
    ),
    key(
        "connectivity.late_seconds",
        Place::Global,
        "180",
        "5 to 86400",
        "A connected delegate is called late when its last heartbeat is this many seconds old.",
    ),
    key(
        "connectivity.start_hold_seconds",
        Place::Global,
        "300",
        "0 to 86400",
        "After a start of the server no loss is recorded for this many seconds.",
    ),
    key(
        "flap.count",
        Place::Global,
        "3",
        "2 to 100",
        "An instance is called unstable when it was lost this often inside the window.",
    ),
    key(
        "flap.window_minutes",
        Place::Global,
        "60",
        "1 to 1440",
        "The window in which losses of an instance are counted, in minutes.",
    ),
    key(
        "retention.instance_hours",
        Place::Global,
        "6",
        "1 to 8760",
        "An instance is hidden this many hours after its last heartbeat.",
    ),
    key(
        "retention.group_days",
        Place::Global,
        "7",
        "1 to 3650",
        "A delegate is hidden this many days after its last instance was active.",
    ),
    choice(
        "lifecycle.anchor",
        Place::Global,
        "eos",
        &["eos", "eol"],
        "eos or eol",
        "Expiry refers to the end of support or to the end of life of a version.",
    ),
    choice(
        "lifecycle.near_expiry_days",
        Place::Global,
        "28",
        &["7", "14", "21", "28"],
        "7, 14, 21 or 28",
        "A version is near expiry for this many days before it expires.",
    ),
    key(
        "upgrade.seen_minutes",
        Place::Global,
        "90",
        "1 to 10080",
        "Auto-upgrade counts as on while the upgrader called at most this many minutes ago.",
    ),
    key(
        "tokens.purge_days",
        Place::Global,
        "30",
        "1 to 3650",
        "A revoked token is removed after this many days, and its name becomes free.",
    ),
    key(
        "history.keep_days",
        Place::Global,
        "400",
        "1 to 3650",
        "History of delegates is kept for this many days.",
    ),
    key(
        "audit.keep_days",
        Place::Global,
        "730",
        "1 to 3650",
        "Lines of the audit log are kept for this many days.",
    ),
    key(
        "api.rate_per_minute",
        Place::Global,
        "1000",
        "0 to 1000000; 0 is no limit",
        "Each API key may be used this often in a minute.",
    ),
    key(
        "mirror.interval_seconds",
        Place::Global,
        "60",
        "60 to 300",
        "A mirrored server is asked for its delegates this often.",
    ),
];
