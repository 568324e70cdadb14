//! Delegate tokens: create, revoke, delete (`product 10.5`).

use std::sync::Arc;

use fleet::access::Permission;
use fleet::scope::Scope;
use fleet::time::Timestamp;
use zeroize::Zeroizing;

use super::{Actor, DeedError, checked_days};
use crate::roster::Roster;
use crate::store::access::Change;
use crate::store::{SharedStore, TokenRow, TokenStatus};
use crate::tokens::book::TokenBook;
use crate::tokens::issue::{self, IssueError};
use crate::tokens::key::TokenKey;
use crate::tokens::vault::Vault;

/// Longest time until an automatic revocation, in days.
pub const MAX_DAYS: i64 = 3_650;

/// The end of a token that lives for so many days; empty is never.
///
/// # Errors
/// No number, or out of range.
pub fn end(days: &str, now: Timestamp) -> Result<Option<Timestamp>, DeedError> {
    checked_days(days, MAX_DAYS, now)
}

impl From<IssueError> for DeedError {
    fn from(error: IssueError) -> Self {
        match error {
            IssueError::Name | IssueError::Reserved | IssueError::SameKey(_) => {
                let text = error.to_string();
                Self::field("name", text.strip_prefix("name: ").unwrap_or(&text).to_owned())
            }
            IssueError::Store(error) => error.into(),
        }
    }
}

/// Creates a token. It opens at once.
///
/// # Errors
/// The name is taken or cannot be used, the key is in use, or nothing was stored.
#[expect(clippy::too_many_arguments, reason = "each is one fact of the token or one part that it goes to")]
pub async fn create(
    store: &SharedStore,
    vault: &Vault,
    book: Option<&TokenBook>,
    actor: &Actor,
    scope: &Scope,
    name: &str,
    key: &TokenKey,
    revoke_after: Option<Timestamp>,
    now: Timestamp,
) -> Result<TokenRow, DeedError> {
    actor.may(Permission::DelegateEdit, scope)?;
    let mut row = issue::token_row(scope, name.trim(), key, vault, now)?;
    row.created_by = actor.creator();
    row.revoke_after = revoke_after;
    let tokens = store.tokens().await?;
    if tokens.iter().any(|known| known.hash == row.hash && known.scope.account() == scope.account()) {
        return Err(IssueError::SameKey(scope.account().to_owned()).into());
    }
    if let Some(known) = tokens.iter().find(|known| known.name == row.name && *known.scope == *scope) {
        return Err(DeedError::field(
            "name",
            match known.revoked_at {
                None => "A token of this name already exists.",
                Some(_) => {
                    "A token of this name already exists; it is revoked. Delete it, or choose another name."
                }
            },
        ));
    }
    let line = actor
        .line(now, "token.create", "token", &*row.name, Some(scope))
        .says(format!("Token {} was created and its value shown once", row.name))
        .after("revoked after", revoke_after.map_or_else(|| "never".to_owned(), |at| at.date().to_string()));
    store.commit(&[Change::InsertToken(row.clone()), line.change()]).await?;
    if let Some(book) = book
        && let Err(error) = book.insert(&row, vault)
    {
        // It is stored: the next look at the store brings it in.
        tracing::error!(%error, "a new token cannot be opened");
    }
    Ok(row)
}

/// The value of an active token of exactly this scope, in its outer form; `purpose` completes the sentence of the audit
/// log, such as `in the files for delegate edge`. Nothing is shown unless that line is stored.
///
/// # Errors
/// There is no such active token here, it cannot be opened, or nothing was stored.
pub async fn show(
    store: &SharedStore,
    vault: &Vault,
    actor: &Actor,
    scope: &Scope,
    id: &str,
    purpose: &str,
    now: Timestamp,
) -> Result<(TokenRow, Zeroizing<String>), DeedError> {
    actor.may(Permission::DelegateEdit, scope)?;
    let wanted = |row: &TokenRow| &*row.id == id && *row.scope == *scope && row.status == TokenStatus::Active;
    let row = store.tokens().await?.into_iter().find(wanted).ok_or(DeedError::Unknown("active token"))?;
    let key = open(vault, &row)?;
    let line = actor
        .line(now, "token.show", "token", &*row.name, Some(&row.scope))
        .says(format!("The value of token {} was shown {purpose}", row.name));
    store.commit(&[line.change()]).await?;
    Ok((row, key.outer()))
}

