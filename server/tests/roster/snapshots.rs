//! What viewers see (`product 2.1`, `3`, `4`, `6`).

use std::sync::Arc;
use std::time::Duration;

use fleet::catalog::Catalog;
use fleet::health::Connectivity;
use fleet::scope::Scope;
use fleet::time::{DAY, HOUR, SECOND};
use futures::future::join_all;
use server::roster::report::Report;
use server::roster::{Reference, SnapshotError};

use crate::support::{House, NOON, caller, machine, pod};

#[tokio::test]
async fn a_scope_lists_its_own_delegates_and_tells_how_many_lie_below() {
    let house = House::new().await;
    for (scope, name) in [("acme", "a"), ("acme/payments", "o"), ("acme/payments/checkout", "p")] {
        house.register(&caller(scope), &machine(name, "dlite-1", "192.0.2.1")).await;
    }
    for (scope, below, names, hidden) in [
        ("acme", false, vec!["a"], 2),
        ("acme", true, vec!["a", "o", "p"], 0),
        ("acme/payments", false, vec!["o"], 1),
        ("acme/payments/checkout", false, vec!["p"], 0),
    ] {
        let view = house.view(scope, below).await;
        let listed: Vec<&str> = view.snapshot.groups.iter().map(|group| &*group.facts.name).collect();
        assert_eq!((listed, view.below.groups), (names, hidden), "{scope} {below}");
    }
}

#[tokio::test]
async fn a_scope_that_nobody_made_is_unknown() {
    let house = House::new().await;
    let scope: Scope = "acme/nowhere".parse().expect("scope");
    let unknown = house.roster.snapshot(&scope, false, house.now()).await.err();
    assert_eq!(unknown, Some(SnapshotError::UnknownScope(scope)));
}

#[tokio::test]
async fn connected_until_300_seconds_and_listed_until_6_hours() {
    let house = House::new().await;
    house.register(&caller("acme"), &pod("edge", "edge-1-a", "10.0.0.1")).await;
    let state = async |advance: i64| {
        house.clock.advance(advance);
        let view = house.view("acme", false).await;
        view.snapshot.groups.first().and_then(|group| Some(group.members.first()?.assessment.connectivity))
    };
    assert_eq!(state(179 * SECOND).await, Some(Connectivity::Connected));
    assert_eq!(state(SECOND).await, Some(Connectivity::Late));
    assert_eq!(state(120 * SECOND).await, Some(Connectivity::Late));
    assert_eq!(state(SECOND).await, Some(Connectivity::NotConnected));
    assert_eq!(state(6 * HOUR - 301 * SECOND).await, Some(Connectivity::NotConnected));
    assert_eq!(state(SECOND).await, None);
    let groups = async |advance: i64| {
        house.clock.advance(advance);
        house.view("acme", false).await.snapshot.counts.groups
    };
    assert_eq!(groups(7 * DAY - 6 * HOUR - SECOND).await, 1);
    assert_eq!(groups(SECOND).await, 0);
}

#[tokio::test]
async fn a_new_catalog_changes_the_figures_at_once() {
    let house = House::new().await;
    house.register(&caller("acme"), &pod("edge", "edge-1-a", "10.0.0.1")).await;
    assert_eq!(house.view("acme", false).await.snapshot.counts.active, 1, "nothing newer is known");
    let catalog = Catalog::import(include_str!("../../../fixtures/catalog.json")).expect("catalog");
    let reference = (*house.roster.reference()).clone();
    house.roster.set_reference(Reference { catalog: Arc::new(catalog), ..reference });
    assert_eq!(house.view("acme", false).await.snapshot.counts.unsupported, 1);
}

#[tokio::test]
async fn viewers_of_one_second_share_one_computation() {
    let house = House::new().await;
    house.register(&caller("acme"), &pod("edge", "edge-1-a", "10.0.0.1")).await;
    let first = house.view("acme", false).await;
    let second = house.view("acme", false).await;
    assert!(Arc::ptr_eq(&first.snapshot, &second.snapshot));
    house.clock.advance(SECOND);
    let later = house.view("acme", false).await;
    assert!(!Arc::ptr_eq(&first.snapshot, &later.snapshot));
    assert_eq!(first.digest(), later.digest(), "nothing but time has passed");
    house.clock.advance(300 * SECOND);
    assert_ne!(later.digest(), house.view("acme", false).await.digest(), "a loss is a change");
}

#[tokio::test]
async fn memory_lets_go_of_instances_that_are_long_gone_and_knows_them_again() {
    let house = House::new().await;
    let report = machine("vm", "dlite-1", "192.0.2.1");
    house.register(&caller("acme"), &report).await;
    house.clock.advance(7 * DAY);
    house.roster.evict(house.now());
    assert_eq!(house.roster.size(), (1, 1));
    house.clock.advance(1);
    house.roster.evict(house.now());
    assert_eq!(house.roster.size(), (1, 0));
    house.register(&caller("acme"), &report).await;
    assert_eq!(house.instances("acme").await, 1);
}

#[tokio::test]
async fn nobody_waits_for_a_large_fleet_but_who_did_something() {
    let house = House::new().await;
    let caller = caller("acme");
    let report = |number: u32| Report {
        delegate_id: Some(format!("d-{number}").into()),
        host_name: Some(format!("edge-{number}").into()),
        ..pod("edge", "edge", "10.0.0.1")
    };
    let reports: Vec<Report<'_>> = (0..20_001).map(report).collect();
    // No more at once than may wait for the store.
    for some in reports.chunks(1_000) {
        let registered = some.iter().map(|report| house.roster.upsert(&caller, report, house.now()));
        assert!(join_all(registered).await.iter().all(Result::is_ok));
    }
    let first = house.view("acme", false).await;
    assert_eq!(first.snapshot.counts.instances, 20_001);

    house.clock.advance(1_500);
    let meanwhile = house.view("acme", false).await;
    assert!(Arc::ptr_eq(&first, &meanwhile), "the last one, while the next is made");
    let next = loop {
        let next = house.view("acme", false).await;
        if !Arc::ptr_eq(&first, &next) {
            break next;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    };
    assert_eq!(next.snapshot.as_of, NOON.plus(1_500));

    house.roster.set_reference((*house.roster.reference()).clone());
    let after = house.view("acme", false).await;
    assert!(!Arc::ptr_eq(&next, &after), "settings of a moment ago count");
    house.clock.advance(3_000);
    assert_eq!(house.view("acme", false).await.snapshot.as_of, NOON.plus(4_500), "three seconds are too old");
}
