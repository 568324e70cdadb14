//! Settings as the store holds them, and what they mean (`product 20`).

use std::collections::BTreeMap;

use fleet::policy::{Anchor, Policy};
use fleet::scope::{Level, Scope};
use fleet::time::{DAY, HOUR, MINUTE, SECOND};
use fleet::version::{Line, Version};

use crate::roster::Reference;

/// Settings by scope (none: the whole server) and key.
pub type Settings = BTreeMap<(Option<Scope>, String), String>;

/// A stored value that cannot be used; the default stays in force.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{key}: {allowed}")]
pub struct BadSetting {
    /// The setting.
    pub key: String,
    /// What it may be, or why it is refused.
    pub allowed: &'static str,
}

/// Keys that hold for the whole server.
pub const GLOBAL: [&str; 8] = [
    "connectivity.timeout_seconds",
    "connectivity.late_seconds",
    "connectivity.start_hold_seconds",
    "retention.instance_hours",
    "retention.group_days",
    "upgrade.seen_minutes",
    "lifecycle.near_expiry_days",
    "lifecycle.anchor",
];
/// Keys that hold for a scope and those below it.
pub const SCOPED: [&str; 2] = ["versions.latest", "versions.ring"];

/// Checks one setting before it is stored.
///
/// # Errors
/// The key is unknown, belongs to a scope and has none (or the reverse), or cannot have this value.
pub fn check(scope: Option<&Scope>, key: &str, value: &str) -> Result<(), BadSetting> {
    let bad = |allowed| Err(BadSetting { key: key.to_owned(), allowed });
    match scope {
        None if SCOPED.contains(&key) => return bad("it belongs to a scope"),
        Some(_) if GLOBAL.contains(&key) => return bad("it belongs to the whole server, not to a scope"),
        _ if !GLOBAL.contains(&key) && !SCOPED.contains(&key) => return bad("there is no such setting"),
        _ => {}
    }
    let one = Settings::from([((scope.cloned(), key.to_owned()), value.to_owned())]);
    apply(&one, &mut Reference::default()).pop().map_or(Ok(()), Err)
}

/// Applies stored settings to a reference; returns those that cannot be used.
pub fn apply(settings: &Settings, reference: &mut Reference) -> Vec<BadSetting> {
    let mut bad = Vec::new();
    for ((scope, key), value) in settings {
        let applied = match scope {
            None => apply_global(key, value, &mut reference.policy),
            Some(scope) => apply_scoped(scope, key, value, reference),
        };
        if let Err(allowed) = applied {
            bad.push(BadSetting { key: key.clone(), allowed });
        }
    }
    bad
}

fn apply_global(key: &str, value: &str, policy: &mut Policy) -> Result<(), &'static str> {
    match key {
        "connectivity.timeout_seconds" => policy.timeout = duration(value, SECOND, 10..=86_400)?,
        "connectivity.late_seconds" => policy.late = duration(value, SECOND, 5..=86_400)?,
        "connectivity.start_hold_seconds" => policy.start_hold = duration(value, SECOND, 0..=86_400)?,
        "retention.instance_hours" => policy.instance_retention = duration(value, HOUR, 1..=8_760)?,
        "retention.group_days" => policy.group_retention = duration(value, DAY, 1..=3_650)?,
        "upgrade.seen_minutes" => policy.upgrader_seen = duration(value, MINUTE, 1..=10_080)?,
        "lifecycle.near_expiry_days" => match number(value, 7..=28)? {
            days @ (7 | 14 | 21 | 28) => policy.near_expiry = days * DAY,
            _ => return Err("7, 14, 21 or 28"),
        },
        "lifecycle.anchor" => match value {
            "eos" => policy.anchor = Anchor::Eos,
            "eol" => policy.anchor = Anchor::Eol,
            _ => return Err("eos or eol"),
        },
        // Settings of other parts of the server live in the same table.
        _ => {}
    }
    Ok(())
}

