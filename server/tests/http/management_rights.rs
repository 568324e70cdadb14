//! Who may call what of the management API (`management-api 1.9`, `6.6`).

use axum::http::{Method, StatusCode};
use serde_json::Value;
use server::management::is_ours;
use server::routes;

use crate::management::{ACME, DELEGATE, LIST, TOKENS, names};
use crate::support::{Caller, Server};

#[tokio::test]
async fn a_role_on_named_delegates_touches_no_token_and_no_other_delegate() {
    let server = Server::new().await;
    server.register("acme", "mine", "h-1", None).await;
    server.register("acme", "other", "h-2", None).await;
    let email = "narrow@acme.example";
    server.narrowed_person(email, "admin", "acme", "_mine").await;
    let key = Caller::Key(server.key(email, "acme").await);
    let listed = server.resource(&key, Method::POST, &format!("{LIST}?{ACME}"), "").await;
    assert_eq!(names(&listed), ["mine"]);
    let seen = server.resource(&key, Method::GET, &format!("{TOKENS}?{ACME}"), "").await;
    assert_eq!(seen[0]["value"], Value::Null);
    for (method, path) in [
        (Method::PUT, format!("{TOKENS}?{ACME}&tokenName=default_token")),
        (Method::PUT, format!("{TOKENS}/default_token?{ACME}")),
        (Method::DELETE, format!("{TOKENS}/default_token?{ACME}&forceRevoke=true")),
        (Method::POST, format!("{TOKENS}?{ACME}&tokenName=new")),
        (Method::PUT, format!("/ng/api/delegate-setup/override-delegate-tag?{ACME}&delegateTag=1")),
    ] {
        let answer = server.call(&key, method.clone(), &path, "").await;
        assert_eq!(answer.status, StatusCode::FORBIDDEN, "{method} {path}: {}", answer.body);
    }
    for (method, path) in [
        (Method::GET, format!("/ng/api/delegate-group-tags/_other?{ACME}")),
        (Method::PUT, format!("/ng/api/delegate-group-tags/_other?{ACME}")),
        (Method::DELETE, format!("{DELEGATE}/_other?{ACME}&forceDelete=true")),
        (Method::GET, format!("/api/setup/delegates/ng/v2/_other?{ACME}")),
    ] {
        let answer = server.call(&key, method.clone(), &path, r#"{"tags":[]}"#).await;
        assert!(answer.status.is_client_error(), "{method} {path}: {}", answer.body);
    }
    let tokens = server.parts.store.tokens().await.expect("tokens");
    assert!(tokens.iter().all(|token| token.revoked_at.is_none()));
}

#[tokio::test]
async fn every_call_is_the_same_below_gateway_and_asks_for_the_rights_of_its_kind() {
    let server = Server::new().await;
    let viewer = server.holder("v@acme.example", "viewer", "acme").await;
    let operator = server.holder("o@acme.example", "operator", "acme").await;
    let sibling = server.holder("s@acme.example", "admin", "other").await;
    let entries = routes::entries(server.parts.state.clone());
    let calls: Vec<_> = entries.iter().filter(|entry| is_ours(entry.path)).collect();
    assert_eq!(calls.len(), 58, "29 calls, each under two paths");
    for entry in calls {
        let filled: Vec<&str> =
            entry.path.split('/').map(|part| if part.starts_with('{') { "none" } else { part }).collect();
        let path = format!("{}?{ACME}&accountId=acme", filled.join("/"));
        let method: Method = entry.method.parse().expect("a method");
        let status = async |caller: &Caller| {
            let answer = server.call(caller, method.clone(), &path, "").await;
            let kind = answer.header("content-type");
            assert!(kind.contains("application/json") || answer.status.is_success(), "{path}: {kind}");
            assert!(!answer.status.is_server_error(), "{path}: {}", answer.body);
            answer.status
        };
        assert_eq!(status(&Caller::Stranger).await, StatusCode::UNAUTHORIZED, "{method} {path}");
        assert_eq!(status(&sibling).await, StatusCode::FORBIDDEN, "{method} {path}");
        assert_eq!(status(&viewer).await != StatusCode::FORBIDDEN, entry.need == "View", "{method} {path}");
        assert_ne!(status(&operator).await, StatusCode::FORBIDDEN, "{method} {path}");
    }
}
