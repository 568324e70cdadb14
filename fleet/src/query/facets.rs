//! What a filter could be narrowed to, and how many groups would then be listed (`product 11.4`).

mod choices;
mod versions;

use std::collections::HashMap;

use self::choices::{fixed, fixed_but, most_frequent, tags, texts};
use self::versions::Versions;
use super::matching::{
    GroupFacet, Matcher, MemberFacet, NO_VERSION, OWN_VERSION, Pass, generation, has_health, has_mark,
    is_in_state, redundancy,
};
use super::{Availability, Filter, Generation, Health, Mark, Origin, Query, Redundancy};
use crate::delegate::Transport;
use crate::scope::Scope;
use crate::summary::GroupConnectivity;
use crate::upgrade::State;
use crate::view::{GroupView, Member, Snapshot};

/// Choices of a facet whose values are texts: the most frequent ones, and those that are chosen.
pub const MAX_CHOICES: usize = 50;

/// One value that a condition may have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice<T> {
    /// The value.
    pub value: T,
    /// Groups that would be listed if this were the only value of its condition and all other conditions stayed. Of
    /// tags, which must all be present: if it were added.
    pub groups: u64,
    /// Whether the filter has it.
    pub chosen: bool,
}

/// The choices of every condition.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facets {
    /// Cards and figures.
    pub health: Vec<Choice<Health>>,
    /// All, some or none of the instances.
    pub connectivity: Vec<Choice<GroupConnectivity>>,
    /// Types as they were reported, most frequent first.
    pub types: Vec<Choice<String>>,
    /// Tags that somebody gave, most frequent first.
    pub tags: Vec<Choice<String>>,
    /// Whole versions of connected instances and `none`, most frequent first.
    pub versions: Vec<Choice<String>>,
    /// On, off or detecting; other words only where a mirrored server says them.
    pub auto_upgrade: Vec<Choice<State>>,
    /// Names of tokens, most frequent first.
    pub tokens: Vec<Choice<String>>,
    /// Scopes that own groups, most frequent first.
    pub scopes: Vec<Choice<Scope>>,
    /// How many connected instances a group can lean on.
    pub redundancy: Vec<Choice<Redundancy>>,
    /// What deserves a second look.
    pub marks: Vec<Choice<Mark>>,
    /// Classic or 3.x.
    pub generation: Vec<Choice<Generation>>,
    /// Ours, or of a mirrored server.
    pub source: Vec<Choice<Origin>>,
    /// How instances reach the server.
    pub transport: Vec<Choice<Transport>>,
    /// Ready for work, or expired.
    pub availability: Vec<Choice<Availability>>,
}

/// Counts every choice in one pass over the groups.
#[must_use]
pub fn facets(snapshot: &Snapshot, query: &Query) -> Facets {
    let matcher = Matcher::new(&query.filter);
    let mut tally = Tally::new(&query.filter);
    for group in &snapshot.groups {
        tally.add(&matcher, group);
    }
    tally.finish(&query.filter)
}

/// Which conditions stand in the way.
#[derive(Clone, Copy)]
enum Failing<T> {
    Nothing,
    Only(T),
    Several,
}

impl<T: Copy + PartialEq> Failing<T> {
    fn of(all: impl IntoIterator<Item = T>, holds: impl Fn(T) -> bool) -> Self {
        let mut failing = all.into_iter().filter(|facet| !holds(*facet));
        match (failing.next(), failing.next()) {
            (None, _) => Self::Nothing,
            (Some(facet), None) => Self::Only(facet),
            (Some(_), Some(_)) => Self::Several,
        }
    }

    /// Whether nothing would stand in the way without the condition of this facet.
    fn at_most(self, facet: T) -> bool {
        match self {
            Self::Nothing => true,
            Self::Only(failing) => failing == facet,
            Self::Several => false,
        }
    }
}

/// What the members of one group have, as far as their other conditions hold.
#[derive(Default)]
struct Have {
    /// Some member satisfies everything.
    any: bool,
    /// Some member satisfies everything but the condition on health.
    any_health: bool,
    health: [bool; Health::ALL.len()],
    transport: [bool; Transport::ALL.len()],
    availability: [bool; Availability::ALL.len()],
}

