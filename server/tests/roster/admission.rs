//! Who gets which row (`agent-protocol 1.7`, `2.2` to `2.4`, `8`).

use std::borrow::Cow;

use fleet::time::{HOUR, MINUTE, SECOND};
use server::roster::report::{Goodbye, Report};
use server::roster::{Limits, RosterError};

use crate::support::{House, beat, caller, machine, pod};

#[tokio::test]
async fn the_same_registration_twice_is_the_same_delegate() {
    let house = House::new().await;
    let report = machine("vm", "dlite-1", "192.0.2.1");
    let first = house.register(&caller("acme"), &report).await;
    let second = house.register(&caller("acme"), &report).await;
    assert_eq!(first.id, second.id);
    assert_eq!(first.id.len(), 22);
    assert_eq!(house.instances("acme").await, 1);
}

#[tokio::test]
async fn a_machine_with_another_address_or_host_name_is_a_new_delegate() {
    let house = House::new().await;
    let first = house.register(&caller("acme"), &machine("vm", "dlite-1", "192.0.2.1")).await;
    let moved = house.register(&caller("acme"), &machine("vm", "dlite-1", "192.0.2.2")).await;
    let renamed = house.register(&caller("acme"), &machine("vm", "dlite-2", "192.0.2.1")).await;
    assert_ne!(first.id, moved.id);
    assert_ne!(first.id, renamed.id);
    assert_eq!(house.instances("acme").await, 3);
}

#[tokio::test]
async fn a_pod_keeps_its_row_when_its_address_moves() {
    let house = House::new().await;
    let first = house.register(&caller("acme"), &pod("edge", "edge-7c9d-x2kqp", "10.42.3.17")).await;
    let moved = house.register(&caller("acme"), &pod("edge", "edge-7c9d-x2kqp", "10.42.9.1")).await;
    assert_eq!(first.id, moved.id);
}

#[tokio::test]
async fn an_invented_address_does_not_make_a_new_row_at_every_start() {
    let house = House::new().await;
    let first = house.register(&caller("acme"), &machine("vm", "dlite-1", "fake-1.2.3.4")).await;
    let again = house.register(&caller("acme"), &machine("vm", "dlite-1", "fake-9.8.7.6")).await;
    assert_eq!(first.id, again.id);
}

#[tokio::test]
async fn a_machine_that_finds_no_address_any_more_keeps_its_row() {
    let house = House::new().await;
    let first = house.register(&caller("acme"), &machine("vm", "dlite-1", "192.0.2.1")).await;
    let again = house.register(&caller("acme"), &machine("vm", "dlite-1", "fake-1.2.3.4")).await;
    assert_eq!(first.id, again.id);
}

#[tokio::test]
async fn a_repeated_registration_keeps_what_other_calls_told_and_says_nothing_new() {
    let house = House::new().await;
    let caller = caller("acme");
    let at = |clock: i64| Report { client_clock: Some(clock), ..machine("vm", "dlite-1", "192.0.2.1") };
    let id = house.register(&caller, &at(house.now().millis() + 20)).await.id;
    house.roster.capacity(&caller, &id, 7, house.now()).await;
    let before = house.view("acme", false).await;
    house.register(&caller, &at(house.now().millis() + 999)).await;
    let after = house.view("acme", false).await;
    let facts = |view: &server::roster::SharedSnapshot| view.snapshot.groups[0].members[0].facts.clone();
    assert_eq!(facts(&before), facts(&after));
    assert_eq!(facts(&after).capacity, Some(7));
}

#[tokio::test]
async fn another_name_is_another_group_on_the_same_host() {
    let house = House::new().await;
    house.register(&caller("acme"), &machine("vm-a", "dlite-1", "192.0.2.1")).await;
    house.register(&caller("acme"), &machine("vm-b", "dlite-1", "192.0.2.1")).await;
    let view = house.view("acme", false).await;
    assert_eq!((view.snapshot.counts.groups, view.snapshot.counts.instances), (2, 2));
}

#[tokio::test]
async fn names_that_give_the_same_identifier_are_told_apart() {
    let house = House::new().await;
    for name in ["edge-a", "edge.a", "edge a"] {
        house.register(&caller("acme"), &machine(name, "dlite-1", "192.0.2.1")).await;
    }
    let view = house.view("acme", false).await;
    let mut identifiers: Vec<&str> =
        view.snapshot.groups.iter().map(|group| &*group.facts.identifier).collect();
    identifiers.sort_unstable();
    assert_eq!(identifiers, ["_edge_a", "_edge_a_2", "_edge_a_3"]);
}

