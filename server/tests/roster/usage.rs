//! What can be used from a scope, and which delegates use a token (`product 2.2`, `10.5`).

use fleet::delegate::Approval;
use fleet::time::SECOND;
use fleet::view::Extent;

use crate::support::{House, caller, pod};

#[tokio::test]
async fn alex_can_use_d1_d2_d4_and_uri_d1_d3_d5() {
    let house = House::new().await;
    for (name, owner) in
        [("D1", "acme"), ("D2", "acme/alex"), ("D3", "acme/uri"), ("D4", "acme/alex/p"), ("D5", "acme/uri/p")]
    {
        house.register(&caller(owner), &pod(name, "host", "10.0.0.1")).await;
    }
    for (at, names, below) in [
        ("acme/alex/p", vec!["D1", "D2", "D4"], 0),
        ("acme/uri/p", vec!["D1", "D3", "D5"], 0),
        ("acme/alex", vec!["D1", "D2"], 1),
        ("acme", vec!["D1"], 4),
    ] {
        let scope = at.parse().expect("scope");
        let view = house.roster.snapshot(&scope, Extent::Usable, house.now()).await.expect("snapshot");
        let listed: Vec<&str> = view.snapshot.groups.iter().map(|group| &*group.facts.name).collect();
        assert_eq!((listed, view.below.groups), (names, below), "{at}");
    }
}

#[tokio::test]
async fn a_token_is_told_with_those_that_use_it() {
    let house = House::new().await;
    for (scope, name, host) in
        [("acme", "west", "w-1"), ("acme", "edge", "e-1"), ("acme/payments", "edge", "e-2")]
    {
        house.register(&caller(scope), &pod(name, host, "10.0.0.1")).await;
    }
    house.clock.advance(301 * SECOND);
    house.register(&caller("acme"), &pod("edge", "e-3", "10.0.0.1")).await;
    let used = |token: &str| {
        let users = house.roster.token_use("acme", token, house.now());
        let told = users.into_iter().map(|user| {
            (user.facts.scope.to_string(), user.facts.name.to_string(), user.instances, user.connected)
        });
        told.collect::<Vec<_>>()
    };
    let line = |scope: &str, name: &str, instances, connected| {
        (scope.to_owned(), name.to_owned(), instances, connected)
    };
    assert_eq!(
        used("token-id"),
        [line("acme", "edge", 2, 1), line("acme/payments", "edge", 1, 0), line("acme", "west", 1, 0)]
    );
    assert_eq!(used("other"), []);
    let count = |scope: &str| {
        let scope = scope.parse().expect("scope");
        house.roster.token_counts(&scope, house.now()).get("token-id").copied()
    };
    assert_eq!((count("acme"), count("acme/payments"), count("beta")), (Some(4), Some(1), None));
    let group = house.group_id("west").await;
    assert!(house.roster.set_approval("acme", &group, Approval::Rejected, house.now()));
    assert_eq!(used("token-id").len(), 2);
    assert_eq!(count("acme"), Some(3));
}
