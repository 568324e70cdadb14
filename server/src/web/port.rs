//! What pages ask, answered from the roster.

use std::sync::Arc;

use app::port::{GroupPage, Notes, Overview, Port, PortError, ScopeNode};
use async_trait::async_trait;
use fleet::query::{Query, select, select_members};
use fleet::scope::{Level, Scope};
use fleet::time::Timestamp;
use fleet::view::Snapshot;

use crate::clock::Clock;
use crate::roster::{Roster, SharedSnapshot, SnapshotError};

/// The roster as pages see it.
pub struct RosterPort {
    roster: Arc<Roster>,
    clock: Clock,
}

impl RosterPort {
    /// A port over this roster.
    #[must_use]
    pub const fn new(roster: Arc<Roster>, clock: Clock) -> Self {
        Self { roster, clock }
    }

    async fn snapshot(&self, scope: &Scope, below: bool) -> Result<Arc<SharedSnapshot>, PortError> {
        self.roster.snapshot(scope, below, self.clock.now()).await.map_err(|error| match error {
            SnapshotError::UnknownScope(scope) => PortError::UnknownScope(scope),
            SnapshotError::Stopping => PortError::NotReady,
        })
    }

    fn notes(&self, now: Timestamp) -> Notes {
        let reference = self.roster.reference();
        Notes {
            restarted_at: self.roster.restarted_at(now),
            unstored_since: self.roster.unstored_since(),
            catalog_present: !reference.catalog.entries.is_empty(),
            catalog_stale: reference.catalog.is_stale(now),
            policy: reference.policy.clone(),
        }
    }
}

#[async_trait]
impl Port for RosterPort {
    async fn overview(&self, scope: &Scope, query: &Query) -> Result<Overview, PortError> {
        let shared = self.snapshot(scope, query.below).await?;
        let snapshot = Arc::clone(&shared.snapshot);
        let selection = select(&snapshot, query);
        Ok(Overview { selection, below: shared.below, notes: self.notes(snapshot.as_of), snapshot })
    }

    async fn group(&self, scope: &Scope, identifier: &str, query: &Query) -> Result<GroupPage, PortError> {
        let shared = self.snapshot(scope, false).await?;
        let whole = &shared.snapshot;
        let unknown = || PortError::UnknownGroup { scope: scope.clone(), identifier: identifier.to_owned() };
        let group = whole.group(identifier).ok_or_else(unknown)?.clone();
        let selection = select_members(&group, query);
        let alone = Snapshot::new(scope.clone(), false, whole.as_of, whole.latest.clone(), vec![group]);
        Ok(GroupPage { selection, notes: self.notes(whole.as_of), snapshot: Arc::new(alone) })
    }

    async fn scopes(&self) -> Result<Arc<Vec<ScopeNode>>, PortError> {
        // Outer scopes sort before those inside them, so that a parent is always there already.
        let mut accounts: Vec<ScopeNode> = Vec::new();
        for scope in self.roster.scopes() {
            let node = ScopeNode { scope, children: Vec::new() };
            let level = node.scope.level();
            let siblings = match level {
                Level::Account => Some(&mut accounts),
                Level::Organization => accounts.last_mut().map(|account| &mut account.children),
                Level::Project => accounts
                    .last_mut()
                    .and_then(|account| account.children.last_mut())
                    .map(|parent| &mut parent.children),
            };
            if let Some(siblings) = siblings {
                siblings.push(node);
            }
        }
        Ok(Arc::new(accounts))
    }
}
