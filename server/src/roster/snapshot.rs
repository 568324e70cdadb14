//! One computation per scope, shared by everyone who looks at it.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use fleet::access::Grants;
use fleet::chart::Charts;
use fleet::delegate::Approval;
use fleet::health::Judge;
use fleet::scope::Scope;
use fleet::summary::Counts;
use fleet::time::Timestamp;
use fleet::view::{Extent, GroupView, Known, Sight, Snapshot};
use parking_lot::Mutex as Lock;
use tokio::sync::OwnedMutexGuard;

use super::account::{Account, Group, Version};
use super::kept::{Slot, Worth};
use super::{Reference, Roster};

/// Different rights whose digests of one snapshot are kept; people mostly have one of a few roles.
const KEPT_DIGESTS: usize = 1_000;

/// A snapshot with what its readers share.
#[derive(Debug)]
pub struct SharedSnapshot {
    /// Cards, list and export rest on it.
    pub snapshot: Arc<Snapshot>,
    /// What lies in scopes below and the snapshot leaves out.
    pub below: Counts,
    /// Instances that retention hides here, whether they are listed or not; a group that is hidden without any counts as
    /// one (`product 4.1`).
    pub hidden: u64,
    pub(super) version: Version,
    digest: OnceLock<u64>,
    /// By what those may do who do not see all of it.
    digests: Lock<HashMap<Grants, u64>>,
    charts: OnceLock<Arc<Charts>>,
    digest_read: AtomicBool,
    charts_read: AtomicBool,
}

impl SharedSnapshot {
    /// `left_out`: groups in scopes below, and what retention hides.
    pub(super) fn new(snapshot: Snapshot, left_out: (Counts, u64), version: Version) -> Self {
        let (snapshot, digests) = (Arc::new(snapshot), Lock::default());
        let (below, hidden) = left_out;
        Self {
            snapshot,
            below,
            hidden,
            version,
            digest: OnceLock::new(),
            digests,
            charts: OnceLock::new(),
            digest_read: AtomicBool::new(false),
            charts_read: AtomicBool::new(false),
        }
    }

    /// Makes what readers of the one before asked for: in a large fleet the first of them would wait for it.
    fn prepare_like(&self, before: &Self) {
        if before.digest_read.load(Ordering::Relaxed) {
            self.made_digest();
        }
        if before.charts_read.load(Ordering::Relaxed) {
            self.made_charts();
        }
    }

    /// Changes when a viewer would see more than ages and heartbeats change.
    pub fn digest(&self) -> u64 {
        self.digest_read.store(true, Ordering::Relaxed);
        self.made_digest()
    }

    fn made_digest(&self) -> u64 {
        *self.digest.get_or_init(|| digest(&self.snapshot))
    }

    /// The charts of the whole snapshot, counted when they are first asked for.
    pub fn charts(&self) -> Arc<Charts> {
        self.charts_read.store(true, Ordering::Relaxed);
        self.made_charts()
    }

    fn made_charts(&self) -> Arc<Charts> {
        Arc::clone(self.charts.get_or_init(|| Arc::new(Charts::of(&self.snapshot))))
    }

    /// The same digest for somebody who may see only a part; computed once for everybody with the same rights.
    ///
    /// Not even the moment of a change tells of what a viewer does not see.
    pub fn digest_for(&self, grants: &Grants) -> u64 {
        if grants.see_all(&self.snapshot.scope) {
            return self.digest();
        }
        if let Some(known) = self.digests.lock().get(grants) {
            return *known;
        }
        let made = self.snapshot.narrowed(grants).map_or_else(|| self.digest(), |seen| digest(&seen));
        let mut digests = self.digests.lock();
        if digests.len() < KEPT_DIGESTS {
            digests.insert(grants.clone(), made);
        }
        made
    }

