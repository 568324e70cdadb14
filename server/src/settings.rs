//! Settings as the store holds them, and what they mean (`product 20`).

mod keys;

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::Arc;

use app::port::access::SettingSource;
use fleet::overrides::Override;
use fleet::policy::{Anchor, DeletedPolicy, Policy};
use fleet::scope::Scope;
use fleet::time::{DAY, HOUR, MINUTE, SECOND};
use fleet::version::{Line, Version};
use ipnet::IpNet;

pub use self::keys::{KEYS, Key, Place};
use crate::deeds::overrides;
use crate::roster::{Inherited, Reference};

/// Settings by scope (none: the whole server) and key.
pub type Settings = BTreeMap<(Option<Scope>, String), String>;

/// Networks of one allowlist.
const MAX_NETWORKS: usize = 1_000;

/// A stored value that cannot be used; the default stays in force.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{key}: {allowed}")]
pub struct BadSetting {
    /// The setting.
    pub key: String,
    /// What it may be, or why it is refused.
    pub allowed: &'static str,
}

/// What is known of a key; none if there is no such setting.
#[must_use]
pub fn known(key: &str) -> Option<&'static Key> {
    KEYS.iter().find(|known| known.name == key)
}

/// The value of a setting that is in force in a scope, and where it comes from.
#[must_use]
pub fn in_force(settings: &Settings, key: &Key, scope: &Scope) -> (String, SettingSource) {
    let at = |place: Option<Scope>| settings.get(&(place, key.name.to_owned())).cloned();
    let inherits = key.place != Place::Global;
    let nearest = scope.ancestors().filter(|_| inherits).find_map(|above| {
        let source = if above == *scope { SettingSource::Here } else { SettingSource::Above(above.clone()) };
        Some((at(Some(above))?, source))
    });
    let server = || at(None).map(|value| (value, SettingSource::Server));
    nearest.or_else(server).unwrap_or_else(|| (key.default.to_owned(), SettingSource::Default))
}

/// Checks one setting before it is stored.
///
/// # Errors
/// The key is unknown, belongs to a scope and has none (or the reverse), or cannot have this value.
pub fn check(scope: Option<&Scope>, key: &str, value: &str) -> Result<(), BadSetting> {
    let bad = |allowed| Err(BadSetting { key: key.to_owned(), allowed });
    let Some(known) = known(key) else { return bad("there is no such setting") };
    if let Err(why) = known.place.admits(scope) {
        return bad(why);
    }
    let one = Settings::from([((scope.cloned(), key.to_owned()), value.to_owned())]);
    apply(&one, &mut Reference::default()).pop().map_or(Ok(()), Err)
}

/// Applies stored settings to a reference; returns those that cannot be used.
pub fn apply(settings: &Settings, reference: &mut Reference) -> Vec<BadSetting> {
    let mut bad = Vec::new();
    for ((scope, key), value) in settings {
        let applied = match scope {
            None => apply_global(key, value, reference),
            Some(scope) => apply_scoped(scope, key, value, reference),
        };
        if let Err(allowed) = applied {
            bad.push(BadSetting { key: key.clone(), allowed });
        }
    }
    bad
}

fn apply_global(key: &str, value: &str, reference: &mut Reference) -> Result<(), &'static str> {
    let Reference { policy, keep, .. } = reference;
    match key {
        "history.keep_days" => keep.history = duration(value, DAY, 1..=3_650)?,
        "audit.keep_days" => keep.audit = duration(value, DAY, 1..=3_650)?,
        "tokens.purge_days" => keep.revoked_tokens = duration(value, DAY, 1..=3_650)?,
        "api.rate_per_minute" => {
            let rate = number(value, 0..=1_000_000)?;
            keep.api_rate = u32::try_from(rate).unwrap_or(u32::MAX);
        }
        "mirror.interval_seconds" => keep.mirror_interval = duration(value, SECOND, 60..=300)?,
        "delegates.deleted_policy" => reference.deleted.server = Some(deleted_policy(value)?),
        _ => apply_threshold(key, value, policy)?,
    }
    Ok(())
}

fn apply_threshold(key: &str, value: &str, policy: &mut Policy) -> Result<(), &'static str> {
    match key {
        "connectivity.timeout_seconds" => policy.timeout = duration(value, SECOND, 10..=86_400)?,
        "connectivity.late_seconds" => policy.late = duration(value, SECOND, 5..=86_400)?,
        "connectivity.start_hold_seconds" => policy.start_hold = duration(value, SECOND, 0..=86_400)?,
        "flap.count" => {
            let count = number(value, 2..=100)?;
            policy.flap_count = u32::try_from(count).unwrap_or(u32::MAX);
        }
        "flap.window_minutes" => policy.flap_window = duration(value, MINUTE, 1..=1_440)?,
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
        overrides::PLAIN => {
            reference.overrides.entry(scope.clone()).or_default().plain = Some(an_override(value)?);
        }
        overrides::TAGGED => {
            reference.overrides.entry(scope.clone()).or_default().tagged = Some(an_override(value)?);
        }
        "versions.ring" => {
            Place::Account.admits(Some(scope))?;
            reference.rings.insert(scope.account().to_owned(), value.to_owned());
        }
        "delegates.deleted_policy" => put(&mut reference.deleted, scope, deleted_policy(value)?),
        "delegates.delete_connected" => put(&mut reference.delete_connected, scope, flag(value)?),
        "approval.required" => put(&mut reference.approval, scope, flag(value)?),
        "registration.allowlist" => {
            Place::Account.admits(Some(scope))?;
            reference.allowlists.insert(scope.account().to_owned(), networks(value)?);
        }
        _ => {}
    }
    Ok(())
}

fn an_override(value: &str) -> Result<Override, &'static str> {
    serde_json::from_str(value).map_err(|_| "a version override")
}

fn put<T>(setting: &mut Inherited<T>, scope: &Scope, value: T) {
    setting.scopes.insert(scope.clone(), value);
}

fn deleted_policy(value: &str) -> Result<DeletedPolicy, &'static str> {
    match value {
        "reappear" => Ok(DeletedPolicy::Reappear),
        "refuse" => Ok(DeletedPolicy::Refuse),
        _ => Err("reappear or refuse"),
    }
}

fn flag(value: &str) -> Result<bool, &'static str> {
    value.parse().map_err(|_| "true or false")
}

/// Addresses and networks, separated by commas. An empty list would shut everybody out by mistake.
fn networks(value: &str) -> Result<Arc<[IpNet]>, &'static str> {
    const ALLOWED: &str =
        "addresses and networks separated by commas, such as 192.0.2.7, 10.0.0.0/8, 2001:db8::/32";
    let parts = value.split(',').map(str::trim).filter(|part| !part.is_empty());
    let network = |part: &str| part.parse::<IpNet>().or_else(|_| part.parse::<IpAddr>().map(IpNet::from));
    let networks: Vec<IpNet> = parts.map(network).collect::<Result<_, _>>().map_err(|_| ALLOWED)?;
    if networks.is_empty() || networks.len() > MAX_NETWORKS {
        return Err(ALLOWED);
    }
    Ok(networks.into())
}

fn duration(value: &str, unit: i64, range: std::ops::RangeInclusive<i64>) -> Result<i64, &'static str> {
    Ok(number(value, range)? * unit)
}

fn number(value: &str, range: std::ops::RangeInclusive<i64>) -> Result<i64, &'static str> {
    let number: i64 = value.trim().parse().map_err(|_| "a whole number")?;
    if range.contains(&number) { Ok(number) } else { Err("a whole number in its range") }
}

#[cfg(test)]
mod tests;
