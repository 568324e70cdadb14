//! What people do, each deed in one place: pages, API and command line call these functions.
//!
//! A deed checks what it is told, makes its changes together with its line in the audit log in one transaction, and
//! only then lets the running server follow.

pub mod delegates;
pub mod external;
pub mod filters;
pub mod keys;
pub mod master_key;
pub mod mirrors;
pub mod overrides;
pub mod people;
pub mod roles;
pub mod settings;
pub mod tokens;

use std::collections::BTreeMap;
use std::sync::Arc;

use fleet::access::{Denial, Grants, Permission};
use fleet::scope::Scope;
use fleet::time::Timestamp;

use crate::auth::Identity;
use crate::store::StoreError;
use crate::store::access::{AuditRow, Change};

/// Who does it.
#[derive(Clone, Debug)]
pub struct Actor {
    /// `users.id`; empty for the server and the command line.
    pub id: Arc<str>,
    /// What the audit log calls them.
    pub name: Arc<str>,
    /// What they may do; none for the server and the command line, which may do everything.
    pub grants: Option<Grants>,
    /// Of the request; empty without one.
    pub request_id: String,
}

impl Actor {
    /// Somebody who asked for it in a request.
    #[must_use]
    pub fn person(who: &Identity, request_id: &str) -> Self {
        Self {
            id: Arc::clone(&who.id),
            name: Arc::clone(&who.email),
            grants: Some(who.grants.clone()),
            request_id: request_id.to_owned(),
        }
    }

    /// The server by itself.
    #[must_use]
    pub fn system() -> Self {
        Self { id: "".into(), name: "SYSTEM".into(), grants: None, request_id: String::new() }
    }

    /// Whoever can run the program on the server's machine.
    #[must_use]
    pub fn command_line() -> Self {
        Self { name: "command line".into(), ..Self::system() }
    }

    /// What the store notes as the creator; none without a person.
    #[must_use]
    pub fn creator(&self) -> Option<Box<str>> {
        (!self.id.is_empty()).then(|| (&*self.name).into())
    }

    /// Whether it may do this to everything in a scope: a role on named delegates is not enough.
    ///
    /// # Errors
    /// It may not.
    pub fn may(&self, permission: Permission, scope: &Scope) -> Result<(), Denial> {
        self.grants.as_ref().map_or(Ok(()), |grants| grants.decide_on_all(permission, scope))
    }

    /// A line of the audit log by this actor.
    #[must_use]
    pub fn line(
        &self,
        now: Timestamp,
        action: &'static str,
        resource: &'static str,
        name: impl Into<String>,
        scope: Option<&Scope>,
    ) -> Line {
        Line(AuditRow {
            at: now,
            actor_id: Arc::clone(&self.id),
            actor: Arc::clone(&self.name),
            action,
            resource,
            name: name.into(),
            scope: scope.cloned(),
            request_id: self.request_id.clone(),
            ..AuditRow::default()
        })
    }
}

/// A line of the audit log that is being written.
#[derive(Clone, Debug)]
pub struct Line(AuditRow);

impl Line {
    /// Its sentence.
    #[must_use]
    pub fn says(mut self, summary: impl Into<String>) -> Self {
        self.0.summary = summary.into();
        self
    }

    /// A value before.
    #[must_use]
    pub fn before(mut self, name: &str, value: impl Into<String>) -> Self {
        self.0.before.insert(name.to_owned(), value.into());
        self
    }

    /// A value after.
    #[must_use]
    pub fn after(mut self, name: &str, value: impl Into<String>) -> Self {
        self.0.after.insert(name.to_owned(), value.into());
        self
    }

    /// The change that writes it.
    #[must_use]
    pub fn change(self) -> Change {
        Change::Audit(self.0)
    }
}

