//! What an upgrader is told to run (agent-protocol 10.4, A24).

use fleet::catalog::Latest;
use fleet::upgrade::target;

use crate::support::{catalog, now, version};

fn latest() -> Latest {
    catalog().latest(None, None, now())
}

#[track_caller]
fn upgrades(current: &str, to: &str) {
    let target = target(current, None, &latest(), None);
    assert_eq!((target.image_tag.as_str(), target.should_upgrade), (to, true));
}

#[track_caller]
fn stays(current: &str, latest: &Latest) {
    for repository in [None, Some("mirror.example/delegate")] {
        let target = target(current, None, latest, repository);
        assert_eq!((target.image_tag.as_str(), target.should_upgrade), (current, false));
    }
}

#[test]
fn an_older_image_is_replaced_by_the_latest_of_its_repository() {
    upgrades("harness/delegate:26.05.89004", "harness/delegate:26.11.90604");
    upgrades(
        "registry.example:5000/harness/delegate:24.04.82804",
        "registry.example:5000/harness/delegate:26.11.90604",
    );
    upgrades("26.05.89004", "26.11.90604");
}

#[test]
fn minimal_stays_minimal() {
    upgrades("harness/delegate:26.05.89004.minimal", "harness/delegate:26.11.90604.minimal");
    let pinned = catalog().latest(Some(&version("26.10.90107")), None, now());
    let target = target("harness/delegate:26.05.89004.minimal", None, &pinned, None);
    assert_eq!(target.image_tag, "harness/delegate:26.10.90107.minimal");
}

#[test]
fn a_configured_repository_goes_before_that_of_the_current_image() {
    for current in ["harness/delegate:26.05.89004", "26.05.89004"] {
        let target = target(current, None, &latest(), Some("mirror.example/delegate"));
        assert_eq!(target.image_tag, "mirror.example/delegate:26.11.90604");
    }
}

#[test]
fn nothing_is_ever_downgraded() {
    stays("harness/delegate:26.11.90604", &latest());
    stays("harness/delegate:26.11.90604.minimal", &latest());
    stays("harness/delegate:26.12.10000", &latest());
    let ring = catalog().latest(None, Some("4"), now());
    stays("harness/delegate:26.10.90212", &ring);
}

#[test]
fn what_cannot_be_parsed_is_echoed() {
    for current in
        ["harness/delegate:nightly", "harness/delegate", "registry.example:5000/delegate", "", "a:b:c"]
    {
        stays(current, &latest());
    }
    stays("harness/delegate:latest", &latest());
    stays("harness/delegate:26.05.89004-acme", &latest());
    stays("harness/delegate@sha256:0123456789abcdef", &latest());
}

#[test]
fn without_a_latest_the_current_image_is_echoed() {
    stays("harness/delegate:26.05.89004", &Latest::default());
    stays("harness/delegate:1.0.82007", &latest());
}

#[test]
fn an_override_is_followed_up_and_down_and_by_images_that_nobody_can_parse() {
    for current in ["26.05.89004", "26.11.90604", "26.10.90107.minimal", "nightly"] {
        let told = target(&format!("harness/delegate:{current}"), Some("26.10.90107"), &latest(), None);
        assert_eq!((told.image_tag.as_str(), told.should_upgrade), ("harness/delegate:26.10.90107", true));
    }
    let same = target("harness/delegate:26.10.90107", Some("26.10.90107"), &Latest::default(), None);
    assert_eq!((same.image_tag.as_str(), same.should_upgrade), ("harness/delegate:26.10.90107", false));
}
