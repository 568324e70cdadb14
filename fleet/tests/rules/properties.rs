//! What holds for every fleet: cards are a partition, sums agree, a card's number is the length of its list.

use std::sync::Arc;

use fleet::chart::{Charts, MAX_ROWS};
use fleet::delegate::{DelegateType, Family, Transport};
use fleet::health::Standing;
use fleet::history::{SLOT, Span, State};
use fleet::query::{Column, Filter, Health, Query, Sort, select, select_all};
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

/// Texts that look like others: of one series in two spellings, of none, or like a word of the filter.
const ODD_VERSIONS: [&str; 12] = [
    "v3.1.0",
    "26.10",
    "26.10.nightly",
    "26.10-ubi9",
    "26",
    "none",
    "none.1",
    "custom",
    "latest.1",
    "26.1.7",
    "20261120.5.1",
    "1.0",
];

const AGES: [i64; 7] =
    [0, 179 * SECOND, 180 * SECOND, 300 * SECOND, 300 * SECOND + 1, 6 * HOUR, 6 * HOUR + 1];

fn any_instance() -> impl Strategy<Value = Seen> {
    let version = prop::sample::select([&VERSIONS[..], &ODD_VERSIONS[..]].concat());
    let transport = prop::sample::select(&Transport::ALL[..]);
    let age = prop::option::weighted(0.95, prop::sample::select(&AGES[..]));
    let turns = prop_oneof![3 => Just(Vec::new()), 1 => any_turns()];
    let registered = prop::sample::select(vec![0, 10 * MINUTE, 20 * HOUR, 40 * DAY]);
    (version, age, "[a-c]-[x-z]", any::<bool>(), turns, registered, transport).prop_map(
        |(version, age, host, said_goodbye, turns, registered, transport)| {
            let seen = instance(&host, version).beat(age.map(ago)).turned(&turns);
            seen.with(|facts| {
                facts.goodbye_at = (said_goodbye && age == Some(0)).then(|| ago(0));
                facts.registered_at = ago(registered);
                facts.transport = transport;
            })
        },
    )
}

/// What an instance was in the past day: at most six changes, oldest first.
fn any_turns() -> impl Strategy<Value = Vec<(i64, State)>> {
    let state = prop::sample::select(vec![State::Connected, State::NotConnected, State::Hidden]);
    let turns = prop::collection::vec((0..DAY, state), 0..6);
    turns.prop_map(|mut turns| {
        turns.sort_by_key(|(age, _)| std::cmp::Reverse(*age));
        turns
    })
}

fn any_group() -> impl Strategy<Value = Option<GroupView>> {
    let upgrader = prop::option::of(prop::sample::select(vec![MINUTE, 90 * MINUTE, 91 * MINUTE]));
    let first_seen = prop::sample::select(vec![MINUTE, DAY]);
    let owner = prop::sample::select(vec!["acme", "acme/a", "acme/a/b"]);
    let kind = prop::sample::select(vec![DelegateType::Kubernetes, DelegateType::Docker, "".into()]);
    let tags = prop::sample::subsequence(&["linux", "EU", "eu", "a", "x,y", "b"][..], 0..=6);
    let token = prop::sample::select(vec!["default_token", "build", ""]);
    let family = prop::sample::select(vec![Family::Java, Family::Runner]);
    let more = (kind, tags, token, family);
    let facts = ("[a-d]{1,2}", owner, upgrader, first_seen, any::<bool>(), 0..9 * DAY, more);
    (facts, prop::collection::vec(any_instance(), 0..6), any::<u32>()).prop_map(|(facts, members, id)| {
        let (name, owner, upgrader, first_seen, by_choice, idle, (kind, tags, token, family)) = facts;
        let mut facts = group(&name);
        (facts.id, facts.scope) = (format!("{id}").into(), Arc::new(scope(owner)));
        (facts.upgrader_seen, facts.first_seen) = (upgrader.map(ago), ago(first_seen));
        (facts.by_choice, facts.last_active, facts.tags) = (by_choice, ago(idle), texts(&tags));
        (facts.kind, facts.token_name, facts.family) = (kind, token.into(), family);
        try_view(facts, members)
    })
}

pub(crate) fn any_fleet() -> impl Strategy<Value = Snapshot> {
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
    fn a_mark_of_a_chart_lists_as_many_instances_as_it_counts(fleet in any_fleet()) {
        let listed = |filter: &Filter| {
            let query = Query { filter: filter.clone(), ..Query::default() };
            let read = Query::parse(&query.to_url()).unwrap();
            select_all(&fleet, &read).instances as u64
        };
        let charts = Charts::of(&fleet);
        for series in &charts.versions.rows {
            if let Some(filter) = &series.filter {
                prop_assert_eq!(series.stack.total(), listed(filter), "{}", series.label);
            }
        }
        for week in &charts.expiry.weeks {
            prop_assert_eq!(week.total(), listed(&week.filter), "{}", week.monday);
        }
        for slot in &charts.heartbeats.slots {
            prop_assert_eq!(slot.silent, listed(&slot.filter), "{:?}", slot.from);
        }
    }

    #[test]
    fn each_chart_counts_every_connected_instance_once(fleet in any_fleet()) {
        let Charts { versions, expiry, .. } = Charts::of(&fleet);
        prop_assert!(versions.rows.len() <= MAX_ROWS);
        prop_assert_eq!(versions.rows.iter().map(|row| row.stack.total()).sum::<u64>(), fleet.counts.connected);
        prop_assert_eq!(versions.total, fleet.counts.connected);
        let near: u64 = expiry.weeks.iter().map(|week| week.near).sum();
        prop_assert_eq!((expiry.expired, near), (fleet.counts.expired, fleet.counts.near_expiry));
        prop_assert_eq!(expiry.expired + expiry.total() + expiry.later + expiry.undated, fleet.counts.connected);
    }

    #[test]
    fn the_day_of_the_chart_is_the_sum_of_what_its_instances_were(fleet in any_fleet()) {
        let day = Charts::of(&fleet).heartbeats;
        let from = day.slots[0].from;
        let spans = || fleet.groups.iter().flat_map(|group| &group.members).flat_map(|member| member.spans(from));
        for slot in &day.slots {
            let within = |span: &Span| {
                span.from.max(slot.from).age(span.until.min(slot.from.plus(SLOT))).max(0)
            };
            let time = |state| spans().filter(|span| span.state == state).map(|span| within(&span)).sum::<i64>();
            prop_assert_eq!(slot.connected, time(State::Connected));
            prop_assert_eq!(slot.expected, time(State::Connected) + time(State::NotConnected));
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
