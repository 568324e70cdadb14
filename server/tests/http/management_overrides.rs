//! Version overrides as clients set them, and what upgraders are told then (`management-api 2.7`).

use axum::http::{Method, StatusCode};
use fleet::time::DAY;
use serde_json::{Value, json};
use server::settings;

use crate::support::{Answer, Caller, NOON, Server};

const PATH: &str = "/ng/api/delegate-setup/override-delegate-tag";
const OTHER_PATH: &str = "/ng/api/delegate-setup/delete-delegate-override";
const PAYMENTS: &str = "accountIdentifier=acme&orgIdentifier=payments";

/// The image tag that the upgrader of a delegate of `acme/payments` is told; none without an override.
async fn told(server: &Server, group: &str) -> Option<String> {
    // Every node has looked at the store.
    let stored = server.parts.store.settings().await.expect("settings");
    for parts in server.nodes() {
        let mut reference = (*parts.state.roster.reference()).clone();
        reference.overrides.clear();
        assert_eq!(settings::apply(&stored, &mut reference), []);
        parts.state.roster.set_reference(reference);
    }
    let scope = std::sync::Arc::new("acme/payments".parse().expect("scope"));
    let mut told: Vec<_> = server
        .nodes()
        .map(|parts| parts.state.roster.override_of(&scope, Some(group), server.clock.now()))
        .collect();
    told.dedup();
    assert_eq!(told.len(), 1, "every node says the same");
    told.pop().flatten().map(|told| told.image_tag.to_string())
}

async fn refused(server: &Server, key: &Caller, method: Method, path: &str, field: &str) {
    let answer: Answer = server.call(key, method, path, "").await;
    assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{path}: {}", answer.body);
    assert_eq!(answer.json()["errors"][0]["fieldId"], field, "{path}");
}

#[tokio::test]
async fn an_override_is_set_listed_followed_replaced_and_deleted() {
    let server = Server::new().await;
    server.register("acme/payments", "edge", "h-1", None).await;
    let key = server.holder("sre@acme.example", "operator", "acme").await;
    let path = |more: &str| format!("{PATH}?{PAYMENTS}{more}");
    assert_eq!(told(&server, "edge").await, None);
    for more in ["&delegateTag=26.10.90107", "&delegateTag=26.09.89620&tags=eu&tags=edge&validForDays=7"] {
        assert!(server.resource(&key, Method::PUT, &path(more), "").await.is_string());
    }
    assert_eq!(told(&server, "edge").await.as_deref(), Some("26.09.89620"), "it has both tags");
    assert_eq!(told(&server, "other").await.as_deref(), Some("26.10.90107"));
    let listed = server.resource(&key, Method::GET, &path(""), "").await;
    let entry = |tag: &str, tags: Value, days: i64| {
        json!({"delegateTag": tag, "accountIdentifier": "acme", "orgIdentifier": "payments",
               "projectIdentifier": null, "tags": tags, "validTillNextRelease": false,
               "validUntil": NOON.plus(days * DAY).millis()})
    };
    assert_eq!(
        listed,
        json!([entry("26.09.89620", json!(["edge", "eu"]), 7), entry("26.10.90107", json!([]), 180)])
    );
    // One of the same kind takes its place.
    server.resource(&key, Method::PUT, &path("&delegateTag=26.10.90212"), "").await;
    assert_eq!(told(&server, "other").await.as_deref(), Some("26.10.90212"));
    let wrong = server.call(&key, Method::DELETE, &path("&tags=eu"), "").await;
    assert_eq!(wrong.status, StatusCode::BAD_REQUEST, "exactly these tags");
    server.resource(&key, Method::DELETE, &path("&tags=edge,eu"), "").await;
    server.resource(&key, Method::DELETE, &format!("{OTHER_PATH}?{PAYMENTS}"), "").await;
    assert_eq!(told(&server, "edge").await, None);
    assert_eq!(server.resource(&key, Method::GET, &path(""), "").await, json!([]));
    let audit = server.audit().await;
    let deeds = |action: &str| audit.iter().filter(|line| line.1 == action).count();
    assert_eq!((deeds("override.set"), deeds("override.delete")), (3, 2));
}

#[tokio::test]
async fn what_cannot_be_an_override_is_refused_by_its_parameter() {
    let server = Server::new().await;
    let key = server.holder("sre@acme.example", "operator", "acme").await;
    for (more, field) in [
        ("", "delegateTag"),
        ("&delegateTag=a%2Fb:1", "delegateTag"),
        ("&delegateTag=26.10.90107&validForDays=181", "validForDays"),
        ("&delegateTag=26.10.90107&validForDays=0", "validForDays"),
        ("&delegateTag=26.10.90107&validForDays=ten", "validForDays"),
        ("&delegateTag=26.10.90107&validTillNextRelease=maybe", "validTillNextRelease"),
        ("&delegateTag=26.10.90107&tags=,", "tags"),
        ("&delegateTag=26.10.90107&tags=%20", "tags"),
        ("&delegateTag=26.10.90107&tags=eu%E2%80%AE", "tags"),
    ] {
        refused(&server, &key, Method::PUT, &format!("{PATH}?{PAYMENTS}{more}"), field).await;
    }
    let viewer = server.holder("view@acme.example", "viewer", "acme").await;
    let path = format!("{PATH}?{PAYMENTS}&delegateTag=26.10.90107");
    assert_eq!(server.call(&viewer, Method::PUT, &path, "").await.status, StatusCode::FORBIDDEN);
    assert_eq!(server.resource(&viewer, Method::GET, &path, "").await, json!([]));
}

#[tokio::test]
async fn one_until_the_next_release_ends_with_the_catalog() {
    let server = Server::new().await;
    let key = server.holder("sre@acme.example", "operator", "acme").await;
    let path = format!("{PATH}?{PAYMENTS}&delegateTag=26.10.90107&validTillNextRelease=true");
    server.resource(&key, Method::PUT, &path, "").await;
    assert_eq!(told(&server, "edge").await.as_deref(), Some("26.10.90107"));
    let listed = server.resource(&key, Method::GET, &format!("{PATH}?{PAYMENTS}"), "").await;
    assert_eq!(listed[0]["validTillNextRelease"], true);
    for parts in server.nodes() {
        let mut reference = (*parts.state.roster.reference()).clone();
        let latest = fleet::version::Version::parse("26.12.90900");
        reference.pinned.insert("acme".parse().expect("scope"), latest);
        parts.state.roster.set_reference(reference);
    }
    assert_eq!(told(&server, "edge").await, None);
    assert_eq!(server.resource(&key, Method::GET, &format!("{PATH}?{PAYMENTS}"), "").await, json!([]));
}