#[tokio::test]
async fn the_token_decides_the_scope_and_the_body_cannot_widen_it() {
    let house = House::new().await;
    let placed = |organization: &'static str, project: Option<&'static str>| Report {
        organization: Some(Cow::Borrowed(organization)),
        project: project.map(Cow::Borrowed),
        ..machine("vm", "dlite-1", "192.0.2.1")
    };
    house.register(&caller("acme"), &placed("payments", Some("checkout"))).await;
    assert_eq!(house.view("acme/payments/checkout", false).await.snapshot.counts.groups, 1);
    house.register(&caller("acme/payments"), &placed("other", None)).await;
    assert_eq!(house.view("acme/payments", false).await.snapshot.counts.groups, 1);
    house.register(&caller("acme/payments/checkout"), &placed("payments", None)).await;
    assert_eq!(house.view("acme", true).await.snapshot.counts.groups, 2);
    assert_eq!(house.view("acme/payments/checkout", false).await.snapshot.counts.instances, 1);
}

#[tokio::test]
async fn a_heartbeat_with_an_unknown_id_creates_the_row_under_that_id() {
    let house = House::new().await;
    let caller = caller("acme");
    let report = machine("vm", "dlite-1", "192.0.2.1");
    let heartbeat = beat(&report, "d-go-0001");
    assert_eq!(house.roster.beat(&caller, &heartbeat, house.now()), None);
    let admitted = house.roster.upsert(&caller, &heartbeat, house.now()).await.expect("admitted");
    assert_eq!(&*admitted.id, "d-go-0001");
    assert!(house.roster.beat(&caller, &heartbeat, house.now()).is_some());
    assert_eq!(house.instances("acme").await, 1);
}

#[tokio::test]
async fn an_unknown_id_of_a_known_identity_becomes_an_alias() {
    let house = House::new().await;
    let caller = caller("acme");
    let report = machine("vm", "dlite-1", "192.0.2.1");
    let registered = house.register(&caller, &report).await;
    let heartbeat = beat(&report, "d-old-id");
    let admitted = house.roster.upsert(&caller, &heartbeat, house.now()).await.expect("admitted");
    assert_eq!(&*admitted.id, "d-old-id", "the delegate keeps using the id it has");
    assert_ne!(admitted.id, registered.id);
    assert_eq!(house.instances("acme").await, 1);
    let house = house.kill_and_restart().await;
    assert!(house.roster.beat(&caller, &heartbeat, house.now()).is_some(), "the alias survives");
}

#[tokio::test]
async fn ids_that_cannot_be_kept_are_refused() {
    let house = House::new().await;
    let report = machine("vm", "dlite-1", "192.0.2.1");
    for id in ["a b", "a/b", "ü", &"x".repeat(65)] {
        let refused = house.roster.upsert(&caller("acme"), &beat(&report, id), house.now()).await;
        assert_eq!(refused, Err(RosterError::BadId), "{id:?}");
    }
    assert_eq!(house.instances("acme").await, 0);
}

#[tokio::test]
async fn a_token_can_neither_change_nor_take_nor_hide_a_delegate_of_another_scope() {
    let house = House::new().await;
    let (owner, other) = (caller("acme/payments"), caller("acme/payments/checkout"));
    let report = machine("vm", "dlite-1", "192.0.2.1");
    let id = house.register(&owner, &report).await.id;
    let before = house.view("acme/payments", false).await.snapshot.groups[0].members[0].facts.clone();
    let stolen = beat(&machine("stolen", "evil", "192.0.2.9"), &id).clone();
    house.clock.advance(SECOND);
    assert_eq!(house.roster.beat(&other, &stolen, house.now()), None);
    assert_eq!(house.roster.upsert(&other, &stolen, house.now()).await, Err(RosterError::BadId));
    assert!(house.roster.placeholder(&other, &stolen, house.now()).await.is_err());
    assert_ne!(house.register(&other, &stolen).await.id, id, "a registration gets a row of its own");
    let goodbye = Goodbye { delegate_id: Some(Cow::Borrowed(&id)), ..Goodbye::default() };
    assert_eq!(house.roster.unregister(&other, &goodbye, house.now()).await, Ok(None));
    house.roster.capacity(&other, &id, 1, house.now()).await;
    let after = house.view("acme/payments", false).await.snapshot.groups[0].members[0].facts.clone();
    assert_eq!(before, after);
    assert!(
        house.roster.beat(&caller("acme"), &beat(&report, &id), house.now()).is_some(),
        "the account's token may"
    );
}

