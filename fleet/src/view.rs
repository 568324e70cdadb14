//! One scope at one instant: the single source of cards, list, export and embed.

use std::cmp::Ordering;
use std::sync::Arc;

use crate::access::Grants;
use crate::catalog::Latest;
use crate::delegate::{Approval, GroupFacts, InstanceFacts};
use crate::health::{Assessment, Judge};
use crate::retention::{group_visible, instance_visible};
use crate::scope::Scope;
use crate::summary::{Counts, Rollup, roll_up};
use crate::time::Timestamp;

/// Delegates of which scopes are listed (`product 2.1`, P1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Extent {
    /// Of exactly one scope.
    #[default]
    Exact,
    /// Of the scope and those below it.
    Below,
    /// Of the scope and those above it: what can be used from there (`product 2.2`).
    Usable,
}

impl Extent {
    /// Whether a delegate of `owner` is listed on the page of `scope`.
    #[must_use]
    pub fn includes(self, scope: &Scope, owner: &Scope) -> bool {
        match self {
            Self::Exact => scope == owner,
            Self::Below => scope.contains(owner),
            Self::Usable => scope.can_use(owner),
        }
    }
}

impl From<bool> for Extent {
    /// Whether scopes below are included.
    fn from(below: bool) -> Self {
        if below { Self::Below } else { Self::Exact }
    }
}

/// One visible instance as it stood at the snapshot's instant.
#[derive(Clone, Debug, PartialEq)]
pub struct Member {
    /// What is known of it.
    pub facts: Arc<InstanceFacts>,
    /// Read once, so that every figure of a snapshot rests on the same value.
    pub last_heartbeat: Option<Timestamp>,
    /// What the rules say.
    pub assessment: Assessment,
}

/// One visible group with its visible instances.
#[derive(Clone, Debug)]
pub struct GroupView {
    /// What is known of it.
    pub facts: Arc<GroupFacts>,
    /// Visible instances, by host name, then id.
    pub members: Vec<Member>,
    /// What they amount to.
    pub rollup: Rollup,
}

impl GroupView {
    /// Assesses a group; none when it is hidden (`product 4.1`).
    ///
    /// `members`: every instance that is stored, hidden ones included.
    pub fn build(
        group: Arc<GroupFacts>,
        members: impl IntoIterator<Item = (Arc<InstanceFacts>, Option<Timestamp>)>,
        judge: &mut Judge<'_>,
    ) -> Option<Self> {
        if group.approval == Approval::Rejected {
            return None;
        }
        let (policy, now) = (judge.policy(), judge.now());
        let mut last_active = group.last_active;
        let mut visible = Vec::new();
        for (facts, last_heartbeat) in members {
            last_active = last_heartbeat.map_or(last_active, |beat| beat.max(last_active));
            if instance_visible(last_heartbeat, facts.registered_at, facts.goodbye_at, policy, now) {
                let assessment = judge.assess(last_heartbeat, facts.version.as_ref());
                visible.push(Member { facts, last_heartbeat, assessment });
            }
        }
        if !group_visible(last_active, policy, now) {
            return None;
        }
        visible.sort_by(|a, b| (&a.facts.host_name, &a.facts.id).cmp(&(&b.facts.host_name, &b.facts.id)));
        let rollup = Rollup { last_active, ..roll_up(&group, &visible, policy, now) };
        Some(Self { facts: group, members: visible, rollup })
    }

    /// Whether work may be assigned to a member: connected, and let in (`product 3.3`, `10.4`).
    #[must_use]
    pub fn eligible(&self, member: &Member) -> bool {
        self.facts.approval == Approval::Approved && member.assessment.connectivity.is_connected()
    }

    /// The default order of a list: connected, partial, not connected, then name (`product 11.1`).
    ///
    /// Scope and id make it total.
    #[must_use]
    pub fn default_order(&self, other: &Self) -> Ordering {
        self.rollup.connectivity.cmp(&other.rollup.connectivity).then_with(|| self.name_order(other))
    }

