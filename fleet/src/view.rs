//! One scope at one instant: the single source of cards, list, export and embed.

use std::cmp::Ordering;
use std::sync::Arc;

use crate::access::Grants;
use crate::catalog::Latest;
use crate::delegate::{Approval, GroupFacts, InstanceFacts};
use crate::health::{Assessment, Judge};
use crate::history::{Life, Span, Turns, is_unstable, spans};
use crate::mirror::{Source, ToldGroup, ToldInstance};
use crate::retention::{group_visible, instance_visible, said_goodbye};
use crate::scope::Scope;
use crate::summary::{Counts, Rollup, roll_up, roll_up_told};
use crate::time::{MINUTE, Timestamp};
use crate::upgrade::AutoUpgrade;

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

/// What is asked about: which scopes, and whether hidden delegates too.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Sight {
    /// Delegates of which scopes are listed.
    pub extent: Extent,
    /// Whether those that retention hides are listed (`product 4.1`).
    pub hidden: bool,
}

impl<T: Into<Extent>> From<T> for Sight {
    /// Without hidden delegates.
    fn from(extent: T) -> Self {
        Self { extent: extent.into(), hidden: false }
    }
}

/// What the roster knows of an instance.
#[derive(Clone, Debug)]
pub struct Known {
    /// What was reported.
    pub facts: Arc<InstanceFacts>,
    /// Newest heartbeat.
    pub last_heartbeat: Option<Timestamp>,
    /// Its turns within the last day.
    pub turns: Turns,
}

impl From<(Arc<InstanceFacts>, Option<Timestamp>)> for Known {
    /// One whose state never changed.
    fn from((facts, last_heartbeat): (Arc<InstanceFacts>, Option<Timestamp>)) -> Self {
        Self { facts, last_heartbeat, turns: None }
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
    /// Its turns within the last day.
    pub turns: Turns,
    /// Whether it comes and goes (`product 3.6`, P7).
    pub unstable: bool,
    /// Listed only because hidden ones were asked for; no figure counts it (`product 4.1`).
    pub hidden: bool,
    /// The rest of what [`Member::spans`] needs: the instant of the snapshot and its settings.
    timeout: i64,
    as_of: Timestamp,
    /// Its silence may only mean that the server was away.
    unproven: bool,
}

impl Member {
    fn new(known: Known, hidden: bool, judge: &mut Judge<'_>) -> Self {
        let Known { facts, last_heartbeat, turns } = known;
        // One that said goodbye a moment ago is as gone as one that fell silent.
        let assessment = judge.assess(last_heartbeat.filter(|_| !hidden), facts.version.as_ref());
        let (policy, as_of) = (judge.policy(), judge.now());
        let unstable = turns.as_deref().is_some_and(|turns| is_unstable(turns, policy, as_of));
        let (timeout, unproven) = (policy.timeout, judge.is_unproven(last_heartbeat));
        Self { facts, last_heartbeat, assessment, turns, unstable, hidden, timeout, as_of, unproven }
    }

    fn told(told: &ToldInstance, judge: &mut Judge<'_>) -> Self {
        let (facts, turns) = (Arc::clone(&told.facts), told.turns.clone());
        let assessment = judge.assess_told(told);
        let (policy, as_of) = (judge.policy(), judge.now());
        let unstable = turns.as_deref().is_some_and(|turns| is_unstable(turns, policy, as_of));
        let last_heartbeat = told.last_heartbeat;
        // A connected one is connected, however old the heartbeat that its source tells.
        let (timeout, unproven) = (policy.timeout, told.connected);
        Self { facts, last_heartbeat, assessment, turns, unstable, hidden: false, timeout, as_of, unproven }
    }

    /// Its states from `from` to the instant of the snapshot; at most a day back. Silence that may only mean that the
    /// server was away does not count (`product 3.7`).
    #[must_use]
    pub fn spans(&self, from: Timestamp) -> Vec<Span> {
        let life = Life {
            registered_at: self.facts.registered_at,
            last_heartbeat: if self.unproven { Some(self.as_of) } else { self.last_heartbeat },
            turns: self.turns.as_deref().unwrap_or_default(),
        };
        spans(life, from, self.timeout, self.as_of)
    }

    /// Whether it has said goodbye and not been heard of since (`product 4.2`).
    #[must_use]
    pub fn said_goodbye(&self) -> bool {
        said_goodbye(self.last_heartbeat, self.facts.goodbye_at)
    }

    /// Whether it was connected all along since it registered, at most a day back: what [`Member::spans`] would say,
    /// at no cost.
    #[must_use]
    pub fn is_steady(&self) -> bool {
        self.turns.is_none() && (self.assessment.connectivity.is_connected() || self.unproven)
    }