/// Why a deed was not done; nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum DeedError {
    /// A value cannot be used.
    #[error("{field}: {message}")]
    Field {
        /// The field of the form.
        field: &'static str,
        /// A sentence.
        message: String,
    },
    /// A permission is missing.
    #[error("{0}")]
    Denied(Denial),
    /// It is not allowed, whoever asks.
    #[error("{0}")]
    Refused(String),
    /// There is no such token, key, person, role or delegate.
    #[error("there is no such {0} here")]
    Unknown(&'static str),
    /// The store cannot be read or written.
    #[error("nothing was changed: the database does not answer")]
    Unavailable,
}

impl DeedError {
    fn field(field: &'static str, message: impl Into<String>) -> Self {
        Self::Field { field, message: message.into() }
    }
}

impl From<Denial> for DeedError {
    fn from(denial: Denial) -> Self {
        Self::Denied(denial)
    }
}

impl From<StoreError> for DeedError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Exists(what) => Self::field("name", format!("{what} already exists")),
            StoreError::Missing(what) => Self::Refused(format!("{what} is not there any more")),
            error => {
                tracing::error!(%error, "a change was not stored");
                Self::Unavailable
            }
        }
    }
}

/// Every action of the audit log, for filters.
pub const ACTIONS: [&str; 51] = [
    "access.sign_in",
    "access.sign_in_failed",
    "access.sign_out",
    "access.setup",
    "user.create",
    "user.disable",
    "user.enable",
    "user.password",
    "user.sign_out",
    "role.create",
    "role.change",
    "role.delete",
    "assignment.create",
    "assignment.delete",
    "api_key.create",
    "api_key.revoke",
    "embed_key.create",
    "embed_key.revoke",
    "token.create",
    "token.show",
    "token.revoke",
    "token.auto_revoke",
    "token.delete",
    "token.purge",
    "master_key.rotate",
    "delegate.delete",
    "delegate.undo_delete",
    "delegate.allow",
    "delegate.approve",
    "delegate.reject",
    "delegate.by_choice",
    "delegate.tags",
    "override.set",
    "override.delete",
    "mirror.add",
    "mirror.remove",
    "delegate.register",
    "delegate.return",
    "delegate.version",
    "delegate.unregister",
    "delegate.blocked",
    "setting.change",
    "setting.reset",
    "catalog.import",
    "filter.create",
    "filter.change",
    "filter.delete",
    "scope.create",
    "link.create",
    "audit.export",
    "instance.delete",
];

/// Every type of resource of the audit log, for filters.
pub const RESOURCES: [&str; 15] = [
    "user",
    "role",
    "assignment",
    "api_key",
    "embed_key",
    "token",
    "delegate",
    "override",
    "mirror",
    "instance",
    "setting",
    "catalog",
    "saved_filter",
    "scope",
    "session",
];

/// Values by name.
pub type Values = BTreeMap<String, String>;

/// Checks a name that people give to things.
///
/// # Errors
/// Empty, too long, or with characters that nobody sees.
pub fn checked_name(field: &'static str, text: &str) -> Result<String, DeedError> {
    let name = text.trim();
    let length = name.chars().count();
    if let Some(hidden) = name.chars().find(|&c| fleet::text::is_hidden(c)) {
        let message = format!("Leave out U+{:04X}, a character that nobody sees.", u32::from(hidden));
        return Err(DeedError::field(field, message));
    }
    if !(1..=128).contains(&length) {
        return Err(DeedError::field(field, "Give 1 to 128 characters."));
    }
    Ok(name.to_owned())
}

/// The end of something that lives for so many days from now; empty is never.
///
/// # Errors
/// No number, or out of range.
pub fn checked_days(text: &str, most: i64, now: Timestamp) -> Result<Option<Timestamp>, DeedError> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(None);
    }
    match text.parse::<i64>() {
        Ok(days) if (1..=most).contains(&days) => Ok(Some(now.plus(days * fleet::time::DAY))),
        _ => Err(DeedError::field("days", format!("Give a whole number of days from 1 to {most}."))),
    }
}
