//! The live stream (`product 11.1`, P27).

use std::time::Duration;

use axum::body::Body;
use axum::http::{Request, StatusCode};
use http_body_util::BodyExt as _;
use tower::ServiceExt as _;

use crate::support::Server;

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
    let request = Request::get(path).header("host", "localhost").body(Body::empty()).expect("request");
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
    assert_eq!((event.as_str(), &data["version"]), ("change", &serde_json::json!(1)));
    server.register("acme/payments", "edge", "edge-1-a", None).await;
    let (event, data) = next(&mut body).await;
    assert_eq!((event.as_str(), &data["version"]), ("change", &serde_json::json!(2)));
}

#[tokio::test]
async fn a_scope_that_does_not_exist_has_no_stream() {
    let server = Server::new().await;
    for path in ["/a/nobody/live", "/a/acme/o/nobody/live", "/a/a%20b/live"] {
        assert_eq!(open(&server, path).await.0, StatusCode::NOT_FOUND, "{path}");
    }
}
