//! Mirrors: other servers whose delegates are shown here (`management-api 7`).

use std::sync::Arc;

use client::{Client, ClientError, Key};
use fleet::access::Permission;
use fleet::scope::Scope;
use fleet::time::Timestamp;

use super::{Actor, DeedError};
use crate::roster::new_id;
use crate::store::SharedStore;
use crate::store::access::Change;
use crate::store::mirrors::{MirrorChange, MirrorRow};
use crate::tokens::issue::create_scope;
use crate::tokens::vault::Vault;

/// Mirrors of one account.
const MAX_MIRRORS: usize = 20;
/// What one mirror may ask for: each is a call of every look, or two, and a look makes ten at most.
const MAX_SCOPES: usize = 4;
/// Characters of a name.
const MAX_NAME: usize = 40;

/// A mirror as it is asked for.
#[derive(Clone, Copy)]
pub struct NewMirror<'a> {
    /// What people call it; empty for the host of the address.
    pub name: &'a str,
    /// Address of the server.
    pub url: &'a str,
    /// What is asked for there, one a line; empty for the account of the key.
    pub scopes: &'a str,
    /// API key of the server.
    pub key: &'a str,
}

/// Sets up a mirror, whose delegates are shown in `account`; the first look follows at once.
///
/// # Errors
/// A field cannot be used, the actor may not change settings of the account, or nothing was stored.
pub async fn add(
    store: &SharedStore,
    vault: &Vault,
    actor: &Actor,
    account: &Scope,
    new: &NewMirror<'_>,
    now: Timestamp,
) -> Result<MirrorRow, DeedError> {
    actor.may(Permission::SettingManage, account)?;
    let key = new.key.trim();
    if key.is_empty() {
        return Err(DeedError::field("api_key", "Give an API key of that server."));
    }
    let client = Client::new(new.url, Key::new(key)).map_err(|error| {
        let field = if error == ClientError::Key { "api_key" } else { "url" };
        DeedError::field(field, format!("{error}."))
    })?;
    let here = store.mirrors().await?.iter().filter(|row| *row.account == *account.account()).count();
    if here >= MAX_MIRRORS {
        return Err(DeedError::Refused(format!("An account has at most {MAX_MIRRORS} mirrors.")));
    }
    let id = new_id();
    let row = MirrorRow {
        account: account.account().into(),
        name: name(new, &client)?.into(),
        url: new.url.trim().trim_end_matches('/').into(),
        scopes: scopes(new.scopes, &client)?,
        sealed: vault.seal_text(key, &id),
        id,
        created_at: now,
        created_by: actor.creator(),
        tried_at: None,
        trouble: None,
        detail: "".into(),
        as_of: None,
        skipped: 0,
        due_at: now,
        memory: "".into(),
    };
    // People are given roles in accounts that were created.
    create_scope(&**store, vault, account, now).await?;
    let asked: Vec<String> = row.scopes.iter().map(ToString::to_string).collect();
    let line = actor
        .line(now, "mirror.add", "mirror", &*row.name, Some(account))
        .says(format!("Delegates of {} are shown as mirror {}", row.url, row.name))
        .after("url", &*row.url)
        .after("scopes", asked.join(", "));
    store.commit(&[Change::Mirror(MirrorChange::Insert(row.clone())), line.change()]).await?;
    Ok(row)
}

/// Ends a mirror: its delegates are shown no more, their history is kept. Nothing is done at the source.
///
/// # Errors
/// The account has no such mirror, the actor may not change its settings, or nothing was stored.
pub async fn remove(
    store: &SharedStore,
    actor: &Actor,
    account: &Scope,
    id: &str,
    now: Timestamp,
) -> Result<(), DeedError> {
    actor.may(Permission::SettingManage, account)?;
    let rows = store.mirrors().await?;
    let row = rows.into_iter().find(|row| &*row.id == id && *row.account == *account.account());
    let row = row.ok_or(DeedError::Unknown("mirror"))?;
    let line = actor
        .line(now, "mirror.remove", "mirror", &*row.name, Some(account))
        .says(format!("Delegates of {} are not mirrored any more", row.url))
        .before("url", &*row.url);
    store.commit(&[Change::Mirror(MirrorChange::Remove(Arc::clone(&row.id))), line.change()]).await?;
    Ok(())
}

/// A word that can stand in an identifier.
fn name(new: &NewMirror<'_>, client: &Client) -> Result<String, DeedError> {
    let given = new.name.trim();
    let name = if given.is_empty() {
        client
            .host()
            .chars()
            .take(MAX_NAME)
            .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
            .collect()
    } else {
        given.to_owned()
    };
    let plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_');
    if !name.chars().all(plain) || name.is_empty() || name.len() > MAX_NAME {
        let message = format!("Give 1 to {MAX_NAME} letters, digits, dashes or underscores.");
        return Err(DeedError::field("name", message));
    }
    Ok(name)
}

fn scopes(text: &str, client: &Client) -> Result<Vec<Scope>, DeedError> {
    let wrong = |why: String| DeedError::field("scopes", why);
    let given = text.split(['\n', ',']).map(str::trim).filter(|scope| !scope.is_empty());
    let mut scopes: Vec<Scope> = Vec::new();
    for scope in given {
        let scope: Scope = scope.parse().map_err(|error| wrong(format!("{scope}: {error}.")))?;
        if !scopes.contains(&scope) {
            scopes.push(scope);
        }
    }
    if scopes.is_empty() {
        let account = client.account().and_then(|account| Scope::new(account, None, None).ok());
        scopes.push(account.ok_or_else(|| wrong("The key names no account: give it here.".to_owned()))?);
    }
    if scopes.len() > MAX_SCOPES {
        return Err(wrong(format!("Give {MAX_SCOPES} at most.")));
    }
    Ok(scopes)
}
