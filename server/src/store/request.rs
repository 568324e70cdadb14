//! Statements with their values, one row at a time: scopes, tokens, catalog, settings, history.

use std::borrow::Cow;

use fleet::scope::Scope;
use fleet::time::Timestamp;

use super::decode::ScopeKey;
use super::records::plain;
use super::words::Word;
use super::{HistoryWanted, NewScope, TokenRow, sql};

/// A value of a statement.
pub(super) enum Value<'a> {
    Text(Cow<'a, str>),
    OptionalText(Option<&'a str>),
    Integer(i64),
    OptionalInteger(Option<i64>),
    Bytes(&'a [u8]),
}

impl<'a> From<&'a str> for Value<'a> {
    fn from(text: &'a str) -> Self {
        Self::Text(plain(text))
    }
}

impl<'a> From<&'a [u8]> for Value<'a> {
    fn from(bytes: &'a [u8]) -> Self {
        Self::Bytes(bytes)
    }
}

impl From<Timestamp> for Value<'_> {
    fn from(at: Timestamp) -> Self {
        Self::Integer(at.millis())
    }
}

impl From<Option<Timestamp>> for Value<'_> {
    fn from(at: Option<Timestamp>) -> Self {
        Self::OptionalInteger(at.map(Timestamp::millis))
    }
}

/// A statement that both databases read, with its values in the order of `$1`, `$2` and so on.
pub(super) struct Request<'a> {
    pub(super) sql: &'static str,
    pub(super) values: Vec<Value<'a>>,
}

impl<'a> Request<'a> {
    /// A statement without values yet.
    pub(super) const fn of(sql: &'static str) -> Self {
        Self { sql, values: Vec::new() }
    }

    /// A statement whose first three values are a scope.
    pub(super) fn of_scope(sql: &'static str, key: ScopeKey<'a>) -> Self {
        Self { sql, values: vec![key.account.into(), key.organization.into(), key.project.into()] }
    }

    /// With one more value.
    pub(super) fn with(mut self, value: impl Into<Value<'a>>) -> Self {
        self.values.push(value.into());
        self
    }

    /// Counts a change of `topic`.
    pub(super) fn bump(topic: &'a str) -> Self {
        Self { sql: sql::BUMP, values: vec![topic.into()] }
    }

    pub(super) fn insert_scope(new: &'a NewScope) -> Self {
        Self::of_scope(sql::INSERT_SCOPE, (&new.scope).into()).with(new.created_at)
    }

    pub(super) fn insert_token(token: &'a TokenRow) -> Self {
        Self::of_scope(sql::INSERT_TOKEN, (&*token.scope).into())
            .with(&*token.id)
            .with(&*token.name)
            .with(Value::Bytes(&token.sealed))
            .with(&*token.hash)
            .with(token.status.word())
            .with(token.created_at)
            .with(Value::OptionalText(token.created_by.as_deref()))
            .with(token.revoke_after)
            .with(token.revoked_at)
            .with(token.last_used)
    }

    pub(super) fn put_catalog(json: &'a str, at: Timestamp) -> Self {
        Self { sql: sql::INSERT_CATALOG, values: vec![at.into(), json.into()] }
    }

    /// Sets a value, or removes it.
    pub(super) fn put_setting(
        scope: Option<&'a Scope>,
        name: &'a str,
        value: Option<&'a str>,
        at: Timestamp,
    ) -> Self {
        match value {
            Some(value) => Self::of_scope(sql::PUT_SETTING, scope.into()).with(name).with(value).with(at),
            None => Self::of_scope(sql::REMOVE_SETTING, scope.into()).with(name),
        }
    }

    pub(super) fn history(wanted: &HistoryWanted<'a>) -> Self {
        let request = match wanted.instance {
            None => Self::of(sql::GROUP_HISTORY).with(wanted.account).with(wanted.group),
            Some(instance) => {
                Self::of(sql::INSTANCE_HISTORY).with(wanted.account).with(wanted.group).with(instance)
            }
        };
        request.with(wanted.from).with(wanted.until).with(Value::Integer(wanted.limit.into()))
    }

    pub(super) fn purge_history(before: Timestamp, limit: u32) -> Self {
        Self::of(sql::PURGE_HISTORY).with(before).with(Value::Integer(limit.into()))
    }

    pub(super) fn forget_beats(until: i64, limit: u32) -> Self {
        Self::of(sql::FORGET_BEATS).with(Value::Integer(until)).with(Value::Integer(limit.into()))
    }
}
