//! The store goes away, or refuses a row: nobody else suffers, and nothing is lost.

use std::borrow::Cow;
use std::sync::atomic::Ordering;
use std::time::Duration;

use fleet::time::SECOND;
use server::roster::RosterError;
use server::roster::report::Goodbye;

use crate::flaky::POISON;
use crate::support::{House, beat, caller, machine, pod};

async fn until(what: &str, good: impl Fn() -> bool) {
    for _ in 0..400 {
        if good() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    panic!("{what} never happened");
}

#[tokio::test]
async fn heartbeats_go_on_without_the_store_and_are_written_when_it_returns() {
    let house = House::new().await;
    let caller = caller("acme");
    let report = machine("vm", "dlite-1", "192.0.2.1");
    let id = house.register(&caller, &report).await.id;
    house.store.away.store(true, Ordering::Relaxed);
    house.clock.advance(100 * SECOND);
    house.roster.beat(&caller, &beat(&report, &id), house.now()).expect("still answered");
    until("trouble is noticed", || house.roster.unstored_since().is_some()).await;
    assert_eq!(house.roster.flush_figures().dirty, 1);
    let at = house.now();
    house.store.away.store(false, Ordering::Relaxed);
    until("trouble is over", || house.roster.unstored_since().is_none()).await;
    let house = house.kill_and_restart().await;
    assert_eq!(house.view("acme", false).await.snapshot.groups[0].members[0].last_heartbeat, Some(at));
}

#[tokio::test]
async fn a_registration_without_the_store_is_not_confirmed_and_is_stored_later_all_the_same() {
    let house = House::new().await;
    let caller = caller("acme");
    let report = pod("edge", "edge-1-a", "10.0.0.1");
    house.store.away.store(true, Ordering::Relaxed);
    let refused = house.roster.register(&caller, &report, house.now()).await;
    assert_eq!(refused, Err(RosterError::NotStored));
    house.store.away.store(false, Ordering::Relaxed);
    until("the flusher catches up", || house.roster.unstored_since().is_none()).await;
    let id = house.register(&caller, &report).await.id;
    let house = house.kill_and_restart().await;
    let view = house.view("acme", false).await;
    assert_eq!((view.snapshot.groups.len(), &view.snapshot.groups[0].members[0].facts.id), (1, &id));
}

#[tokio::test]
async fn a_heartbeat_that_was_refused_once_is_stored_by_the_next_ones() {
    let house = House::new().await;
    let caller = caller("acme");
    let report = machine("vm", "dlite-1", "192.0.2.1");
    house.store.away.store(true, Ordering::Relaxed);
    assert!(house.roster.upsert(&caller, &beat(&report, "d-1"), house.now()).await.is_err());
    house.store.away.store(false, Ordering::Relaxed);
    house.roster.beat(&caller, &beat(&report, "d-1"), house.now()).expect("known by now");
    until("everything is flushed", || {
        let figures = house.roster.flush_figures();
        figures.dirty == 0 && figures.unsaved == 0 && house.roster.unstored_since().is_none()
    })
    .await;
    let house = house.restart().await;
    assert!(house.roster.beat(&caller, &beat(&report, "d-1"), house.now()).is_some());
}

#[tokio::test]
async fn a_goodbye_without_the_store_hides_and_is_stored_later() {
    let house = House::new().await;
    let caller = caller("acme");
    let id = house.register(&caller, &machine("vm", "dlite-1", "192.0.2.1")).await.id;
    house.clock.advance(SECOND);
    house.store.away.store(true, Ordering::Relaxed);
    let goodbye = Goodbye { delegate_id: Some(Cow::Borrowed(&id)), ..Goodbye::default() };
    assert!(house.roster.unregister(&caller, &goodbye, house.now()).await.is_err());
    assert_eq!(house.instances("acme").await, 0);
    house.store.away.store(false, Ordering::Relaxed);
    let house = house.restart().await;
    assert_eq!(house.instances("acme").await, 0);
}

#[tokio::test]
async fn an_upgrader_that_calls_without_the_store_is_stored_later() {
    let house = House::new().await;
    let caller = caller("acme");
    house.register(&caller, &pod("edge", "edge-1-a", "10.0.0.1")).await;
    house.store.away.store(true, Ordering::Relaxed);
    house.clock.advance(SECOND);
    let at = house.now();
    assert!(house.roster.upgrader_seen(&caller, Some("edge"), at).is_some(), "still answered");
    until("trouble is noticed", || house.roster.unstored_since().is_some()).await;
    house.store.away.store(false, Ordering::Relaxed);
    let house = house.restart().await;
    let view = house.view("acme", false).await;
    assert_eq!(view.snapshot.groups[0].facts.upgrader_seen, Some(at));
}

#[tokio::test]
async fn one_row_that_the_database_refuses_takes_nobody_along() {
    let house = House::new().await;
    let caller = caller("acme");
    let good: Vec<String> = (0..20).map(|number| format!("dlite-{number}")).collect();
    let reports = good.iter().map(|host| {
        let report = machine("vm", "", "192.0.2.1");
        server::roster::report::Report { host_name: Some(Cow::Borrowed(host)), ..report }
    });
    let bad = machine("vm", POISON, "192.0.2.1");
    let all: Vec<_> = reports.chain([bad]).collect();
    let answers = futures::future::join_all(
        all.iter().map(|report| house.roster.register(&caller, report, house.now())),
    )
    .await;
    assert_eq!(answers.iter().filter(|answer| answer.is_ok()).count(), 20);
    assert_eq!(answers[20], Err(RosterError::NotStored));
    house.clock.advance(SECOND);
    let id = answers[0].as_ref().expect("good").id.clone();
    house.roster.beat(&caller, &beat(&all[0], &id), house.now()).expect("known");
    let at = house.now();
    let house = house.restart().await;
    let view = house.view("acme", false).await;
    assert_eq!(view.snapshot.counts.instances, 20);
    let newest = view.snapshot.groups[0].members.iter().filter_map(|member| member.last_heartbeat).max();
    assert_eq!(newest, Some(at), "heartbeats are flushed beside the bad row");
}
