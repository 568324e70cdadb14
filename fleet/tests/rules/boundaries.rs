//! The boundaries of product 20, to the second and to the millisecond.

use fleet::health::{Connectivity, Status, connectivity, judge};
use fleet::policy::{Anchor, Policy};
use fleet::retention::{group_visible, instance_visible};
use fleet::time::{DAY, HOUR, MINUTE, SECOND, Timestamp};
use fleet::upgrade::{State, auto_upgrade};

use crate::support::{ago, at, catalog, group, now, version};

fn connected_at_age(age: i64) -> Connectivity {
    connectivity(Some(ago(age)), &Policy::default(), now())
}

#[test]
fn an_instance_is_late_from_180_s_on() {
    assert_eq!(connected_at_age(0), Connectivity::Connected);
    assert_eq!(connected_at_age(179 * SECOND), Connectivity::Connected);
    assert_eq!(connected_at_age(180 * SECOND - 1), Connectivity::Connected);
    assert_eq!(connected_at_age(180 * SECOND), Connectivity::Late);
    assert_eq!(connected_at_age(181 * SECOND), Connectivity::Late);
}

#[test]
fn an_instance_is_connected_up_to_300_s_inclusive() {
    assert_eq!(connected_at_age(299 * SECOND), Connectivity::Late);
    assert_eq!(connected_at_age(300 * SECOND), Connectivity::Late);
    assert_eq!(connected_at_age(300 * SECOND + 1), Connectivity::NotConnected);
    assert_eq!(connected_at_age(301 * SECOND), Connectivity::NotConnected);
}

#[test]
fn an_instance_that_never_beat_is_not_connected() {
    assert_eq!(connectivity(None, &Policy::default(), now()), Connectivity::NotConnected);
}

#[test]
fn a_heartbeat_from_the_future_is_connected_because_the_clock_was_set_back() {
    assert_eq!(connected_at_age(-1), Connectivity::Connected);
    assert_eq!(connected_at_age(-3 * DAY), Connectivity::Connected);
}

#[test]
fn one_or_two_missed_one_minute_beats_change_nothing() {
    assert_eq!(connected_at_age(119 * SECOND), Connectivity::Connected);
    assert_eq!(connected_at_age(179 * SECOND), Connectivity::Connected);
}

#[test]
fn late_counts_as_connected() {
    assert!(Connectivity::Connected.is_connected());
    assert!(Connectivity::Late.is_connected());
    assert!(!Connectivity::NotConnected.is_connected());
}

fn visible_at_age(age: i64) -> bool {
    instance_visible(Some(ago(age)), ago(90 * DAY), None, &Policy::default(), now())
}

#[test]
fn an_instance_is_hidden_6_h_after_its_last_heartbeat() {
    assert!(visible_at_age(0));
    assert!(visible_at_age(6 * HOUR));
    assert!(!visible_at_age(6 * HOUR + 1));
    assert!(!visible_at_age(6 * HOUR + SECOND));
}

#[test]
fn an_instance_without_any_heartbeat_is_hidden_6_h_after_its_registration() {
    let visible = |age| instance_visible(None, ago(age), None, &Policy::default(), now());
    assert!(visible(6 * HOUR));
    assert!(!visible(6 * HOUR + 1));
}

#[test]
fn a_goodbye_hides_at_once_until_the_instance_beats_again() {
    let visible = |beat: Option<Timestamp>| {
        instance_visible(beat, ago(HOUR), Some(ago(MINUTE)), &Policy::default(), now())
    };
    assert!(!visible(None));
    assert!(!visible(Some(ago(2 * MINUTE))));
    assert!(!visible(Some(ago(MINUTE))), "a heartbeat of the same millisecond came before the goodbye");
    assert!(visible(Some(ago(MINUTE - 1))));
}

#[test]
fn a_group_is_hidden_7_days_after_its_last_active_instance() {
    let visible = |age| group_visible(ago(age), &Policy::default(), now());
    assert!(visible(7 * DAY));
    assert!(!visible(7 * DAY + 1));
    assert!(!visible(7 * DAY + SECOND));
}

