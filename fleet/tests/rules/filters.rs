//! Which groups and instances a filter selects (management-api 2.1, 2.2, product 6.2, 11.1).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use fleet::delegate::{DelegateType, Family, Transport};
use fleet::query::{Mark, Query, has_mark, select, select_all};
use fleet::time::{DAY, HOUR, MINUTE};
use fleet::view::{GroupView, Snapshot};

use crate::support::{ago, group, instance, scope, snapshot, texts, view};

/// edge: expired and active; Build-Farm: silent and unreported, off; empty: no instance; sub: below, near expiry.
fn fleet() -> Snapshot {
    let mut edge = group("edge");
    (edge.tags, edge.description) = (texts(&["eu", "Linux"]), "Runs in the shop".into());
    let edge_2 = instance("edge-2", "26.11.90604").with(|facts| {
        (facts.ip, facts.transport) = ("192.0.2.44".into(), Transport::WebSocket);
    });
    let edge = view(edge, vec![instance("edge-1", "26.05.89004"), edge_2]);
    let mut farm = group("Build-Farm");
    (farm.tags, farm.kind, farm.upgrader_seen) =
        (texts(&["us", "linux"]), DelegateType::Docker, Some(ago(DAY)));
    (farm.token_name, farm.returned_at) = ("build".into(), Some(ago(HOUR)));
    let vm_2 = instance("vm-2", "").with(|facts| facts.clock_skew = Some(-MINUTE - 1));
    let farm = view(farm, vec![instance("vm-1", "26.05.89004").silent(), vm_2]);
    snapshot(vec![edge, farm, empty(), sub()])
}

fn empty() -> GroupView {
    let mut empty = group("empty");
    (empty.last_active, empty.upgrader_seen, empty.by_choice) = (ago(HOUR), Some(ago(DAY)), true);
    empty.family = Family::Runner;
    view(empty, vec![])
}

fn sub() -> GroupView {
    let mut sub = group("sub");
    (sub.scope, sub.kind) = (Arc::new(scope("acme/payments")), DelegateType::Helm);
    view(sub, vec![instance("Zürich-1", "26.06.89208")])
}

/// `name: hosts` of every selected group, in the default order.
fn selected(url: &str) -> Vec<String> {
    selected_of(&fleet(), url)
}