    /// Whether its clock is off by so much that people are told (`product 11.2`).
    #[must_use]
    pub fn is_clock_off(&self) -> bool {
        self.facts.clock_skew.is_some_and(|skew| skew.abs() > MINUTE)
    }
}

/// By host name, then id.
fn member_order(a: &Member, b: &Member) -> Ordering {
    (&a.facts.host_name, &a.facts.id).cmp(&(&b.facts.host_name, &b.facts.id))
}

/// One visible group with its visible instances.
#[derive(Clone, Debug)]
pub struct GroupView {
    /// What is known of it.
    pub facts: Arc<GroupFacts>,
    /// Visible instances, by host name, then id; hidden ones after them, where they were asked for.
    pub members: Vec<Member>,
    /// What the visible ones amount to.
    pub rollup: Rollup,
    /// Listed only because hidden ones were asked for; no figure counts it (`product 4.1`).
    pub hidden: bool,
    /// Where it is read from, if it is not one of ours.
    pub source: Option<Arc<Source>>,
}

impl GroupView {
    /// A group of a mirrored source, as the source told it; `judge` judges at that instant.
    #[must_use]
    pub fn told(group: &ToldGroup, source: &Arc<Source>, judge: &mut Judge<'_>) -> Self {
        let (policy, now) = (judge.policy(), judge.now());
        let mut members: Vec<Member> = group.members.iter().map(|told| Member::told(told, judge)).collect();
        members.sort_by(member_order);
        let auto_upgrade = AutoUpgrade::told(group.auto_upgrade);
        let rollup = roll_up_told(&group.facts, &members, Some(auto_upgrade), policy, now);
        let (facts, source) = (Arc::clone(&group.facts), Some(Arc::clone(source)));
        Self { facts, members, rollup, hidden: false, source }
    }

    /// Assesses a group; none when it is hidden (`product 4.1`).
    ///
    /// `members`: every instance that is stored, hidden ones included.
    pub fn build(
        group: Arc<GroupFacts>,
        members: impl IntoIterator<Item = impl Into<Known>>,
        judge: &mut Judge<'_>,
    ) -> Option<Self> {
        Self::assemble(group, members, judge, false)
    }

    /// The same with everything that retention hides; none when a person turned it away.
    pub fn build_with_hidden(
        group: Arc<GroupFacts>,
        members: impl IntoIterator<Item = impl Into<Known>>,
        judge: &mut Judge<'_>,
    ) -> Option<Self> {
        Self::assemble(group, members, judge, true)
    }

    fn assemble(
        group: Arc<GroupFacts>,
        members: impl IntoIterator<Item = impl Into<Known>>,
        judge: &mut Judge<'_>,
        with_hidden: bool,
    ) -> Option<Self> {
        if group.approval == Approval::Rejected {
            return None;
        }
        let (policy, now) = (judge.policy(), judge.now());
        let mut last_active = group.last_active;
        let (mut visible, mut hidden) = (Vec::new(), Vec::new());
        for known in members {
            let known = known.into();
            let (beat, facts) = (known.last_heartbeat, &known.facts);
            last_active = beat.map_or(last_active, |beat| beat.max(last_active));
            if instance_visible(beat, facts.registered_at, facts.goodbye_at, policy, now) {
                visible.push(Member::new(known, false, judge));
            } else if with_hidden {
                hidden.push(Member::new(known, true, judge));
            }
        }
        let is_hidden = !group_visible(last_active, policy, now);
        if is_hidden && !with_hidden {
            return None;
        }
        visible.sort_by(member_order);
        hidden.sort_by(member_order);
        let rollup = Rollup { last_active, ..roll_up(&group, &visible, policy, now) };
        visible.append(&mut hidden);
        Some(Self { facts: group, members: visible, rollup, hidden: is_hidden, source: None })
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
    /// Whether delegates are included that retention hides (`product 4.1`).
    pub hidden: bool,
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
    /// Sorts the groups into the default order and adds up the cards. `sight`: what `groups` are; a plain `true`
    /// stands for those of scopes below.
    #[must_use]
    pub fn new(
        scope: Scope,
        sight: impl Into<Sight>,
        as_of: Timestamp,
        latest: Latest,
        groups: Vec<GroupView>,
    ) -> Self {
        let Sight { extent, hidden } = sight.into();
        let (below, usable) = (extent == Extent::Below, extent == Extent::Usable);
        let counts = add_up(&groups);
        Self { scope, below, usable, hidden, as_of, groups: in_default_order(groups), counts, latest }
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
    for group in groups.iter().filter(|group| !group.hidden) {
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
