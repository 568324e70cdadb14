//! What is known of delegates that may not be listed any more: their history stays readable (`product 4.1`).

use std::sync::Arc;

use fleet::delegate::{Approval, GroupFacts, InstanceFacts};
use fleet::health::Judge;
use fleet::history::Turns;
use fleet::mirror::Source;
use fleet::scope::Scope;
use fleet::time::Timestamp;
use fleet::view::{GroupView, Known, Member};

use super::Roster;
use super::graves::Standing;

/// A group as it is known, listed or not.
#[derive(Clone, Debug)]
pub struct PastGroup {
    /// What is known of it.
    pub facts: Arc<GroupFacts>,
    /// Instances in memory, by host name, then id; deleted ones too.
    pub instances: Vec<PastInstance>,
    /// Where it is read from, if it is not one of ours.
    pub source: Option<Arc<Source>>,
}

/// An instance as it is known, listed or not.
#[derive(Clone, Debug)]
pub struct PastInstance {
    /// What was reported.
    pub facts: Arc<InstanceFacts>,
    /// Newest heartbeat.
    pub last_heartbeat: Option<Timestamp>,
    /// Its turns within the last day.
    pub turns: Turns,
    /// Whether a person deleted it, or its group.
    pub deleted: bool,
}

impl PastGroup {
    /// The instance of this id.
    #[must_use]
    pub fn instance(&self, id: &str) -> Option<&PastInstance> {
        self.instances.iter().find(|instance| &*instance.facts.id == id)
    }
}

impl Roster {
    /// The group of this identifier in exactly this scope; hidden, deleted and rejected ones too.
    #[must_use]
    pub fn past(&self, scope: &Scope, identifier: &str) -> Option<PastGroup> {
        self.own_past(scope, identifier).or_else(|| self.told_past(scope, identifier))
    }

    fn own_past(&self, scope: &Scope, identifier: &str) -> Option<PastGroup> {
        let id = self.group_id(scope, identifier)?;
        let group = self.account(scope.account())?.read(|members| members.group(&id).cloned())?;
        let known = group.members.iter().map(|cell| PastInstance {
            facts: cell.facts(),
            last_heartbeat: cell.last_heartbeat(),
            turns: cell.turns(),
            deleted: cell.is_deleted(),
        });
        let mut instances: Vec<PastInstance> = known.collect();
        instances.sort_by(|a, b| (&a.facts.host_name, &a.facts.id).cmp(&(&b.facts.host_name, &b.facts.id)));
        Some(PastGroup { facts: group.facts, instances, source: None })
    }

    /// What the rules say of an instance, listed or not.
    #[must_use]
    pub fn assess(&self, group: &GroupFacts, instance: &PastInstance, now: Timestamp) -> Option<Member> {
        let reference = self.reference();
        let latest = reference.latest(&group.scope, now);
        let mut judge = Judge::new(&reference.catalog, latest, &reference.policy, now);
        // Whether somebody turned the group away says nothing about what its instance is.
        let group = Arc::new(GroupFacts { approval: Approval::Approved, ..group.clone() });
        let (facts, turns) = (Arc::clone(&instance.facts), instance.turns.clone());
        let known = Known { facts, last_heartbeat: instance.last_heartbeat, turns };
        GroupView::build_with_hidden(group, [known], &mut judge)?.members.pop()
    }

    /// Makes memory follow a choice that is stored; false if there is no such group.
    pub fn set_by_choice(&self, account: &str, group: &str, by_choice: bool) -> bool {
        let Some(account) = self.account(account) else { return false };
        let change = |facts: &GroupFacts| GroupFacts { by_choice, ..facts.clone() };
        let changed = account.write(|members| members.change_group(group, change));
        if changed.is_some() {
            account.changed_by_hand();
        }
        changed.is_some()
    }

    /// Whether a group is neither deleted nor turned away.
    #[must_use]
    pub fn is_listed(&self, account: &str, group: &str) -> bool {
        self.account(account).is_some_and(|account| {
            account.read(|members| {
                let standing = members.group(group).map(|group| members.standing(&group.facts));
                matches!(standing, Some(Standing::Enabled | Standing::Pending))
            })
        })
    }
}
