//! Which groups and which of their instances satisfy a filter (`management-api 2.1`, `2.2`, `product 6.2`).

use chrono::{Days, NaiveDate};

use super::text::Needle;
use super::{Availability, Filter, Generation, Health, InstanceStatus, Mark, Origin, Redundancy};
use crate::delegate::{Approval, Family};
use crate::health::{Connectivity, Standing};
use crate::history::{SLOT, Span, State};
use crate::time::Timestamp;
use crate::version::Version;
use crate::view::{GroupView, Member};

/// In `version`: not reported.
pub const NO_VERSION: &str = "none";
/// In `version`: reported, but of no series ([`Version::series`]).
pub const OWN_VERSION: &str = "custom";

/// A filter made ready to be asked about many groups.
pub(super) struct Matcher<'a> {
    filter: &'a Filter,
    /// Conditions on instances other than the search.
    narrows: bool,
    search: Option<Needle>,
    name: Option<Needle>,
    identifier: Option<Needle>,
    description: Option<Needle>,
    kind: Option<Needle>,
    tags: Vec<Needle>,
    host_name: Option<&'a str>,
}

/// How a group that satisfies the conditions on groups treats its members.
#[derive(Clone, Copy)]
pub(super) struct Pass {
    /// The search was not found in the group itself, so instances decide.
    pub(super) by_host: bool,
    approval: Approval,
}

/// A condition on groups that people choose values for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GroupFacet {
    /// The fourth card; the others are about instances.
    Health,
    AutoUpgrade,
    Connectivity,
    Types,
    Tokens,
    Scopes,
    Redundancy,
    Marks,
    Generation,
    Source,
    Tags,
}

impl GroupFacet {
    pub(super) const ALL: [Self; 11] = [
        Self::Health,
        Self::AutoUpgrade,
        Self::Connectivity,
        Self::Types,
        Self::Tokens,
        Self::Scopes,
        Self::Redundancy,
        Self::Marks,
        Self::Generation,
        Self::Source,
        Self::Tags,
    ];
}

/// A condition on instances that people choose values for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MemberFacet {
    /// Every card and figure but the fourth card.
    Health,
    Versions,
    Transport,
    Availability,
}

impl MemberFacet {
    pub(super) const ALL: [Self; 4] = [Self::Health, Self::Versions, Self::Transport, Self::Availability];
}

