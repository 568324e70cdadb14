//! Version overrides (`management-api 2.7`).
//!
//! They are kept among the settings: like those they belong to a scope and reach those below it.

use std::collections::BTreeMap;

use fleet::access::Permission;
use fleet::overrides::{Override, is_image_tag};
use fleet::scope::Scope;
use fleet::time::Timestamp;

use super::{Actor, DeedError};
use crate::store::SharedStore;
use crate::store::access::Change;

/// The key of the one that speaks of every group.
pub const PLAIN: &str = "versions.override";
/// The key of the one with tags.
pub const TAGGED: &str = "versions.override_tagged";

const fn key(of: &Override) -> &'static str {
    if of.tags.is_empty() { PLAIN } else { TAGGED }
}

/// Sets one; the one of the same kind in this scope is replaced.
///
/// # Errors
/// It names no image tag, or the actor may not change delegates of this scope.
pub async fn set(
    store: &SharedStore,
    actor: &Actor,
    scope: &Scope,
    new: &Override,
    now: Timestamp,
) -> Result<(), DeedError> {
    actor.may(Permission::DelegateEdit, scope)?;
    if !is_image_tag(&new.image_tag) {
        return Err(DeedError::field("delegateTag", "must be the tag of an image, such as 26.10.90107"));
    }
    let value = serde_json::to_string(new).map_err(|_| DeedError::Unavailable)?;
    let before = of_key(store, scope, key(new)).await?;
    let whom = whom(new);
    let mut line = actor
        .line(now, "override.set", "override", whom.clone(), Some(scope))
        .says(format!("Upgraders of {whom} are told to run {}", new.image_tag))
        .after("image tag", &*new.image_tag);
    if let Some(before) = before {
        line = line.before("image tag", &*before.image_tag);
    }
    commit(store, scope, key(new), Some(value), line.change(), now).await
}

/// Ends the one of this scope with exactly these tags.
///
/// # Errors
/// There is none, or the actor may not change delegates of this scope.
pub async fn remove(
    store: &SharedStore,
    actor: &Actor,
    scope: &Scope,
    mut tags: Vec<String>,
    now: Timestamp,
) -> Result<(), DeedError> {
    actor.may(Permission::DelegateEdit, scope)?;
    tags.sort();
    tags.dedup();
    let key = if tags.is_empty() { PLAIN } else { TAGGED };
    let known = of_key(store, scope, key).await?.filter(|known| known.tags == tags);
    let known = known.ok_or_else(|| {
        DeedError::Refused("There is no version override of this scope with exactly these tags.".to_owned())
    })?;
    let whom = whom(&known);
    let line = actor
        .line(now, "override.delete", "override", whom.clone(), Some(scope))
        .says(format!("Upgraders of {whom} are told the latest version again"))
        .before("image tag", &*known.image_tag);
    commit(store, scope, key, None, line.change(), now).await
}

/// Those of exactly this scope, ended ones too; the one with tags first.
///
/// # Errors
/// The store cannot be read.
pub async fn of_scope(store: &SharedStore, scope: &Scope) -> Result<Vec<Override>, DeedError> {
    let mut settings = store.settings().await?;
    Ok([TAGGED, PLAIN].into_iter().filter_map(|key| read(&mut settings, scope, key)).collect())
}

/// Of which delegates one speaks.
fn whom(of: &Override) -> String {
    if of.tags.is_empty() {
        "all delegates".to_owned()
    } else {
        format!("delegates with {}", of.tags.join(", "))
    }
}

async fn of_key(store: &SharedStore, scope: &Scope, key: &str) -> Result<Option<Override>, DeedError> {
    Ok(read(&mut store.settings().await?, scope, key))
}

/// One that cannot be read holds nothing back and may be replaced.
fn read(
    settings: &mut BTreeMap<(Option<Scope>, String), String>,
    scope: &Scope,
    key: &str,
) -> Option<Override> {
    let value = settings.remove(&(Some(scope.clone()), key.to_owned()))?;
    serde_json::from_str(&value).ok()
}

async fn commit(
    store: &SharedStore,
    scope: &Scope,
    key: &str,
    value: Option<String>,
    line: Change,
    now: Timestamp,
) -> Result<(), DeedError> {
    let put = Change::PutSetting { scope: Some(scope.clone()), key: key.to_owned(), value, at: now };
    Ok(store.commit(&[put, line]).await?)
}