fn selected_of(snapshot: &Snapshot, url: &str) -> Vec<String> {
    let query = Query::parse(url).unwrap();
    let selection = select_all(snapshot, &query);
    let shown = select(snapshot, &query);
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

const EDGE: &str = "edge: edge-1 edge-2";
const SUB: &str = "sub: Zürich-1";
const FARM: &str = "Build-Farm: vm-1 vm-2";
const EMPTY: &str = "empty:";

#[test]
fn the_search_finds_versions_and_addresses_of_single_instances() {
    assert_eq!(selected("search=90604"), ["edge: edge-2"]);
    assert_eq!(selected("search=26.0"), ["edge: edge-1", SUB, "Build-Farm: vm-1"]);
    assert_eq!(selected("search=192.0.2."), ["edge: edge-2"]);
}

#[test]
fn identifier_and_description_match_in_part_whatever_the_case() {
    assert_eq!(selected("delegateGroupIdentifier=_BUILD"), [FARM]);
    assert_eq!(selected("delegateGroupIdentifier=_e"), [EDGE, EMPTY]);
    assert_eq!(selected("description=THE+shop"), [EDGE]);
    assert_eq!(selected("description=nothing"), [""; 0]);
}

#[test]
fn connectivity_is_that_of_the_group_and_one_of_several_suffices() {
    assert_eq!(selected("connectivity=connected"), [EDGE, SUB]);
    assert_eq!(selected("connectivity=partial"), [FARM]);
    assert_eq!(selected("connectivity=notConnected"), [EMPTY]);
    assert_eq!(selected("connectivity=partial&connectivity=notConnected"), [FARM, EMPTY]);
}

#[test]
fn a_type_is_equal_to_what_was_reported() {
    assert_eq!(selected("type=DOCKER"), [FARM]);
    assert_eq!(selected("type=DOCKER&type=HELM_DELEGATE"), [SUB, FARM]);
    assert_eq!(selected("type=DOCK"), [""; 0]);
}

#[test]
fn a_version_is_that_of_connected_instances_whole_or_up_to_a_dot() {
    assert_eq!(selected("version=26.05.89004"), ["edge: edge-1"], "not that of a lost one");
    assert_eq!(selected("version=26.05"), ["edge: edge-1"]);
    assert_eq!(selected("version=26"), [EDGE, SUB]);
    assert_eq!(selected("version=26.0"), [""; 0]);
    assert_eq!(selected("version=none"), ["Build-Farm: vm-2"]);
    assert_eq!(selected("version=none&version=26.06"), [SUB, "Build-Farm: vm-2"]);
}

#[test]
fn a_token_is_that_of_the_latest_registration() {
    assert_eq!(selected("token=build"), [FARM]);
    assert_eq!(selected("token=build&token=default_token"), [EDGE, SUB, FARM, EMPTY]);
    assert_eq!(selected("token=Build"), [""; 0]);
}

#[test]
fn a_scope_is_the_one_that_owns_the_group_and_no_other() {
    assert_eq!(selected("scope=acme%2Fpayments"), [SUB]);
    assert_eq!(selected("scope=acme"), [EDGE, FARM, EMPTY]);
    assert_eq!(selected("scope=acme%2Fother"), [""; 0]);
}

#[test]
fn redundancy_counts_connected_instances() {
    assert_eq!(selected("redundancy=none"), [EMPTY]);
    assert_eq!(selected("redundancy=single"), [SUB, FARM]);
    assert_eq!(selected("redundancy=several"), [EDGE]);
}

#[test]
fn a_mark_is_a_badge_of_the_group() {
    assert_eq!(selected("mark=differ"), [EDGE]);
    assert_eq!(selected("mark=returned"), [FARM]);
    assert_eq!(selected("mark=clock"), [FARM]);
    assert_eq!(selected("mark=byChoice"), [EMPTY]);
    assert_eq!(selected("mark=differ&mark=byChoice"), [EDGE, EMPTY]);
    for mark in ["late", "unstable", "double", "incomplete", "pending"] {
        assert_eq!(selected(&format!("mark={mark}")), [""; 0], "{mark}");
    }
}

#[test]
fn a_clock_is_off_beyond_60_seconds_in_either_direction() {
    let off = |skew: i64| {
        let member = instance("a", "").with(|facts| facts.clock_skew = Some(skew));
        has_mark(&view(group("edge"), vec![member]), Mark::Clock)
    };
    assert_eq!([off(MINUTE), off(-MINUTE), off(MINUTE + 1), off(-MINUTE - 1)], [false, false, true, true]);
}

#[test]
fn generation_is_that_of_the_group_and_transport_that_of_the_instance() {
    assert_eq!(selected("generation=3.x"), [EMPTY]);
    assert_eq!(selected("generation=classic"), [EDGE, SUB, FARM]);
    assert_eq!(selected("transport=websocket"), ["edge: edge-2"]);
    assert_eq!(selected("transport=polling"), ["edge: edge-1", SUB, FARM]);
}

#[test]
fn available_is_connected_and_not_expired() {
    assert_eq!(selected("delegateInstanceFilter=AVAILABLE"), ["edge: edge-2", SUB, "Build-Farm: vm-2"]);
    assert_eq!(selected("delegateInstanceFilter=EXPIRED"), ["edge: edge-1"]);
}

/// Support of 26.06.89208 ends on 2026-11-30.
#[test]
fn a_week_of_expiry_has_seven_days() {
    assert_eq!(selected("expires=2026-11-23"), [""; 0]);
    assert_eq!(selected("expires=2026-11-24"), [SUB]);
    assert_eq!(selected("expires=2026-11-30"), [SUB]);
    assert_eq!(selected("expires=2026-12-01"), [""; 0]);
}

/// vm-1 was heard last at 11:50 and is lost since 11:55.
#[test]
fn a_silent_half_hour_shows_what_was_not_connected_in_it() {
    assert_eq!(selected("silent=2026-11-20T11:25Z"), [""; 0]);
    assert_eq!(selected("silent=2026-11-20T11:26Z"), ["Build-Farm: vm-1"]);
    assert_eq!(selected("silent=2026-11-20T11:55Z"), ["Build-Farm: vm-1"]);
    assert_eq!(selected("silent=2026-11-20T12:00Z"), [""; 0]);
}

/// One or more of every condition there is.
pub(crate) const CONDITIONS: [&str; 40] = [
    "health=expired",
    "health=connected",
    "health=unreachable",
    "health=autoUpgradeOff",
    "search=edge-1",
    "search=e",
    "search=a",
    "status=CONNECTED",
    "status=DISCONNECTED",
    "versionStatus=EXPIRING",
    "versionStatus=ACTIVE",
    "autoUpgrade=ON",
    "autoUpgrade=OFF",
    "delegateName=e",
    "delegateGroupIdentifier=_b",
    "description=shop",
    "delegateType=k",
    "delegateTags=linux",
    "delegateTags=a",
    "hostName=edge-1",
    "hostName=a-x",
    "connectivity=connected",
    "connectivity=partial&connectivity=notConnected",
    "type=DOCKER",
    "type=KUBERNETES",
    "version=26.05",
    "version=none&version=26.11.90604.minimal",
    "token=build",
    "scope=acme",
    "scope=acme%2Fpayments&scope=acme%2Fa",
    "redundancy=single",
    "redundancy=none&redundancy=several",
    "mark=differ&mark=late",
    "mark=byChoice",
    "generation=3.x",
    "transport=websocket",
    "delegateInstanceFilter=AVAILABLE",
    "delegateInstanceFilter=EXPIRED",
    "expires=2026-11-24",
    "silent=2026-11-20T11:30Z",
];

/// The names of the parameters of a condition.
fn parameter(condition: &str) -> &str {
    condition.split_once('=').unwrap().0
}

/// Groups with their hosts.
fn sets(snapshot: &Snapshot, url: &str) -> BTreeMap<String, BTreeSet<String>> {
    let split = |line: String| {
        let (name, hosts) = line.split_once(':').unwrap();
        (name.to_owned(), hosts.split_whitespace().map(ToOwned::to_owned).collect())
    };
    selected_of(snapshot, url).into_iter().map(split).collect()
}

#[test]
fn two_conditions_select_what_both_select() {
    let snapshot = fleet();
    let alone: Vec<_> = CONDITIONS.iter().map(|condition| (*condition, sets(&snapshot, condition))).collect();
    for (at, (first, one)) in alone.iter().enumerate() {
        for (second, other) in &alone[at + 1..] {
            if parameter(second) == parameter(first) {
                continue;
            }
            let both = one.iter().filter_map(|(group, hosts)| {
                let common: BTreeSet<String> = hosts.intersection(other.get(group)?).cloned().collect();
                // A group without instances stays where neither condition wants one.
                let stays = !common.is_empty() || hosts.is_empty() && other[group].is_empty();
                stays.then(|| (group.clone(), common))
            });
            assert_eq!(sets(&snapshot, &format!("{first}&{second}")), both.collect(), "{first} and {second}");
        }
    }
}
