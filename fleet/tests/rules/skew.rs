//! Members that differ, and two delegates under one name (product 9.2, P22).

use fleet::delegate::DelegateType;
use fleet::summary::{Differences, DoubleDelegate, Rollup};
use fleet::time::{HOUR, MINUTE};

use crate::support::{Seen, ago, group, instance, texts, view};

fn rollup(members: Vec<Seen>) -> Rollup {
    view(group("edge-a"), members).rollup
}

fn differences(members: Vec<Seen>) -> Differences {
    rollup(members).differences
}

/// An instance that runs a version for so long.
fn running(host: &str, version: &str, for_so_long: i64) -> Seen {
    instance(host, version).with(|facts| facts.version_since = ago(for_so_long))
}

#[test]
fn equal_members_do_not_differ() {
    let found = rollup(vec![instance("a", "26.11.90604"), instance("b", "26.11.90604")]);
    assert!(!found.differences.any());
    assert_eq!(found.double_delegate, None);
}

#[test]
fn versions_may_differ_for_30_min_during_an_upgrade() {
    let marked = |since| {
        let members = vec![running("a", "26.10.90212", 5 * HOUR), running("b", "26.11.90604", since)];
        differences(members).version
    };
    assert!(!marked(30 * MINUTE));
    assert!(marked(30 * MINUTE + 1));
}

#[test]
fn a_difference_lasts_since_the_second_version_appeared_not_since_the_newest_instance() {
    let members = vec![
        running("a", "26.10.90212", 5 * HOUR),
        running("b", "26.11.90604", 31 * MINUTE),
        running("c", "26.11.90604", MINUTE),
        running("d", "26.09.89620", MINUTE),
    ];
    assert!(differences(members).version);
    let members = vec![running("a", "26.10.90212", 5 * HOUR), running("b", "26.11.90604", MINUTE)];
    assert!(!differences(members).version);
}

#[test]
fn only_connected_members_with_a_reported_version_count() {
    let members = vec![
        running("a", "26.10.90212", 5 * HOUR),
        running("b", "26.11.90604", 5 * HOUR).silent(),
        running("c", "", 5 * HOUR),
    ];
    assert!(!differences(members).version);
}

#[test]
fn members_differ_in_custom_tags_but_not_in_their_order() {
    let tagged = |host, tags: &[&str]| instance(host, "").with(|facts| facts.tags = texts(tags));
    assert!(!differences(vec![tagged("a", &["eu", "linux"]), tagged("b", &["linux", "eu"])]).tags);
    let found = differences(vec![tagged("a", &["eu"]), tagged("b", &["eu", "linux"])]);
    assert!(found.tags && found.any());
    assert!(!differences(vec![tagged("a", &["eu"]), tagged("b", &["us"]).silent()]).tags);
}

#[test]
fn members_differ_in_token_and_type() {
    let found =
        differences(vec![instance("a", ""), instance("b", "").with(|facts| facts.token = "token-2".into())]);
    assert!(found.token && !found.kind && found.any());
    let helm = instance("b", "").with(|facts| facts.kind = DelegateType::Helm);
    let found = differences(vec![instance("a", ""), helm.clone()]);
    assert!(found.kind && !found.token && found.any());
    assert!(!differences(vec![instance("a", ""), helm.silent()]).kind);
}

#[test]
fn different_cluster_tags_mean_two_delegates() {
    let in_cluster = |host, tag: &str| instance(host, "").with(|facts| facts.tags = texts(&["eu", tag]));
    let found = |members| rollup(members).double_delegate;
    assert_eq!(found(vec![in_cluster("a", "cluster:c1"), in_cluster("b", "cluster:c1")]), None);
    assert_eq!(found(vec![in_cluster("a", "cluster:c1"), instance("b", "")]), None);
    let two = vec![in_cluster("a", "cluster:c1"), in_cluster("b", "cluster:c2")];
    assert_eq!(found(two), Some(DoubleDelegate::Clusters));
}

/// A connected pod that registered so long ago.
fn pod(host: &str, registered: i64) -> Seen {
    instance(host, "").with(|facts| facts.registered_at = ago(registered))
}

#[test]
fn pods_of_two_replica_sets_may_live_together_for_30_min() {
    let marked = |registered| {
        rollup(vec![pod("edge-a-111-aaaaa", 9 * HOUR), pod("edge-a-222-bbbbb", registered)]).double_delegate
    };
    assert_eq!(marked(30 * MINUTE), None);
    assert_eq!(marked(30 * MINUTE + 1), Some(DoubleDelegate::ReplicaSets));
}

#[test]
fn replica_sets_are_a_matter_of_connected_pods() {
    let two = || vec![pod("edge-a-111-aaaaa", 9 * HOUR), pod("edge-a-222-bbbbb", 9 * HOUR)];
    assert_eq!(rollup(two()).double_delegate, Some(DoubleDelegate::ReplicaSets));
    let docker = two().into_iter().map(|pod| pod.with(|facts| facts.kind = DelegateType::Docker)).collect();
    assert_eq!(rollup(docker).double_delegate, None);
    let one_silent = vec![pod("edge-a-111-aaaaa", 9 * HOUR), pod("edge-a-222-bbbbb", 9 * HOUR).silent()];
    assert_eq!(rollup(one_silent).double_delegate, None);
    let same = vec![pod("edge-a-111-aaaaa", 9 * HOUR), pod("edge-a-111-bbbbb", 9 * HOUR)];
    assert_eq!(rollup(same).double_delegate, None);
}

#[test]
fn two_processes_with_one_id_are_marked_for_30_min() {
    let marked = |seen| {
        let twice = instance("a", "").with(|facts| facts.double_seen = Some(ago(seen)));
        rollup(vec![twice]).double_delegate
    };
    assert_eq!(marked(0), Some(DoubleDelegate::Connections));
    assert_eq!(marked(30 * MINUTE), Some(DoubleDelegate::Connections));
    assert_eq!(marked(30 * MINUTE + 1), None);
    let silent = instance("a", "").with(|facts| facts.double_seen = Some(ago(11 * MINUTE))).silent();
    assert_eq!(rollup(vec![silent]).double_delegate, None);
}
