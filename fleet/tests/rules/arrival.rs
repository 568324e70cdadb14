//! Waiting for the first heartbeat (`product 11.7`).

use std::sync::Arc;

use fleet::install::arrival::Arrival;
use fleet::time::{MINUTE, SECOND};
use fleet::view::Snapshot;

use crate::support::{Seen, ago, group, instance, scope, snapshot, view};

fn came(host: &str, age: i64) -> Seen {
    instance(host, "").beat(Some(ago(SECOND))).with(|facts| facts.registered_at = ago(age))
}

fn with(members: Vec<Seen>) -> Snapshot {
    snapshot(vec![view(group("edge"), members)])
}

fn word(snapshot: &Snapshot, name: &str, since: Option<i64>) -> &'static str {
    match Arrival::of(snapshot, name, since.map(ago)) {
        Arrival::Waiting => "waiting",
        Arrival::Silent(_) => "silent",
        Arrival::Older(_) => "older",
        Arrival::Here(_) => "here",
    }
}

#[test]
fn a_name_that_never_called_is_waited_for() {
    let fleet = with(vec![came("a", SECOND)]);
    assert_eq!(word(&fleet, "edge-b", Some(MINUTE)), "waiting");
    assert_eq!(word(&fleet, "Edge", None), "waiting", "names are compared exactly");
    assert!(Arrival::of(&fleet, "edge-b", None).group().is_none());
}

#[test]
fn it_has_come_once_a_process_is_connected_that_registered_since() {
    assert_eq!(word(&with(vec![came("a", MINUTE)]), "edge", Some(MINUTE)), "here");
    assert_eq!(word(&with(vec![came("a", MINUTE + 1)]), "edge", Some(MINUTE)), "older");
    assert_eq!(word(&with(vec![came("a", 9 * MINUTE), came("b", SECOND)]), "edge", Some(MINUTE)), "here");
    assert_eq!(word(&with(vec![came("a", 9 * MINUTE)]), "edge", None), "here", "nobody says since when");
}

#[test]
fn a_process_that_is_not_connected_has_not_come() {
    let lost = || came("a", SECOND).silent();
    assert_eq!(word(&with(vec![lost()]), "edge", None), "silent");
    assert_eq!(word(&with(vec![lost(), came("b", 9 * MINUTE)]), "edge", Some(MINUTE)), "older");
}

#[test]
fn a_delegate_of_the_same_name_in_another_scope_is_another_one() {
    let mut facts = group("edge");
    facts.scope = Arc::new(scope("acme/payments"));
    let fleet = snapshot(vec![view(facts, vec![came("a", SECOND)])]);
    assert_eq!(word(&fleet, "edge", None), "waiting");
}
