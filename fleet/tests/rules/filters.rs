//! Which groups and instances a filter selects (management-api 2.1, 2.2, product 6.2, 11.1).

use std::sync::Arc;

use fleet::delegate::DelegateType;
use fleet::query::{Query, select, select_all};
use fleet::time::{DAY, HOUR};
use fleet::view::{GroupView, Snapshot};

use crate::support::{ago, group, instance, scope, snapshot, texts, view};

/// edge: expired and active; Build-Farm: silent and unreported, off; empty: no instance; sub: below, near expiry.
fn fleet() -> Snapshot {
    let mut edge = group("edge");
    edge.tags = texts(&["eu", "Linux"]);
    let edge = view(edge, vec![instance("edge-1", "26.05.89004"), instance("edge-2", "26.11.90604")]);
    let mut farm = group("Build-Farm");
    (farm.tags, farm.kind, farm.upgrader_seen) =
        (texts(&["us", "linux"]), DelegateType::Docker, Some(ago(DAY)));
    let farm = view(farm, vec![instance("vm-1", "26.05.89004").silent(), instance("vm-2", "")]);
    snapshot(vec![edge, farm, empty(), sub()])
}

fn empty() -> GroupView {
    let mut empty = group("empty");
    (empty.last_active, empty.upgrader_seen, empty.by_choice) = (ago(HOUR), Some(ago(DAY)), true);
    view(empty, vec![])
}

fn sub() -> GroupView {
    let mut sub = group("sub");
    (sub.scope, sub.kind) = (Arc::new(scope("acme/payments")), DelegateType::Helm);
    view(sub, vec![instance("Zürich-1", "26.06.89208")])
}

/// `name: hosts` of every selected group, in the default order.
fn selected(url: &str) -> Vec<String> {
    let snapshot = fleet();
    let query = Query::parse(url).unwrap();
    let selection = select_all(&snapshot, &query);
    let shown = select(&snapshot, &query);
    assert_eq!((shown.rows, shown.groups), (selection.rows.clone(), selection.groups));
    assert_eq!(selection.instances, selection.rows.iter().map(|row| row.members.len()).sum::<usize>());
    assert_eq!(shown.instances, selection.instances);
    let line = |group: &GroupView, members: &[u32]| {
        assert_eq!(query.filter.matches(group).as_deref(), Some(members));
        let hosts: Vec<&str> =
            members.iter().map(|&at| &*group.members[at as usize].facts.host_name).collect();
        format!("{}: {}", group.facts.name, hosts.join(" ")).trim_end().to_owned()
    };
    selection.rows.iter().map(|row| line(&snapshot.groups[row.group], &row.members)).collect()
}

#[test]
fn without_a_filter_every_group_is_listed_with_all_its_instances() {
    assert_eq!(selected(""), ["edge: edge-1 edge-2", "sub: Zürich-1", "Build-Farm: vm-1 vm-2", "empty:"]);
}

#[test]
fn a_version_card_shows_only_the_matching_instances() {
    assert_eq!(selected("health=expired"), ["edge: edge-1"]);
    assert_eq!(selected("health=nearExpiry"), ["sub: Zürich-1"]);
    assert_eq!(selected("health=active"), ["edge: edge-2"]);
    assert_eq!(selected("health=unknown"), ["Build-Farm: vm-2"]);
    assert_eq!(selected("health=unreachable"), ["Build-Farm: vm-1"]);
    assert_eq!(selected("health=unsupported"), [""; 0]);
    assert_eq!(selected("health=connected"), ["edge: edge-1 edge-2", "sub: Zürich-1", "Build-Farm: vm-2"]);
}

#[test]
fn the_fourth_card_shows_groups_with_all_their_instances() {
    assert_eq!(selected("health=autoUpgradeOff"), ["Build-Farm: vm-1 vm-2"]);
    assert_eq!(selected("autoUpgrade=OFF"), ["Build-Farm: vm-1 vm-2", "empty:"], "the muted one is off too");
    assert_eq!(selected("autoUpgrade=ON"), ["edge: edge-1 edge-2", "sub: Zürich-1"]);
    assert_eq!(selected("autoUpgrade=DETECTING"), [""; 0]);
}