    /// By name, then scope, then id: what decides between groups that are equal otherwise.
    #[must_use]
    pub fn name_order(&self, other: &Self) -> Ordering {
        let (a, b) = (&*self.facts, &*other.facts);
        (&a.name, &a.scope, &a.id).cmp(&(&b.name, &b.scope, &b.id))
    }
}

/// All visible groups of one scope at one instant.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// The scope that was asked for.
    pub scope: Scope,
    /// Whether scopes below are included (`product 2.1`).
    pub below: bool,
    /// Whether scopes above are included: what can be used from here (`product 2.2`).
    pub usable: bool,
    /// The instant of every figure.
    pub as_of: Timestamp,
    /// In the default order: connected, partial, not connected, then name (`product 11.1`).
    pub groups: Vec<GroupView>,
    /// The cards.
    pub counts: Counts,
    /// What is latest for this scope.
    pub latest: Latest,
}

impl Snapshot {
    /// Sorts the groups into the default order and adds up the cards. `extent`: which scopes `groups` are of; a
    /// plain `true` stands for those below.
    #[must_use]
    pub fn new(
        scope: Scope,
        extent: impl Into<Extent>,
        as_of: Timestamp,
        latest: Latest,
        groups: Vec<GroupView>,
    ) -> Self {
        let extent = extent.into();
        let (below, usable) = (extent == Extent::Below, extent == Extent::Usable);
        let counts = add_up(&groups);
        Self { scope, below, usable, as_of, groups: in_default_order(groups), counts, latest }
    }

    /// What somebody sees of it; none when nothing is left out (`product 2.4`).
    ///
    /// Delegates of scopes above that can be used from here stay for whoever sees all of this scope: who is at home in
    /// it may know what it can use. A role on named delegates shows these alone, here as there.
    #[must_use]
    pub fn narrowed(&self, grants: &Grants) -> Option<Self> {
        if grants.see_all(&self.scope) {
            return None;
        }
        let seen = |group: &&GroupView| grants.see(&group.facts.scope, &group.facts.identifier);
        if self.groups.iter().all(|group| seen(&group)) {
            return None;
        }
        let groups: Vec<GroupView> = self.groups.iter().filter(seen).cloned().collect();
        let (scope, latest) = (self.scope.clone(), self.latest.clone());
        Some(Self { scope, latest, counts: add_up(&groups), groups, ..*self })
    }

    /// The group of this identifier; a group of the scope itself wins over one of a scope below.
    #[must_use]
    pub fn group(&self, identifier: &str) -> Option<&GroupView> {
        let named = |group: &&GroupView| &*group.facts.identifier == identifier;
        let own = self.groups.iter().filter(named).find(|group| *group.facts.scope == self.scope);
        own.or_else(|| self.groups.iter().find(named))
    }
}

fn add_up(groups: &[GroupView]) -> Counts {
    let mut counts = Counts::default();
    for group in groups {
        counts.merge(&group.rollup.counts);
    }
    counts
}

/// Groups are large, so their places are sorted, by keys that mostly decide without looking at the group.
fn in_default_order(groups: Vec<GroupView>) -> Vec<GroupView> {
    let key = |group: &GroupView| (group.rollup.connectivity, prefix(&group.facts.name));
    let mut order: Vec<_> = groups.iter().enumerate().map(|(place, group)| (key(group), place)).collect();
    order.sort_by(|a, b| a.0.cmp(&b.0).then_with(|| groups[a.1].default_order(&groups[b.1])));
    let mut groups: Vec<Option<GroupView>> = groups.into_iter().map(Some).collect();
    order.into_iter().filter_map(|(_, place)| groups[place].take()).collect()
}

/// The first 16 bytes of a text, which compare like the text.
fn prefix(text: &str) -> [u8; 16] {
    let mut prefix = [0; 16];
    let length = text.len().min(prefix.len());
    prefix[..length].copy_from_slice(&text.as_bytes()[..length]);
    prefix
}
