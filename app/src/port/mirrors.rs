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
    /// What is shown of it; none before its first list.
    pub shown: Option<Shown>,
    /// Why the last look failed, in one sentence; empty while all is well.
    pub trouble: String,
    /// Entries of the last list that could not be understood.
    pub skipped: u32,
}

/// What is shown of a mirror.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shown {
    /// Instant of its list.
    pub as_of: Timestamp,
    /// Groups.
    pub groups: u64,
    /// Instances.
    pub instances: u64,
}