/// 26.06.89208 has its end of support on 30 November 2026, its end of life on 31 January 2027.
fn status_at(instant: Timestamp, policy: &Policy) -> Option<Status> {
    let catalog = catalog();
    let latest = catalog.latest(None, None, instant);
    judge(Some(&version("26.06.89208")), &catalog, &latest, policy, instant).status
}

#[test]
fn the_anchor_is_the_last_second_of_its_day() {
    let end = at("2026-11-30 23:59:59");
    assert_eq!(Timestamp::end_of_day("2026-11-30".parse().unwrap()), end);
    assert_eq!(end.millis() % SECOND, 0);
}

#[test]
fn a_version_is_near_expiry_from_e_minus_window_on() {
    let policy = Policy::default();
    let near = at("2026-11-30 23:59:59").plus(-28 * DAY);
    assert_eq!(near, at("2026-11-02 23:59:59"));
    assert_eq!(status_at(near.plus(-SECOND), &policy), Some(Status::Unsupported));
    assert_eq!(status_at(near.plus(-1), &policy), Some(Status::Unsupported));
    assert_eq!(status_at(near, &policy), Some(Status::Expiring));
}

#[test]
fn a_version_is_expired_from_just_after_e_on() {
    let policy = Policy::default();
    let end = at("2026-11-30 23:59:59");
    assert_eq!(status_at(end, &policy), Some(Status::Expiring));
    assert_eq!(status_at(end.plus(1), &policy), Some(Status::Expired));
    assert_eq!(status_at(end.plus(SECOND), &policy), Some(Status::Expired));
}

#[test]
fn every_window_that_can_be_chosen_starts_that_many_days_before_e() {
    let end = at("2026-11-30 23:59:59");
    for days in [7, 14, 21, 28] {
        let policy = Policy { near_expiry: days * DAY, ..Policy::default() };
        assert_eq!(status_at(end.plus(-days * DAY - 1), &policy), Some(Status::Unsupported), "{days}");
        assert_eq!(status_at(end.plus(-days * DAY), &policy), Some(Status::Expiring), "{days}");
    }
}

#[test]
fn the_anchor_can_be_moved_to_the_end_of_life() {
    let policy = Policy { anchor: Anchor::Eol, ..Policy::default() };
    let end = at("2027-01-31 23:59:59");
    assert_eq!(status_at(at("2026-12-01 00:00:00"), &policy), Some(Status::Unsupported));
    assert_eq!(status_at(end.plus(-28 * DAY), &policy), Some(Status::Expiring));
    assert_eq!(status_at(end, &policy), Some(Status::Expiring));
    assert_eq!(status_at(end.plus(1), &policy), Some(Status::Expired));
}

#[test]
fn the_upgrader_counts_as_on_up_to_90_min_inclusive() {
    let state = |age| {
        let mut group = group("edge-a");
        group.upgrader_seen = Some(ago(age));
        auto_upgrade(&group, Some(&version("26.11.90604")), &Policy::default(), now()).state
    };
    assert_eq!(state(0), State::On);
    assert_eq!(state(90 * MINUTE), State::On);
    assert_eq!(state(90 * MINUTE + 1), State::Off);
    assert_eq!(state(90 * MINUTE + SECOND), State::Off);
}

#[test]
fn a_new_group_is_detecting_up_to_90_min_inclusive() {
    let state = |age| {
        let mut group = group("edge-a");
        (group.upgrader_seen, group.first_seen) = (None, ago(age));
        auto_upgrade(&group, Some(&version("26.11.90604")), &Policy::default(), now()).state
    };
    assert_eq!(state(0), State::Detecting);
    assert_eq!(state(90 * MINUTE), State::Detecting);
    assert_eq!(state(90 * MINUTE + 1), State::Off);
    assert_eq!(state(90 * MINUTE + SECOND), State::Off);
}
