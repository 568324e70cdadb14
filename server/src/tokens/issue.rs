//! Making tokens and scopes, as command line and pages both do it (`product 10.5`).

use std::sync::Arc;

use fleet::scope::{Level, Scope};
use fleet::time::Timestamp;

use super::key::TokenKey;
use super::vault::Vault;
use crate::roster::new_id;
use crate::store::{NewScope, Store, StoreError, TokenRow, TokenStatus};

/// Longest name of a token, in characters.
pub const MAX_NAME: usize = 128;

/// Why a token was not made.
#[derive(Debug, thiserror::Error)]
pub enum IssueError {
    /// The name is empty, too long, or holds a character that nobody sees.
    #[error("name: 1 to {MAX_NAME} characters, none of them invisible")]
    Name,
    /// Its route is taken (`management-api 4.4`).
    #[error("name: delegate-groups is reserved")]
    Reserved,
    /// The same key is in use in the account: two tokens could not be told apart.
    #[error("a token with this value already exists in account {0}")]
    SameKey(String),
    /// The store refused.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A row for a new token; nothing is stored yet.
///
/// # Errors
/// The name cannot be used.
pub fn token_row(
    scope: &Scope,
    name: &str,
    key: &TokenKey,
    vault: &Vault,
    now: Timestamp,
) -> Result<TokenRow, IssueError> {
    let length = name.chars().count();
    if !(1..=MAX_NAME).contains(&length) || name.contains(fleet::text::is_hidden) || name.trim() != name {
        return Err(IssueError::Name);
    }
    if name == "delegate-groups" {
        return Err(IssueError::Reserved);
    }
    let id = new_id();
    Ok(TokenRow {
        sealed: vault.seal(key, &id),
        id,
        scope: Arc::new(scope.clone()),
        name: name.into(),
        hash: key.hash().into(),
        status: TokenStatus::Active,
        created_at: now,
        created_by: None,
        revoke_after: None,
        revoked_at: None,
        last_used: None,
    })
}

/// Creates a scope and those above it that are missing, each with its default token. Returns those created.
///
/// # Errors
/// [`IssueError`].
pub async fn create_scope(
    store: &dyn Store,
    vault: &Vault,
    scope: &Scope,
    now: Timestamp,
) -> Result<Vec<Scope>, IssueError> {
    let mut missing = Vec::new();
    for scope in scope.ancestors() {
        let token = token_row(&scope, &default_token_name(&scope), &TokenKey::random(), vault, now)?;
        missing.push(NewScope { scope, created_at: now, token });
    }
    missing.reverse();
    Ok(store.create_scopes(&missing).await?)
}

/// `default_token`, with organization and project added below account level (`product 10.5`).
#[must_use]
pub fn default_token_name(scope: &Scope) -> String {
    let below = [scope.organization(), scope.project()];
    match scope.level() {
        Level::Account => "default_token".to_owned(),
        Level::Organization | Level::Project => {
            let path: Vec<&str> = below.into_iter().flatten().collect();
            // Identifiers may be long; the name of a token may not.
            format!("default_token/{}", path.join("/")).chars().take(MAX_NAME).collect()
        }
    }
}
