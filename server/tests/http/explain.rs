//! Explanations, troubleshooter and help through the router.

use axum::body::Body;
use axum::http::{Method, Request, StatusCode};
use fleet::time::HOUR;

use crate::support::Server;

/// A delegate calls with a credential that opens nothing.
async fn refused(server: &Server, account: &str) {
    let request = Request::builder()
        .method(Method::POST)
        .uri(format!("/api/agent/delegates/register?accountId={account}"))
        .header("authorization", "Delegate nothing-that-fits")
        .body(Body::from("{}"))
        .expect("request");
    assert_eq!(server.send(request).await.status, StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn each_address_answers_with_its_status() {
    let server = Server::new().await;
    let id = server.register("acme", "edge-a", "edge-a-1", Some("26.06.89201")).await;
    for (path, status) in [
        ("/a/acme/delegates/_edge_a/why?of=connectivity".to_owned(), StatusCode::OK),
        (format!("/a/acme/delegates/_edge_a/why?of=status&instance={id}"), StatusCode::OK),
        ("/a/acme/delegates/_edge_a/why?of=version".to_owned(), StatusCode::OK),
        ("/a/acme/delegates/_edge_a/why?of=auto-upgrade".to_owned(), StatusCode::OK),
        ("/a/acme/delegates/_edge_a/why".to_owned(), StatusCode::BAD_REQUEST),
        ("/a/acme/delegates/_edge_a/why?of=colour".to_owned(), StatusCode::BAD_REQUEST),
        ("/a/acme/delegates/_edge_a/why?of=status&instance=nobody".to_owned(), StatusCode::NOT_FOUND),
        ("/a/acme/delegates/_nobody/why?of=status".to_owned(), StatusCode::NOT_FOUND),
        ("/a/acme/delegates/_edge_a/troubleshoot".to_owned(), StatusCode::OK),
        ("/a/acme/delegates/_edge_a/troubleshoot?step=log&via=pod.events".to_owned(), StatusCode::OK),
        ("/a/acme/delegates/_edge_a/troubleshoot?tab=problems".to_owned(), StatusCode::OK),
        ("/a/acme/delegates/_edge_a/troubleshoot?step=nothing".to_owned(), StatusCode::BAD_REQUEST),
        ("/a/acme/delegates/_nobody/troubleshoot".to_owned(), StatusCode::NOT_FOUND),
        ("/a/acme/o/payments/troubleshoot?type=ecs".to_owned(), StatusCode::OK),
        ("/a/acme/o/payments/troubleshoot?type=nomad".to_owned(), StatusCode::BAD_REQUEST),
        ("/help".to_owned(), StatusCode::OK),
        ("/help/proxy".to_owned(), StatusCode::OK),
        ("/help/nothing".to_owned(), StatusCode::NOT_FOUND),
    ] {
        assert_eq!(server.get(&path).await.status, status, "{path}");
    }
}

#[tokio::test]
async fn a_delegate_that_is_hidden_by_now_can_still_be_asked_about() {
    let server = Server::new().await;
    server.register("acme", "edge-a", "edge-a-1", Some("26.06.89201")).await;
    server.clock.advance(HOUR * 7);
    let page = server.get("/a/acme/delegates/_edge_a/troubleshoot").await;
    assert_eq!(page.status, StatusCode::OK);
    assert!(page.body.contains("edge-a-1"), "{}", page.body);
}

#[tokio::test]
async fn addresses_of_calls_that_were_turned_away_are_for_those_who_see_the_account() {
    let server = Server::new().await;
    server.register("acme/payments", "edge-a", "edge-a-1", None).await;
    refused(&server, "acme").await;
    refused(&server, "acme").await;
    refused(&server, "nobody").await;
    let path = "/a/acme/o/payments/delegates/_edge_a/troubleshoot?step=seen";
    let whole = server.get(path).await.body;
    assert!(whole.contains("NOT_AUTHENTICATED"), "{whole}");
    assert!(!whole.contains("only told to those"), "the admin of everything may know");
    assert!(!whole.contains("nothing-that-fits"), "nothing of the credential is kept");
    let viewer = server.person("viewer@acme.example", "viewer", "acme/payments").await;
    let part = server.get_as(&viewer, path).await.body;
    assert!(
        part.contains("NOT_AUTHENTICATED") && part.contains("only told to those who see the whole account")
    );
}

#[tokio::test]
async fn it_is_told_where_the_latest_version_comes_from() {
    let server = Server::new().await;
    server.register("acme/payments", "edge-a", "edge-a-1", Some("26.09.89620")).await;
    for node in server.nodes() {
        let mut reference = (*node.roster.reference()).clone();
        let pin = fleet::version::Version::parse("26.09.89620");
        reference.pinned.insert("acme".parse().expect("scope"), pin);
        node.roster.set_reference(reference);
    }
    let page = server.get("/a/acme/o/payments/delegates/_edge_a/why?of=status").await.body;
    assert!(page.contains("the setting versions.latest of acme"), "{page}");
}
