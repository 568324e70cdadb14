//! Two nodes on one database, each with its own part of the calls (`architecture 6`).

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use fleet::delegate::{Approval, InstanceFacts};
use fleet::time::{MINUTE, SECOND, Timestamp};
use server::roster::AgentStatus;
use server::roster::report::Goodbye;
use server::store::Cause;
use server::store::access::{AccessStore as _, Change};
use sqlx::Connection as _;

use crate::deeds::BY;
use crate::support::{House, beat, caller, machine, pod};

/// What is known of an instance, listed or not.
pub(crate) fn known(house: &House, group: &str, id: &str) -> Option<(InstanceFacts, Option<Timestamp>)> {
    let past = house.roster.past(&"acme".parse().expect("scope"), group)?;
    past.instance(id).map(|instance| ((*instance.facts).clone(), instance.last_heartbeat))
}

/// Follows until `good`, for at most ten seconds.
pub(crate) async fn followed_until(house: &House, what: &str, good: impl Fn() -> bool) {
    for _ in 0..400 {
        house.follow().await;
        if good() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    panic!("{what} never came");
}

/// Instances of the account in the database.
pub(crate) async fn rows(house: &House) -> i64 {
    rows_of(house, "SELECT count(*) FROM instances").await
}

pub(crate) async fn rows_of(house: &House, count: &'static str) -> i64 {
    let mut connection = sqlx::PgConnection::connect(&house.url).await.expect("connection");
    sqlx::query_scalar(count).fetch_one(&mut connection).await.expect("count")
}

#[tokio::test]
async fn what_registers_with_one_is_known_to_the_other_with_every_fact() {
    let (a, b) = House::pair().await;
    let (caller, report) = (caller("acme"), machine("vm", "dlite-1", "192.0.2.1"));
    let id = a.register(&caller, &report).await.id;
    assert_eq!(b.listed().await, [""; 0]);
    b.follow().await;
    assert_eq!(b.listed().await, ["vm: dlite-1"]);
    assert_eq!(known(&b, "_vm", &id), known(&a, "_vm", &id));
    assert_eq!(b.roster.size(), (1, 1));
    // It moves on with the other one.
    let newer = server::roster::report::Report { version: Some("26.10.90107".into()), ..report };
    b.clock.advance(SECOND);
    b.register(&caller, &beat(&newer, &id)).await;
    a.follow().await;
    assert_eq!(known(&a, "_vm", &id), known(&b, "_vm", &id));
    assert_eq!((a.roster.size(), rows(&a).await), ((1, 1), 1));
}

#[tokio::test]
async fn a_heartbeat_that_one_hears_is_seen_by_the_other() {
    let (a, b) = House::pair().await;
    let (caller, report) = (caller("acme"), machine("vm", "dlite-1", "192.0.2.1"));
    let id = a.register(&caller, &report).await.id;
    b.follow().await;
    a.clock.advance(MINUTE);
    a.roster.beat(&caller, &beat(&report, &id), a.now()).expect("known");
    let at = a.now();
    followed_until(&b, "the heartbeat", || known(&b, "_vm", &id).is_some_and(|(_, last)| last == Some(at)))
        .await;
}

#[tokio::test]
async fn a_goodbye_to_one_hides_it_on_the_other_which_need_not_have_met_it() {
    let (a, b) = House::pair().await;
    let (caller, report) = (caller("acme"), pod("edge", "edge-a", "10.0.0.1"));
    let id = a.register(&caller, &report).await.id;
    let goodbye = Goodbye { delegate_id: Some(Cow::Borrowed(&id)), ..Goodbye::default() };
    let left = b.roster.unregister(&caller, &goodbye, b.now()).await.expect("stored");
    assert_eq!(left, Some(id));
    a.follow().await;
    assert_eq!(a.listed().await, ["edge:"]);
}

#[tokio::test]
async fn a_deletion_on_one_holds_on_the_other_and_is_taken_back_there() {
    let (a, b) = House::pair().await;
    let caller = caller("acme");
    let id = a.register(&caller, &pod("edge", "edge-a", "10.0.0.1")).await.id;
    a.register(&caller, &pod("edge", "edge-b", "10.0.0.2")).await;
    b.follow().await;
    b.refuse();
    let group = a.group_id("edge").await;
    a.delete(&group, None).await;
    b.follow().await;
    assert_eq!(b.listed().await, [""; 0]);
    let refused = b.roster.beat(&caller, &beat(&pod("edge", "edge-a", "10.0.0.1"), &id), b.now());
    assert_eq!(refused.expect("answered").status, AgentStatus::Deleted);
    let lifted = b.roster.undo("acme", &group, "", b.now()).expect("fresh");
    b.settle(lifted).await;
    a.follow().await;
    assert_eq!(a.listed().await, ["edge: edge-a edge-b"]);
}

#[tokio::test]
async fn who_calls_one_after_a_deletion_is_back_on_both_alone() {
    let (a, b) = House::pair().await;
    let caller = caller("acme");
    let report = pod("edge", "edge-a", "10.0.0.1");
    let id = a.register(&caller, &report).await.id;
    a.register(&caller, &pod("edge", "edge-b", "10.0.0.2")).await;
    b.follow().await;
    let group = a.group_id("edge").await;
    a.delete(&group, None).await;
    b.follow().await;
    b.roster.beat(&caller, &beat(&report, &id), b.now()).expect("let back in");
    assert_eq!(b.listed().await, ["edge: edge-a"]);
    let back = || a.roster.deletion("acme", &group, None, BY, a.now()).is_some();
    followed_until(&a, "its return", back).await;
    assert_eq!(a.listed().await, ["edge: edge-a"]);
}

#[tokio::test]
async fn a_rejection_on_one_holds_on_the_other() {
    let (a, b) = House::pair().await;
    let caller = caller("acme");
    let report = pod("edge", "edge-a", "10.0.0.1");
    let id = a.register(&caller, &report).await.id;
    b.follow().await;
    let (account, group): (Arc<str>, _) = ("acme".into(), a.group_id("edge").await);
    let reject =
        |from, to| Change::SetApproval { account: Arc::clone(&account), group: Arc::clone(&group), from, to };
    a.store.commit(&[reject(Approval::Approved, Approval::Rejected)]).await.expect("stored");
    b.follow().await;
    assert_eq!(b.listed().await, [""; 0]);
    let turned_away = b.roster.beat(&caller, &beat(&report, &id), b.now()).expect("answered");
    assert_eq!(turned_away.status, AgentStatus::Disabled);
    a.store.commit(&[reject(Approval::Rejected, Approval::Approved)]).await.expect("stored");
    b.follow().await;
    assert_eq!(b.listed().await, ["edge: edge-a"]);
}

#[tokio::test]
async fn a_loss_that_both_notice_is_one_line() {
    let (a, b) = House::pair().await;
    let (caller, report) = (caller("acme"), machine("vm", "dlite-1", "192.0.2.1"));
    let id = a.register(&caller, &report).await.id;
    b.follow().await;
    a.clock.advance(5 * MINUTE);
    a.roster.record_silence(a.now());
    b.roster.record_silence(b.now());
    a.clock.advance(MINUTE);
    b.roster.beat(&caller, &beat(&report, &id), b.now()).expect("known");
    let group = a.group_id("vm").await;
    b.history(&group, 3).await;
    // Both have flushed by then.
    tokio::time::sleep(Duration::from_millis(1_200)).await;
    let causes: Vec<Cause> = a.history(&group, 3).await.iter().map(|line| line.cause).collect();
    assert_eq!(causes, [Cause::Registered, Cause::Silence, Cause::Return]);
}

#[tokio::test]
async fn a_silence_that_only_one_node_noticed_is_none_if_the_other_was_called() {
    let (a, b) = House::pair().await;
    let (caller, report) = (caller("acme"), machine("vm", "dlite-1", "192.0.2.1"));
    let id = a.register(&caller, &report).await.id;
    b.follow().await;
    a.clock.advance(299 * SECOND);
    a.roster.beat(&caller, &beat(&report, &id), a.now()).expect("known");
    // What one heard is stored, and the other one has not looked yet.
    let told = async || {
        let mut connection = sqlx::PgConnection::connect(&a.url).await.expect("connection");
        let at = format!("%{}%", a.now().millis());
        let told: i64 = sqlx::query_scalar("SELECT count(*) FROM news WHERE changes LIKE $1")
            .bind(at)
            .fetch_one(&mut connection)
            .await
            .expect("a count");
        told > 0
    };
    while !told().await {
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    a.clock.advance(2 * SECOND);
    b.roster.record_silence(b.now());
    b.roster.beat(&caller, &beat(&report, &id), b.now()).expect("known");
    tokio::time::sleep(Duration::from_millis(1_500)).await;
    let group = a.group_id("vm").await;
    let causes: Vec<Cause> = a.history(&group, 1).await.iter().map(|line| line.cause).collect();
    assert_eq!(causes, [Cause::Registered]);
}

#[tokio::test]
async fn a_node_apart_calls_nobody_lost_and_catches_up_by_itself() {
    let (a, b) = House::pair().await;
    let (caller, report) = (caller("acme"), machine("vm", "dlite-1", "192.0.2.1"));
    let id = a.register(&caller, &report).await.id;
    b.follow().await;
    b.store.away.store(true, Ordering::Relaxed);
    for _ in 0..10 {
        a.clock.advance(MINUTE);
        a.roster.beat(&caller, &beat(&report, &id), a.now()).expect("known");
        b.roster.follow(b.now()).await.expect_err("away");
        b.roster.record_silence(b.now());
    }
    assert_eq!(b.roster.deaf_since(b.now()), Some(b.now().plus(-9 * MINUTE)));
    a.register(&caller, &machine("vm", "dlite-2", "192.0.2.2")).await;
    b.store.away.store(false, Ordering::Relaxed);
    let at = a.now();
    followed_until(&b, "the heartbeat", || known(&b, "_vm", &id).is_some_and(|(_, last)| last == Some(at)))
        .await;
    assert_eq!(b.roster.deaf_since(b.now()), None);
    assert_eq!(b.listed().await, ["vm: dlite-1 dlite-2"]);
    let counts = b.view("acme", true).await.snapshot.counts;
    assert_eq!((counts.connected, counts.unreachable), (2, 0));
    b.roster.record_silence(b.now());
    tokio::time::sleep(Duration::from_millis(1_500)).await;
    let causes: Vec<Cause> =
        b.history(&b.group_id("vm").await, 2).await.iter().map(|line| line.cause).collect();
    assert_eq!(causes, [Cause::Registered, Cause::Registered]);
}

#[tokio::test]
async fn an_old_heartbeat_that_is_told_late_takes_nobody_back() {
    let (a, b) = House::pair().await;
    let (caller, report) = (caller("acme"), machine("vm", "dlite-1", "192.0.2.1"));
    let id = a.register(&caller, &report).await.id;
    b.follow().await;
    a.clock.advance(MINUTE);
    // One hears it while it cannot store anything; the delegate goes on with the other one.
    b.store.away.store(true, Ordering::Relaxed);
    b.roster.beat(&caller, &beat(&report, &id), b.now()).expect("known");
    for _ in 0..10 {
        a.clock.advance(MINUTE);
        a.roster.beat(&caller, &beat(&report, &id), a.now()).expect("known");
    }
    let newest = Some(a.now());
    b.store.away.store(false, Ordering::Relaxed);
    let mut connection = sqlx::PgConnection::connect(&a.url).await.expect("connection");
    let batches = async |connection: &mut sqlx::PgConnection| -> i64 {
        let count = sqlx::query_scalar("SELECT count(*) FROM heartbeats").fetch_one(connection);
        count.await.expect("a count")
    };
    while batches(&mut connection).await < 2 {
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    a.follow().await;
    assert_eq!(known(&a, "_vm", &id).and_then(|(_, last)| last), newest);
    // The other one has heard something newer than all that it reads anew.
    b.clock.advance(MINUTE);
    b.roster.beat(&caller, &beat(&report, &id), b.now()).expect("known");
    sqlx::query("DELETE FROM news").execute(&mut connection).await.expect("forgotten");
    b.follow().await;
    assert_eq!(known(&b, "_vm", &id).and_then(|(_, last)| last), Some(b.now()));
}

#[tokio::test]
async fn a_node_that_missed_what_is_not_told_any_more_reads_everything() {
    let (a, b) = House::pair().await;
    let (caller, report) = (caller("acme"), machine("vm", "dlite-1", "192.0.2.1"));
    a.register(&caller, &report).await;
    let mut connection = sqlx::PgConnection::connect(&a.url).await.expect("connection");
    sqlx::query("DELETE FROM news").execute(&mut connection).await.expect("forgotten");
    b.follow().await;
    assert_eq!(b.listed().await, ["vm: dlite-1"]);
    // One that is gone for good goes here, too.
    sqlx::query("DELETE FROM instances").execute(&mut connection).await.expect("gone");
    a.register(&caller, &machine("vm", "dlite-2", "192.0.2.2")).await;
    sqlx::query("DELETE FROM news").execute(&mut connection).await.expect("forgotten");
    b.follow().await;
    assert_eq!((b.listed().await, b.roster.size()), (vec!["vm: dlite-2".to_owned()], (1, 1)));
}
