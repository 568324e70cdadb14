//! One computation per scope, shared by everyone who looks at it.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use fleet::health::Judge;
use fleet::scope::Scope;
use fleet::time::Timestamp;
use fleet::view::{Extent, GroupView, Snapshot};
use quick_cache::sync;
use tokio::sync::Mutex;

use super::account::{Account, Group, Version};
use super::{Reference, Roster};

/// Scopes whose last snapshot is kept.
const KEPT: usize = 64;
/// A snapshot is never older than this, even if nothing but time has passed.
const MAX_AGE: i64 = 1_000;
/// A change asks for a new snapshot, but computing a large one may take only one part in this many of the time.
const DUTY: u32 = 4;
/// Up to so many instances a snapshot is made whenever something has changed.
const SMALL: u64 = 20_000;

/// A snapshot with what its readers share.
#[derive(Debug)]
pub struct SharedSnapshot {
    /// Cards, list and export rest on it.
    pub snapshot: Arc<Snapshot>,
    /// Visible groups in scopes below that the snapshot leaves out.
    pub below: u64,
    digest: OnceLock<u64>,
}

impl SharedSnapshot {
    /// Changes when a viewer would see more than ages and heartbeats change.
    pub fn digest(&self) -> u64 {
        *self.digest.get_or_init(|| digest(&self.snapshot))
    }
}

/// Why there is no snapshot.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SnapshotError {
    /// Neither created nor used by any delegate.
    #[error("there is no scope {0}")]
    UnknownScope(Scope),
    /// The computation was broken off by a shutdown.
    #[error("the server is shutting down")]
    Stopping,
}

type Slot = Arc<Mutex<Option<Held>>>;

struct Held {
    shared: Arc<SharedSnapshot>,
    version: Version,
    made: Instant,
    cost: Duration,
}

/// The last snapshot of each scope.
pub(super) struct Cache(sync::Cache<(Scope, Extent), Slot>);

impl Cache {
    pub(super) fn new() -> Self {
        Self(sync::Cache::new(KEPT))
    }

    /// Frees snapshots that nobody asked for lately.
    pub(super) fn forget_old(&self) {
        self.0.retain(|_, slot| {
            slot.try_lock().map_or(true, |held| {
                held.as_ref().is_some_and(|held| held.made.elapsed() < Duration::from_mins(1))
            })
        });
    }
}

impl Roster {
    /// The fleet of a scope as of `now` or at most a second before; a plain `true` adds scopes below.
    ///
    /// # Errors
    /// The scope is unknown.
    pub async fn snapshot(
        self: &Arc<Self>,
        scope: &Scope,
        extent: impl Into<Extent>,
        now: Timestamp,
    ) -> Result<Arc<SharedSnapshot>, SnapshotError> {
        if !self.has_scope(scope) {
            return Err(SnapshotError::UnknownScope(scope.clone()));
        }
        let key = (scope.clone(), extent.into());
        let slot =
            self.snapshots.0.get_or_insert_with(&key, || Ok::<_, std::convert::Infallible>(Slot::default()));
        let slot = slot.unwrap_or_default();
        // Whoever comes while one is being made waits here and shares it.
        let mut held = slot.lock().await;
        let version =
            self.account(scope.account()).map_or_else(Version::default, |account| account.version());
        if let Some(held) = held.as_ref().filter(|held| held.serves(version, now)) {
            return Ok(Arc::clone(&held.shared));
        }
        let roster = Arc::clone(self);
        let started = Instant::now();
        let computed = tokio::task::spawn_blocking(move || roster.compute(key.0, key.1, now)).await;
        let shared = Arc::new(computed.map_err(|_| SnapshotError::Stopping)?);
        *held = Some(Held {
            shared: Arc::clone(&shared),
            version,
            made: Instant::now(),
            cost: started.elapsed(),
        });
        Ok(shared)
    }

    /// Whether the scope was created or holds a group.
    #[must_use]
    pub fn has_scope(&self, scope: &Scope) -> bool {
        self.reference().scopes.contains(scope)
            || self.account(scope.account()).is_some_and(|account| {
                account.read(|members| members.groups().any(|group| scope.contains(&group.facts.scope)))
            })
    }

    /// Scopes that are known in an account: created ones, and those that hold a group.
    #[must_use]
    pub fn scopes(&self) -> std::collections::BTreeSet<Scope> {
        let mut scopes = self.reference().scopes.clone();
        for account in self.accounts.read().values() {
            account.read(|members| {
                for group in members.groups() {
                    scopes.extend(group.facts.scope.ancestors());
                }
            });
        }
        scopes
    }

