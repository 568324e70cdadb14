//! Embed keys `<id>.<secret>`: who comes with one sees one scope through one filter, and that is all (`product 15.2`).

use std::sync::Arc;

use fleet::access::{Grant, Permission, PermissionSet, Reach, Resources};
use fleet::time::Timestamp;

use super::directory::Tables;
use super::{Identity, Via, secret};
use crate::store::access::EmbedKeyRow;

/// What a text that should be an embed key is.
#[derive(Clone, Debug, PartialEq)]
pub enum Found {
    /// A key that counts.
    Open(EmbedKeyRow),
    /// A key that is revoked or past its end; its sites may still show that it is.
    Over(EmbedKeyRow),
    /// No key.
    Nothing,
}

/// Looks a key up.
#[must_use]
pub fn find(tables: &Tables, text: &str, now: Timestamp) -> Found {
    let Some((id, secret)) = text.split_once('.') else { return Found::Nothing };
    let row = tables.embed_keys.iter().find(|row| &*row.id == id);
    match row.filter(|row| secret::fits(secret, &row.hash)) {
        None => Found::Nothing,
        Some(row) if is_open(row, now) => Found::Open(row.clone()),
        Some(row) => Found::Over(row.clone()),
    }
}

/// Whether a key is neither revoked nor past its end.
#[must_use]
pub fn is_open(row: &EmbedKeyRow, now: Timestamp) -> bool {
    row.revoked_at.is_none() && row.expires_at.is_none_or(|end| end > now)
}

/// Who comes with a key: nobody in person, who may look at its scope.
#[must_use]
pub fn identity(row: &EmbedKeyRow) -> Identity {
    let grant = Grant {
        reach: Reach::Scope(row.scope.clone()),
        permissions: PermissionSet::from_iter([Permission::DelegateView]),
        resources: Resources::All,
    };
    Identity {
        id: format!("embed:{}", row.id).into(),
        email: "".into(),
        name: "".into(),
        grants: [grant].into_iter().collect(),
        via: Via::Embed(Arc::clone(&row.id)),
        ends: None,
    }
}
