//! Groups that other servers told of, beside our own (`management-api 7`).

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use client::Latest as ToldLatest;
use fleet::catalog::Latest;
use fleet::health::Judge;
use fleet::mirror::{Source, ToldGroup, Trouble};
use fleet::scope::Scope;
use fleet::version::Version;
use fleet::view::GroupView;

use super::past::{PastGroup, PastInstance};
use super::{Reference, Roster};

/// What mirrors told.
#[derive(Default)]
pub(super) struct Told {
    /// By internal id of the mirror.
    fleets: BTreeMap<Arc<str>, Arc<ToldFleet>>,
    changes: u64,
}

impl Told {
    /// The accounts in which something of theirs is shown.
    pub(super) fn accounts(&self) -> impl Iterator<Item = Arc<str>> + '_ {
        self.fleets.values().map(|fleet| Arc::clone(&fleet.account))
    }
}

/// What one mirrored server told last.
#[derive(Clone, Debug)]
pub struct ToldFleet {
    /// Where its groups are shown.
    pub account: Arc<str>,
    /// Where they are from, and as of when.
    pub source: Source,
    /// What its delegates should run; none where it does not say.
    latest: Option<Latest>,
    groups: Arc<[ToldGroup]>,
    /// Those that hold a group, and those above them.
    scopes: Arc<BTreeSet<Scope>>,
}

impl ToldFleet {
    /// Of the groups of a list.
    #[must_use]
    pub fn new(
        account: Arc<str>,
        source: Source,
        latest: Option<ToldLatest>,
        groups: Vec<ToldGroup>,
    ) -> Self {
        let scopes = groups.iter().flat_map(|group| group.facts.scope.ancestors());
        let account_itself = Scope::new(&account, None, None).ok();
        let scopes = Arc::new(scopes.chain(account_itself).collect());
        let version = |text: &str| Some(Arc::new(Version::parse(text))).filter(|_| !text.is_empty());
        let latest = latest.and_then(|told| {
            let classic = version(&told.version)?;
            let classic_minimal = told.minimal.as_deref().and_then(version);
            Some(Latest { classic: Some(classic), classic_minimal, ..Latest::default() })
        });
        let source = Source { latest: latest.as_ref().and_then(|latest| latest.classic.clone()), ..source };
        Self { account, source, latest, groups: groups.into(), scopes }
    }

    /// The same when its source cannot be read any more, or again.
    #[must_use]
    pub fn troubled(&self, trouble: Option<Trouble>) -> Self {
        Self { source: Source { trouble, ..self.source.clone() }, ..self.clone() }
    }

    /// How many groups and instances it told of.
    #[must_use]
    pub fn size(&self) -> (u64, u64) {
        (self.groups.len() as u64, self.groups.iter().map(|group| group.members.len() as u64).sum())
    }

    /// Its groups that are `wanted`, judged as of the instant at which it told them.
    pub(super) fn views<'a>(
        &'a self,
        reference: &'a Reference,
        wanted: impl Fn(&Scope) -> bool + 'a,
    ) -> impl Iterator<Item = GroupView> + 'a {
        let (now, source) = (self.source.as_of, Arc::new(self.source.clone()));
        let mut judges: HashMap<&'a Scope, Judge<'_>> = HashMap::new();
        let groups = self.groups.iter().filter(move |group| wanted(&group.facts.scope));
        groups.map(move |group| {
            let judge = judges.entry(&group.facts.scope).or_insert_with(|| {
                let here = reference.latest(&group.facts.scope, now);
                let latest = match &self.latest {
                    Some(told) => Latest { runner: here.runner, legacy: here.legacy, ..told.clone() },
                    None => here,
                };
                Judge::new(&reference.catalog, latest, &reference.policy, now)
            });
            GroupView::told(group, &source, judge)
        })
    }
}

impl Roster {
    /// Shows what a mirror told, in place of what it told before; `None` shows nothing of it any more.
    pub fn set_told(&self, mirror: &str, fleet: Option<Arc<ToldFleet>>) {
        let mut told = self.told.write();
        let before = match fleet {
            Some(fleet) => told.fleets.insert(mirror.into(), fleet),
            None => told.fleets.remove(mirror),
        };
        drop(before);
        told.changes += 1;
    }

    /// What the mirrors of an account told, by mirror.
    #[must_use]
    pub fn told_in(&self, account: &str) -> Vec<Arc<ToldFleet>> {
        let told = self.told.read();
        told.fleets.values().filter(|fleet| *fleet.account == *account).cloned().collect()
    }

    /// What a mirror told; none before its first list.
    #[must_use]
    pub fn told(&self, mirror: &str) -> Option<Arc<ToldFleet>> {
        self.told.read().fleets.get(mirror).cloned()
    }

    /// Every scope that a mirror told of, and those above.
    pub(super) fn told_scopes(&self) -> Vec<Arc<BTreeSet<Scope>>> {
        self.told.read().fleets.values().map(|fleet| Arc::clone(&fleet.scopes)).collect()
    }

    /// Grows whenever a mirror tells something new.
    pub(super) fn told_changes(&self) -> u64 {
        self.told.read().changes
    }

    /// A group that a mirror told of, for the pages about its past.
    pub(super) fn told_past(&self, scope: &Scope, identifier: &str) -> Option<PastGroup> {
        let fleets = self.told_in(scope.account());
        fleets.iter().find_map(|fleet| {
            let is_it =
                |group: &&ToldGroup| *group.facts.identifier == *identifier && *group.facts.scope == *scope;
            let group = fleet.groups.iter().find(is_it)?;
            let instance = |told: &fleet::mirror::ToldInstance| PastInstance {
                facts: Arc::clone(&told.facts),
                last_heartbeat: told.last_heartbeat,
                turns: told.turns.clone(),
                deleted: false,
            };
            Some(PastGroup {
                facts: Arc::clone(&group.facts),
                instances: group.members.iter().map(instance).collect(),
                source: Some(Arc::new(fleet.source.clone())),
            })
        })
    }
}
