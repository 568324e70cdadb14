//! What upgraders are told (agent-protocol 10).

use fleet::time::HOUR;
use fleet::upgrade::State;
use serde_json::{Value, json};
use server::agent::AgentSettings;
use server::roster::Reference;

use crate::world::{NOW, V2, World, body, request};

const DELEGATE: &str = "/api/upgrade-check/delegate?accountId=ACC&currentDelegateImageTag=";
const UPGRADER: &str = "/api/upgrade-check/upgrader?accountId=ACC&currentUpgraderImageTag=";

fn v2(group: &str) -> String {
    format!(
        "/api/upgrade-check/delegate-v2?accountId=ACC&delegateGroupName={group}&currentDelegateImageTag=x"
    )
}

/// A server whose latest version is pinned.
async fn world(latest: &str, settings: AgentSettings) -> World {
    let world = World::with(settings).await;
    let mut reference = Reference::default();
    reference.pinned.insert("ACC".parse().unwrap(), fleet::version::Version::parse(latest));
    world.roster.set_reference(reference);
    world
}

async fn told(world: &World, uri: &str) -> (String, bool) {
    let answer = world.call("GET", uri, "").await.json();
    let resource = &answer["resource"];
    let image = resource["imageTag"].as_str().unwrap().to_owned();
    let should = resource["shouldUpgrade"].as_bool().unwrap();
    let expected: Value = json!({
        "metaData": {},
        "resource": { "imageTag": image, "shouldUpgrade": should },
        "responseMessages": [],
    });
    assert_eq!(answer, expected, "exactly these keys");
    (image, should)
}

#[tokio::test]
async fn a_newer_version_of_the_same_variant_and_repository_is_named() {
    let world = world("24.05.83001", AgentSettings::default()).await;
    for (current, target) in [
        ("harness/delegate:24.04.82804", "harness/delegate:24.05.83001"),
        (
            "mirror.example:5000/harness/delegate:24.04.82804.minimal",
            "mirror.example:5000/harness/delegate:24.05.83001.minimal",
        ),
    ] {
        let encoded = current.replace('/', "%2F").replace(':', "%3A");
        for text in [current, &encoded] {
            assert_eq!(told(&world, &format!("{DELEGATE}{text}")).await, (target.to_owned(), true));
        }
    }
}

#[tokio::test]
async fn the_configured_repository_replaces_that_of_the_caller() {
    let settings = AgentSettings {
        image_repository: Some("mine.example/delegate".to_owned()),
        ..AgentSettings::default()
    };
    let world = world("24.05.83001", settings).await;
    let answer = told(&world, &format!("{DELEGATE}harness/delegate:24.04.82804")).await;
    assert_eq!(answer, ("mine.example/delegate:24.05.83001".to_owned(), true));
}

#[tokio::test]
async fn t23_nothing_but_a_newer_version_is_ever_an_upgrade() {
    let world = world("24.05.83001", AgentSettings::default()).await;
    for current in [
        "harness/delegate:24.05.83001",
        "harness/delegate:24.06.83100",
        "harness/delegate:25.01.85000.minimal",
        "harness/delegate:our-own",
        "harness/delegate@sha256:00",
        "just-a-text",
    ] {
        assert_eq!(told(&world, &format!("{DELEGATE}{current}")).await, (current.to_owned(), false));
    }
}

#[tokio::test]
async fn without_a_catalog_entry_the_current_image_is_repeated() {
    let world = World::new().await;
    let current = "harness/delegate:24.04.82804";
    assert_eq!(told(&world, &format!("{DELEGATE}{current}")).await, (current.to_owned(), false));
}

#[tokio::test]
async fn upgraders_keep_their_image_unless_one_is_configured() {
    let plain = World::new().await;
    assert_eq!(told(&plain, &format!("{UPGRADER}up:1")).await, ("up:1".to_owned(), false));
    let settings = AgentSettings { upgrader_image: Some("up:2".to_owned()), ..AgentSettings::default() };
    let set = World::with(settings).await;
    assert_eq!(told(&set, &format!("{UPGRADER}up:1")).await, ("up:2".to_owned(), true));
    assert_eq!(told(&set, &format!("{UPGRADER}up:2")).await, ("up:2".to_owned(), false));
}

#[tokio::test]
async fn the_named_group_is_stamped_and_turns_on() {
    let world = World::new().await;
    world.registered(&body("edge-a", "h", r#""version":"24.04.82804","delegateType":"KUBERNETES""#)).await;
    world.registered(&body("edge-b", "h", r#""version":"24.04.82804","delegateType":"KUBERNETES""#)).await;
    told(&world, &v2("edge-a")).await;
    let groups = world.groups("ACC").await;
    let seen = |name: &str| {
        let group = groups.iter().find(|group| *group.facts.name == *name).unwrap();
        (group.facts.upgrader_seen, group.rollup.auto_upgrade.state)
    };
    assert_eq!(seen("edge-a"), (Some(NOW), State::On));
    assert_eq!(seen("edge-b"), (None, State::Detecting));
}

#[tokio::test]
async fn a_call_that_comes_before_its_group_is_remembered_for_a_day() {
    let world = World::new().await;
    told(&world, &v2("early")).await;
    told(&world, &v2("too-early")).await;
    world.clock.advance(24 * HOUR);
    world.registered(&body("early", "h", "")).await;
    world.clock.advance(1);
    world.registered(&body("too-early", "h", "")).await;
    let groups = world.groups("ACC").await;
    let seen =
        |name: &str| groups.iter().find(|group| *group.facts.name == *name).unwrap().facts.upgrader_seen;
    assert_eq!((seen("early"), seen("too-early")), (Some(NOW), None));
}

#[tokio::test]
async fn the_old_call_stamps_the_only_group_of_its_token() {
    let world = World::new().await;
    world.registered(&body("only", "h", "")).await;
    told(&world, &format!("{DELEGATE}x")).await;
    assert_eq!(world.groups("ACC").await[0].facts.upgrader_seen, Some(NOW));
    world.registered(&body("second", "h", "")).await;
    world.clock.advance(HOUR);
    told(&world, &format!("{DELEGATE}x")).await;
    for group in world.groups("ACC").await {
        assert_ne!(group.facts.upgrader_seen, Some(NOW.plus(HOUR)), "with two groups nobody knows which");
    }
}

#[tokio::test]
async fn image_and_credential_are_required() {
    let world = World::new().await;
    for uri in [DELEGATE, UPGRADER] {
        assert_eq!(world.call("GET", uri, "").await.code(), "INVALID_REQUEST");
        let uri = format!("{uri}x");
        assert_eq!(world.send(request("GET", &uri, "", "")).await.code(), "NOT_AUTHENTICATED");
        let other = uri.replace("ACC", "OTHER");
        assert_eq!(world.send(request("GET", &other, V2, "")).await.code(), "INVALID_TOKEN");
    }
}
