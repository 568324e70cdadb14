//! What pages need to know. The server implements [`Port`] over the roster; pages find it in their context.

pub mod access;

use std::sync::Arc;

use async_trait::async_trait;
use fleet::policy::Policy;
use fleet::query::{Query, Selection};
use fleet::scope::Scope;
use fleet::time::Timestamp;
use fleet::view::Snapshot;

use self::access::{Refused, Undo};

/// The port as a page finds it by `use_context`.
pub type SharedPort = Arc<dyn Port>;
/// The same for [`access::AccessPort`].
pub type SharedAccessPort = Arc<dyn access::AccessPort>;

/// What pages may ask.
#[async_trait]
pub trait Port: Send + Sync + 'static {
    /// Everything of the Delegates page of one scope.
    ///
    /// # Errors
    /// The scope is unknown, or the roster is not ready.
    async fn overview(&self, scope: &Scope, query: &Query) -> Result<Overview, PortError>;

    /// Everything of the page of one group; `identifier` is unique inside the scope.
    ///
    /// # Errors
    /// The scope or the group is unknown, or the roster is not ready.
    async fn group(&self, scope: &Scope, identifier: &str, query: &Query) -> Result<GroupPage, PortError>;

    /// Every account with its organizations and projects, by identifier.
    ///
    /// # Errors
    /// The roster is not ready.
    async fn scopes(&self) -> Result<Arc<Vec<ScopeNode>>, PortError>;
}

/// The Delegates page of one scope at one instant.
#[derive(Clone, Debug)]
pub struct Overview {
    /// Cards and list rest on this one snapshot.
    pub snapshot: Arc<Snapshot>,
    /// The rows of the page that was asked for.
    pub selection: Selection,
    /// How many groups lie in scopes below that this page does not list; 0 when they are included.
    pub below: u64,
    /// What the page says around the figures.
    pub notes: Notes,
}

/// The page of one group.
#[derive(Clone, Debug)]
pub struct GroupPage {
    /// A snapshot that holds this group alone, so that cards and list are those of the Delegates page.
    pub snapshot: Arc<Snapshot>,
    /// One row; its members are one page of matching instances, `pages` counts pages of instances.
    pub selection: Selection,
    /// What the page says around the figures.
    pub notes: Notes,
}

/// Facts about the figures themselves.
#[derive(Clone, Debug, Default)]
pub struct Notes {
    /// The settings that the figures rest on.
    pub policy: Policy,
    /// Set during the first minutes after a start, when ages are true but silence proves little (`product
    /// 3.7`).
    pub restarted_at: Option<Timestamp>,
    /// Set while changes cannot be stored.
    pub unstored_since: Option<Timestamp>,
    /// Whether any catalog was imported.
    pub catalog_present: bool,
    /// Whether the catalog is older than 60 days (`product 5.5`).
    pub catalog_stale: bool,
    /// Deletions that the viewer may still undo, newest first; ten at most.
    pub undo: Vec<Undo>,
    /// Deleted or rejected delegates that keep calling, newest first; ten at most. Empty for viewers who cannot
    /// change that.
    pub refused: Vec<Refused>,
}

/// A scope with those below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScopeNode {
    /// The scope itself.
    pub scope: Scope,
    /// Whether the viewer may open it; otherwise it is there only because something below it is.
    pub reachable: bool,
    /// Organizations of an account, projects of an organization.
    pub children: Vec<ScopeNode>,
}

/// Why a page has no data.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PortError {
    /// The account, organization or project does not exist.
    #[error("there is no scope {0}")]
    UnknownScope(Scope),
    /// The group does not exist in this scope, or is hidden.
    #[error("there is no delegate {identifier} in {scope}")]
    UnknownGroup {
        /// Where it was looked for.
        scope: Scope,
        /// What was looked for.
        identifier: String,
    },
    /// The roster is still loading.
    #[error("the fleet is still loading")]
    NotReady,
    /// The viewer lacks a permission; says which and where.
    #[error("{0}")]
    Denied(String),
    /// There is no such token, key, link, person or role here.
    #[error("there is no such {0} here")]
    Unknown(&'static str),
    /// A parameter of the address cannot be understood.
    #[error("{field}: {message}")]
    BadParameter {
        /// The parameter.
        field: &'static str,
        /// What it should be.
        message: String,
    },
}
