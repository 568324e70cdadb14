//! What history says of an instance (`product 3.6`, `3.7`).

use std::time::Duration;

use fleet::time::{HOUR, MINUTE, SECOND};
use server::store::{Cause, State, Store as _, Transition};

use crate::support::{House, NOON, beat, caller, machine};

/// Lines of the only instance, oldest first, once there are `count`.
async fn lines(house: &House, count: usize) -> Vec<Transition> {
    let view =
        house.roster.snapshot(&"acme".parse().expect("scope"), true, house.now()).await.expect("snapshot");
    let group = view.snapshot.groups.first().expect("group").facts.id.clone();
    for _ in 0..200 {
        let mut found = house.store.transitions("acme", &group, None, 100).await.expect("history");
        if found.len() >= count {
            found.reverse();
            return found;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("history never reached {count} lines");
}

fn told(lines: &[Transition]) -> Vec<(i64, Option<State>, State, Cause)> {
    lines.iter().map(|line| (NOON.age(line.at) / SECOND, line.from, line.to, line.cause)).collect()
}

#[tokio::test]
async fn silence_is_recorded_at_the_time_it_happened_and_a_return_after_it() {
    use State::{Connected, NotConnected};
    let house = House::new().await;
    let caller = caller("acme");
    let report = machine("vm", "dlite-1", "192.0.2.1");
    let id = house.register(&caller, &report).await.id;
    house.clock.advance(300 * SECOND);
    house.roster.record_silence(house.now());
    house.clock.advance(60 * SECOND);
    house.roster.record_silence(house.now());
    house.roster.record_silence(house.now());
    house.clock.advance(MINUTE);
    house.roster.beat(&caller, &beat(&report, &id), house.now()).expect("known");
    assert_eq!(
        told(&lines(&house, 3).await),
        [
            (0, None, Connected, Cause::Registered),
            (300, Some(Connected), NotConnected, Cause::Silence),
            (420, Some(NotConnected), Connected, Cause::Return),
        ]
    );
}

#[tokio::test]
async fn a_pause_of_more_than_ten_minutes_is_called_long() {
    let house = House::new().await;
    let caller = caller("acme");
    let report = machine("vm", "dlite-1", "192.0.2.1");
    let id = house.register(&caller, &report).await.id;
    house.clock.advance(10 * MINUTE + 1);
    house.roster.beat(&caller, &beat(&report, &id), house.now()).expect("known");
    let causes: Vec<Cause> = lines(&house, 3).await.iter().map(|line| line.cause).collect();
    assert_eq!(causes, [Cause::Registered, Cause::Silence, Cause::LongPause]);
}

#[tokio::test]
async fn an_instance_that_stays_silent_is_hidden_by_retention() {
    let house = House::new().await;
    house.register(&caller("acme"), &machine("vm", "dlite-1", "192.0.2.1")).await;
    house.clock.advance(6 * HOUR + 1);
    house.roster.record_silence(house.now());
    let told = told(&lines(&house, 3).await);
    assert_eq!(told[2], (6 * 3_600, Some(State::NotConnected), State::Hidden, Cause::Retention));
    assert_eq!(house.instances("acme").await, 0);
}

#[tokio::test]
async fn another_version_is_a_line_of_its_own() {
    let house = House::new().await;
    let caller = caller("acme");
    let report = crate::support::pod("edge", "edge-1-a", "10.0.0.1");
    let id = house.register(&caller, &report).await.id;
    house.clock.advance(SECOND);
    let newer = server::roster::report::Report { version: Some("26.10.90107".into()), ..report };
    house.roster.beat(&caller, &beat(&newer, &id), house.now()).expect("known");
    let lines = lines(&house, 2).await;
    assert_eq!((lines[1].cause, &*lines[1].note), (Cause::Version, "26.09.89620 -> 26.10.90107"));
}

#[tokio::test]
async fn nothing_is_called_lost_while_the_server_itself_was_away() {
    let house = House::new().await;
    let caller = caller("acme");
    let report = machine("vm", "dlite-1", "192.0.2.1");
    let id = house.register(&caller, &report).await.id;
    let house = house.restart().await;
    house.clock.advance(1);
    assert!(house.roster.restarted_at(house.now()).is_some());
    house.clock.advance(299 * SECOND);
    house.roster.record_silence(house.now());
    house.roster.beat(&caller, &beat(&report, &id), house.now()).expect("known");
    house.clock.advance(2 * SECOND);
    assert_eq!(house.roster.restarted_at(house.now()), None);
    let house = house.restart().await;
    assert_eq!(lines(&house, 1).await.len(), 1);
}

#[tokio::test]
async fn a_delegate_that_was_lost_before_a_restart_returns_in_the_history_too() {
    let house = House::new().await;
    let caller = caller("acme");
    let lost = machine("vm", "dlite-1", "192.0.2.1");
    let id = house.register(&caller, &lost).await.id;
    house.clock.advance(400 * SECOND);
    house.roster.record_silence(house.now());
    house.register(&caller, &machine("other", "dlite-2", "192.0.2.2")).await;
    let house = house.restart().await;
    house.clock.advance(10 * SECOND);
    house.roster.beat(&caller, &beat(&lost, &id), house.now()).expect("known");
    let group = house.view("acme", false).await.snapshot.group("_vm").expect("group").facts.id.clone();
    let house = house.restart().await;
    let told = house.store.transitions("acme", &group, None, 10).await.expect("history");
    let causes: Vec<Cause> = told.iter().rev().map(|line| line.cause).collect();
    assert_eq!(causes, [Cause::Registered, Cause::Silence, Cause::Return]);
}

#[tokio::test]
async fn a_loss_that_is_noticed_twice_is_one_line() {
    let house = House::new().await;
    house.register(&caller("acme"), &machine("vm", "dlite-1", "192.0.2.1")).await;
    house.clock.advance(301 * SECOND);
    house.roster.record_silence(house.now());
    assert_eq!(lines(&house, 2).await.len(), 2);
    let house = house.restart().await;
    house.clock.advance(301 * SECOND);
    house.roster.record_silence(house.now());
    let house = house.restart().await;
    assert_eq!(lines(&house, 2).await.len(), 2);
}

/// Half hours of the past day in which anybody was silent, and whether anybody is unstable.
async fn drawn(house: &House) -> (Vec<u64>, bool) {
    let view = house.view("acme", true).await;
    let unstable = view.snapshot.groups.iter().flat_map(|group| &group.members).any(|member| member.unstable);
    (
        view.charts().heartbeats.slots.iter().map(|slot| slot.silent).filter(|silent| *silent > 0).collect(),
        unstable,
    )
}

#[tokio::test]
async fn what_an_instance_was_in_the_past_day_survives_a_restart() {
    let house = House::new().await;
    let caller = caller("acme");
    let report = machine("vm", "dlite-1", "192.0.2.1");
    let id = house.register(&caller, &report).await.id;
    for _ in 0..3 {
        house.clock.advance(6 * MINUTE);
        house.roster.record_silence(house.now());
        house.roster.beat(&caller, &beat(&report, &id), house.now()).expect("known");
    }
    let before = drawn(&house).await;
    assert_eq!(before, (vec![1], true));
    let house = house.restart().await;
    assert_eq!(drawn(&house).await, before);
}

#[tokio::test]
async fn no_loss_is_drawn_for_the_time_in_which_the_server_was_away() {
    let house = House::new().await;
    let caller = caller("acme");
    let report = machine("vm", "dlite-1", "192.0.2.1");
    let id = house.register(&caller, &report).await.id;
    house.register(&caller, &machine("other", "dlite-2", "192.0.2.2")).await;
    house.clock.advance(40 * MINUTE);
    let house = house.restart().await;
    house.clock.advance(SECOND);
    assert_eq!(drawn(&house).await.0, [0; 0]);
    house.roster.beat(&caller, &beat(&report, &id), house.now()).expect("known");
    house.clock.advance(300 * SECOND);
    house.roster.beat(&caller, &beat(&report, &id), house.now()).expect("known");
    house.roster.record_silence(house.now());
    // Only the one that did not come back is lost.
    assert_eq!(drawn(&house).await.0, [1, 1]);
}

#[tokio::test]
async fn who_was_lost_before_the_server_went_away_is_drawn_as_lost_at_once() {
    let house = House::new().await;
    house.register(&caller("acme"), &machine("vm", "dlite-1", "192.0.2.1")).await;
    house.clock.advance(10 * MINUTE);
    house.register(&caller("acme"), &machine("other", "dlite-2", "192.0.2.2")).await;
    let house = house.restart().await;
    house.clock.advance(SECOND);
    assert!(house.roster.restarted_at(house.now()).is_some());
    assert_eq!(drawn(&house).await.0, [1]);
}
