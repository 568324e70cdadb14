//! What assessments rest on beside the fleet itself: settings, catalog, scopes.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use fleet::catalog::{Catalog, Latest};
use fleet::policy::Policy;
use fleet::scope::Scope;
use fleet::time::Timestamp;
use fleet::version::Version;

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
    /// `versions.ring` per account.
    pub rings: BTreeMap<String, String>,
}

impl Reference {
    /// What is latest for a scope: the nearest pin upward, else the ring, else the catalog (`product 5.5`, P14).
    #[must_use]
    pub fn latest(&self, scope: &Scope, now: Timestamp) -> Latest {
        let pinned = scope.ancestors().find_map(|scope| self.pinned.get(&scope));
        let ring = self.rings.get(scope.account()).map(String::as_str);
        self.catalog.latest(pinned, ring, now)
    }
}