/// The values of tokens of this scope in their outer form; none for revoked ones, and for those that the master key does
/// not open. Nothing is shown unless the line of the audit log is stored.
///
/// # Errors
/// Nothing was stored.
pub async fn show_all(
    store: &SharedStore,
    vault: &Vault,
    actor: &Actor,
    scope: &Scope,
    rows: &[TokenRow],
    now: Timestamp,
) -> Result<Vec<Option<Zeroizing<String>>>, DeedError> {
    let active = |row: &&TokenRow| row.status == TokenStatus::Active;
    let value = |row: &TokenRow| {
        Some(row).filter(active).and_then(|row| open(vault, row).ok()).map(|key| key.outer())
    };
    let values: Vec<_> = rows.iter().map(value).collect();
    let names: Vec<&str> =
        rows.iter().zip(&values).filter(|(_, value)| value.is_some()).map(|(row, _)| &*row.name).collect();
    if let [first, others @ ..] = &names[..] {
        let says = match others.len() {
            0 => format!("The value of token {first} was read through the API"),
            more => format!("The values of token {first} and {more} more were read through the API"),
        };
        let line = actor.line(now, "token.show", "token", *first, Some(scope)).says(says);
        store.commit(&[line.change()]).await?;
    }
    Ok(values)
}

fn open(vault: &Vault, row: &TokenRow) -> Result<TokenKey, DeedError> {
    vault.unseal(&row.sealed, &row.id).map_err(|error| {
        tracing::error!(%error, "a token cannot be shown");
        DeedError::Refused("this token cannot be opened with the master key of the server".to_owned())
    })
}

/// Revokes a token. Its delegates lose access at once, over both transports (`product 10.5`, P25).
///
/// # Errors
/// There is no such active token here, it is not the actor's to change, or nothing was stored.
pub async fn revoke(
    store: &SharedStore,
    book: &TokenBook,
    roster: &Roster,
    actor: &Actor,
    row: &TokenRow,
    now: Timestamp,
) -> Result<(), DeedError> {
    actor.may(Permission::DelegateDelete, &row.scope)?;
    let used = roster.token_use(row.scope.account(), &row.id, now);
    let instances: u64 = used.iter().map(|group| group.instances).sum();
    let action = if actor.id.is_empty() { "token.auto_revoke" } else { "token.revoke" };
    let line = actor
        .line(now, action, "token", &*row.name, Some(&row.scope))
        .says(format!("Token {} was revoked; {instances} listed instances used it", row.name));
    store.commit(&[Change::RevokeToken { id: Arc::clone(&row.id), at: now }, line.change()]).await?;
    book.revoke(&row.id);
    Ok(())
}

/// Deletes a revoked token: its name becomes free.
///
/// # Errors
/// There is no such revoked token, it is not the actor's to change, or nothing was stored.
pub async fn delete(
    store: &SharedStore,
    book: &TokenBook,
    actor: &Actor,
    row: &TokenRow,
    now: Timestamp,
) -> Result<(), DeedError> {
    actor.may(Permission::DelegateDelete, &row.scope)?;
    if row.status == TokenStatus::Active {
        return Err(DeedError::Refused("Only a revoked token can be deleted; revoke it first.".to_owned()));
    }
    let action = if actor.id.is_empty() { "token.purge" } else { "token.delete" };
    let line = actor
        .line(now, action, "token", &*row.name, Some(&row.scope))
        .says(format!("Token {} was deleted; its name is free", row.name));
    store.commit(&[Change::RemoveToken(Arc::clone(&row.id)), line.change()]).await?;
    book.remove(&row.id);
    Ok(())
}

/// The token of this id, if delegates of this scope can use it: its own scope is this one or lies above. What is done
/// to it needs the permission to delete in its own scope.
///
/// # Errors
/// There is none, it is not the actor's to change, or the store cannot be read.
pub async fn find(
    store: &SharedStore,
    actor: &Actor,
    scope: &Scope,
    id: &str,
) -> Result<TokenRow, DeedError> {
    let tokens = store.tokens().await?;
    let here = tokens.into_iter().find(|token| &*token.id == id && token.scope.contains(scope));
    let token = here.ok_or(DeedError::Unknown("token"))?;
    actor.may(Permission::DelegateDelete, &token.scope)?;
    Ok(token)
}
