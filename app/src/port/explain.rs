//! What the pages need that explain a state or look for a cause.

use std::sync::Arc;

use async_trait::async_trait;
use fleet::explain::Ground;
use fleet::scope::Scope;
use fleet::troubleshoot::{Attempt, TokenState};
use fleet::view::Snapshot;

use super::{Notes, PortError};

/// What these pages may ask.
#[async_trait]
pub trait ExplainPort: Send + Sync + 'static {
    /// Everything that is known of one group, hidden ones and hidden instances included.
    ///
    /// # Errors
    /// The scope or the group is unknown, or the roster is not ready.
    async fn dossier(&self, scope: &Scope, identifier: &str) -> Result<Dossier, PortError>;

    /// What a scope saw lately, for a delegate that never appeared.
    ///
    /// # Errors
    /// The scope is unknown, or the roster is not ready.
    async fn arrivals(&self, scope: &Scope) -> Result<Dossier, PortError>;
}

/// What is known of one group, or of a whole scope.
#[derive(Clone, Debug)]
pub struct Dossier {
    /// The group alone, or every group of the scope.
    pub snapshot: Arc<Snapshot>,
    /// What the page says around the figures.
    pub notes: Notes,
    /// What the rules rest on.
    pub ground: Ground,
    /// The token of the instance heard last; none if it is no longer known.
    pub token: Option<TokenState>,
    /// Calls of the account that were turned away, newest first.
    pub attempts: Vec<Attempt>,
    /// Whether they hold addresses: only for those who see the whole account.
    pub addresses: bool,
}
