//! Calls that cross: one delegate, or several that are alike, calls two nodes on one database.

use std::borrow::Cow;
use std::time::Duration;

use fleet::time::{MINUTE, SECOND};
use fleet::troubleshoot::{Attempt, Refused};
use server::roster::report::Goodbye;
use server::roster::{AgentStatus, RosterError};
use server::store::access::{AccessStore as _, Change};

use crate::deeds::BY;
use crate::nodes::{followed_until, known, rows, rows_of};
use crate::support::{House, beat, caller, machine, pod};

#[tokio::test]
async fn a_goodbye_to_one_stands_although_the_other_writes_what_it_heard_before() {
    let (a, b) = House::pair().await;
    let (caller, report) = (caller("acme"), pod("edge", "edge-a", "10.0.0.1"));
    let id = a.register(&caller, &report).await.id;
    b.follow().await;
    let moved = pod("edge", "edge-a", "10.0.0.9");
    a.roster.beat(&caller, &beat(&moved, &id), a.now()).expect("heard");
    a.clock.advance(SECOND);
    let goodbye = Goodbye { delegate_id: Some(Cow::Borrowed(&id)), ..Goodbye::default() };
    b.roster.unregister(&caller, &goodbye, b.now()).await.expect("stored").expect("known");
    a.follow().await;
    assert_eq!(a.listed().await, ["edge:"]);
    let ip = || known(&b, "_edge", &id).is_some_and(|(facts, _)| &*facts.ip == "10.0.0.9");
    followed_until(&b, "what the first heard", ip).await;
    a.follow().await;
    for node in [&a, &b] {
        assert_eq!(node.listed().await, ["edge:"]);
    }
}

#[tokio::test]
async fn the_capacity_that_one_is_told_is_kept_although_it_has_not_met_the_delegate() {
    let (a, b) = House::pair().await;
    let caller = caller("acme");
    let id = a.register(&caller, &pod("edge", "edge-a", "10.0.0.1")).await.id;
    b.roster.capacity(&caller, &id, 8, b.now()).await;
    let told = || known(&a, "_edge", &id).is_some_and(|(facts, _)| facts.capacity == Some(8));
    followed_until(&a, "its capacity", told).await;
}

