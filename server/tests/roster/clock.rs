//! A clock that is set back or forward under a running server.

use fleet::time::{HOUR, MINUTE, SECOND};

use crate::support::{House, beat, caller, machine};

/// Connected and unreachable instances.
async fn counts(house: &House) -> (u64, u64) {
    let counts = house.view("acme", true).await.snapshot.counts;
    (counts.connected, counts.unreachable)
}

#[tokio::test]
async fn after_the_clock_went_back_heartbeats_count_from_then_on() {
    let house = House::new().await;
    let (caller, report) = (caller("acme"), machine("vm", "dlite-1", "192.0.2.1"));
    let id = house.register(&caller, &report).await.id;
    house.register(&caller, &machine("vm", "dlite-2", "192.0.2.2")).await;
    house.clock.advance(-HOUR);
    house.roster.beat(&caller, &beat(&report, &id), house.now()).expect("known");
    house.roster.record_silence(house.now());
    assert_eq!(counts(&house).await, (2, 0));
    // Nobody is taken for alive for an hour because it was heard in what is the future now.
    house.clock.advance(299 * SECOND);
    assert_eq!(counts(&house).await, (2, 0));
    house.clock.advance(2 * SECOND);
    assert_eq!(counts(&house).await, (0, 2));
    let house = house.kill_and_restart().await;
    house.clock.advance(6 * MINUTE);
    assert_eq!(counts(&house).await, (0, 2), "what the database holds of that future counts for no more");
}

#[tokio::test]
async fn after_a_leap_forward_nobody_is_called_lost_before_they_had_the_time_to_call() {
    let house = House::new().await;
    let (caller, report) = (caller("acme"), machine("vm", "dlite-1", "192.0.2.1"));
    let id = house.register(&caller, &report).await.id;
    house.clock.advance(HOUR);
    house.roster.slept(house.now());
    house.roster.record_silence(house.now());
    house.clock.advance(MINUTE);
    house.roster.beat(&caller, &beat(&report, &id), house.now()).expect("known");
    assert_eq!(counts(&house).await, (1, 0));
    let group = house.group_id("vm").await;
    tokio::time::sleep(std::time::Duration::from_millis(1_200)).await;
    let causes: Vec<_> = house.history(&group, 1).await.iter().map(|line| line.cause).collect();
    assert_eq!(causes, [server::store::Cause::Registered], "an hour that never was is no silence");
}

#[tokio::test]
async fn a_start_that_lies_ahead_explains_no_silence() {
    let house = House::new().await;
    house.register(&caller("acme"), &machine("vm", "dlite-1", "192.0.2.1")).await;
    let house = house.restart().await;
    assert_eq!(house.roster.restarted_at(house.now()), Some(house.now()));
    house.clock.advance(-HOUR);
    assert_eq!(house.roster.restarted_at(house.now()), None);
}