    /// How often the account had changed, by people and in all, when this was made. Grows while the server runs.
    #[must_use]
    pub const fn revision(&self) -> (u64, u64) {
        (self.version.deeds, self.version.changes)
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

impl Roster {
    /// The fleet of a scope as of `now` or at most a second before; a plain `true` adds scopes below. A large fleet may be as
    /// of three seconds before, but never before what a person did.
    ///
    /// # Errors
    /// The scope is unknown.
    pub async fn snapshot(
        self: &Arc<Self>,
        scope: &Scope,
        sight: impl Into<Sight>,
        now: Timestamp,
    ) -> Result<Arc<SharedSnapshot>, SnapshotError> {
        if !self.has_scope(scope) {
            return Err(SnapshotError::UnknownScope(scope.clone()));
        }
        let key = (scope.clone(), sight.into());
        let slot = self.snapshots.slot(&key);
        let look = || slot.look(self.version(scope.account()), now);
        match look() {
            Worth::Fresh(shared) => return Ok(shared),
            Worth::Passable(shared) => {
                // Where the turn is taken, somebody makes the next one; where that came a moment ago, it is there.
                if let Ok(turn) = Arc::clone(&slot.turn).try_lock_owned()
                    && !matches!(look(), Worth::Fresh(_))
                {
                    tokio::spawn(Arc::clone(self).renew(key, Arc::clone(&slot), turn, now));
                }
                return Ok(shared);
            }
            Worth::Nothing => {}
        }
        // Whoever comes while one is being made waits here and shares it.
        let turn = Arc::clone(&slot.turn).lock_owned().await;
        match look() {
            Worth::Fresh(shared) | Worth::Passable(shared) => Ok(shared),
            Worth::Nothing => Arc::clone(self).renew(key, Arc::clone(&slot), turn, now).await,
        }
    }

    /// Computes a snapshot in its turn and keeps it.
    async fn renew(
        self: Arc<Self>,
        (scope, sight): (Scope, Sight),
        slot: Arc<Slot>,
        _turn: OwnedMutexGuard<()>,
        now: Timestamp,
    ) -> Result<Arc<SharedSnapshot>, SnapshotError> {
        let (version, started) = (self.version(scope.account()), Instant::now());
        let before = slot.last();
        let computed = tokio::task::spawn_blocking(move || {
            let shared = self.compute(scope, sight, version, now);
            if let Some(before) = before {
                shared.prepare_like(&before);
            }
            shared
        });
        let shared = Arc::new(computed.await.map_err(|_| SnapshotError::Stopping)?);
        slot.keep(Arc::clone(&shared), started.elapsed());
        Ok(shared)
    }

    fn version(&self, account: &str) -> Version {
        let own = self.account(account).map_or_else(Version::default, |account| account.version());
        Version { changes: own.changes + self.told_changes(), ..own }
    }

    /// Whether the scope was created or holds a group.
    #[must_use]
    pub fn has_scope(&self, scope: &Scope) -> bool {
        self.reference().scopes.contains(scope)
            || self.account(scope.account()).is_some_and(|account| {
                account.read(|members| members.groups().any(|group| scope.contains(&group.facts.scope)))
            })
            || self.told_scopes().iter().any(|scopes| scopes.contains(scope))
    }

    /// Scopes that are known in an account: created ones, and those that hold a group.
    #[must_use]
    pub fn scopes(&self) -> std::collections::BTreeSet<Scope> {
        let mut scopes = self.reference().scopes.clone();
        for told in self.told_scopes() {
            scopes.extend(told.iter().cloned());
        }
        for account in self.accounts.read().values() {
            account.read(|members| {
                for group in members.groups() {
                    scopes.extend(group.facts.scope.ancestors());
                }
            });
        }
        scopes
    }

    fn compute(&self, scope: Scope, sight: Sight, version: Version, now: Timestamp) -> SharedSnapshot {
        let (reference, extent) = (self.reference(), sight.extent);
        let groups = self
            .account(scope.account())
            .map_or_else(Vec::new, |account| groups_in(&account, &scope, extent));
        let deaf_until = self.deaf_until(now);
        let mut judges = Judges { reference: &reference, now, deaf_until, made: HashMap::new() };
        let mut views = Vec::with_capacity(groups.len());
        let (mut left_out, mut hidden) = (Counts::default(), 0);
        for group in &groups {
            let listed = group.members.iter().filter(|cell| !cell.is_deleted());
            let all = listed.clone().count();
            let members = listed.map(|cell| Known {
                facts: cell.facts(),
                last_heartbeat: cell.last_heartbeat(),
                turns: cell.turns(),
            });
            let (facts, judge) = (Arc::clone(&group.facts), judges.of(&group.facts.scope));
            let view = if sight.hidden {
                GroupView::build_with_hidden(facts, members, judge)
            } else {
                GroupView::build(facts, members, judge)
            };
            if extent.includes(&scope, &group.facts.scope) && group.facts.approval != Approval::Rejected {
                hidden += count_hidden(view.as_ref(), all);
            }
            let Some(view) = view.filter(|view| !is_empty_placeholder(view)) else { continue };
            if extent.includes(&scope, &group.facts.scope) {
                views.push(view);
            } else {
                left_out.merge(&view.rollup.counts);
            }
        }
        for fleet in self.told_in(scope.account()) {
            let wanted = |owner: &Scope| scope.contains(owner) || extent.includes(&scope, owner);
            for view in fleet.views(&reference, wanted) {
                if extent.includes(&scope, &view.facts.scope) {
                    views.push(view);
                } else {
                    left_out.merge(&view.rollup.counts);
                }
            }
        }
        let latest = reference.latest(&scope, now);
        let snapshot = Snapshot::new(scope, sight, now, latest, views);
        SharedSnapshot::new(snapshot, (left_out, hidden), version)
    }
}

/// What of a group with so many stored instances is hidden; `view` is what is listed of it.
#[must_use]
pub fn count_hidden(view: Option<&GroupView>, all: usize) -> u64 {
    let (visible, hidden_group) = view
        .map_or((0, true), |view| (view.members.iter().filter(|member| !member.hidden).count(), view.hidden));
    let hidden = u64::try_from(all.saturating_sub(visible)).unwrap_or(u64::MAX);
    hidden.max(u64::from(hidden_group))
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
    deaf_until: Option<Timestamp>,
    made: HashMap<Option<&'a Scope>, Judge<'a>>,
}

impl<'a> Judges<'a> {
    fn of(&mut self, scope: &Scope) -> &mut Judge<'a> {
        let reference = self.reference;
        let pin = scope
            .ancestors()
            .find_map(|scope| reference.pinned.get_key_value(&scope).map(|(scope, _)| scope));
        let (now, deaf_until) = (self.now, self.deaf_until);
        self.made.entry(pin).or_insert_with(|| {
            let latest = reference.latest(scope, now);
            Judge::new(&reference.catalog, latest, &reference.policy, now).after_restart(deaf_until)
        })
    }
}

/// Changes when a viewer of exactly this would see more than ages and heartbeats change.
fn digest(snapshot: &Snapshot) -> u64 {
    let mut hasher = DefaultHasher::new();
    for group in &snapshot.groups {
        // Facts are replaced, never changed, so an address is as good as a content. One that is used again by
        // chance costs a viewer nothing but the wait for the next regular refresh.
        (Arc::as_ptr(&group.facts) as usize).hash(&mut hasher);
        (group.rollup.auto_upgrade.state as u8).hash(&mut hasher);
        group.source.as_deref().map(|source| (source.as_of, source.trouble)).hash(&mut hasher);
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
