//! Many instances lost at once (product 3.8, P9).

use fleet::history::State::{Connected, NotConnected};
use fleet::loss::{MassLoss, mass_loss};
use fleet::time::{HOUR, MINUTE, SECOND};

use crate::support::{Seen, ago, group, instance, now, view};

/// An instance lost so long ago and silent since.
fn lost(name: &str, millis: i64) -> Seen {
    instance(name, "").beat(Some(ago(millis + 5 * MINUTE))).turned(&[(millis, NotConnected)])
}

fn several(count: usize, seen: impl Fn(&str) -> Seen, name: &str) -> Vec<Seen> {
    (0..count).map(|number| seen(&format!("{name}-{number}"))).collect()
}

fn found(members: &[Vec<Seen>]) -> Option<MassLoss> {
    let group = view(group("edge"), members.concat());
    mass_loss(group.members.iter(), now())
}

fn steady(name: &str) -> Seen {
    instance(name, "")
}

fn at_once(name: &str) -> Seen {
    lost(name, 10 * MINUTE)
}

#[test]
fn five_instances_are_many_and_four_are_not() {
    let loss = found(&[several(5, at_once, "lost")]).unwrap();
    assert_eq!((loss.lost, loss.connected, loss.back, loss.at), (5, 5, 0, ago(10 * MINUTE)));
    assert_eq!(found(&[several(4, at_once, "lost")]), None);
}

#[test]
fn half_of_those_connected_is_many_and_less_is_not() {
    let of = |stay: usize| found(&[several(10, at_once, "lost"), several(stay, steady, "there")]);
    assert_eq!(of(10).map(|loss| (loss.lost, loss.connected)), Some((10, 20)));
    assert_eq!(of(11), None);
}

#[test]
fn whoever_was_lost_before_or_came_later_does_not_count_as_connected() {
    let before = several(10, |name| lost(name, 30 * MINUTE), "before");
    let later = several(5, |name| steady(name).with(|facts| facts.registered_at = ago(9 * MINUTE)), "later");
    let loss = found(&[several(6, at_once, "lost"), several(6, steady, "there"), before, later]);
    // Those before are a mass loss of their own, and a larger one: 10 of 22 is less than half.
    assert_eq!(loss.map(|loss| (loss.lost, loss.connected)), Some((6, 12)));
}

#[test]
fn sixty_seconds_are_at_once_and_61_are_not() {
    let within = |seconds: i64| {
        let last = lost("last", 10 * MINUTE - seconds * SECOND);
        found(&[several(4, at_once, "lost"), vec![last]])
    };
    let loss = within(60).unwrap();
    assert_eq!((loss.lost, loss.at.age(loss.until)), (5, 60 * SECOND));
    assert_eq!(within(61), None);
}

#[test]
fn it_is_told_until_an_hour_has_passed_or_all_are_back() {
    let since = |millis: i64| found(&[several(5, |name| lost(name, millis), "lost")]);
    assert!(since(HOUR).is_some());
    assert_eq!(since(HOUR + 1), None);
    let back = |name: &str| instance(name, "").turned(&[(10 * MINUTE, NotConnected), (MINUTE, Connected)]);
    let loss = found(&[several(4, back, "back"), vec![at_once("away")]]).unwrap();
    assert_eq!((loss.lost, loss.back), (5, 4));
    assert_eq!(found(&[several(5, back, "back")]), None);
}

#[test]
fn an_instance_that_is_lost_twice_counts_once() {
    let turns =
        [(600, NotConnected), (590, Connected), (580, NotConnected)].map(|(s, state)| (s * SECOND, state));
    let twice = |name: &str| instance(name, "").beat(Some(ago(HOUR))).turned(&turns);
    assert_eq!(found(&[several(4, twice, "twice")]), None);
    assert_eq!(found(&[several(5, twice, "twice")]).map(|loss| loss.lost), Some(5));
}

#[test]
fn of_several_the_largest_is_told() {
    let early = several(6, |name| lost(name, 50 * MINUTE), "early");
    let late = several(5, |name| lost(name, 5 * MINUTE), "late");
    assert_eq!(found(&[early, late]).map(|loss| (loss.lost, loss.at)), Some((6, ago(50 * MINUTE))));
}

#[test]
fn who_was_not_there_yet_cannot_have_been_lost() {
    let newcomer = |name: &str| lost(name, MINUTE).with(|facts| facts.registered_at = ago(MINUTE));
    assert_eq!(found(&[several(6, newcomer, "new")]), None);
    let known = |name: &str| lost(name, MINUTE).with(|facts| facts.registered_at = ago(MINUTE + 1));
    assert_eq!(found(&[several(6, known, "known")]).map(|loss| (loss.lost, loss.connected)), Some((6, 6)));
}
