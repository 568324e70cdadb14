//! What pages need to know. The server implements [`Port`] over the roster; pages find it in their context.

pub mod access;
pub mod api;
mod doors;
pub mod explain;
pub mod filters;
pub mod history;
pub mod mirrors;

use std::sync::Arc;

use async_trait::async_trait;
use fleet::chart::Charts;
use fleet::history::Window;
use fleet::mirror::Source;
use fleet::policy::Policy;
use fleet::query::{Query, Selection};
use fleet::scope::Scope;
use fleet::summary::Counts;
use fleet::time::Timestamp;
use fleet::view::Snapshot;

use self::access::{Refused, Undo};
use self::api::ApiReference;
use self::filters::{FilterPage, SavedFilter};
use self::history::{Activity, ActivityQuery, History, InstancePage};

/// The port as a page finds it by `use_context`.
pub type SharedPort = Arc<dyn Port>;
/// The same for [`access::AccessPort`].
pub type SharedAccessPort = Arc<dyn access::AccessPort>;

/// The same for [`explain::ExplainPort`].
pub type SharedExplainPort = Arc<dyn explain::ExplainPort>;

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

    /// What a filter of this scope can be made of, counted for this query.
    ///
    /// # Errors
    /// The scope is unknown, or the roster is not ready.
    async fn filters(&self, scope: &Scope, query: &Query) -> Result<FilterPage, PortError>;

    /// The saved filters of a scope that the viewer sees, by name.
    ///
    /// # Errors
    /// The scope is unknown or closed to the viewer.
    async fn saved_filters(&self, scope: &Scope) -> Result<Vec<SavedFilter>, PortError>;

    /// The past of every known instance of a group; of one that is hidden or deleted, too.
    ///
    /// # Errors
    /// The scope or the group is unknown, or history cannot be read.
    async fn history(&self, scope: &Scope, identifier: &str, window: Window) -> Result<History, PortError>;

    /// Everything of the page of one instance; of one that is hidden, deleted or gone, too.
    ///
    /// # Errors
    /// The scope, the group or the instance is unknown, or history cannot be read.
    async fn instance(
        &self,
        scope: &Scope,
        identifier: &str,
        instance: &str,
        window: Window,
    ) -> Result<InstancePage, PortError>;

    /// What happened to a group and who changed it; to one that is hidden or deleted, too.
    ///
    /// # Errors
    /// The scope or the group is unknown, a parameter cannot be understood, or history cannot be read.
    async fn activity(
        &self,
        scope: &Scope,
        identifier: &str,
        query: &ActivityQuery,
    ) -> Result<Activity, PortError>;

    /// Every account with its organizations and projects, by identifier.
    ///
    /// # Errors
    /// The roster is not ready.
    async fn scopes(&self) -> Result<Arc<Vec<ScopeNode>>, PortError>;

    /// What scripts and tools may call.
    fn api(&self) -> Arc<ApiReference>;
}

/// The Delegates page of one scope at one instant.
#[derive(Clone, Debug)]
pub struct Overview {
    /// Cards and list rest on this one snapshot.
    pub snapshot: Arc<Snapshot>,
    /// What the charts over the list draw; of the whole snapshot, whatever is filtered.
    pub charts: Arc<Charts>,
    /// The rows of the page that was asked for.
    pub selection: Selection,
    /// What lies in scopes below that this page does not list; nothing when they are included.
    pub below: Counts,
    /// What the page says around the figures.
    pub notes: Notes,
}

/// The version that a group should run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Target {
    /// The image tag of a version override; none where the latest version counts.
    pub chosen: Option<String>,
    /// Who says so.
    pub from: String,
}

/// The page of one group.
#[derive(Clone, Debug)]
pub struct GroupPage {
    /// A snapshot that holds this group alone, so that cards and list are those of the Delegates page.
    pub snapshot: Arc<Snapshot>,
    /// One row; its members are one page of matching instances, `pages` counts pages of instances.
    pub selection: Selection,
    /// What its upgrader is led to.
    pub target: Target,
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
    /// Since when this server does not know what other ones on the same database hear.
    pub deaf_since: Option<Timestamp>,
    /// Mirrored servers that cannot be read, of which the page may show something.
    pub sources: Vec<Source>,
    /// Whether any catalog was imported.
    pub catalog_present: bool,
    /// Whether the catalog is older than 60 days (`product 5.5`).
    pub catalog_stale: bool,
    /// Repository of delegate images, if the server was told one.
    pub image_repository: Option<String>,
    /// Instances that retention hides here, listed or not; a hidden group without any counts as one.
    pub hidden: u64,
    /// Saved filters that the viewer sees, by name.
    pub saved: Vec<SavedFilter>,
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
    /// The group exists, or existed, but nothing is known of this instance.
    #[error("there is no instance {instance} of {identifier} in {scope}")]
    UnknownInstance {
        /// Where it was looked for.
        scope: Scope,
        /// Identifier of the group.
        identifier: String,
        /// What was looked for.
        instance: String,
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
