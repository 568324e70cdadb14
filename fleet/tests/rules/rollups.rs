//! What a group amounts to (product 3.2, 5.6, 5.7, 9.1).

use fleet::health::Standing;
use fleet::summary::{Counts, GroupConnectivity, Rollup};
use fleet::time::{HOUR, MINUTE, SECOND};

use crate::support::{Seen, ago, at, group, instance, now, view};

fn rollup(members: Vec<Seen>) -> Rollup {
    view(group("edge-a"), members).rollup
}

#[test]
fn a_group_is_connected_partially_connected_or_not() {
    let (up, late, down) = (
        instance("a", "26.11.90604"),
        instance("b", "26.11.90604").beat(Some(ago(299 * SECOND))),
        instance("c", "26.11.90604").silent(),
    );
    let connectivity = |members| rollup(members).connectivity;
    assert_eq!(connectivity(vec![up.clone(), late.clone()]), GroupConnectivity::Connected);
    assert_eq!(connectivity(vec![up, down.clone()]), GroupConnectivity::Partial);
    assert_eq!(connectivity(vec![down]), GroupConnectivity::NotConnected);
    assert_eq!(GroupConnectivity::Partial.api_text(), "partially connected");
    assert_eq!(GroupConnectivity::Connected.api_text(), "connected");
    assert_eq!(GroupConnectivity::NotConnected.api_text(), "disconnected");
}

#[test]
fn a_group_without_instances_is_not_connected_and_unreachable() {
    let mut facts = group("edge-a");
    facts.last_active = ago(HOUR);
    let rollup = view(facts, vec![]).rollup;
    assert_eq!(
        (rollup.connectivity, rollup.standing),
        (GroupConnectivity::NotConnected, Standing::Unreachable)
    );
    assert_eq!((rollup.counts.groups, rollup.counts.instances), (1, 0));
    assert_eq!((rollup.version, rollup.expires_at, rollup.speaker), (None, None, None));
    assert_eq!((rollup.last_heartbeat, rollup.last_active), (None, ago(HOUR)));
    assert_eq!((rollup.tolerates, rollup.single_instance), (0, false));
}

#[test]
fn the_status_of_a_group_is_the_worst_of_its_connected_members() {
    let worst_first = [
        ("26.05.89004", Standing::Expired),
        ("26.06.89208", Standing::NearExpiry),
        ("26.10.90212", Standing::Unsupported),
        ("26.11.90604", Standing::Active),
        ("", Standing::Unknown),
    ];
    for (from, (_, standing)) in worst_first.into_iter().enumerate() {
        let members = worst_first[from..].iter().rev().map(|(version, _)| instance(version, version));
        assert_eq!(rollup(members.collect()).standing, standing);
    }
    let members = vec![instance("a", "26.05.89004").silent(), instance("b", "26.11.90604")];
    assert_eq!(rollup(members).standing, Standing::Active);
    assert_eq!(rollup(vec![instance("a", "26.05.89004").silent()]).standing, Standing::Unreachable);
}

#[test]
fn a_group_expires_with_its_earliest_connected_member() {
    let rollup = rollup(vec![
        instance("a", "26.11.90604"),
        instance("b", "26.07.89303"),
        instance("c", "26.05.89004").silent(),
        instance("d", "3.1.0"),
        instance("e", ""),
    ]);
    assert_eq!(rollup.expires_at, Some(at("2026-12-31 23:59:59")));
    assert_eq!(rollup.speaker, Some(1));
}

#[test]
fn nobody_speaks_for_a_group_that_is_not_connected() {
    let rollup = rollup(vec![instance("a", "26.05.89004").silent()]);
    assert_eq!((rollup.expires_at, rollup.speaker), (None, None));
}

#[test]
fn without_any_date_the_worst_connected_member_speaks() {
    let rollup = rollup(vec![instance("a", ""), instance("b", "3.1.0"), instance("c", "3.0.0")]);
    assert_eq!((rollup.expires_at, rollup.speaker), (None, Some(2)));
}

#[test]
fn the_version_of_a_group_is_the_lowest_of_its_connected_members() {
    let rollup = rollup(vec![
        instance("a", "26.11.90604"),
        instance("b", "26.09.89620"),
        instance("c", "26.11.90604"),
        instance("d", ""),
        instance("e", "24.01.82005").silent(),
    ]);
    assert_eq!(rollup.version.unwrap().as_str(), "26.09.89620");
    assert_eq!(rollup.other_versions, 1);
}

#[test]
fn a_group_without_a_reported_version_has_none() {
    let unreported = rollup(vec![instance("a", ""), instance("b", "26.09.89620").silent()]);
    assert_eq!((unreported.version, unreported.other_versions), (None, 0));
}

#[test]
fn variants_are_other_versions() {
    let rollup = rollup(vec![instance("a", "26.09.89620"), instance("b", "26.09.89620.minimal")]);
    assert_eq!((rollup.version.unwrap().as_str(), rollup.other_versions), ("26.09.89620", 1));
}

#[test]
fn two_tolerate_the_loss_of_one_and_three_of_two() {
    let with = |connected: usize| {
        let up = (0..connected).map(|n| instance(&format!("up-{n}"), "26.11.90604"));
        let rollup = rollup(up.chain([instance("down", "26.11.90604").silent()]).collect());
        (rollup.tolerates, rollup.single_instance)
    };
    assert_eq!(with(0), (0, false));
    assert_eq!(with(1), (0, true));
    assert_eq!(with(2), (1, false));
    assert_eq!(with(3), (2, false));
}

#[test]
fn the_last_heartbeat_is_that_of_the_newest_member() {
    let rollup = rollup(vec![
        instance("a", "").beat(Some(ago(HOUR))),
        instance("b", "").beat(Some(ago(MINUTE))),
        instance("c", "").with(|facts| facts.registered_at = now()).beat(None),
    ]);
    assert_eq!((rollup.last_heartbeat, rollup.last_active), (Some(ago(MINUTE)), ago(MINUTE)));
}

#[test]
fn the_counts_of_a_group_are_its_own_cards() {
    let counts = rollup(vec![
        instance("a", "26.05.89004"),
        instance("b", "26.06.89208"),
        instance("c", "26.10.90212"),
        instance("d", "26.11.90604"),
        instance("e", ""),
        instance("f", "26.11.90604").silent(),
    ])
    .counts;
    assert_eq!((counts.groups, counts.instances, counts.connected, counts.unreachable), (1, 6, 5, 1));
    assert_eq!((counts.expired, counts.near_expiry, counts.unsupported, counts.active), (1, 1, 1, 1));
    assert_eq!((counts.unknown, counts.auto_upgrade_off), (1, 0));
}

#[test]
fn counts_are_written_with_the_keys_of_the_api() {
    let counts = serde_json::to_value(Counts::default()).unwrap();
    let mut keys: Vec<&str> = counts.as_object().unwrap().keys().map(String::as_str).collect();
    let mut expected = vec!["groups", "instances", "connected", "unreachable", "unknown"];
    expected.extend(["expired", "nearExpiry", "unsupported", "active", "autoUpgradeOff"]);
    keys.sort_unstable();
    expected.sort_unstable();
    assert_eq!(keys, expected);
}