#[tokio::test]
async fn a_goodbye_finds_a_row_whose_host_name_was_not_reported() {
    let house = House::new().await;
    let caller = caller("acme");
    let report = Report { host_name: None, ..machine("vm", "", "192.0.2.1") };
    house.register(&caller, &report).await;
    let goodbye = Goodbye {
        ip: Some("192.0.2.1".into()),
        ng: Some(true),
        kind: Some("DOCKER".into()),
        ..Goodbye::default()
    };
    assert!(house.roster.unregister(&caller, &goodbye, house.now()).await.expect("goodbye").is_some());
    assert_eq!(house.instances("acme").await, 0);
}

#[tokio::test]
async fn the_same_id_under_another_account_is_another_delegate() {
    let house = House::new().await;
    let report = machine("vm", "dlite-1", "192.0.2.1");
    let heartbeat = beat(&report, "d-1");
    house.roster.upsert(&caller("acme"), &heartbeat, house.now()).await.expect("admitted");
    assert_eq!(house.roster.beat(&caller("umbrella"), &heartbeat, house.now()), None);
    house.roster.upsert(&caller("umbrella"), &heartbeat, house.now()).await.expect("admitted");
    assert_eq!((house.instances("acme").await, house.instances("umbrella").await), (1, 1));
}

#[tokio::test]
async fn a_stream_that_nobody_knows_is_kept_as_unidentified_until_it_registers() {
    let house = House::new().await;
    let caller = caller("acme");
    let frame = Report {
        delegate_id: Some(Cow::Borrowed("d-java-1")),
        version: Some(Cow::Borrowed("26.09.89620")),
        ..Report::default()
    };
    assert_eq!(house.roster.stream_beat(&caller, &frame, house.now()), None);
    house.roster.placeholder(&caller, &frame, house.now()).await.expect("placeholder");
    assert!(house.roster.stream_beat(&caller, &frame, house.now()).is_some());
    let view = house.view("acme", false).await;
    assert_eq!(&*view.snapshot.groups[0].facts.name, "unidentified");
    assert!(view.snapshot.groups[0].members[0].facts.incomplete);

    let full = beat(&pod("edge", "edge-7c9d-x2kqp", "10.0.0.1"), "d-java-1").clone();
    assert_eq!(house.roster.beat(&caller, &full, house.now()), None, "a full heartbeat makes the real row");
    house.roster.upsert(&caller, &full, house.now()).await.expect("admitted");
    let view = house.view("acme", false).await;
    let names: Vec<&str> = view.snapshot.groups.iter().map(|group| &*group.facts.name).collect();
    assert_eq!(names, ["edge"]);
    assert!(!view.snapshot.groups[0].members[0].facts.incomplete);
}

#[tokio::test]
async fn a_goodbye_hides_at_once_and_a_heartbeat_brings_back() {
    let house = House::new().await;
    let caller = caller("acme");
    let report = machine("vm", "dlite-1", "192.0.2.1");
    let id = house.register(&caller, &report).await.id;
    house.clock.advance(10 * SECOND);
    let goodbye = Goodbye { delegate_id: Some(Cow::Borrowed(&id)), ..Goodbye::default() };
    house.roster.unregister(&caller, &goodbye, house.now()).await.expect("goodbye");
    let view = house.view("acme", false).await;
    assert_eq!((view.snapshot.counts.groups, view.snapshot.counts.instances), (1, 0), "the group stays");
    house.clock.advance(10 * SECOND);
    assert!(house.roster.beat(&caller, &beat(&report, &id), house.now()).is_some());
    assert_eq!(house.instances("acme").await, 1);
}