#[test]
fn the_search_finds_names_identifiers_tags_and_host_names_whatever_the_case() {
    assert_eq!(selected("search=BUILD"), ["Build-Farm: vm-1 vm-2"]);
    assert_eq!(selected("search=_build_farm"), ["Build-Farm: vm-1 vm-2"]);
    assert_eq!(selected("search=LIN"), ["edge: edge-1 edge-2", "Build-Farm: vm-1 vm-2"]);
    assert_eq!(selected("search=mpt"), ["empty:"]);
    assert_eq!(selected("search=Z%C3%9CRICH"), ["sub: Zürich-1"]);
    assert_eq!(selected("search=nowhere"), [""; 0]);
}

#[test]
fn a_search_that_hits_only_a_host_name_shows_only_that_host() {
    assert_eq!(selected("search=vm-2"), ["Build-Farm: vm-2"]);
    assert_eq!(selected("search=-1"), ["edge: edge-1", "sub: Zürich-1", "Build-Farm: vm-1"]);
    assert_eq!(selected("search=edge-1"), ["edge: edge-1"]);
}

#[test]
fn the_search_combines_with_a_card() {
    assert_eq!(selected("search=eu&health=expired"), ["edge: edge-1"]);
    assert_eq!(selected("search=edge-2&health=expired"), [""; 0]);
    assert_eq!(selected("search=empty&health=unreachable"), [""; 0]);
}

#[test]
fn status_is_a_condition_on_instances() {
    assert_eq!(selected("status=CONNECTED"), selected("health=connected"));
    assert_eq!(selected("status=DISCONNECTED"), ["Build-Farm: vm-1"]);
    assert_eq!(selected("status=ENABLED"), ["edge: edge-1 edge-2", "sub: Zürich-1", "Build-Farm: vm-1 vm-2"]);
    for status in ["WAITING_FOR_APPROVAL", "DISABLED", "DELETED"] {
        assert_eq!(selected(&format!("status={status}")), [""; 0]);
    }
}

#[test]
fn version_status_is_a_condition_on_connected_instances() {
    assert_eq!(selected("versionStatus=EXPIRED"), ["edge: edge-1"]);
    assert_eq!(selected("versionStatus=EXPIRING"), ["sub: Zürich-1"]);
    assert_eq!(selected("versionStatus=ACTIVE&status=DISCONNECTED"), [""; 0]);
}

#[test]
fn host_names_are_compared_whole_and_exactly() {
    assert_eq!(selected("hostName=edge-1"), ["edge: edge-1"]);
    assert_eq!(selected("hostName=edge"), [""; 0]);
    assert_eq!(selected("hostName=EDGE-1"), [""; 0]);
}

#[test]
fn names_and_types_match_in_part_whatever_the_case() {
    assert_eq!(selected("delegateName=FARM"), ["Build-Farm: vm-1 vm-2"]);
    assert_eq!(selected("delegateName=e"), ["edge: edge-1 edge-2", "empty:"]);
    assert_eq!(selected("delegateType=dock"), ["Build-Farm: vm-1 vm-2"]);
    assert_eq!(selected("delegateType=HELM_DELEGATE"), ["sub: Zürich-1"]);
}

#[test]
fn all_tags_must_be_present_the_implicit_one_included() {
    assert_eq!(selected("delegateTags=linux"), ["edge: edge-1 edge-2", "Build-Farm: vm-1 vm-2"]);
    assert_eq!(selected("delegateTags=linux,EU"), ["edge: edge-1 edge-2"]);
    assert_eq!(selected("delegateTags=build-farm&delegateTags=us"), ["Build-Farm: vm-1 vm-2"]);
    assert_eq!(selected("delegateTags=lin"), [""; 0]);
    assert_eq!(selected("delegateTags=empty"), ["empty:"]);
}

#[test]
fn a_group_without_instances_is_left_out_only_when_instances_are_asked_for() {
    let narrows = |url: &str| Query::parse(url).unwrap().filter.narrows_instances();
    for url in ["health=expired", "health=connected", "status=ENABLED", "versionStatus=ACTIVE", "hostName=x"]
    {
        assert!(narrows(url), "{url}");
    }
    for url in ["", "health=autoUpgradeOff", "search=x", "autoUpgrade=ON", "delegateName=x", "delegateTags=x"]
    {
        assert!(!narrows(url), "{url}");
    }
}

#[test]
fn an_unmatched_group_has_no_members() {
    let snapshot = fleet();
    let filter = Query::parse("search=nowhere").unwrap().filter;
    assert!(snapshot.groups.iter().all(|group| filter.matches(group).is_none()));
    assert!(!filter.is_empty() && Query::default().filter.is_empty());
}
