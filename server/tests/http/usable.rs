//! Who can use what: the worked example (`product 2.2`).

use axum::http::StatusCode;
use serde_json::Value;

use crate::support::{Caller, Server};

/// D1 at the account; D2 and D4 in Alex's organization and project; D3 and D5 in Uri's.
async fn example() -> (Server, Caller, Caller) {
    let server = Server::new().await;
    for (scope, name) in [
        ("acme", "d1"),
        ("acme/alexs", "d2"),
        ("acme/uris", "d3"),
        ("acme/alexs/web", "d4"),
        ("acme/uris/shop", "d5"),
    ] {
        server.create_scope(scope).await;
        server.register(scope, name, &format!("{name}-1"), Some("26.11.90604")).await;
    }
    let alex = server.person("alex@acme.example", "viewer", "acme/alexs").await;
    let uri = server.person("uri@acme.example", "viewer", "acme/uris").await;
    (server, alex, uri)
}

async fn listed(server: &Server, caller: &Caller, path: &str) -> Vec<String> {
    let answer = server.get_as(caller, &format!("/api/v1/accounts/acme/{path}")).await;
    assert_eq!(answer.status, StatusCode::OK, "{path}: {}", answer.body);
    let answer = answer.json();
    let mut names: Vec<String> = answer["delegates"]
        .as_array()
        .expect("delegates")
        .iter()
        .filter_map(|entry| entry["name"].as_str().map(ToOwned::to_owned))
        .collect();
    names.sort_unstable();
    assert_eq!(answer["counts"]["groups"], Value::from(names.len()), "the counts are those of the list");
    names
}

#[tokio::test]
async fn alex_can_use_d1_d2_and_d4_and_uri_d1_d3_and_d5() {
    let (server, alex, uri) = example().await;
    let alexs = listed(&server, &alex, "orgs/alexs/projects/web/delegates?usable=true").await;
    assert_eq!(alexs, ["d1", "d2", "d4"]);
    let uris = listed(&server, &uri, "orgs/uris/projects/shop/delegates?usable=true").await;
    assert_eq!(uris, ["d1", "d3", "d5"]);
}

#[tokio::test]
async fn what_is_usable_is_not_listed_unless_it_is_asked_for() {
    let (server, alex, _) = example().await;
    assert_eq!(listed(&server, &alex, "orgs/alexs/projects/web/delegates").await, ["d4"]);
    assert_eq!(listed(&server, &alex, "orgs/alexs/delegates").await, ["d2"]);
    assert_eq!(listed(&server, &alex, "orgs/alexs/delegates?all=true").await, ["d2", "d4"]);
    assert_eq!(listed(&server, &alex, "orgs/alexs/delegates?usable=true").await, ["d1", "d2"]);
}

#[tokio::test]
async fn neither_sees_the_branch_of_the_other() {
    let (server, alex, uri) = example().await;
    for (who, path) in [
        (&alex, "orgs/uris/delegates?usable=true"),
        (&alex, "orgs/uris/projects/shop/delegates"),
        (&alex, "delegates?all=true"),
        (&uri, "orgs/alexs/projects/web/delegates"),
    ] {
        let answer = server.get_as(who, &format!("/api/v1/accounts/acme/{path}")).await;
        assert_eq!(answer.status, StatusCode::FORBIDDEN, "{path}");
    }
}