fn apply_scoped(
    scope: &Scope,
    key: &str,
    value: &str,
    reference: &mut Reference,
) -> Result<(), &'static str> {
    match key {
        "versions.latest" => {
            let version = Version::parse(value);
            if version.line() == Line::Custom {
                return Err("a version such as 26.10.90212");
            }
            reference.pinned.insert(scope.clone(), version);
        }
        "versions.ring" => {
            if scope.level() != Level::Account {
                return Err("it belongs to an account, not to an organization or project");
            }
            reference.rings.insert(scope.account().to_owned(), value.to_owned());
        }
        _ => {}
    }
    Ok(())
}

fn duration(value: &str, unit: i64, range: std::ops::RangeInclusive<i64>) -> Result<i64, &'static str> {
    Ok(number(value, range)? * unit)
}

fn number(value: &str, range: std::ops::RangeInclusive<i64>) -> Result<i64, &'static str> {
    let number: i64 = value.trim().parse().map_err(|_| "a whole number")?;
    if range.contains(&number) { Ok(number) } else { Err("a whole number in its range") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn applied(scope: Option<&str>, key: &str, value: &str) -> (Reference, Vec<BadSetting>) {
        let scope = scope.map(|scope| scope.parse().expect("scope"));
        let mut reference = Reference::default();
        let bad = apply(&Settings::from([((scope, key.to_owned()), value.to_owned())]), &mut reference);
        (reference, bad)
    }

    #[test]
    fn a_stored_threshold_replaces_the_default() {
        let (reference, bad) = applied(None, "connectivity.timeout_seconds", "120");
        assert_eq!((reference.policy.timeout, bad.len()), (120_000, 0));
        let (reference, _) = applied(None, "lifecycle.near_expiry_days", "7");
        assert_eq!(reference.policy.near_expiry, 7 * DAY);
        let (reference, _) = applied(None, "lifecycle.anchor", "eol");
        assert_eq!(reference.policy.anchor, Anchor::Eol);
    }

    #[test]
    fn a_value_that_cannot_be_is_named_and_the_default_stays() {
        for (key, value) in [
            ("connectivity.timeout_seconds", "soon"),
            ("connectivity.timeout_seconds", "-1"),
            ("lifecycle.near_expiry_days", "8"),
            ("lifecycle.anchor", "eow"),
        ] {
            let (reference, bad) = applied(None, key, value);
            assert_eq!(reference.policy, Policy::default(), "{key}={value}");
            assert_eq!(bad[0].key, key);
        }
    }

    #[test]
    fn every_known_key_can_be_set_and_no_other() {
        let scope: Scope = "acme".parse().expect("scope");
        for key in GLOBAL {
            let value = match key {
                "lifecycle.anchor" => "eol",
                "lifecycle.near_expiry_days" => "14",
                _ => "12",
            };
            assert_eq!(check(None, key, value), Ok(()), "{key}");
            assert!(check(Some(&scope), key, value).is_err(), "{key}");
            assert!(check(None, key, "never").is_err(), "{key}");
        }
        for key in SCOPED {
            assert_eq!(check(Some(&scope), key, "26.10.90212"), Ok(()), "{key}");
            assert!(check(None, key, "26.10.90212").is_err(), "{key}");
        }
        assert!(check(None, "connectivity.timeout", "300").is_err());
    }

    #[test]
    fn the_nearest_pinned_version_upward_is_latest() {
        let (reference, bad) = applied(Some("acme/payments"), "versions.latest", "26.09.89620");
        assert!(bad.is_empty());
        let now = fleet::time::Timestamp::from_millis(1_795_176_000_000);
        let classic = |scope: &str| reference.latest(&scope.parse().expect("scope"), now).classic;
        assert_eq!(classic("acme/payments/checkout").as_deref().map(Version::as_str), Some("26.09.89620"));
        assert_eq!(classic("acme"), None);
    }
}
