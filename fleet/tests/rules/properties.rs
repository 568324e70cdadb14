//! What holds for every fleet: cards are a partition, sums agree, a card's number is the length of its list.

use std::sync::Arc;

use fleet::health::Standing;
use fleet::query::{Column, Health, Query, Sort, select, select_all};
use fleet::summary::Counts;
use fleet::time::{DAY, HOUR, MINUTE, SECOND};
use fleet::view::{GroupView, Snapshot};
use proptest::prelude::*;

use crate::support::{Seen, ago, group, instance, scope, snapshot, texts, try_view};

const VERSIONS: [&str; 11] = [
    "",
    "nightly",
    "latest",
    "1.0.82007",
    "3.0.0",
    "3.1.0",
    "22.09.76299",
    "26.05.89004",
    "26.06.89208",
    "26.10.90212",
    "26.11.90604.minimal",
];

const AGES: [i64; 7] =
    [0, 179 * SECOND, 180 * SECOND, 300 * SECOND, 300 * SECOND + 1, 6 * HOUR, 6 * HOUR + 1];

fn any_instance() -> impl Strategy<Value = Seen> {
    let version = prop::sample::select(&VERSIONS[..]);
    let age = prop::option::weighted(0.95, prop::sample::select(&AGES[..]));
    (version, age, "[a-c]-[x-z]", any::<bool>()).prop_map(|(version, age, host, said_goodbye)| {
        let seen = instance(&host, version).beat(age.map(ago));
        seen.with(|facts| facts.goodbye_at = (said_goodbye && age == Some(0)).then(|| ago(0)))
    })
}

fn any_group() -> impl Strategy<Value = Option<GroupView>> {
    let upgrader = prop::option::of(prop::sample::select(vec![MINUTE, 90 * MINUTE, 91 * MINUTE]));
    let first_seen = prop::sample::select(vec![MINUTE, DAY]);
    let owner = prop::sample::select(vec!["acme", "acme/a", "acme/a/b"]);
    let facts = ("[a-d]{1,2}", owner, upgrader, first_seen, any::<bool>(), 0..9 * DAY);
    (facts, prop::collection::vec(any_instance(), 0..6), any::<u32>()).prop_map(|(facts, members, id)| {
        let (name, owner, upgrader, first_seen, by_choice, idle) = facts;
        let mut facts = group(&name);
        (facts.id, facts.scope) = (format!("{id}").into(), Arc::new(scope(owner)));
        (facts.upgrader_seen, facts.first_seen) = (upgrader.map(ago), ago(first_seen));
        (facts.by_choice, facts.last_active, facts.tags) = (by_choice, ago(idle), texts(&["linux"]));
        try_view(facts, members)
    })
}

fn any_fleet() -> impl Strategy<Value = Snapshot> {
    prop::collection::vec(any_group(), 0..40)
        .prop_map(|groups| snapshot(groups.into_iter().flatten().collect()))
}

/// The figure of `counts` that a health word names.
fn figure(counts: &Counts, health: Health) -> u64 {
    let json = serde_json::to_value(counts).unwrap();
    json[health.as_str()].as_u64().unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_visible_instance_falls_in_exactly_one_place(fleet in any_fleet()) {
        let places = Standing::ALL.map(|standing| figure(&fleet.counts, Health::Standing(standing)));
        prop_assert_eq!(places.iter().sum::<u64>(), fleet.counts.instances);
        prop_assert_eq!(fleet.counts.connected + fleet.counts.unreachable, fleet.counts.instances);
        let rows: usize = fleet.groups.iter().map(|group| group.members.len()).sum();
        prop_assert_eq!(rows as u64, fleet.counts.instances);
        prop_assert_eq!(fleet.groups.len() as u64, fleet.counts.groups);
    }

    #[test]
    fn the_cards_of_the_groups_add_up_to_those_of_the_page(fleet in any_fleet()) {
        let mut sum = Counts::default();
        for group in &fleet.groups {
            let counts = &group.rollup.counts;
            let places = Standing::ALL.map(|standing| figure(counts, Health::Standing(standing)));
            prop_assert_eq!(places.iter().sum::<u64>(), counts.instances);
            prop_assert_eq!((counts.groups, counts.instances), (1, group.members.len() as u64));
            prop_assert!(counts.auto_upgrade_off <= 1);
            sum.merge(counts);
        }
        prop_assert_eq!(sum, fleet.counts);
    }

    #[test]
    fn a_card_shows_as_many_rows_as_it_counts(fleet in any_fleet()) {
        for health in Health::ALL {
            let query = Query::default().with_health(Some(health));
            let all = select_all(&fleet, &query);
            let shown = if health == Health::AutoUpgradeOff { all.groups } else { all.instances };
            prop_assert_eq!(shown as u64, figure(&fleet.counts, health), "{}", health.as_str());
            let first = select(&fleet, &query);
            prop_assert_eq!((first.groups, first.instances), (all.groups, all.instances));
            let over_pages: usize = (1..=first.pages)
                .flat_map(|page| select(&fleet, &query.with_page(page)).rows)
                .map(|row| row.members.len())
                .sum();
            prop_assert_eq!(over_pages, all.instances);
        }
    }

    #[test]
    fn pages_are_the_pieces_of_the_whole_order(
        fleet in any_fleet(),
        column in prop::sample::select(&Column::ALL[..]),
        descending in any::<bool>(),
        search in prop::sample::select(vec!["", "a", "x", "linux"]),
    ) {
        let query = Query::default().with_search(search).with_sort(Some(Sort { column, descending }));
        let all = select_all(&fleet, &query);
        let first = select(&fleet, &query);
        let pieces: Vec<_> =
            (1..=first.pages).flat_map(|page| select(&fleet, &query.with_page(page)).rows).collect();
        prop_assert_eq!(pieces, all.rows);
    }

    #[test]
    fn a_group_is_as_bad_as_its_worst_connected_member(fleet in any_fleet()) {
        for group in &fleet.groups {
            let connected = group.members.iter().filter(|member| member.assessment.connectivity.is_connected());
            let worst = connected.map(|member| member.assessment.standing).min();
            prop_assert_eq!(group.rollup.standing, worst.unwrap_or(Standing::Unreachable));
            let earliest = group.members.iter().filter(|member| member.assessment.connectivity.is_connected());
            let earliest = earliest.filter_map(|member| member.assessment.verdict.expires_at).min();
            prop_assert_eq!(group.rollup.expires_at, earliest);
            let speaker = group.rollup.speaker.map(|at| &group.members[at].assessment);
            prop_assert_eq!(speaker.and_then(|speaker| speaker.verdict.expires_at), earliest);
        }
    }
}
