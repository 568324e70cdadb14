//! Under too much load readers are turned away, delegates and deeds are not.

use std::time::Duration;

use axum::body::Body;
use axum::http::{Method, Request, StatusCode};
use server::{management, routes};

use crate::support::{Answer, Server};

/// With work that waits for longer than a test takes to look.
async fn overloaded() -> Server {
    let server = Server::new().await;
    for node in server.nodes() {
        node.state.load.note(Duration::from_hours(10_000));
    }
    server
}

async fn ask(server: &Server, method: Method, path: &str, accept: &str) -> Answer {
    let request = server.request(&server.root, method, path).await.header("accept", accept);
    let request =
        request.header("origin", "http://localhost:3000").header("content-type", "application/json");
    server.send(request.body(Body::from("{}")).expect("request")).await
}

#[tokio::test]
async fn pages_and_lists_are_told_to_come_again() {
    let server = overloaded().await;
    for (method, path) in [
        (Method::GET, "/a/acme/delegates"),
        (Method::GET, "/api/v1/accounts/acme/delegates"),
        (Method::GET, "/ng/api/delegate-token-ng?accountIdentifier=acme"),
        (Method::POST, "/ng/api/delegate-setup/listDelegates?accountIdentifier=acme"),
        (Method::POST, "/gateway/ng/api/delegate-group-tags/delegate-groups?accountIdentifier=acme"),
        (Method::POST, "/api/setup/delegates/ng/v2?accountIdentifier=acme"),
    ] {
        let answer = ask(&server, method, path, "*/*").await;
        assert_eq!(answer.status, StatusCode::SERVICE_UNAVAILABLE, "{path}");
        assert_eq!(answer.header("retry-after"), "2", "{path}");
        assert_eq!(answer.json()["code"], "UNAVAILABLE", "{path}");
    }
}

#[tokio::test]
async fn a_person_reads_a_sentence_and_no_json() {
    let server = overloaded().await;
    let answer = ask(&server, Method::GET, "/a/acme/delegates", "text/html,application/xhtml+xml,*/*").await;
    assert_eq!(answer.status, StatusCode::SERVICE_UNAVAILABLE);
    assert!(answer.header("content-type").starts_with("text/html"), "{}", answer.body);
    assert!(answer.body.contains("Try again in a few seconds."), "{}", answer.body);
    assert!(answer.body.contains(answer.header("x-request-id")), "{}", answer.body);
    let tool = ask(&server, Method::GET, "/api/v1/accounts/acme/delegates", "text/html").await;
    assert_eq!(tool.json()["code"], "UNAVAILABLE");
}

#[tokio::test]
async fn deeds_probes_and_delegates_go_on() {
    let server = overloaded().await;
    let path = "/ng/api/delegate-token-ng?accountIdentifier=acme&tokenName=made-under-load";
    let made = ask(&server, Method::POST, path, "*/*").await;
    assert!(made.status.is_success(), "{} {}", made.status, made.body);
    for path in ["/metrics", "/livez", "/readyz"] {
        assert_eq!(server.get(path).await.status, StatusCode::OK, "{path}");
    }
    let beat = Request::post("/api/agent/delegates/heartbeat-with-polling?accountId=acme");
    let beat = server.send(beat.body(Body::empty()).expect("request")).await;
    assert_eq!(beat.status, StatusCode::UNAUTHORIZED, "asked for its credential, not to come again");
}

#[tokio::test]
async fn what_needs_no_more_than_a_view_counts_as_reading() {
    let server = Server::new().await;
    for entry in routes::entries(server.parts.state.clone()) {
        let method = Method::from_bytes(entry.method.as_bytes()).expect("method");
        if management::is_ours(entry.path) && !method.is_safe() {
            let reads = management::reads_by_post(&method, entry.path);
            assert_eq!(reads, entry.need == "View", "{} {}", entry.method, entry.path);
        }
    }
}
