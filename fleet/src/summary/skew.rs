//! What members of one group should share and do not (`product 9.2`, P22).

use std::collections::{HashMap, HashSet};
use std::hash::Hash;
use std::sync::Arc;

use super::{Differences, DoubleDelegate};
use crate::delegate::{hint, replica_set};
use crate::policy::Policy;
use crate::time::Timestamp;
use crate::view::Member;

/// The marks of a group.
#[derive(Default)]
pub(super) struct Marks {
    pub(super) other_versions: u32,
    pub(super) differences: Differences,
    pub(super) double_delegate: Option<DoubleDelegate>,
}

/// The marks of a group's visible members at `now`.
pub(super) fn find(members: &[Member], policy: &Policy, now: Timestamp) -> Marks {
    let lasting = |since: Option<Timestamp>| since.is_some_and(|since| since.age(now) > policy.skew);
    let versions = Kinds::of(connected(members).filter_map(|member| {
        let facts = &member.facts;
        facts.version.as_ref().map(|version| (version, facts.version_since))
    }));
    let differences = Differences {
        version: lasting(versions.differ_since()),
        tags: differ(connected(members).map(|member| &member.facts.tags), |a, b| same_tags(a, b)),
        token: differ(connected(members).map(|member| &member.facts.token), |a, b| a == b),
        kind: differ(connected(members).map(|member| &member.facts.kind), |a, b| a == b),
    };
    let double_delegate = if differ(members.iter().filter_map(cluster), |a, b| a == b) {
        Some(DoubleDelegate::Clusters)
    } else if lasting(replica_sets(members).differ_since()) {
        Some(DoubleDelegate::ReplicaSets)
    } else if connected(members).any(|member| is_double(member, policy, now)) {
        Some(DoubleDelegate::Connections)
    } else {
        None
    };
    Marks { other_versions: versions.others(), differences, double_delegate }
}

fn connected(members: &[Member]) -> impl Iterator<Item = &Member> {
    members.iter().filter(|member| member.assessment.connectivity.is_connected())
}

fn cluster(member: &Member) -> Option<&str> {
    hint(&member.facts.tags, "cluster")
}

/// `ReplicaSets` of connected pods, each since its first pod registered.
fn replica_sets(members: &[Member]) -> Kinds<&str> {
    let pods = connected(members).filter(|member| member.facts.kind.is_kubernetes());
    Kinds::of(pods.filter_map(|pod| Some((replica_set(&pod.facts.host_name)?, pod.facts.registered_at))))
}

/// Whether two processes were seen under this id a short time ago (`agent-protocol 8.6`).
fn is_double(member: &Member, policy: &Policy, now: Timestamp) -> bool {
    member.facts.double_seen.is_some_and(|at| at.age(now) <= policy.skew)
}

/// Custom tags are a set: their order says nothing.
fn same_tags(a: &[Arc<str>], b: &[Arc<str>]) -> bool {
    if a == b {
        return true;
    }
    a.iter().collect::<HashSet<_>>() == b.iter().collect::<HashSet<_>>()
}

/// Whether any value is unlike the first one.
fn differ<T>(mut values: impl Iterator<Item = T>, same: impl Fn(&T, &T) -> bool) -> bool {
    values.next().is_some_and(|first| values.any(|value| !same(&first, &value)))
}

/// Distinct values among members, each with the time since when the first member has it.
struct Kinds<K> {
    first: Option<(K, Timestamp)>,
    /// Empty while all values are the same, which is nearly always.
    others: HashMap<K, Timestamp>,
}

impl<K: Eq + Hash> Kinds<K> {
    fn of(values: impl Iterator<Item = (K, Timestamp)>) -> Self {
        let mut kinds = Self { first: None, others: HashMap::new() };
        for (value, since) in values {
            match &mut kinds.first {
                None => kinds.first = Some((value, since)),
                Some((first, earliest)) if *first == value => *earliest = since.min(*earliest),
                Some(_) => {
                    let earliest = kinds.others.entry(value).or_insert(since);
                    *earliest = since.min(*earliest);
                }
            }
        }
        kinds
    }

    /// How many there are beside one.
    fn others(&self) -> u32 {
        u32::try_from(self.others.len()).unwrap_or(u32::MAX)
    }

    /// A difference exists since the second value appeared; none while there is one value.
    fn differ_since(&self) -> Option<Timestamp> {
        let mut earliest = self.first.as_ref()?.1;
        let mut second = None;
        for &since in self.others.values() {
            second =
                Some(second.map_or(earliest.max(since), |second: Timestamp| second.min(earliest.max(since))));
            earliest = earliest.min(since);
        }
        second
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn since(times: &[(&'static str, i64)]) -> Option<i64> {
        let values = times.iter().map(|&(value, at)| (value, Timestamp::from_millis(at)));
        Kinds::of(values).differ_since().map(Timestamp::millis)
    }

    #[test]
    fn a_difference_exists_since_the_second_value_appeared() {
        assert_eq!(since(&[]), None);
        assert_eq!(since(&[("a", 5), ("a", 1)]), None);
        assert_eq!(since(&[("a", 5), ("b", 9)]), Some(9));
        assert_eq!(since(&[("b", 9), ("a", 5)]), Some(9));
        assert_eq!(since(&[("b", 9), ("a", 7), ("a", 5), ("c", 6)]), Some(6));
        assert_eq!(since(&[("c", 6), ("b", 1), ("a", 1)]), Some(1));
    }
}
