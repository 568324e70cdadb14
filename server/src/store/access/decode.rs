//! Rows into people, keys and deeds.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use fleet::access::{Reach, Resources};
use fleet::scope::Scope;

use super::{
    ApiKeyRow, AssignmentRow, AuditFound, EmbedKeyRow, LinkRow, RoleRow, SavedFilterRow, SessionRow, UserRow,
};
use crate::store::StoreError;
use crate::store::columns::Columns;
use crate::store::decode::{optional_time, scope, time};

fn optional_scope<'r>(row: &impl Columns<'r>) -> Result<Option<Scope>, StoreError> {
    if row.text(0)?.is_empty() { Ok(None) } else { scope(row, [0, 1, 2]).map(Some) }
}

fn flag<'r>(row: &impl Columns<'r>, index: usize) -> Result<bool, StoreError> {
    Ok(row.integer(index)? != 0)
}

fn json<'r, T: serde::de::DeserializeOwned>(row: &impl Columns<'r>, index: usize) -> Result<T, StoreError> {
    serde_json::from_str(row.text(index)?).map_err(|_| row.corrupt(index))
}

pub(in crate::store) fn user<'r>(row: &impl Columns<'r>) -> Result<UserRow, StoreError> {
    Ok(UserRow {
        id: row.text(0)?.into(),
        email: row.text(1)?.into(),
        name: row.text(2)?.into(),
        kind: row.word(3)?,
        password: row.optional_text(4)?.map(Into::into),
        external_id: row.optional_text(5)?.map(Into::into),
        disabled: flag(row, 6)?,
        created_at: time(row, 7)?,
        created_by: row.optional_text(8)?.map(Into::into),
        last_sign_in: optional_time(row, 9)?,
    })
}

pub(in crate::store) fn role<'r>(row: &impl Columns<'r>) -> Result<RoleRow, StoreError> {
    // A permission of a newer program is one that this program cannot check: it is left out.
    let words: Vec<String> = json(row, 5)?;
    Ok(RoleRow {
        scope: scope(row, [0, 1, 2])?,
        id: row.text(3)?.into(),
        name: row.text(4)?.into(),
        permissions: words.iter().filter_map(|word| word.parse().ok()).collect(),
        created_at: time(row, 6)?,
    })
}

pub(in crate::store) fn assignment<'r>(row: &impl Columns<'r>) -> Result<AssignmentRow, StoreError> {
    Ok(AssignmentRow {
        reach: optional_scope(row)?.map_or(Reach::Server, Reach::Scope),
        id: row.text(3)?.into(),
        user: row.text(4)?.into(),
        role: row.text(5)?.into(),
        resources: if row.optional_text(6)?.is_none() {
            Resources::All
        } else {
            let names: BTreeSet<String> = json(row, 6)?;
            Resources::Named(names.into_iter().map(Arc::from).collect())
        },
        external: flag(row, 7)?,
        created_at: time(row, 8)?,
        created_by: row.optional_text(9)?.map(Into::into),
    })
}

pub(in crate::store) fn session<'r>(row: &impl Columns<'r>) -> Result<SessionRow, StoreError> {
    Ok(SessionRow {
        hash: row.text(0)?.into(),
        user: row.text(1)?.into(),
        created_at: time(row, 2)?,
        last_seen: time(row, 3)?,
        agent: row.text(4)?.into(),
        address: row.text(5)?.into(),
    })
}

pub(in crate::store) fn api_key<'r>(row: &impl Columns<'r>) -> Result<ApiKeyRow, StoreError> {
    Ok(ApiKeyRow {
        scope: scope(row, [0, 1, 2])?,
        id: row.text(3)?.into(),
        user: row.text(4)?.into(),
        name: row.text(5)?.into(),
        hash: row.text(6)?.into(),
        created_at: time(row, 7)?,
        created_by: row.optional_text(8)?.map(Into::into),
        expires_at: optional_time(row, 9)?,
        revoked_at: optional_time(row, 10)?,
        last_used: optional_time(row, 11)?,
    })
}

pub(in crate::store) fn embed_key<'r>(row: &impl Columns<'r>) -> Result<EmbedKeyRow, StoreError> {
    Ok(EmbedKeyRow {
        scope: scope(row, [0, 1, 2])?,
        id: row.text(3)?.into(),
        name: row.text(4)?.into(),
        hash: row.text(5)?.into(),
        filter: row.text(6)?.into(),
        origins: json(row, 7)?,
        created_at: time(row, 8)?,
        created_by: row.text(9)?.into(),
        expires_at: optional_time(row, 10)?,
        revoked_at: optional_time(row, 11)?,
    })
}

pub(in crate::store) fn saved_filter<'r>(row: &impl Columns<'r>) -> Result<SavedFilterRow, StoreError> {
    Ok(SavedFilterRow {
        scope: scope(row, [0, 1, 2])?,
        id: row.text(3)?.into(),
        owner: row.text(4)?.into(),
        name: row.text(5)?.into(),
        everyone: flag(row, 6)?,
        query: row.text(7)?.into(),
        created_at: time(row, 8)?,
        changed_at: time(row, 9)?,
    })
}

pub(in crate::store) fn link<'r>(row: &impl Columns<'r>) -> Result<LinkRow, StoreError> {
    Ok(LinkRow {
        hash: row.text(0)?.into(),
        purpose: row.word(1)?,
        user: row.text(2)?.into(),
        expires_at: time(row, 3)?,
    })
}

pub(in crate::store) fn audit<'r>(row: &impl Columns<'r>) -> Result<AuditFound, StoreError> {
    let values = |index| -> Result<BTreeMap<String, String>, StoreError> { json(row, index) };
    Ok(AuditFound {
        scope: optional_scope(row)?,
        id: row.text(3)?.to_owned(),
        at: time(row, 4)?,
        actor: row.text(5)?.to_owned(),
        action: row.text(6)?.to_owned(),
        resource: row.text(7)?.to_owned(),
        name: row.text(8)?.to_owned(),
        summary: row.text(9)?.to_owned(),
        before: values(10)?,
        after: values(11)?,
    })
}