#[tokio::test]
async fn a_goodbye_without_an_id_is_matched_by_scope_host_and_address() {
    let house = House::new().await;
    let caller = caller("acme");
    house.register(&caller, &machine("vm", "dlite-1", "192.0.2.1")).await;
    let from = |host: &'static str, ip: &'static str| Goodbye {
        host_name: Some(Cow::Borrowed(host)),
        ip: Some(Cow::Borrowed(ip)),
        ng: Some(true),
        kind: Some(Cow::Borrowed("DOCKER")),
        ..Goodbye::default()
    };
    for (host, ip, left) in
        [("dlite-1", "192.0.2.9", 1), ("dlite-9", "192.0.2.1", 1), ("dlite-1", "192.0.2.1", 0)]
    {
        house.roster.unregister(&caller, &from(host, ip), house.now()).await.expect("goodbye");
        assert_eq!(house.instances("acme").await, left, "{host} {ip}");
    }
}

#[tokio::test]
async fn the_tags_of_a_register_replace_those_of_the_group_and_a_heartbeat_changes_the_instance_alone() {
    let house = House::new().await;
    let caller = caller("acme");
    let report = machine("vm", "dlite-1", "192.0.2.1");
    let id = house.register(&caller, &report).await.id;
    let tagged = |tags: Vec<&'static str>| Report {
        tags: Some(tags.into_iter().map(Cow::Borrowed).collect()),
        ..report.clone()
    };
    let heartbeat = tagged(vec!["beat", "", " beat ", "other"]);
    house.clock.advance(SECOND);
    house.roster.beat(&caller, &beat(&heartbeat, &id), house.now()).expect("known");
    let view = house.view("acme", false).await;
    let group = &view.snapshot.groups[0];
    assert_eq!(group.facts.tags.iter().map(|tag| &**tag).collect::<Vec<_>>(), ["eu", "edge"]);
    assert_eq!(group.members[0].facts.tags.iter().map(|tag| &**tag).collect::<Vec<_>>(), ["beat", "other"]);
    house.register(&caller, &tagged(vec![""])).await;
    assert!(house.view("acme", false).await.snapshot.groups[0].facts.tags.is_empty());
}

#[tokio::test]
async fn two_processes_that_take_turns_with_one_id_are_noticed_and_a_restart_is_not() {
    let house = House::new().await;
    let caller = caller("acme");
    let id = house.register(&caller, &pod("edge", "edge-1-a", "10.0.0.1")).await.id;
    let frame = |connection: &'static str| Report {
        delegate_id: Some(Cow::Borrowed(&*id)),
        connection: Some(Cow::Borrowed(connection)),
        ..Report::default()
    };
    let doubled = async |connection: &'static str| {
        house.clock.advance(50 * SECOND);
        house.roster.stream_beat(&caller, &frame(connection), house.now()).expect("known");
        house.view("acme", false).await.snapshot.groups[0].members[0].facts.double_seen.is_some()
    };
    assert!(!doubled("first").await);
    assert!(!doubled("first").await);
    assert!(!doubled("second").await, "a restart");
    assert!(!doubled("second").await);
    assert!(doubled("first").await, "back to the one before");
}

#[tokio::test]
async fn an_upgrader_call_stamps_its_group_even_when_it_comes_first() {
    let house = House::new().await;
    let caller = caller("acme");
    house.roster.upgrader_seen(&caller, Some("edge"), house.now());
    house.clock.advance(MINUTE);
    house.register(&caller, &pod("edge", "edge-1-a", "10.0.0.1")).await;
    let seen = house.view("acme", false).await.snapshot.groups[0].facts.upgrader_seen;
    assert_eq!(seen.map(|at| at.age(house.now())), Some(MINUTE));
    house.clock.advance(HOUR);
    house.roster.upgrader_seen(&caller, None, house.now());
    let seen = house.view("acme", false).await.snapshot.groups[0].facts.upgrader_seen;
    assert_eq!(seen, Some(house.now()), "the only group of the token");
}

#[tokio::test]
async fn a_full_roster_takes_no_more_and_loses_nobody() {
    let house = House::with_limits(Limits { groups: 2, instances: 2 }).await;
    let caller = caller("acme");
    let first = machine("vm", "dlite-1", "192.0.2.1");
    let id = house.register(&caller, &first).await.id;
    house.register(&caller, &machine("vm", "dlite-2", "192.0.2.2")).await;
    let refused = house.roster.register(&caller, &machine("vm", "dlite-3", "192.0.2.3"), house.now()).await;
    assert_eq!(refused, Err(RosterError::NotReady));
    assert!(house.roster.beat(&caller, &beat(&first, &id), house.now()).is_some());
    assert_eq!(house.register(&caller, &first).await.id, id);
}
