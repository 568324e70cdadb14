//! The four cards at their boundaries (features 7 to 10, product 6).

use fleet::catalog::Catalog;
use fleet::health::Judge;
use fleet::policy::{Anchor, Policy};
use fleet::summary::Counts;
use fleet::time::{DAY, MINUTE, SECOND, Timestamp};

use crate::support::{CATALOG, ago, at, catalog, group, instance, now, snapshot, view, view_by};

/// The cards of one connected instance at an instant.
fn cards(version: &str, catalog: &Catalog, policy: &Policy, now: Timestamp) -> Counts {
    let mut judge = Judge::new(catalog, catalog.latest(None, None, now), policy, now);
    view_by(&mut judge, group("edge-a"), vec![instance("a", version).beat(Some(now))]).unwrap().rollup.counts
}

#[test]
fn expired_counts_connected_instances_past_the_anchor() {
    let expired = |instant, anchor| {
        let policy = Policy { anchor, ..Policy::default() };
        cards("26.06.89208", &catalog(), &policy, instant).expired
    };
    let end = at("2026-11-30 23:59:59");
    assert_eq!(expired(end, Anchor::Eos), 0);
    assert_eq!(expired(end.plus(SECOND), Anchor::Eos), 1);
    assert_eq!(expired(end.plus(SECOND), Anchor::Eol), 0, "the end of life moves it back");
}

#[test]
fn near_expiry_counts_connected_instances_inside_the_window() {
    let near = |instant, days| {
        let policy = Policy { near_expiry: days * DAY, ..Policy::default() };
        cards("26.06.89208", &catalog(), &policy, instant).near_expiry
    };
    let end = at("2026-11-30 23:59:59");
    let instants = [end.plus(-28 * DAY - SECOND), end.plus(-28 * DAY), end, end.plus(SECOND)];
    assert_eq!(instants.map(|instant| near(instant, 28)), [0, 1, 1, 0]);
    assert_eq!(near(end.plus(-28 * DAY), 7), 0, "a window of 7 days changes the count");
}

#[test]
fn unsupported_counts_connected_instances_below_the_latest_that_do_not_expire_yet() {
    let unsupported =
        |version, catalog: &Catalog| cards(version, catalog, &Policy::default(), now()).unsupported;
    assert_eq!(unsupported("26.11.90604", &catalog()), 0, "equal to the latest");
    assert_eq!(unsupported("26.12.90700", &catalog()), 0, "above the latest");
    let raised = CATALOG.replace(r#""classic": "26.11.90604""#, r#""classic": "26.11.90700""#);
    assert_eq!(unsupported("26.11.90604", &Catalog::import(&raised).unwrap()), 1);
    assert_eq!(unsupported("26.06.89208", &catalog()), 0, "near expiry is not counted twice");
    assert_eq!(unsupported("26.05.89004", &catalog()), 0, "expired is not counted twice");
}

#[test]
fn auto_upgrade_off_counts_groups_that_are_off_and_not_muted() {
    let off = |seen: Option<i64>, first_seen: i64, by_choice| {
        let mut group = group("edge-a");
        (group.upgrader_seen, group.first_seen, group.by_choice) =
            (seen.map(ago), ago(first_seen), by_choice);
        view(group, vec![instance("a", "26.11.90604"), instance("b", "26.11.90604")])
            .rollup
            .counts
            .auto_upgrade_off
    };
    assert_eq!(off(None, MINUTE, false), 0, "detecting");
    assert_eq!(off(None, DAY, false), 1, "off, counted once for two instances");
    assert_eq!(off(None, DAY, true), 0, "muted");
    assert_eq!(off(Some(MINUTE), DAY, false), 0, "on");
}

#[test]
fn instances_that_are_not_connected_are_in_no_version_card() {
    let counts = view(group("edge-a"), vec![instance("a", "26.05.89004").silent()]).rollup.counts;
    assert_eq!((counts.expired, counts.unreachable, counts.connected), (0, 1, 0));
}

#[test]
fn the_cards_of_a_page_are_the_sums_over_its_groups() {
    let groups = vec![
        view(group("a"), vec![instance("a", "26.05.89004"), instance("b", "")]),
        view(group("b"), vec![instance("c", "26.05.89004"), instance("d", "26.11.90604").silent()]),
    ];
    let mut sum = Counts::default();
    for group in &groups {
        sum.merge(&group.rollup.counts);
    }
    let counts = snapshot(groups).counts;
    assert_eq!(counts, sum);
    assert_eq!((counts.groups, counts.instances, counts.expired), (2, 4, 2));
    assert_eq!((counts.unknown, counts.unreachable, counts.connected), (1, 1, 3));
}
