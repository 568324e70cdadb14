//! The live stream (`product 11.1`, P27).

use std::time::Duration;

use axum::body::Body;
use axum::http::{Method, StatusCode};
use http_body_util::BodyExt as _;
use serde_json::json;
use tower::ServiceExt as _;

use crate::support::{Caller, Server};

/// The next event as its name and data.
async fn next(body: &mut Body) -> (String, serde_json::Value) {
    loop {
        let frame = tokio::time::timeout(Duration::from_secs(30), body.frame()).await.expect("an event");
        let bytes = frame.expect("open").expect("frame").into_data().expect("data");
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let field = |name: &str| {
            text.lines().find_map(|line| line.strip_prefix(name)).map(|rest| rest.trim().to_owned())
        };
        if let (Some(event), Some(data)) = (field("event:"), field("data:")) {
            return (event, serde_json::from_str(&data).expect("json"));
        }
    }
}

async fn open(server: &Server, path: &str) -> (StatusCode, String, Body) {
    open_as(server, &server.root, path).await
}

async fn open_as(server: &Server, caller: &Caller, path: &str) -> (StatusCode, String, Body) {
    let request = server.request(caller, Method::GET, path).await.body(Body::empty()).expect("request");
    let response = server.router().oneshot(request).await.expect("infallible");
    let kind = response
        .headers()
        .get("content-type")
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default()
        .to_owned();
    (response.status(), kind, response.into_body())
}

#[tokio::test]
async fn a_viewer_is_told_when_a_delegate_arrives() {
    let server = Server::new().await;
    let (status, kind, mut body) = open(&server, "/a/acme/live?all=true").await;
    assert_eq!((status, kind.as_str()), (StatusCode::OK, "text/event-stream"));
    let (event, data) = next(&mut body).await;
    assert_eq!((event.as_str(), &data["version"]), ("change", &json!(1)));
    server.register("acme/payments", "edge", "edge-1-a", None).await;
    let (event, data) = next(&mut body).await;
    assert_eq!((event.as_str(), &data["version"]), ("change", &json!(2)));
}

#[tokio::test]
async fn where_another_node_may_answer_a_change_is_told_again_before_it_would_be_by_itself() {
    let server = Server::new().await;
    if !server.parts.store.is_shared() {
        return;
    }
    server.register("acme", "mine", "mine-1", None).await;
    let narrow = server.narrowed_person("sam@acme.example", "viewer", "acme", "_mine").await;
    let (_, _, mut body) = open(&server, "/a/acme/live?all=true").await;
    next(&mut body).await;
    server.register("acme", "other", "other-1", None).await;
    next(&mut body).await;
    // Opened later, this one is told by itself later.
    let (_, _, mut quiet) = open_as(&server, &narrow, "/a/acme/live?all=true").await;
    next(&mut quiet).await;
    tokio::select! {
        biased;
        _ = next(&mut quiet) => panic!("nothing that this one sees has changed"),
        (event, data) = next(&mut body) => assert_eq!((event.as_str(), &data["version"]), ("change", &json!(3))),
    }
}

#[tokio::test]
async fn a_scope_that_does_not_exist_has_no_stream() {
    let server = Server::new().await;
    for path in ["/a/nobody/live", "/a/acme/o/nobody/live"] {
        assert_eq!(open(&server, path).await.0, StatusCode::NOT_FOUND, "{path}");
    }
    assert_eq!(open(&server, "/a/a%20b/live").await.0, StatusCode::BAD_REQUEST);
}

/// Whether anything comes within three looks of the stream.
async fn quiet(body: &mut Body) -> bool {
    tokio::time::timeout(Duration::from_secs(3), body.frame()).await.is_err()
}

#[tokio::test]
async fn a_viewer_is_not_even_told_that_something_else_changed() {
    let server = Server::new().await;
    server.register("acme", "mine", "mine-1", None).await;
    let narrow = server.narrowed_person("sam@acme.example", "viewer", "acme", "_mine").await;
    let (status, _, mut body) = open_as(&server, &narrow, "/a/acme/live?all=true").await;
    assert_eq!(status, StatusCode::OK);
    next(&mut body).await;
    server.register("acme", "other", "other-1", None).await;
    assert!(quiet(&mut body).await, "another delegate arrived");
    server.register("acme", "mine", "mine-2", None).await;
    next(&mut body).await;
}

#[tokio::test]
async fn a_stream_ends_with_the_session() {
    let server = Server::new().await;
    server.person("sam@acme.example", "viewer", "acme").await;
    let secret = server.session("sam@acme.example").await;
    let (status, _, mut body) = open_as(&server, &Caller::Cookie(secret.clone()), "/a/acme/live").await;
    assert_eq!(status, StatusCode::OK);
    next(&mut body).await;
    server.post_as(&Caller::Cookie(secret), "/sign-out", &[]).await;
    let end = tokio::time::timeout(Duration::from_secs(30), body.frame()).await.expect("an end");
    assert!(end.is_none());
}