impl<'a> Matcher<'a> {
    pub(super) fn new(filter: &'a Filter) -> Self {
        let needle = |text: &Option<String>| text.as_deref().and_then(Needle::new);
        Self {
            filter,
            narrows: filter.narrows_instances(),
            search: needle(&filter.search),
            name: needle(&filter.name),
            identifier: needle(&filter.identifier),
            description: needle(&filter.description),
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
        let holds = GroupFacet::ALL.into_iter().all(|facet| self.group_holds(facet, group));
        if holds { self.fixed(group) } else { None }
    }

    /// The conditions on groups that are no [`GroupFacet`].
    pub(super) fn fixed(&self, group: &GroupView) -> Option<Pass> {
        let facts = &group.facts;
        let holds = self.name.as_ref().is_none_or(|name| name.is_in(&facts.name))
            && self.identifier.as_ref().is_none_or(|identifier| identifier.is_in(&facts.identifier))
            && self.description.as_ref().is_none_or(|description| description.is_in(&facts.description))
            && self.kind.as_ref().is_none_or(|kind| kind.is_in(facts.kind.as_str()));
        holds.then(|| Pass {
            by_host: self.search.as_ref().is_some_and(|search| !is_found(group, search)),
            approval: facts.approval,
        })
    }

    /// One condition on groups.
    pub(super) fn group_holds(&self, facet: GroupFacet, group: &GroupView) -> bool {
        let (facts, rollup, filter) = (&group.facts, &group.rollup, self.filter);
        match facet {
            GroupFacet::Health => {
                filter.health != Some(Health::AutoUpgradeOff) || rollup.auto_upgrade.counts_as_off()
            }
            GroupFacet::AutoUpgrade => {
                filter.auto_upgrade.is_none_or(|state| rollup.auto_upgrade.state == state)
            }
            GroupFacet::Connectivity => one_of(&filter.connectivity, |wanted| rollup.connectivity == *wanted),
            GroupFacet::Types => one_of(&filter.types, |wanted| facts.kind.as_str() == wanted),
            GroupFacet::Tokens => one_of(&filter.tokens, |wanted| *facts.token_name == **wanted),
            GroupFacet::Scopes => one_of(&filter.scopes, |wanted| *facts.scope == *wanted),
            GroupFacet::Redundancy => one_of(&filter.redundancy, |wanted| redundancy(group) == *wanted),
            GroupFacet::Marks => one_of(&filter.marks, |wanted| has_mark(group, *wanted)),
            GroupFacet::Generation => filter.generation.is_none_or(|wanted| generation(group) == wanted),
            GroupFacet::Source => filter.source.is_none_or(|wanted| Origin::of(group) == wanted),
            GroupFacet::Tags => self.tags.iter().all(|tag| has_tag(group, tag)),
        }
    }

    /// The conditions on instances.
    fn member(&self, pass: Pass, member: &Member) -> bool {
        MemberFacet::ALL.into_iter().all(|facet| self.member_holds(facet, member))
            && self.member_fixed(pass, member)
    }

    /// One condition on instances.
    pub(super) fn member_holds(&self, facet: MemberFacet, member: &Member) -> bool {
        let filter = self.filter;
        match facet {
            MemberFacet::Health => filter.health.is_none_or(|wanted| has_health(member, wanted)),
            MemberFacet::Versions => {
                let connected = member.assessment.connectivity.is_connected();
                let version = member.facts.version.as_deref();
                one_of(&filter.versions, |wanted| connected && runs(version, wanted))
            }
            MemberFacet::Transport => filter.transport.is_none_or(|wanted| member.facts.transport == wanted),
            MemberFacet::Availability => filter.availability.is_none_or(|wanted| is_in_state(member, wanted)),
        }
    }

    /// The conditions on instances that are no [`MemberFacet`].
    pub(super) fn member_fixed(&self, pass: Pass, member: &Member) -> bool {
        let (assessment, filter) = (&member.assessment, self.filter);
        let connected = assessment.connectivity.is_connected();
        let status = match filter.status {
            Some(InstanceStatus::Connected) => connected,
            Some(InstanceStatus::Disconnected) => !connected,
            Some(InstanceStatus::Enabled) => pass.approval == Approval::Approved,
            Some(InstanceStatus::WaitingForApproval) => pass.approval == Approval::Pending,
            Some(InstanceStatus::Disabled) => pass.approval == Approval::Rejected,
            // What is deleted is not listed.
            Some(InstanceStatus::Deleted) => false,
            None => true,
        };
        status
            && filter.version_status.is_none_or(|status| assessment.standing.status() == Some(status))
            && self.host_name.is_none_or(|host_name| *member.facts.host_name == *host_name)
            && filter.expires.is_none_or(|first| connected && expires_in_week(member, first))
            && filter.silent.is_none_or(|from| was_silent(member, from))
            && (!pass.by_host || self.search.as_ref().is_none_or(|search| is_found_in(member, search)))
    }

    /// Whether a group is listed with all of its instances, even with none.
    pub(super) fn takes_all(&self, pass: Pass) -> bool {
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

/// Whether the search is found in an instance.
fn is_found_in(member: &Member, search: &Needle) -> bool {
    let facts = &member.facts;
    search.is_in(&facts.host_name)
        || search.is_in(&facts.ip)
        || facts.version.as_ref().is_some_and(|version| search.is_in(version.as_str()))
}

fn one_of<T>(wanted: &[T], holds: impl FnMut(&T) -> bool) -> bool {
    wanted.is_empty() || wanted.iter().any(holds)
}

/// Whether an instance is what a card or figure counts. Figures count what is listed.
pub(super) fn has_health(member: &Member, wanted: Health) -> bool {
    match wanted {
        Health::Standing(standing) => member.assessment.standing == standing && !member.hidden,
        Health::Connected => member.assessment.connectivity.is_connected(),
        Health::AutoUpgradeOff => true,
    }
}

pub(super) fn is_in_state(member: &Member, wanted: Availability) -> bool {
    let expired = member.assessment.standing == Standing::Expired;
    match wanted {
        Availability::Available => member.assessment.connectivity.is_connected() && !expired,
        Availability::Expired => expired,
    }
}

/// Whether its anchor lies in the seven days from `first` on.
fn expires_in_week(member: &Member, first: NaiveDate) -> bool {
    member
        .assessment
        .verdict
        .expires_at
        .map(super::super::time::Timestamp::date)
        .is_some_and(|day| first <= day && first.checked_add_days(Days::new(7)).is_none_or(|end| day < end))
}

/// Whether it was not connected at some time of the half hour from `from` on.
fn was_silent(member: &Member, from: Timestamp) -> bool {
    let until = from.plus(SLOT);
    let lost = |span: &Span| span.state == State::NotConnected && span.from < until && span.until > from;
    member.spans(from).iter().any(lost)
}

/// Whether a version is the wanted one, or begins with it up to a dot: `26.10` is every build of that month.
fn runs(version: Option<&Version>, wanted: &str) -> bool {
    let version = match (version, wanted) {
        (None, wanted) => return wanted == NO_VERSION,
        (Some(_), NO_VERSION) => return false,
        (Some(version), OWN_VERSION) => return version.series().is_none(),
        (Some(version), _) => version,
    };
    let rest = version.as_str().strip_prefix(wanted);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

pub(super) const fn redundancy(group: &GroupView) -> Redundancy {
    match group.rollup.counts.connected {
        0 => Redundancy::None,
        1 => Redundancy::Single,
        _ => Redundancy::Several,
    }
}

pub(super) fn generation(group: &GroupView) -> Generation {
    if group.facts.family == Family::Runner { Generation::Runner } else { Generation::Classic }
}

/// Whether a group carries a mark.
#[must_use]
pub fn has_mark(group: &GroupView, mark: Mark) -> bool {
    let (facts, rollup) = (&group.facts, &group.rollup);
    let any = |holds: fn(&Member) -> bool| group.members.iter().any(|member| !member.hidden && holds(member));
    match mark {
        Mark::Late => any(|member| member.assessment.connectivity == Connectivity::Late),
        Mark::Unstable => any(|member| member.unstable),
        Mark::Differ => rollup.differences.any(),
        Mark::Double => rollup.double_delegate.is_some(),
        Mark::Incomplete => any(|member| member.facts.incomplete),
        Mark::Pending => facts.approval == Approval::Pending,
        Mark::Returned => facts.returned_at.is_some(),
        Mark::ByChoice => facts.by_choice,
        Mark::Clock => any(Member::is_clock_off),
    }
}
