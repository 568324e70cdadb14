//! What assessments rest on beside the fleet itself: settings, catalog, scopes.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;
use std::sync::Arc;

use fleet::catalog::{Catalog, Latest, Origins};
use fleet::overrides::{self, OfScope, Override};
use fleet::policy::{DeletedPolicy, Policy};
use fleet::scope::Scope;
use fleet::time::{DAY, MINUTE, Timestamp};
use fleet::version::Version;
use ipnet::IpNet;

/// Replaced whole when any of it changes, so that a snapshot never mixes two states.
#[derive(Clone, Debug, Default)]
pub struct Reference {
    /// Thresholds.
    pub policy: Policy,
    /// Releases; empty before the first import.
    pub catalog: Arc<Catalog>,
    /// Scopes that were created; those of groups count too.
    pub scopes: BTreeSet<Scope>,
    /// `versions.latest` per scope.
    pub pinned: BTreeMap<Scope, Version>,
    /// Version overrides.
    pub overrides: BTreeMap<Scope, OfScope>,
    /// `versions.ring` per account.
    pub rings: BTreeMap<String, String>,
    /// `delegates.deleted_policy`.
    pub deleted: Inherited<DeletedPolicy>,
    /// `delegates.delete_connected`.
    pub delete_connected: Inherited<bool>,
    /// `approval.required`.
    pub approval: Inherited<bool>,
    /// `registration.allowlist` per account; an account without one takes every address.
    pub allowlists: BTreeMap<String, Arc<[IpNet]>>,
    /// For how long things are kept, and how often the API may be asked.
    pub keep: Keep,
}

/// A setting that the whole server and each scope can have; the nearest one upward counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inherited<T> {
    /// For the whole server.
    pub server: Option<T>,
    /// For a scope and those below it.
    pub scopes: BTreeMap<Scope, T>,
}

impl<T> Default for Inherited<T> {
    fn default() -> Self {
        Self { server: None, scopes: BTreeMap::new() }
    }
}

impl<T: Copy + Default> Inherited<T> {
    /// The value that is in force in a scope.
    #[must_use]
    pub fn at(&self, scope: &Scope) -> T {
        if self.scopes.is_empty() {
            return self.server.unwrap_or_default();
        }
        let nearest = scope.ancestors().find_map(|scope| self.scopes.get(&scope).copied());
        nearest.or(self.server).unwrap_or_default()
    }
}

/// Numbers of `product 20` that jobs and the API need. Durations are milliseconds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Keep {
    /// `history.keep_days`.
    pub history: i64,
    /// `audit.keep_days`.
    pub audit: i64,
    /// `tokens.purge_days`: when a revoked token is removed and its name becomes free.
    pub revoked_tokens: i64,
    /// `api.rate_per_minute`, per key.
    pub api_rate: u32,
    /// `mirror.interval_seconds`: from one look at a mirrored server to the next.
    pub mirror_interval: i64,
}

impl Default for Keep {
    fn default() -> Self {
        Self {
            history: 400 * DAY,
            audit: 730 * DAY,
            revoked_tokens: 30 * DAY,
            api_rate: 1_000,
            mirror_interval: MINUTE,
        }
    }
}

impl Reference {
    /// What is latest for a scope: the nearest pin upward, else the ring, else the catalog (`product 5.5`, P14).
    #[must_use]
    pub fn latest(&self, scope: &Scope, now: Timestamp) -> Latest {
        self.ground(scope, now).0
    }

    /// The same with where it comes from, and the scope whose pin it is.
    #[must_use]
    pub fn ground(&self, scope: &Scope, now: Timestamp) -> (Latest, Origins, Option<Scope>) {
        let pinned = scope.ancestors().find_map(|scope| self.pinned.get(&scope).map(|pin| (pin, scope)));
        let ring = self.rings.get(scope.account()).map(String::as_str);
        let (latest, origins) =
            self.catalog.latest_with_origins(pinned.as_ref().map(|(pin, _)| *pin), ring, now);
        (latest, origins, pinned.map(|(_, scope)| scope))
    }

    /// Version overrides that reach a scope and hold now, in the order in which they are tried (`management-api 2.7`).
    #[must_use]
    pub fn overrides_at(&self, scope: &Scope, now: Timestamp) -> Vec<(Scope, Override)> {
        let latest = |scope: &Scope| self.latest(scope, now).classic.map(|latest| latest.as_str().into());
        overrides::in_force(&self.overrides, scope, latest, now)
    }

    /// What becomes of a deleted delegate of a scope that calls again (`agent-protocol 9.4`).
    #[must_use]
    pub fn deleted_policy(&self, scope: &Scope) -> DeletedPolicy {
        self.deleted.at(scope)
    }

    /// Whether a connected delegate of a scope may be deleted.
    #[must_use]
    pub fn delete_connected(&self, scope: &Scope) -> bool {
        self.delete_connected.at(scope)
    }

    /// Whether new groups of a scope wait for a person (`product 10.4`).
    #[must_use]
    pub fn approval_required(&self, scope: &Scope) -> bool {
        self.approval.at(scope)
    }

    /// Whether delegates of an account may register from an address (`product 10.3`, `agent-protocol 9.5`). An
    /// address that nobody knows is on no list.
    #[must_use]
    pub fn admits(&self, account: &str, source: Option<IpAddr>) -> bool {
        let Some(list) = self.allowlists.get(account) else { return true };
        // An IPv4 client of a listener for both comes as ::ffff:192.0.2.1.
        let source = source.map(|source| source.to_canonical());
        source.is_some_and(|source| list.iter().any(|net| net.contains(&source)))
    }
}
