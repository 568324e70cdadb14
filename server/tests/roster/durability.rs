//! What a kill leaves behind.

use std::borrow::Cow;
use std::sync::Arc;

use fleet::time::SECOND;
use server::roster::report::{Goodbye, Report};

use crate::support::{House, beat, caller, machine, pod};

#[tokio::test]
async fn a_registration_that_was_answered_survives_a_kill() {
    let house = House::new().await;
    let caller = caller("acme/payments");
    let report = pod("edge", "edge-7c9d-x2kqp", "10.42.3.17");
    let id = house.register(&caller, &report).await.id;
    let house = house.kill_and_restart().await;
    let view = house.view("acme/payments", false).await;
    let member = &view.snapshot.groups[0].members[0];
    assert_eq!(member.facts.id, id);
    assert_eq!(member.facts.version.as_ref().map(|version| version.as_str()), Some("26.09.89620"));
    assert_eq!(member.last_heartbeat, Some(house.now()));
    assert_eq!(house.register(&caller, &report).await.id, id, "and the same delegate is still the same");
}

#[tokio::test]
async fn a_goodbye_that_was_answered_survives_a_kill() {
    let house = House::new().await;
    let caller = caller("acme");
    let id = house.register(&caller, &machine("vm", "dlite-1", "192.0.2.1")).await.id;
    house.clock.advance(SECOND);
    let goodbye = Goodbye { delegate_id: Some(Cow::Borrowed(&id)), ..Goodbye::default() };
    house.roster.unregister(&caller, &goodbye, house.now()).await.expect("goodbye");
    let house = house.kill_and_restart().await;
    assert_eq!(house.instances("acme").await, 0);
}

#[tokio::test]
async fn an_ordered_end_writes_the_last_heartbeats() {
    let house = House::new().await;
    let caller = caller("acme");
    let report = machine("vm", "dlite-1", "192.0.2.1");
    let id = house.register(&caller, &report).await.id;
    house.clock.advance(200 * SECOND);
    house.roster.beat(&caller, &beat(&report, &id), house.now()).expect("known");
    let at = house.now();
    let house = house.restart().await;
    assert_eq!(house.view("acme", false).await.snapshot.groups[0].members[0].last_heartbeat, Some(at));
}

#[tokio::test]
async fn many_registrations_at_once_are_all_kept() {
    let house = Arc::new(House::new().await);
    let tasks: Vec<_> = (0..300)
        .map(|number| {
            let house = Arc::clone(&house);
            tokio::spawn(async move {
                let host = format!("dlite-{number}");
                let report = Report { host_name: Some(Cow::Owned(host)), ..machine("vm", "", "192.0.2.1") };
                house.roster.register(&caller("acme"), &report, house.now()).await.expect("admitted").id
            })
        })
        .collect();
    let mut ids = std::collections::BTreeSet::new();
    for task in tasks {
        ids.insert(task.await.expect("task"));
    }
    assert_eq!(ids.len(), 300);
    let house = Arc::into_inner(house).expect("sole owner").kill_and_restart().await;
    assert_eq!(house.instances("acme").await, 300);
}

#[tokio::test]
async fn hostile_texts_neither_break_a_batch_nor_change() {
    let house = House::new().await;
    let name = "'; drop table instances; --";
    house.register(&caller("acme"), &machine(name, "<script>alert(1)</script>", "\u{0}1\u{7}")).await;
    let house = house.kill_and_restart().await;
    let view = house.view("acme", false).await;
    let group = &view.snapshot.groups[0];
    assert_eq!((&*group.facts.name, &*group.members[0].facts.host_name), (name, "<script>alert(1)</script>"));
    assert_eq!(&*group.members[0].facts.ip, "1", "control characters are dropped");
}