#[tokio::test]
async fn who_calls_another_node_while_its_deletion_waits_for_a_third_is_back_on_all() {
    let (a, b) = House::pair().await;
    let (caller, report) = (caller("acme"), pod("edge", "edge-a", "10.0.0.1"));
    let id = a.register(&caller, &report).await.id;
    b.follow().await;
    let third = server::store::open(&a.url).await.expect("store");
    third.sign(0).await.expect("it lives, and follows nothing");
    let group = a.group_id("edge").await;
    let deletion = a.roster.deletion("acme", &group, None, BY, a.now()).expect("it is there");
    let stone = deletion.tombstone;
    let changes = [Change::Bury(stone.clone())];
    let mut apply = || a.roster.apply_tombstone(&stone);
    let deletes = a.store.commit_then(&changes, &mut apply);
    let returns = async {
        let gone = || b.roster.deletion("acme", &group, None, BY, b.now()).is_none();
        followed_until(&b, "the deletion", gone).await;
        b.roster.beat(&caller, &beat(&report, &id), b.now()).expect("let back in");
        let lifted =
            async || rows_of(&b, "SELECT count(*) FROM tombstones WHERE lifted_at IS NOT NULL").await == 1;
        for _ in 0..2_000 {
            if lifted().await {
                break;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        a.follow().await;
        third.sign(i64::MAX).await.expect("it follows");
    };
    let (answer, ()) = tokio::join!(deletes, returns);
    answer.expect("stored");
    for node in [&a, &b] {
        assert_eq!(node.listed().await, ["edge: edge-a"]);
    }
}

#[tokio::test]
async fn who_is_turned_away_by_one_is_known_to_the_other_by_the_id_it_was_given() {
    let (a, b) = House::pair().await;
    let (caller, report) = (caller("acme"), pod("edge", "edge-a", "10.0.0.1"));
    a.register(&caller, &report).await;
    a.delete(&a.group_id("edge").await, None).await;
    b.follow().await;
    a.refuse();
    b.refuse();
    a.clock.advance(MINUTE);
    let given = a.register(&caller, &report).await;
    assert_eq!(given.status, AgentStatus::Deleted);
    // A frame says nothing but the id: without knowing it, a row for a stranger would be made.
    let answer = b.roster.placeholder(&caller, &beat(&report, &given.id), b.now()).await.expect("answered");
    assert_eq!((&answer.id, answer.status), (&given.id, AgentStatus::Deleted));
    assert_eq!(b.roster.size(), (1, 1), "no row is made");
    let [refusal] = &b.roster.refusals("acme")[..] else { panic!("one refusal") };
    assert_eq!((&*refusal.name, refusal.called_at), ("edge", a.now()));
}

#[tokio::test]
async fn calls_that_one_turned_away_at_the_door_are_known_to_the_other_counted_together() {
    let (a, b) = House::pair().await;
    a.register(&caller("acme"), &pod("edge", "edge-a", "10.0.0.1")).await;
    b.follow().await;
    let call = |house: &House| Attempt {
        refused: Refused::TokenUnknown,
        address: Some("192.0.2.1".into()),
        at: house.now(),
        count: 1,
        token: None,
    };
    a.roster.attempted("acme", call(&a));
    a.roster.attempted("nobody", call(&a));
    b.roster.attempted("acme", call(&b));
    a.clock.advance(MINUTE);
    a.roster.attempted("acme", call(&a));
    let all = vec![Attempt { count: 3, ..call(&a) }];
    followed_until(&b, "what the first was asked", || b.roster.attempts("acme") == all).await;
    followed_until(&a, "what the second was asked", || a.roster.attempts("acme") == all).await;
    assert_eq!(b.roster.attempts("nobody"), []);
}

#[tokio::test]
async fn two_names_that_want_one_identifier_get_two_although_each_node_knew_of_one() {
    let (a, b) = House::pair().await;
    let caller = caller("acme");
    a.register(&caller, &pod("edge.eu", "edge-a", "10.0.0.1")).await;
    let late = pod("edge-eu", "edge-b", "10.0.0.2");
    let refused = b.roster.register(&caller, &late, b.now()).await;
    assert_eq!(refused.unwrap_err(), RosterError::NotStored, "the database has it for another one");
    b.follow().await;
    b.register(&caller, &late).await;
    a.follow().await;
    for house in [&a, &b] {
        assert_eq!(house.listed().await, ["edge-eu: edge-b", "edge.eu: edge-a"]);
        let view = house.view("acme", true).await;
        let identifiers: Vec<&str> =
            view.snapshot.groups.iter().map(|group| &*group.facts.identifier).collect();
        assert_eq!(identifiers, ["_edge_eu_2", "_edge_eu"]);
    }
}

#[tokio::test]
async fn an_id_that_the_other_one_gave_makes_no_second_row() {
    let (a, b) = House::pair().await;
    let caller = caller("acme");
    let report = machine("vm", "dlite-1", "192.0.2.1");
    let id = a.register(&caller, &report).await.id;
    // A heartbeat says less than a registration: what was registered must stay.
    let bare = server::roster::report::Report {
        delegate_id: Some(Cow::Borrowed(&id)),
        name: Some("vm".into()),
        host_name: Some("dlite-1".into()),
        ..Default::default()
    };
    let admitted = b.roster.upsert(&caller, &bare, b.now()).await.expect("admitted");
    assert_eq!(admitted.id, id);
    assert_eq!(
        known(&b, "_vm", &id).map(|(facts, _)| facts.tags),
        known(&a, "_vm", &id).map(|(facts, _)| facts.tags)
    );
    let other = a.register(&caller, &machine("vm", "dlite-2", "192.0.2.2")).await.id;
    let frame = beat(&report, &other);
    assert_eq!(b.roster.placeholder(&caller, &frame, b.now()).await.expect("admitted").id, other);
    assert_eq!((b.listed().await, rows(&b).await), (vec!["vm: dlite-1 dlite-2".to_owned()], 2));
}

#[tokio::test]
async fn a_newcomer_that_both_meet_at_once_is_one_row() {
    let (a, b) = House::pair().await;
    let (caller, report) = (caller("acme"), pod("edge", "edge-a", "10.0.0.1"));
    let (on_a, on_b) = tokio::join!(a.register(&caller, &report), b.register(&caller, &report));
    assert_eq!(on_a.id, on_b.id);
    a.follow().await;
    b.follow().await;
    for house in [&a, &b] {
        assert_eq!(house.listed().await, ["edge: edge-a"]);
        assert_eq!(house.roster.size(), (1, 1));
    }
    assert_eq!(rows(&a).await, 1);
    assert_eq!(a.group_id("edge").await, b.group_id("edge").await);
}
