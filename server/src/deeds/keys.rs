//! API keys and embed keys.

use std::sync::Arc;

use fleet::query::Query;
use fleet::scope::Scope;
use fleet::time::Timestamp;

use super::{Actor, DeedError, checked_days, checked_name};
use crate::auth::directory::Tables;
use crate::auth::{api_key, secret};
use crate::roster::new_id;
use crate::store::access::{ApiKeyRow, Change, EmbedKeyRow, UserRow};

/// Longest life of an API key or embed key, in days.
pub const MAX_DAYS: i64 = 365;
/// Sites that one embed key may name.
const MAX_ORIGINS: usize = 20;

/// A new API key: the whole text, which is shown once, and the changes that store it.
///
/// # Errors
/// The name or the number of days cannot be used.
pub fn create_api_key(
    actor: &Actor,
    owner: &UserRow,
    scope: &Scope,
    name: &str,
    days: &str,
    now: Timestamp,
) -> Result<(String, Vec<Change>), DeedError> {
    let name = checked_name("name", name)?;
    let expires_at = checked_days(days, MAX_DAYS, now)?;
    let (id, hash, text) = api_key::issue(owner.kind, scope.account());
    let row = ApiKeyRow {
        id: Arc::clone(&id),
        user: Arc::clone(&owner.id),
        scope: scope.clone(),
        name: name.as_str().into(),
        hash,
        created_at: now,
        created_by: actor.creator(),
        expires_at,
        revoked_at: None,
        last_used: None,
    };
    let line = actor
        .line(now, "api_key.create", "api_key", &*name, Some(scope))
        .says(format!("API key {name} of {} was created", owner.email))
        .after("id", &*id)
        .after("expires", expires_at.map_or_else(|| "never".to_owned(), |at| at.date().to_string()));
    Ok((text, vec![Change::InsertApiKey(row), line.change()]))
}

/// The changes that revoke an API key of `owner`.
///
/// # Errors
/// They have no such key.
pub fn revoke_api_key(
    tables: &Tables,
    actor: &Actor,
    owner: &str,
    id: &str,
    now: Timestamp,
) -> Result<Vec<Change>, DeedError> {
    let key = tables.api_keys.get(id).filter(|key| &*key.user == owner && key.revoked_at.is_none());
    let key = key.ok_or(DeedError::Unknown("API key"))?;
    let line = actor
        .line(now, "api_key.revoke", "api_key", &*key.name, Some(&key.scope))
        .says(format!("API key {} was revoked", key.name))
        .before("id", &*key.id);
    Ok(vec![Change::RevokeApiKey { id: Arc::clone(&key.id), at: now }, line.change()])
}

/// What an embed key shows, and to whom.
#[derive(Clone, Debug)]
pub struct NewEmbedKey<'a> {
    /// What people call it.
    pub name: &'a str,
    /// Sites, one a line.
    pub origins: &'a str,
    /// Query of the page.
    pub filter: &'a str,
    /// Days until its end; empty for none.
    pub days: &'a str,
}

/// A new embed key: the whole text, which is shown once, and the changes that store it.
///
/// # Errors
/// A field cannot be used.
pub fn create_embed_key(
    actor: &Actor,
    scope: &Scope,
    new: &NewEmbedKey<'_>,
    now: Timestamp,
) -> Result<(String, Vec<Change>), DeedError> {
    let name = checked_name("name", new.name)?;
    let expires_at = checked_days(new.days, MAX_DAYS, now)?;
    let origins = checked_origins(new.origins)?;
    let filter = new.filter.trim().trim_start_matches('?');
    let query =
        Query::parse(filter).map_err(|error| DeedError::field("filter", format!("Parameter {error}.")))?;
    let (id, secret) = (new_id(), secret::random());
    let row = EmbedKeyRow {
        id: Arc::clone(&id),
        scope: scope.clone(),
        name: name.as_str().into(),
        hash: secret::hash(&secret).into(),
        filter: query.to_url().into(),
        origins: origins.clone(),
        created_at: now,
        created_by: (&*actor.name).into(),
        expires_at,
        revoked_at: None,
    };
    let line = actor
        .line(now, "embed_key.create", "embed_key", &*name, Some(scope))
        .says(format!("Embed key {name} was created"))
        .after("id", &*id)
        .after("origins", origins.join(", "))
        .after("filter", &*row.filter);
    Ok((format!("{id}.{}", secret.as_str()), vec![Change::InsertEmbedKey(row), line.change()]))
}

/// The changes that revoke an embed key of a scope.
///
/// # Errors
/// There is no such key here.
pub fn revoke_embed_key(
    tables: &Tables,
    actor: &Actor,
    scope: &Scope,
    id: &str,
    now: Timestamp,
) -> Result<Vec<Change>, DeedError> {
    let here = |key: &&EmbedKeyRow| key.scope == *scope && &*key.id == id && key.revoked_at.is_none();
    let key = tables.embed_keys.iter().find(here).ok_or(DeedError::Unknown("embed key"))?;
    let line = actor
        .line(now, "embed_key.revoke", "embed_key", &*key.name, Some(scope))
        .says(format!("Embed key {} was revoked", key.name))
        .before("id", &*key.id);
    Ok(vec![Change::RevokeEmbedKey { id: Arc::clone(&key.id), at: now }, line.change()])
}

/// Reads sites such as `https://wiki.example`, one a line: scheme and host, and nothing behind them.
fn checked_origins(text: &str) -> Result<Vec<String>, DeedError> {
    let mut origins = Vec::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let host = line.strip_prefix("https://").or_else(|| line.strip_prefix("http://"));
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | ':' | '[' | ']');
        match host {
            Some(host) if !host.is_empty() && host.chars().all(plain) => origins.push(line.to_lowercase()),
            _ => {
                return Err(DeedError::field(
                    "origins",
                    "Give one site a line, such as https://wiki.company.example, without a path.",
                ));
            }
        }
    }
    origins.sort_unstable();
    origins.dedup();
    if origins.is_empty() || origins.len() > MAX_ORIGINS {
        return Err(DeedError::field(
            "origins",
            format!("Name 1 to {MAX_ORIGINS} sites that may frame the page."),
        ));
    }
    Ok(origins)
}

#[cfg(test)]
mod tests {
    use super::checked_origins;

    #[test]
    fn a_site_is_scheme_and_host_alone() {
        assert_eq!(
            checked_origins("https://Wiki.example\n\nhttp://localhost:8080\nhttps://wiki.example").unwrap(),
            ["http://localhost:8080", "https://wiki.example"]
        );
        for bad in [
            "",
            "wiki.example",
            "https://",
            "https://a.example/path",
            "https://a b",
            "https://a;b",
            "https://*",
        ] {
            assert!(checked_origins(bad).is_err(), "{bad}");
        }
    }
}
