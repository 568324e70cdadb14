//! Settings (`product 20`).

use fleet::access::Permission;
use fleet::scope::Scope;
use fleet::time::Timestamp;

use super::{Actor, DeedError};
use crate::settings;
use crate::store::SharedStore;
use crate::store::access::Change;

/// Sets a setting, or with no value goes back to what holds without it. No scope is the whole server.
///
/// # Errors
/// The key or value cannot be used there, or the actor may not change it.
pub async fn put(
    store: &SharedStore,
    actor: &Actor,
    scope: Option<&Scope>,
    key: &str,
    value: Option<&str>,
    now: Timestamp,
) -> Result<(), DeedError> {
    if let Some(grants) = &actor.grants {
        match scope {
            None => grants.decide_for_server(Permission::SettingManage)?,
            Some(scope) => grants.decide(Permission::SettingManage, scope, None)?,
        }
    }
    if let Some(value) = value {
        settings::check(scope, key, value)
            .map_err(|bad| DeedError::field("value", format!("{}: {}.", bad.key, bad.allowed)))?;
    }
    let before = store.settings().await?.remove(&(scope.cloned(), key.to_owned()));
    if value.is_none() && before.is_none() {
        return Err(DeedError::Refused(format!("{key} is not set here")));
    }
    let action = if value.is_some() { "setting.change" } else { "setting.reset" };
    let mut line = actor.line(now, action, "setting", key, scope).says(match value {
        Some(value) => format!("{key} was set to {value}"),
        None => format!("{key} went back to what holds without it"),
    });
    if let Some(before) = before {
        line = line.before(key, before);
    }
    if let Some(value) = value {
        line = line.after(key, value);
    }
    let change = Change::PutSetting {
        scope: scope.cloned(),
        key: key.to_owned(),
        value: value.map(ToOwned::to_owned),
        at: now,
    };
    store.commit(&[change, line.change()]).await?;
    Ok(())
}
