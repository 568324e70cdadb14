//! What may be typed, and what is said of the rest (`product 10.2`, `11.7`).

use fleet::catalog::Latest;
use fleet::install::{Choice, Platform, World};
use fleet::scope::Scope;
use fleet::time::Timestamp;

use crate::common::*;

#[test]
fn names_follow_10_2() {
    for name in ["edge", "e", "helm-payments-eu", "a1-b", &"a".repeat(63)] {
        assert_eq!(wrong_fields(&query(Platform::Docker, &format!("name={name}"))), [""; 0], "{name}");
    }
    for name in ["Edge", "1edge", "edge-1", "-edge", "edge-", "a_b", "a%20b", "ä", &"a".repeat(64)] {
        assert_eq!(wrong_fields(&query(Platform::Docker, &format!("name={name}"))), ["name"], "{name}");
    }
    assert_eq!(install("platform=docker").name, "harness-delegate");
    assert_eq!(install("platform=docker&name=%20edge%20").name, "edge");
}

#[test]
fn the_job_of_the_upgrader_has_at_most_52_characters() {
    let of = |length: usize, rest: &str| wrong_fields(&format!("name={}&{rest}", "a".repeat(length)));
    assert_eq!(of(39, "platform=kubernetes"), [""; 0]);
    assert_eq!(of(40, "platform=kubernetes"), ["name"]);
    assert_eq!(of(40, "platform=helm"), ["name"]);
    assert_eq!(of(40, "platform=kubernetes&upgrades=hand"), [""; 0]);
    assert_eq!(of(40, "platform=docker"), [""; 0]);
}

#[test]
fn everything_wrong_is_told_at_once_in_the_order_of_the_fields() {
    let query =
        "platform=kubernetes&namespace=A&replicas=0&permission=root&name=X&upgrades=never&version=a%20b";
    assert_eq!(wrong_fields(query), ["name", "replicas", "version", "upgrades", "permission", "namespace"]);
    assert_eq!(
        wrong_fields(
            "platform=fargate&region=EU&cluster=a/b&role=me&subnets=x&groups=y&secret=s&public_ip=1&logs=all"
        ),
        ["region", "cluster", "role", "subnets", "groups", "public_ip", "secret", "logs"]
    );
    assert!(Choice::parse("platform=amiga").is_err_and(|wrong| wrong.field == "platform"));
}

#[test]
fn what_another_platform_asks_for_is_neither_used_nor_found_fault_with() {
    let rest =
        "namespace=A&permission=root&upgrades=never&region=EU&proxy=x&version=a%20b&replicas=0&description=d";
    assert_eq!(wrong_fields(&query(Platform::Machine, rest)), [""; 0]);
    assert_eq!(wrong_fields(&query(Platform::Docker, rest)), ["version", "upgrades", "proxy"]);
    assert_eq!(install("platform=docker&replicas=7").replicas, 1);
}

#[test]
fn a_proxy_is_an_address_without_a_password_and_no_proxy_holds_no_networks() {
    let of = |platform: &str, proxy: &str, except: &str| {
        wrong_fields(&format!("platform={platform}&proxy={proxy}&no_proxy={except}"))
    };
    assert_eq!(of("docker", "https://proxy.example:443", ""), [""; 0]);
    for proxy in [
        "proxy:3128",
        "http://proxy",
        "ftp://proxy:21",
        "http://:1",
        "http://a%20b:1",
        "http://p:0",
        "http://p:99999",
    ] {
        assert_eq!(of("docker", proxy, ""), ["proxy"], "{proxy}");
    }
    assert_eq!(of("docker", "http://me:secret@proxy:3128", ""), ["proxy"]);
    assert_eq!(of("docker", "http://proxy:3128", "10.0.0.0/8"), ["no_proxy"]);
    assert_eq!(
        of("kubernetes", "http://proxy:3128", ""),
        ["no_proxy"],
        "the master must be reached without it"
    );
    assert_eq!(of("kubernetes", "http://proxy:3128", "10.0.0.1"), [""; 0]);
}

#[test]
fn without_a_catalog_the_version_must_be_given_for_classic_images() {
    let scope: Scope = "acme".parse().expect("a scope");
    let latest = Latest::default();
    let world = World { scope: &scope, manager: MANAGER, latest: &latest, repository: None, token: None };
    let image =
        |query: &str| Choice::parse(query).expect("choice").install(&world).map(|install| install.image);
    assert!(image("platform=docker").is_err_and(|wrong| wrong[0].field == "version"));
    assert!(image("platform=docker&version=26.11.90604").is_ok());
    assert!(image("platform=3x-ecs").is_ok_and(|image| image.ends_with(":3.0.0")));
    assert!(image("platform=vm").is_ok(), "it has no image");
}

#[test]
fn control_characters_and_floods_are_refused() {
    for field in ["name", "tags", "description", "region"] {
        assert!(wrong_fields(&format!("platform=ecs&{field}=a%0Ab")).contains(&field), "{field}");
    }
    assert_eq!(wrong_fields(&format!("description={}", "d".repeat(4097))), ["description"]);
    assert_eq!(wrong_fields(&format!("tags={}", "t".repeat(129))), ["tags"]);
    assert_eq!(wrong_fields(&format!("tags={}", "t,".repeat(200))), ["tags"]);
    assert_eq!(install(&format!("platform=docker&description={}", "d".repeat(4096))).description.len(), 4096);
}

#[test]
fn the_address_holds_the_choice_and_gives_it_back() {
    let choice = Choice::parse("utm=x&platform=helm&name=edge&name=other&tags=a%26b,c&token=t-1&since=5")
        .expect("choice");
    assert_eq!(choice.get("name"), "edge");
    assert_eq!(choice.since(), Some(Timestamp::from_millis(5)));
    assert_eq!(Choice::parse(&choice.to_url()).expect("choice"), choice);
    assert_eq!(choice.on(Platform::Docker).to_url(), choice.to_url().replace("helm", "docker"));
    assert_eq!(choice.with("name", "").name(), "harness-delegate");
    assert_eq!(choice.with("since", "7").since(), Some(Timestamp::from_millis(7)));
    assert_eq!(Choice::default().platform, Platform::Kubernetes);
}
