//! Rows into the types of the contract, the fleet excepted.

use std::collections::BTreeMap;
use std::sync::Arc;

use fleet::history::Turn;
use fleet::scope::Scope;
use fleet::time::Timestamp;

use super::columns::Columns;
use super::{LoadSink, Revisions, StoreError, TokenRow, Transition};

/// A scope as its three key columns; absent parts are empty.
#[derive(Clone, Copy)]
pub(super) struct ScopeKey<'a> {
    pub(super) account: &'a str,
    pub(super) organization: &'a str,
    pub(super) project: &'a str,
}

impl<'a> From<&'a Scope> for ScopeKey<'a> {
    fn from(scope: &'a Scope) -> Self {
        Self {
            account: scope.account(),
            organization: scope.organization().unwrap_or_default(),
            project: scope.project().unwrap_or_default(),
        }
    }
}

impl<'a> From<Option<&'a Scope>> for ScopeKey<'a> {
    fn from(scope: Option<&'a Scope>) -> Self {
        scope.map_or(Self { account: "", organization: "", project: "" }, Self::from)
    }
}

/// The scope of the columns account, organization and project.
pub(super) fn scope<'r>(row: &impl Columns<'r>, columns: [usize; 3]) -> Result<Scope, StoreError> {
    let [account, organization, project] = columns;
    let optional = |index| row.text(index).map(|text| (!text.is_empty()).then_some(text));
    Scope::new(row.text(account)?, optional(organization)?, optional(project)?)
        .map_err(|_| row.corrupt(account))
}

/// An instant that may be absent.
pub(super) fn optional_time<'r>(
    row: &impl Columns<'r>,
    index: usize,
) -> Result<Option<Timestamp>, StoreError> {
    Ok(row.optional_integer(index)?.map(Timestamp::from_millis))
}

/// An instant.
pub(super) fn time<'r>(row: &impl Columns<'r>, index: usize) -> Result<Timestamp, StoreError> {
    row.integer(index).map(Timestamp::from_millis)
}

/// Every scope, by account, organization, project: sorted here, because databases sort text by their own rules.
pub(super) fn scopes<'r, R: Columns<'r>>(rows: impl Iterator<Item = R>) -> Result<Vec<Scope>, StoreError> {
    let mut scopes = rows.map(|row| scope(&row, [0, 1, 2])).collect::<Result<Vec<_>, _>>()?;
    scopes.sort_unstable();
    Ok(scopes)
}

pub(super) fn token<'r>(row: &impl Columns<'r>) -> Result<TokenRow, StoreError> {
    Ok(TokenRow {
        id: row.text(3)?.into(),
        scope: Arc::new(scope(row, [0, 1, 2])?),
        name: row.text(4)?.into(),
        sealed: row.bytes(5)?.to_vec(),
        hash: row.text(6)?.into(),
        status: row.word(7)?,
        created_at: time(row, 8)?,
        created_by: row.optional_text(9)?.map(Into::into),
        revoke_after: optional_time(row, 10)?,
        revoked_at: optional_time(row, 11)?,
        last_used: optional_time(row, 12)?,
    })
}

/// Every token, by scope and name.
pub(super) fn tokens<'r, R: Columns<'r>>(rows: impl Iterator<Item = R>) -> Result<Vec<TokenRow>, StoreError> {
    let mut tokens = rows.map(|row| token(&row)).collect::<Result<Vec<_>, _>>()?;
    tokens.sort_unstable_by(|a, b| (&a.scope, &a.name).cmp(&(&b.scope, &b.name)));
    Ok(tokens)
}

pub(super) fn transition<'r>(row: &impl Columns<'r>) -> Result<Transition, StoreError> {
    Ok(Transition {
        account: row.text(0)?.into(),
        group: row.text(1)?.into(),
        instance: row.text(2)?.into(),
        at: time(row, 3)?,
        from: match row.optional_text(4)? {
            Some(_) => Some(row.word(4)?),
            None => None,
        },
        to: row.word(5)?,
        cause: row.word(6)?,
        note: row.text(7)?.into(),
        silence: None,
    })
}

/// One row of `TURNS`, handed on.
pub(super) fn turn<'r>(row: &impl Columns<'r>, sink: &mut dyn LoadSink) -> Result<(), StoreError> {
    let turn = Turn { at: time(row, 2)?, to: row.word(3)? };
    sink.turn(row.text(0)?, row.text(1)?, turn);
    Ok(())
}

/// Every setting. Without an account it belongs to the whole server.
pub(super) fn settings<'r, R: Columns<'r>>(
    rows: impl Iterator<Item = R>,
) -> Result<BTreeMap<(Option<Scope>, String), String>, StoreError> {
    rows.map(|row| {
        let scope = if row.text(0)?.is_empty() { None } else { Some(scope(&row, [0, 1, 2])?) };
        Ok(((scope, row.text(3)?.to_owned()), row.text(4)?.to_owned()))
    })
    .collect()
}

/// Every change counter; topics of a newer program are passed over.
pub(super) fn revisions<'r, R: Columns<'r>>(rows: impl Iterator<Item = R>) -> Result<Revisions, StoreError> {
    let mut revisions = Revisions::default();
    for row in rows {
        let counter = match row.text(0)? {
            "scopes" => &mut revisions.scopes,
            "tokens" => &mut revisions.tokens,
            "catalog" => &mut revisions.catalog,
            "settings" => &mut revisions.settings,
            "access" => &mut revisions.access,
            "fleet" => &mut revisions.fleet,
            _ => continue,
        };
        *counter = row.integer(1)?;
    }
    Ok(revisions)
}