    fn compute(&self, scope: Scope, extent: Extent, now: Timestamp) -> SharedSnapshot {
        let reference = self.reference();
        let groups = self
            .account(scope.account())
            .map_or_else(Vec::new, |account| groups_in(&account, &scope, extent));
        let mut judges = Judges { reference: &reference, now, made: HashMap::new() };
        let mut views = Vec::with_capacity(groups.len());
        let mut left_out = 0;
        for group in &groups {
            let listed = group.members.iter().filter(|cell| !cell.is_deleted());
            let members = listed.map(|cell| (cell.facts(), cell.last_heartbeat()));
            let view = GroupView::build(Arc::clone(&group.facts), members, judges.of(&group.facts.scope));
            let Some(view) = view.filter(|view| !is_empty_placeholder(view)) else { continue };
            if extent.includes(&scope, &group.facts.scope) {
                views.push(view);
            } else {
                left_out += 1;
            }
        }
        let latest = reference.latest(&scope, now);
        let snapshot = Arc::new(Snapshot::new(scope, extent, now, latest, views));
        SharedSnapshot { snapshot, below: left_out, digest: OnceLock::new() }
    }
}

impl Held {
    /// A large one that was made a moment ago: the change must wait its turn.
    fn is_resting(&self) -> bool {
        self.shared.snapshot.counts.instances > SMALL && self.made.elapsed() < self.cost * DUTY
    }

    fn serves(&self, version: Version, now: Timestamp) -> bool {
        let age = self.shared.snapshot.as_of.age(now);
        let rests = || self.version.deeds == version.deeds && self.is_resting();
        (-MAX_AGE..MAX_AGE).contains(&age) && (self.version == version || rests())
    }
}

/// Groups of a scope, of those below, and of others that are asked for, without holding the lock while they are
/// assessed. Deleted ones are left out.
fn groups_in(account: &Account, scope: &Scope, extent: Extent) -> Vec<Group> {
    account.read(|members| {
        let wanted = |group: &&Group| {
            let owner = &group.facts.scope;
            (scope.contains(owner) || extent.includes(scope, owner)) && !members.is_buried(&group.facts.id)
        };
        members.groups().filter(wanted).cloned().collect()
    })
}

/// The group of unidentified clients is of interest while it has any.
fn is_empty_placeholder(view: &GroupView) -> bool {
    view.members.is_empty() && *view.facts.name == *fleet::delegate::UNIDENTIFIED
}

/// One judge per scope that decides what is latest.
struct Judges<'a> {
    reference: &'a Reference,
    now: Timestamp,
    made: HashMap<Option<&'a Scope>, Judge<'a>>,
}

impl<'a> Judges<'a> {
    fn of(&mut self, scope: &Scope) -> &mut Judge<'a> {
        let reference = self.reference;
        let pin = scope
            .ancestors()
            .find_map(|scope| reference.pinned.get_key_value(&scope).map(|(scope, _)| scope));
        let now = self.now;
        self.made.entry(pin).or_insert_with(|| {
            Judge::new(&reference.catalog, reference.latest(scope, now), &reference.policy, now)
        })
    }
}

/// Changes when a viewer of exactly this would see more than ages and heartbeats change.
#[must_use]
pub fn digest(snapshot: &Snapshot) -> u64 {
    let mut hasher = DefaultHasher::new();
    for group in &snapshot.groups {
        // Facts are replaced, never changed, so an address is as good as a content. One that is used again by
        // chance costs a viewer nothing but the wait for the next regular refresh.
        (Arc::as_ptr(&group.facts) as usize).hash(&mut hasher);
        (group.rollup.auto_upgrade.state as u8).hash(&mut hasher);
        group.members.len().hash(&mut hasher);
        for member in &group.members {
            (Arc::as_ptr(&member.facts) as usize).hash(&mut hasher);
            (member.assessment.connectivity as u8, member.assessment.standing as u8).hash(&mut hasher);
        }
    }
    snapshot.latest.classic.hash(&mut hasher);
    snapshot.as_of.date().hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use fleet::catalog::Latest;

    use super::*;

    #[test]
    fn a_large_snapshot_rests_after_a_change_but_never_after_what_a_person_did() {
        let now = Timestamp::from_millis(1_000_000);
        let scope: Scope = "acme".parse().unwrap();
        let mut snapshot = Snapshot::new(scope, Extent::Exact, now, Latest::default(), Vec::new());
        snapshot.counts.instances = SMALL + 1;
        let shared =
            Arc::new(SharedSnapshot { snapshot: Arc::new(snapshot), below: 0, digest: OnceLock::new() });
        let version = Version { deeds: 1, changes: 1 };
        let held = Held { shared, version, made: Instant::now(), cost: Duration::from_hours(1) };
        assert!(held.serves(version, now));
        assert!(held.serves(Version { deeds: 1, changes: 2 }, now));
        assert!(!held.serves(Version { deeds: 2, changes: 2 }, now));
        assert!(!held.serves(version, now.plus(MAX_AGE)));
    }
}
