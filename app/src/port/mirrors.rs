//! Other servers whose delegates are shown.

use std::sync::Arc;

use fleet::scope::Scope;
use fleet::time::Timestamp;

/// Another server whose delegates are shown here; never its key (`management-api 7`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mirror {
    /// Internal id, used in addresses.
    pub id: Arc<str>,
    /// What people call it.
    pub name: Arc<str>,
    /// Address of the server.
    pub url: String,
    /// What is asked for there.
    pub scopes: Vec<Scope>,
    /// Who set it up.
    pub created_by: Option<String>,
    /// Instant of the last list; none before the first.
    pub as_of: Option<Timestamp>,
    /// The last look, good or bad.
    pub tried_at: Option<Timestamp>,
    /// Why that failed, in one sentence; empty while all is well.
    pub trouble: String,
    /// Entries of the last list that could not be understood.
    pub skipped: u32,
    /// Groups and instances of the last list.
    pub size: (u64, u64),
}
