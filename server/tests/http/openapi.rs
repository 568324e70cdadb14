//! The OpenAPI document says what the routes are.

use std::collections::BTreeSet;

use axum::http::StatusCode;
use serde_json::Value;
use server::routes;

use crate::support::{Caller, Server};

const PATH: &str = "/api/v1/openapi.json";

/// Method and path of every operation, with the operation.
fn operations(document: &Value) -> Vec<(String, &Value)> {
    let paths = document["paths"].as_object().expect("paths");
    let mut found = Vec::new();
    for (path, item) in paths {
        for (method, operation) in item.as_object().expect("an item") {
            found.push((format!("{} {path}", method.to_uppercase()), operation));
        }
    }
    found
}

#[tokio::test]
async fn every_route_of_tools_is_described_and_nothing_else() {
    let server = Server::new().await;
    let document = server.get_as(&Caller::Stranger, PATH).await;
    assert_eq!((document.status, document.header("content-type")), (StatusCode::OK, "application/json"));
    let document = document.json();
    assert_eq!(document["openapi"], "3.1.0");
    let tools = ["/api/v1/", "/api/setup/", "/ng/"];
    let routed: BTreeSet<String> = routes::entries(server.parts.state.clone())
        .iter()
        .filter(|entry| tools.iter().any(|tool| entry.path.starts_with(tool)))
        .map(|entry| format!("{} {}", entry.method, entry.path))
        .collect();
    let described: BTreeSet<String> = operations(&document).into_iter().map(|(name, _)| name).collect();
    assert_eq!(described, routed);
    for entry in routes::entries(server.parts.state.clone()) {
        if let Some(path) = entry.path.strip_prefix("/gateway") {
            assert!(routed.contains(&format!("{} {path}", entry.method)), "{path}");
        }
    }
}

#[tokio::test]
async fn every_operation_has_an_id_of_its_own_a_sentence_and_examples() {
    let document = serde_json::to_value(server::api::document()).expect("a document");
    let mut ids = BTreeSet::new();
    for (name, operation) in operations(&document) {
        let id = operation["operationId"].as_str().expect("an id");
        assert!(ids.insert(id), "{id} is there twice");
        assert!(operation["summary"].as_str().is_some_and(|text| text.len() > 10), "{name}");
        let has_example = |content: &Value| {
            let content = content.as_object().expect("content");
            content.values().any(|content| content.get("example").is_some())
        };
        assert!(has_example(&operation["responses"]["200"]["content"]), "{name} shows no answer");
        if let Some(body) = operation.get("requestBody") {
            assert!(has_example(&body["content"]), "{name} shows no body");
        }
        for parameter in operation["parameters"].as_array().into_iter().flatten() {
            assert!(
                parameter["description"].as_str().is_some_and(|text| !text.is_empty()),
                "{name}: {parameter}"
            );
        }
    }
}

#[tokio::test]
async fn the_page_about_it_lists_every_operation() {
    let server = Server::new().await;
    let viewer = server.person("view@acme.example", "viewer", "acme").await;
    let page = server.get_as(&viewer, "/help/api").await;
    assert_eq!(page.status, StatusCode::OK);
    let document = server.get_as(&viewer, PATH).await.json();
    for (name, operation) in operations(&document) {
        let id = operation["operationId"].as_str().expect("an id");
        if id != "readOpenApi" {
            assert!(page.body.contains(&format!("id=\"{id}\"")), "{name}");
        }
    }
}
