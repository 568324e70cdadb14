//! What is known of a delegate, for those who ask why.

use std::sync::Arc;

use app::port::PortError;
use app::port::explain::{Dossier, ExplainPort};
use async_trait::async_trait;
use fleet::access::Permission;
use fleet::explain::Ground;
use fleet::query::Query;
use fleet::scope::Scope;
use fleet::time::Timestamp;
use fleet::troubleshoot::{Attempt, TokenState};
use fleet::view::{GroupView, Snapshot};

use super::ViewerPort;
use crate::store::TokenStatus;

impl ViewerPort {
    pub(super) fn ground(&self, scope: &Scope, now: Timestamp) -> Ground {
        let reference = self.state.roster.reference();
        let (_, origins, pinned_at) = reference.ground(scope, now);
        Ground {
            policy: reference.policy.clone(),
            now,
            restarted_at: self.state.roster.restarted_at(now),
            origins,
            pinned_at,
            ring: reference.rings.get(scope.account()).cloned(),
            overrides: reference.overrides_at(scope, now),
            public: reference.catalog.latest(None, None, now).classic,
        }
    }

    /// Addresses say where others run, so they are for those alone who see the whole account; the second part tells
    /// whether they are there.
    fn attempts(&self, scope: &Scope) -> (Vec<Attempt>, bool) {
        let Ok(who) = self.who() else { return (Vec::new(), false) };
        let whole = Scope::new(scope.account(), None, None).is_ok_and(|account| {
            who.grants.allow(Permission::DelegateView, &account, None) && who.grants.see_all(&account)
        });
        let mut attempts = self.state.roster.attempts(scope.account());
        if !whole {
            for attempt in &mut attempts {
                (attempt.address, attempt.token) = (None, None);
            }
        }
        (attempts, whole)
    }

    /// The token of the instance that was heard last.
    async fn token_of(&self, group: &GroupView) -> Result<Option<TokenState>, PortError> {
        let Some(newest) = group.members.iter().max_by_key(|member| member.last_heartbeat) else {
            return Ok(None);
        };
        let rows = self.state.store.tokens().await.map_err(|error| {
            tracing::error!(%error, "tokens cannot be read");
            PortError::NotReady
        })?;
        let row = rows.into_iter().find(|row| row.id == newest.facts.token);
        Ok(row.map(|row| TokenState {
            name: row.name,
            active: row.status == TokenStatus::Active,
            revoked_at: row.revoked_at,
            last_used: self.state.tokens.last_used(&row.id).max(row.last_used),
        }))
    }
}

#[async_trait]
impl ExplainPort for ViewerPort {
    async fn dossier(&self, scope: &Scope, identifier: &str) -> Result<Dossier, PortError> {
        let query = Query { hidden: true, ..Query::default() };
        let (whole, _) = self.snapshot(scope, &query).await?;
        let unknown = || PortError::UnknownGroup { scope: scope.clone(), identifier: identifier.to_owned() };
        let group = whole.group(identifier).ok_or_else(unknown)?.clone();
        let token = self.token_of(&group).await?;
        let (attempts, addresses) = self.attempts(scope);
        let sight = query.sight();
        let alone = Snapshot::new(scope.clone(), sight, whole.as_of, whole.latest.clone(), vec![group]);
        Ok(Dossier {
            notes: self.notes(&whole),
            ground: self.ground(scope, whole.as_of),
            token,
            attempts,
            addresses,
            snapshot: Arc::new(alone),
        })
    }

    async fn arrivals(&self, scope: &Scope) -> Result<Dossier, PortError> {
        let (snapshot, _) = self.snapshot(scope, &Query::default()).await?;
        let (attempts, addresses) = self.attempts(scope);
        Ok(Dossier {
            notes: self.notes(&snapshot),
            ground: self.ground(scope, snapshot.as_of),
            token: None,
            attempts,
            addresses,
            snapshot,
        })
    }
}
