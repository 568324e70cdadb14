//! One statement of a change.

use crate::store::StoreError;
use crate::store::request::Request;

/// A statement, and what it means when the database refuses it or finds nothing.
pub(in crate::store) struct Step<'a> {
    pub(in crate::store) request: Request<'a>,
    /// The name that must not be taken.
    pub(in crate::store) unique: Option<String>,
    /// The scope that must exist.
    pub(in crate::store) scope: Option<String>,
    /// What must be there.
    pub(in crate::store) wanted: Option<&'static str>,
}

impl<'a> Step<'a> {
    pub(in crate::store) fn new(request: Request<'a>) -> Self {
        Self { request, unique: None, scope: None, wanted: None }
    }

    pub(in crate::store) fn unique(mut self, name: String) -> Self {
        self.unique = Some(name);
        self
    }

    pub(in crate::store) fn wanted(mut self, what: &'static str) -> Self {
        self.wanted = Some(what);
        self
    }

    /// What a refusal of the database means.
    pub(in crate::store) fn refused(self, error: sqlx::Error) -> StoreError {
        match error.as_database_error() {
            Some(cause) if cause.is_unique_violation() => {
                StoreError::Exists(self.unique.unwrap_or_else(|| "this".to_owned()))
            }
            Some(cause) if cause.is_foreign_key_violation() => {
                StoreError::Missing(self.scope.unwrap_or_else(|| "what this belongs to".to_owned()))
            }
            _ => crate::store::error::failed(error),
        }
    }

    /// Whether it did what it had to.
    pub(in crate::store) fn done(self, rows: u64) -> Result<(), StoreError> {
        match self.wanted {
            Some(what) if rows == 0 => Err(StoreError::Missing(what.to_owned())),
            _ => Ok(()),
        }
    }
}
