//! Which rows a list has, and in what order (product 2.1, 4, 11.1).

use std::sync::Arc;

use fleet::catalog::Latest;
use fleet::time::{DAY, HOUR, MINUTE};
use fleet::view::{GroupView, Snapshot};

use crate::support::{ago, group, instance, now, scope, snapshot, try_view, view};

#[test]
fn hidden_instances_are_left_out_and_the_group_stays() {
    let mut facts = group("edge-a");
    facts.last_active = ago(DAY);
    let group = view(
        facts,
        vec![
            instance("gone", "").beat(Some(ago(6 * HOUR + 1))),
            instance("stopped", "").with(|facts| facts.goodbye_at = Some(ago(1))),
        ],
    );
    assert!(group.members.is_empty());
    assert_eq!(group.rollup.counts.instances, 0);
    assert_eq!(group.rollup.last_active, ago(10_000), "hidden instances were active too");
    assert_eq!(group.rollup.last_heartbeat, None);
}

#[test]
fn a_group_is_hidden_7_days_after_the_newest_of_all_heartbeats() {
    let with = |stored: i64, beat: i64| {
        let mut facts = group("edge-a");
        facts.last_active = ago(stored);
        try_view(facts, vec![instance("a", "").beat(Some(ago(beat)))]).is_some()
    };
    assert!(with(30 * DAY, 7 * DAY));
    assert!(with(7 * DAY, 30 * DAY));
    assert!(!with(7 * DAY + 1, 7 * DAY + 1));
}

#[test]
fn members_are_listed_by_host_name_then_id() {
    let twin = |id: &str| instance("b", "").with(|facts| facts.id = id.into());
    let group = view(group("edge-a"), vec![instance("c", ""), twin("2"), instance("a", ""), twin("1")]);
    let order: Vec<&str> = group.members.iter().map(|member| &*member.facts.id).collect();
    assert_eq!(order, ["id-a", "1", "2", "id-c"]);
}

/// A group with this name in this scope.
fn placed(name: &str, owner: &str, id: &str, silent: bool) -> GroupView {
    let mut facts = group(name);
    (facts.scope, facts.id) = (Arc::new(scope(owner)), id.into());
    let member = instance("a", "26.11.90604");
    view(facts, vec![if silent { member.silent() } else { member }])
}

#[test]
fn the_default_order_is_connected_then_partial_then_not_connected_then_name() {
    let partial = view(group("b"), vec![instance("x", ""), instance("y", "").silent()]);
    let groups = vec![
        placed("a", "acme", "1", true),
        partial,
        placed("d", "acme", "2", false),
        placed("c", "acme/z", "3", false),
        placed("c", "acme/y", "5", false),
        placed("c", "acme/y", "4", false),
        placed("a-name-longer-than-sixteen-b", "acme", "6", false),
        placed("a-name-longer-than-sixteen-a", "acme", "7", false),
    ];
    let snapshot = snapshot(groups);
    let order: Vec<&str> = snapshot.groups.iter().map(|group| &*group.facts.id).collect();
    assert_eq!(order, ["7", "6", "4", "5", "3", "2", "b", "1"]);
}

#[test]
fn a_group_of_the_scope_itself_wins_over_one_below() {
    let groups = vec![placed("edge-a", "acme/z", "below", false), placed("edge-a", "acme", "own", true)];
    let found = snapshot(groups.clone());
    assert_eq!(&*found.group("_edge_a").unwrap().facts.id, "own");
    let below = Snapshot::new(scope("acme/z"), true, now(), Latest::default(), groups);
    assert_eq!(&*below.group("_edge_a").unwrap().facts.id, "below");
    assert!(below.group("_edge_b").is_none());
}

#[test]
fn a_group_below_is_found_when_the_scope_has_none() {
    let found = snapshot(vec![placed("edge-a", "acme/z", "below", false)]);
    assert_eq!(&*found.group("_edge_a").unwrap().facts.id, "below");
}

#[test]
fn an_instance_that_beats_again_returns() {
    let stopped = instance("a", "").with(|facts| facts.goodbye_at = Some(ago(MINUTE)));
    assert_eq!(view(group("edge-a"), vec![stopped]).members.len(), 1);
}
