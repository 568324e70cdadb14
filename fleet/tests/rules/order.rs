//! Order and pages of a list (product 11.1, P28).

use std::sync::Arc;

use fleet::query::{Query, select, select_all};
use fleet::time::{HOUR, MINUTE};
use fleet::view::{GroupView, Snapshot};

use crate::support::{Seen, ago, group, instance, scope, snapshot, view};

fn named(name: &str, members: Vec<Seen>) -> GroupView {
    let mut facts = group(name);
    facts.last_active = ago(HOUR);
    view(facts, members)
}

fn names(snapshot: &Snapshot, url: &str) -> Vec<String> {
    let selection = select_all(snapshot, &Query::parse(url).unwrap());
    selection.rows.iter().map(|row| snapshot.groups[row.group].facts.name.to_string()).collect()
}

/// b, c, d connected with different versions; e without a version; a partial; f empty.
fn mixed() -> Snapshot {
    let one = |name: &str, version: &str, beat: i64| {
        named(name, vec![instance(name, version).beat(Some(ago(beat)))])
    };
    snapshot(vec![
        named("f", vec![]),
        named("a", vec![instance("a1", "26.06.89208"), instance("a2", "26.06.89208").silent()]),
        one("b", "26.11.90604", 30_000),
        one("c", "24.01.82005", 1_000),
        one("d", "3.1.0", 20_000),
        one("e", "", 40_000),
    ])
}

#[test]
fn the_default_order_is_that_of_the_snapshot() {
    assert_eq!(names(&mixed(), ""), ["b", "c", "d", "e", "a", "f"]);
}

#[test]
fn by_name_both_ways() {
    assert_eq!(names(&mixed(), "sort=name"), ["a", "b", "c", "d", "e", "f"]);
    assert_eq!(names(&mixed(), "sort=-name"), ["f", "e", "d", "c", "b", "a"]);
}

#[test]
fn by_connectivity_then_name() {
    assert_eq!(names(&mixed(), "sort=connectivity"), ["b", "c", "d", "e", "a", "f"]);
    assert_eq!(names(&mixed(), "sort=-connectivity"), ["f", "a", "b", "c", "d", "e"]);
}

#[test]
fn by_version_with_the_unreported_last_both_ways() {
    assert_eq!(names(&mixed(), "sort=version"), ["c", "a", "b", "d", "e", "f"]);
    assert_eq!(names(&mixed(), "sort=-version"), ["d", "b", "a", "c", "e", "f"]);
}

#[test]
fn by_expiry_with_the_dateless_last_both_ways() {
    assert_eq!(names(&mixed(), "sort=expiry"), ["c", "a", "b", "d", "e", "f"]);
    assert_eq!(names(&mixed(), "sort=-expiry"), ["b", "a", "c", "d", "e", "f"]);
}

#[test]
fn by_last_heartbeat_with_the_silent_last_both_ways() {
    assert_eq!(names(&mixed(), "sort=-lastHeartbeat"), ["c", "a", "d", "b", "e", "f"]);
    assert_eq!(names(&mixed(), "sort=lastHeartbeat"), ["e", "b", "d", "a", "c", "f"]);
}

#[test]
fn ties_are_broken_by_name_then_scope_then_id() {
    let placed = |name: &str, owner: &str, id: &str| {
        let mut facts = group(name);
        (facts.scope, facts.id) = (Arc::new(scope(owner)), id.into());
        view(facts, vec![instance("x", "26.11.90604")])
    };
    let snapshot = snapshot(vec![
        placed("b", "acme", "1"),
        placed("a", "acme/z", "2"),
        placed("a", "acme/y", "4"),
        placed("a", "acme/y", "3"),
    ]);
    for url in ["sort=version", "sort=-version", "sort=expiry", "sort=-lastHeartbeat", "sort=connectivity"] {
        let selection = select_all(&snapshot, &Query::parse(url).unwrap());
        let ids: Vec<&str> = selection.rows.iter().map(|row| &*snapshot.groups[row.group].facts.id).collect();
        assert_eq!(ids, ["3", "4", "2", "1"], "{url}");
    }
}

/// g00, g01, ... with one instance each.
fn many(groups: usize) -> Snapshot {
    let names = (0..groups).map(|number| format!("g{number:02}"));
    snapshot(
        names.map(|name| named(&name, vec![instance("x", "26.11.90604").beat(Some(ago(MINUTE)))])).collect(),
    )
}

#[test]
fn a_page_has_10_groups_unless_asked_otherwise() {
    let snapshot = many(25);
    let page = |url: &str| {
        let selection = select(&snapshot, &Query::parse(url).unwrap());
        let first = selection.rows.first().map(|row| snapshot.groups[row.group].facts.name.to_string());
        assert_eq!((selection.groups, selection.instances), (25, 25));
        (selection.rows.len(), first.unwrap(), selection.page, selection.pages)
    };
    assert_eq!(page(""), (10, "g00".to_owned(), 1, 3));
    assert_eq!(page("page=2"), (10, "g10".to_owned(), 2, 3));
    assert_eq!(page("page=3"), (5, "g20".to_owned(), 3, 3));
    assert_eq!(page("size=25"), (25, "g00".to_owned(), 1, 1));
    assert_eq!(page("page=2&sort=-name"), (10, "g14".to_owned(), 2, 3));
    assert_eq!(page("page=3&sort=-name"), (5, "g04".to_owned(), 3, 3));
}

#[test]
fn a_page_behind_the_last_is_the_last() {
    let snapshot = many(25);
    let selection = select(&snapshot, &Query::parse("page=4000000000&sort=name").unwrap());
    assert_eq!((selection.page, selection.rows.len()), (3, 5));
}

#[test]
fn an_empty_list_has_one_empty_page() {
    for url in ["", "page=7&sort=name", "search=x"] {
        let selection = select(&snapshot(vec![]), &Query::parse(url).unwrap());
        assert_eq!((selection.rows.len(), selection.groups, selection.page, selection.pages), (0, 0, 1, 1));
    }
}

#[test]
fn a_full_last_page_is_the_last_page() {
    let selection = select(&many(20), &Query::parse("page=2").unwrap());
    assert_eq!((selection.rows.len(), selection.pages), (10, 2));
}
