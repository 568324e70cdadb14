//! Which groups and which of their instances satisfy a filter (`management-api 2.1`, `2.2`, `product 6.2`).

use super::text::Needle;
use super::{Filter, Health, InstanceStatus};
use crate::delegate::Approval;
use crate::view::{GroupView, Member};

/// A filter made ready to be asked about many groups.
pub(super) struct Matcher<'a> {
    filter: &'a Filter,
    /// Conditions on instances other than the search.
    narrows: bool,
    search: Option<Needle>,
    name: Option<Needle>,
    kind: Option<Needle>,
    tags: Vec<Needle>,
    host_name: Option<&'a str>,
}

/// How a group that satisfies the conditions on groups treats its members.
#[derive(Clone, Copy)]
struct Pass {
    /// The search was not found in the group itself, so host names decide.
    by_host: bool,
    approval: Approval,
}

impl<'a> Matcher<'a> {
    pub(super) fn new(filter: &'a Filter) -> Self {
        let needle = |text: &Option<String>| text.as_deref().and_then(Needle::new);
        Self {
            filter,
            narrows: filter.narrows_instances(),
            search: needle(&filter.search),
            name: needle(&filter.name),
            kind: needle(&filter.kind),
            tags: filter.tags.iter().filter_map(|tag| Needle::new(tag)).collect(),
            host_name: filter.host_name.as_deref(),
        }
    }

    /// Number of matching members; none when the group does not match.
    pub(super) fn count(&self, group: &GroupView) -> Option<usize> {
        let pass = self.group(group)?;
        let count = if self.takes_all(pass) {
            group.members.len()
        } else {
            group.members.iter().filter(|member| self.member(pass, member)).count()
        };
        self.keeps(pass, count).then_some(count)
    }

    /// Places of the matching members; none when the group does not match.
    pub(super) fn places(&self, group: &GroupView) -> Option<Vec<u32>> {
        let pass = self.group(group)?;
        let matching = (0_u32..).zip(&group.members).filter(|(_, member)| self.member(pass, member));
        let places: Vec<u32> = matching.map(|(place, _)| place).collect();
        self.keeps(pass, places.len()).then_some(places)
    }

    /// The conditions on groups.
    fn group(&self, group: &GroupView) -> Option<Pass> {
        let (facts, auto_upgrade) = (&group.facts, &group.rollup.auto_upgrade);
        let holds = (self.filter.health != Some(Health::AutoUpgradeOff) || auto_upgrade.counts_as_off())
            && self.filter.auto_upgrade.is_none_or(|state| auto_upgrade.state == state)
            && self.name.as_ref().is_none_or(|name| name.is_in(&facts.name))
            && self.kind.as_ref().is_none_or(|kind| kind.is_in(facts.kind.as_str()))
            && self.tags.iter().all(|tag| has_tag(group, tag));
        holds.then(|| Pass {
            by_host: self.search.as_ref().is_some_and(|search| !is_found(group, search)),
            approval: facts.approval,
        })
    }

    /// The conditions on instances.
    fn member(&self, pass: Pass, member: &Member) -> bool {
        let assessment = &member.assessment;
        let health = match self.filter.health {
            Some(Health::Standing(standing)) => assessment.standing == standing,
            Some(Health::Connected) => assessment.connectivity.is_connected(),
            Some(Health::AutoUpgradeOff) | None => true,
        };
        let status = match self.filter.status {
            Some(InstanceStatus::Connected) => assessment.connectivity.is_connected(),
            Some(InstanceStatus::Disconnected) => !assessment.connectivity.is_connected(),
            Some(InstanceStatus::Enabled) => pass.approval == Approval::Approved,
            Some(InstanceStatus::WaitingForApproval) => pass.approval == Approval::Pending,
            Some(InstanceStatus::Disabled) => pass.approval == Approval::Rejected,
            // What is deleted is not listed.
            Some(InstanceStatus::Deleted) => false,
            None => true,
        };
        health
            && status
            && self.filter.version_status.is_none_or(|status| assessment.standing.status() == Some(status))
            && self.host_name.is_none_or(|host_name| *member.facts.host_name == *host_name)
            && (!pass.by_host
                || self.search.as_ref().is_none_or(|search| search.is_in(&member.facts.host_name)))
    }

    fn takes_all(&self, pass: Pass) -> bool {
        !self.narrows && !pass.by_host
    }

    /// A group without instances stays unless a condition wants one (`management-api 2.2`).
    fn keeps(&self, pass: Pass, count: usize) -> bool {
        count > 0 || self.takes_all(pass)
    }
}

/// Whether the search is found in the group itself. The implicit tag is its name.
fn is_found(group: &GroupView, search: &Needle) -> bool {
    let facts = &group.facts;
    search.is_in(&facts.name)
        || search.is_in(&facts.identifier)
        || facts.tags.iter().any(|tag| search.is_in(tag))
}

/// Whether the group has the tag. The implicit one is its name, in lower case like the needle.
fn has_tag(group: &GroupView, tag: &Needle) -> bool {
    tag.is(&group.facts.name) || group.facts.tags.iter().any(|own| tag.is(own))
}