/// The counts so far.
struct Tally<'a> {
    seen: usize,
    /// Whether instances decide even without a condition on health.
    narrows_besides_health: bool,
    health: [u64; Health::ALL.len()],
    connectivity: [u64; GroupConnectivity::ALL.len()],
    auto_upgrade: [u64; State::ALL.len()],
    redundancy: [u64; Redundancy::ALL.len()],
    marks: [u64; Mark::ALL.len()],
    generation: [u64; Generation::ALL.len()],
    source: [u64; Origin::ALL.len()],
    transport: [u64; Transport::ALL.len()],
    availability: [u64; Availability::ALL.len()],
    types: HashMap<&'a str, u64>,
    tokens: HashMap<&'a str, u64>,
    scopes: HashMap<&'a Scope, u64>,
    versions: Versions<'a>,
    /// By lower-case text: the text as it was met first, and the groups that have it.
    tags: HashMap<Box<str>, (&'a str, u64)>,
    /// Groups that the filter lists, for the implicit tag of each.
    listed: Vec<&'a GroupView>,
}

impl<'a> Tally<'a> {
    fn new(filter: &Filter) -> Self {
        Self {
            seen: 0,
            narrows_besides_health: Filter { health: None, ..filter.clone() }.narrows_instances(),
            health: Default::default(),
            connectivity: Default::default(),
            auto_upgrade: Default::default(),
            redundancy: Default::default(),
            marks: Default::default(),
            generation: Default::default(),
            source: Default::default(),
            transport: Default::default(),
            availability: Default::default(),
            types: HashMap::new(),
            tokens: HashMap::new(),
            scopes: HashMap::new(),
            versions: Versions::default(),
            tags: HashMap::new(),
            listed: Vec::new(),
        }
    }

    fn add(&mut self, matcher: &Matcher<'_>, group: &'a GroupView) {
        self.seen += 1;
        let Some(pass) = matcher.fixed(group) else { return };
        let failing = Failing::of(GroupFacet::ALL, |facet| matcher.group_holds(facet, group));
        if matches!(failing, Failing::Several) {
            return;
        }
        let have = self.members(matcher, pass, group, matches!(failing, Failing::Nothing));
        if failing.at_most(GroupFacet::Health) {
            self.add_health(&have, pass, group);
        }
        if matches!(failing, Failing::Nothing) {
            count(&mut self.transport, |at| have.transport[at]);
            count(&mut self.availability, |at| have.availability[at]);
        }
        if have.any || matcher.takes_all(pass) {
            self.add_group(failing, group);
        }
    }

    /// Looks at the members; counts their versions if no condition on groups stands in the way.
    fn members(
        &mut self,
        matcher: &Matcher<'_>,
        pass: Pass,
        group: &'a GroupView,
        group_holds: bool,
    ) -> Have {
        let mut have = Have::default();
        for member in group.members.iter().filter(|member| matcher.member_fixed(pass, member)) {
            let failing = Failing::of(MemberFacet::ALL, |facet| matcher.member_holds(facet, member));
            have.any |= matches!(failing, Failing::Nothing);
            if failing.at_most(MemberFacet::Health) {
                have.any_health = true;
                note(&mut have.health, &Health::ALL, |health| has_health(member, health));
            }
            if failing.at_most(MemberFacet::Transport) {
                note(&mut have.transport, &Transport::ALL, |transport| member.facts.transport == transport);
            }
            if failing.at_most(MemberFacet::Availability) {
                note(&mut have.availability, &Availability::ALL, |state| is_in_state(member, state));
            }
            if group_holds && failing.at_most(MemberFacet::Versions) {
                self.add_version(member);
            }
        }
        have
    }

    fn add_version(&mut self, member: &'a Member) {
        if member.assessment.connectivity.is_connected() {
            let version = member.facts.version.as_ref().map(|version| version.as_str());
            // A text that looks like a reserved word cannot be asked for by itself.
            if version.is_none_or(|version| ![NO_VERSION, OWN_VERSION].contains(&version)) {
                self.versions.add(version.unwrap_or(NO_VERSION), self.seen);
            }
        }
    }

    fn add_health(&mut self, have: &Have, pass: Pass, group: &GroupView) {
        let all = !self.narrows_besides_health && !pass.by_host;
        let off = group.rollup.auto_upgrade.counts_as_off() && (have.any_health || all);
        count(&mut self.health, |at| match Health::ALL[at] {
            Health::AutoUpgradeOff => off,
            Health::Standing(_) | Health::Connected => have.health[at],
        });
    }

