//! Custom tags of a group (`management-api 3`).

use axum::http::{Method, StatusCode};
use serde_json::json;

use crate::management::{DELEGATE, LIST, PAYMENTS, names};
use crate::support::Server;

#[tokio::test]
async fn custom_tags_are_read_added_replaced_found_and_cleared() {
    let server = Server::new().await;
    server.register("acme/payments", "Edge-A", "h-1", None).await;
    server.register("acme/payments", "other", "h-2", None).await;
    let key = server.holder("sre@acme.example", "operator", "acme").await;
    let path = format!("/ng/api/delegate-group-tags/_Edge_A?{PAYMENTS}");
    let group = server.resource(&key, Method::GET, &path, "").await;
    let identifier = group["identifier"].as_str().expect("an identifier").to_owned();
    assert_eq!(
        group,
        json!({"accountIdentifier": "acme", "orgIdentifier": "payments", "projectIdentifier": null,
               "name": "Edge-A", "identifier": identifier, "tags": ["eu"]})
    );
    let added = server.resource(&key, Method::POST, &path, r#"{"tags":["gpu","eu","edge-a"]}"#).await;
    assert_eq!(added["tags"], json!(["eu", "gpu"]), "each once, the implicit one not at all");
    let find = format!("/ng/api/delegate-group-tags/delegate-groups?{PAYMENTS}");
    for (tags, found) in [
        (r#"["gpu"]"#, vec!["Edge-A"]),
        (r#"["gpu","edge-a"]"#, vec!["Edge-A"]),
        (r#"["eu"]"#, vec!["Edge-A", "other"]),
        (r#"["eu","nowhere"]"#, vec![]),
    ] {
        let groups = server.resource(&key, Method::POST, &find, &format!(r#"{{"tags":{tags}}}"#)).await;
        assert_eq!(names(&groups), found, "{tags}");
    }
    let by_tag = format!("{LIST}?{PAYMENTS}");
    let listed = server.resource(&key, Method::POST, &by_tag, r#"{"delegateTags":["gpu"]}"#).await;
    assert_eq!(listed[0]["tags"], json!(["edge-a", "eu", "gpu"]), "the list says the same");
    let replaced = server.resource(&key, Method::PUT, &path, r#"{"tags":["us"]}"#).await;
    assert_eq!(replaced["tags"], json!(["us"]));
    let cleared = server.resource(&key, Method::DELETE, &path, "").await;
    assert_eq!(cleared["tags"], json!([]));
    for (path, body) in [(&find, r#"{"tags":[]}"#), (&find, "{}"), (&path, r#"{"tags":"a"}"#), (&path, "")] {
        let answer = server.call(&key, Method::POST, path, body).await;
        assert_eq!(answer.json()["errors"][0]["fieldId"], "tags", "{path} {body}: {}", answer.body);
    }
    let unknown =
        server.call(&key, Method::GET, &format!("/ng/api/delegate-group-tags/_no?{PAYMENTS}"), "").await;
    assert_eq!(
        (unknown.status, &unknown.json()["code"]),
        (StatusCode::NOT_FOUND, &json!("ENTITY_NOT_FOUND"))
    );
    let viewer = server.holder("view@acme.example", "viewer", "acme").await;
    assert_eq!(
        server.call(&viewer, Method::PUT, &path, r#"{"tags":[]}"#).await.status,
        StatusCode::FORBIDDEN
    );
}

#[tokio::test]
async fn tags_that_are_added_at_the_same_time_are_all_kept() {
    let server = Server::new().await;
    server.register("acme/payments", "edge", "h-1", None).await;
    let key = server.holder("sre@acme.example", "operator", "acme").await;
    let path = format!("/ng/api/delegate-group-tags/_edge?{PAYMENTS}");
    let add = async |tag: &str| {
        server.resource(&key, Method::POST, &path, &format!(r#"{{"tags":["{tag}"]}}"#)).await;
    };
    tokio::join!(add("a"), add("b"), add("c"));
    let group = server.resource(&key, Method::GET, &path, "").await;
    let mut tags: Vec<&str> =
        group["tags"].as_array().expect("tags").iter().filter_map(|tag| tag.as_str()).collect();
    tags.sort_unstable();
    assert_eq!(tags, ["a", "b", "c", "eu"]);
}

#[tokio::test]
async fn a_deleted_delegate_has_no_tags_any_more() {
    let server = Server::new().await;
    server.register("acme/payments", "edge", "h-1", None).await;
    let key = server.holder("sre@acme.example", "operator", "acme").await;
    server.resource(&key, Method::DELETE, &format!("{DELEGATE}/_edge?{PAYMENTS}&forceDelete=true"), "").await;
    let path = format!("/ng/api/delegate-group-tags/_edge?{PAYMENTS}");
    for (method, body) in [(Method::GET, ""), (Method::PUT, r#"{"tags":["a"]}"#)] {
        let answer = server.call(&key, method, &path, body).await;
        assert_eq!(answer.status, StatusCode::NOT_FOUND, "{}", answer.body);
    }
    let (blank, long) = (r#"{"tags":[" "]}"#.to_owned(), format!(r#"{{"tags":["{}"]}}"#, "x".repeat(129)));
    server.register("acme/payments", "other", "h-2", None).await;
    for body in [blank, long] {
        let path = format!("/ng/api/delegate-group-tags/_other?{PAYMENTS}");
        let answer = server.call(&key, Method::POST, &path, &body).await;
        assert_eq!(answer.json()["errors"][0]["fieldId"], "tags", "{}", answer.body);
    }
}