    /// Counts a group whose members hold for every facet of groups that may be the only one in the way.
    fn add_group(&mut self, failing: Failing<GroupFacet>, group: &'a GroupView) {
        let (facts, rollup) = (&group.facts, &group.rollup);
        if failing.at_most(GroupFacet::Connectivity) {
            count(&mut self.connectivity, |at| GroupConnectivity::ALL[at] == rollup.connectivity);
        }
        if failing.at_most(GroupFacet::AutoUpgrade) {
            count(&mut self.auto_upgrade, |at| State::ALL[at] == rollup.auto_upgrade.state);
        }
        if failing.at_most(GroupFacet::Redundancy) {
            count(&mut self.redundancy, |at| Redundancy::ALL[at] == redundancy(group));
        }
        if failing.at_most(GroupFacet::Marks) {
            count(&mut self.marks, |at| has_mark(group, Mark::ALL[at]));
        }
        if failing.at_most(GroupFacet::Generation) {
            count(&mut self.generation, |at| Generation::ALL[at] == generation(group));
        }
        if failing.at_most(GroupFacet::Source) {
            count(&mut self.source, |at| Origin::ALL[at] == Origin::of(group));
        }
        if failing.at_most(GroupFacet::Types) {
            *self.types.entry(facts.kind.as_str()).or_default() += 1;
        }
        if failing.at_most(GroupFacet::Tokens) {
            *self.tokens.entry(&facts.token_name).or_default() += 1;
        }
        if failing.at_most(GroupFacet::Scopes) {
            *self.scopes.entry(&facts.scope).or_default() += 1;
        }
        // All tags must be there: a group that lacks one is not listed whatever else is chosen.
        if matches!(failing, Failing::Nothing) {
            self.add_tags(group);
        }
    }

    fn add_tags(&mut self, group: &'a GroupView) {
        self.listed.push(group);
        let tags = &group.facts.tags;
        for (at, tag) in tags.iter().enumerate() {
            let lower = tag.to_lowercase();
            let again = tags.iter().take(at).any(|before| before.to_lowercase() == lower);
            if again {
                continue;
            }
            match self.tags.get_mut(&*lower) {
                Some((_, groups)) => *groups += 1,
                None => {
                    self.tags.insert(lower.into(), (tag, 1));
                }
            }
        }
    }

    /// A group has its name as a tag, too. Names alone are no choices: each would be one of its own.
    fn add_implicit_tags(&mut self) {
        if self.tags.is_empty() {
            return;
        }
        for group in &self.listed {
            let lower = group.facts.name.to_lowercase();
            if let Some((_, groups)) = self.tags.get_mut(&*lower) {
                let own = group.facts.tags.iter().any(|tag| tag.to_lowercase() == lower);
                *groups += u64::from(!own);
            }
        }
    }

    fn finish(mut self, filter: &Filter) -> Facets {
        self.add_implicit_tags();
        Facets {
            health: fixed(&Health::ALL, &self.health, |value| filter.health == Some(value)),
            connectivity: fixed(&GroupConnectivity::ALL, &self.connectivity, |value| {
                filter.connectivity.contains(&value)
            }),
            types: texts(self.types, &filter.types),
            tags: tags(self.tags, &filter.tags, self.listed.len() as u64),
            versions: texts(self.versions.counts(&filter.versions), &filter.versions),
            auto_upgrade: fixed_but(
                &State::ALL,
                &self.auto_upgrade,
                |state| matches!(state, State::Synchronizing | State::Unknown),
                |value| filter.auto_upgrade == Some(value),
            ),
            tokens: texts(self.tokens, &filter.tokens),
            scopes: most_frequent(
                self.scopes.into_iter().map(|(scope, groups)| (scope.clone(), groups)),
                &filter.scopes,
            ),
            redundancy: fixed(&Redundancy::ALL, &self.redundancy, |value| filter.redundancy.contains(&value)),
            marks: fixed(&Mark::ALL, &self.marks, |value| filter.marks.contains(&value)),
            generation: fixed(&Generation::ALL, &self.generation, |value| filter.generation == Some(value)),
            source: fixed(&Origin::ALL, &self.source, |value| filter.source == Some(value)),
            transport: fixed(&Transport::ALL, &self.transport, |value| filter.transport == Some(value)),
            availability: fixed(&Availability::ALL, &self.availability, |value| {
                filter.availability == Some(value)
            }),
        }
    }
}

fn count(counts: &mut [u64], has: impl Fn(usize) -> bool) {
    for (at, count) in counts.iter_mut().enumerate() {
        *count += u64::from(has(at));
    }
}

fn note<T: Copy>(have: &mut [bool], all: &[T], has: impl Fn(T) -> bool) {
    for (have, value) in have.iter_mut().zip(all) {
        *have = *have || has(*value);
    }
}
