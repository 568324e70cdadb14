//! Files that start a delegate (`management-api 2.8`, `2.9`).

use axum::http::{Method, StatusCode};
use serde_json::json;

use crate::support::{Caller, Server};

const ACME: &str = "accountIdentifier=acme";
const KUBERNETES: &str = "/ng/api/download-delegates/kubernetes";
const DOCKER: &str = "/ng/api/download-delegates/docker";
const HELM: &str = "/ng/api/delegate-setup/generate-helm-values";
const TERRAFORM: &str = "/ng/api/delegate-setup/delegate-terraform-module-file";

/// The file of a call that succeeds.
async fn file(server: &Server, key: &Caller, path: &str, body: &str) -> String {
    let answer = server.call(key, Method::POST, &format!("{path}?{ACME}"), body).await;
    assert_eq!(answer.status, StatusCode::OK, "{path} {body}: {}", answer.body);
    assert!(answer.header("content-disposition").starts_with("attachment; filename="), "{path}");
    assert_eq!(answer.header("content-type"), "text/plain; charset=utf-8");
    assert_eq!(answer.header("cache-control"), "no-store", "it holds a token");
    answer.body
}

async fn value_of(server: &Server, key: &Caller, name: &str) -> String {
    let path = format!("/ng/api/delegate-token-ng?{ACME}&name={name}");
    let tokens = server.resource(key, Method::GET, &path, "").await;
    tokens[0]["value"].as_str().expect("a value").to_owned()
}

#[tokio::test]
async fn each_platform_gets_its_file_with_the_default_token() {
    let server = Server::new().await;
    let key = server.holder("sre@acme.example", "operator", "acme").await;
    let value = value_of(&server, &key, "default_token").await;
    let body = r#"{"name":"edge-a","description":"at the $edge","tags":["eu","gpu"],"size":"SMALL",
                   "clusterPermissionType":"NAMESPACE_ADMIN","customClusterNamespace":"agents"}"#;
    let manifest = file(&server, &key, KUBERNETES, body).await;
    for part in ["name: edge-a", "namespace: agents", "26.11.90604", "eu,gpu", "kind: Deployment", &value] {
        assert!(manifest.contains(part), "{part}: {manifest}");
    }
    let compose = file(&server, &key, DOCKER, body).await;
    for part in ["services:", "container_name: edge-a", "at the $$edge", &value] {
        assert!(compose.contains(part), "{part}: {compose}");
    }
    let helm = r#"{"name":"edge-a","delegateType":"HELM_DELEGATE","version":"26.10.90212",
                   "k8sConfigDetails":{"k8sPermissionType":"CLUSTER_VIEWER","namespace":"agents"}}"#;
    let values = file(&server, &key, HELM, helm).await;
    for part in ["delegateName: edge-a", "CLUSTER_VIEWER", "26.10.90212", &value] {
        assert!(values.contains(part), "{part}: {values}");
    }
    let shown = server.audit().await.iter().filter(|line| line.1 == "token.show").count();
    assert_eq!(shown, 4, "every value that left is a line of the audit log");
}

#[tokio::test]
async fn a_named_token_is_used_while_it_is_active() {
    let server = Server::new().await;
    let key = server.holder("sre@acme.example", "admin", "acme").await;
    let token = format!("/ng/api/delegate-token-ng?{ACME}&tokenName=mine");
    server.resource(&key, Method::POST, &token, "").await;
    let value = value_of(&server, &key, "mine").await;
    let body = r#"{"name":"edge-a","tokenName":"mine"}"#;
    assert!(file(&server, &key, DOCKER, body).await.contains(&value));
    server.resource(&key, Method::PUT, &token, "").await;
    for body in [body, r#"{"name":"edge-a","tokenName":"unknown"}"#] {
        let answer = server.call(&key, Method::POST, &format!("{DOCKER}?{ACME}"), body).await;
        assert_eq!(answer.status, StatusCode::BAD_REQUEST);
        assert_eq!(answer.json()["errors"][0]["fieldId"], "tokenName", "{}", answer.body);
    }
}

#[tokio::test]
async fn what_is_wrong_with_a_body_is_told_by_its_key() {
    let server = Server::new().await;
    let key = server.holder("sre@acme.example", "operator", "acme").await;
    for (path, body, field) in [
        (KUBERNETES, "", "name"),
        (KUBERNETES, r#"{"name":""}"#, "name"),
        (KUBERNETES, r#"{"name":"Edge A"}"#, "name"),
        (KUBERNETES, r#"{"name":"edge","size":"HUGE"}"#, "size"),
        (KUBERNETES, r#"{"name":"edge","tags":"eu"}"#, "tags"),
        (KUBERNETES, r#"{"name":"edge","clusterPermissionType":"ROOT"}"#, "clusterPermissionType"),
        (KUBERNETES, r#"{"name":"edge","customClusterNamespace":"No Good"}"#, "customClusterNamespace"),
        (HELM, r#"{"name":"edge"}"#, "delegateType"),
        (HELM, r#"{"name":"edge","delegateType":"X","orgIdentifier":"payments"}"#, "orgIdentifier"),
        (HELM, r#"{"name":"edge","delegateType":"HELM_DELEGATE","k8sConfigDetails":7}"#, "k8sConfigDetails"),
        (DOCKER, r#"{"name":"edge","version":"a b"}"#, "version"),
    ] {
        let answer = server.call(&key, Method::POST, &format!("{path}?{ACME}"), body).await;
        assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{path} {body}: {}", answer.body);
        assert_eq!(answer.json()["errors"][0]["fieldId"], field, "{path} {body}");
    }
    let shown = server.audit().await.iter().filter(|line| line.1 == "token.show").count();
    assert_eq!(shown, 0, "no token was opened for nothing");
    let viewer = server.holder("view@acme.example", "viewer", "acme").await;
    let answer = server.call(&viewer, Method::POST, &format!("{DOCKER}?{ACME}"), r#"{"name":"edge"}"#).await;
    assert_eq!((answer.status, &answer.json()["code"]), (StatusCode::FORBIDDEN, &json!("ACCESS_DENIED")));
}

#[tokio::test]
async fn the_terraform_module_is_a_text_without_a_token() {
    let server = Server::new().await;
    let key = server.holder("sre@acme.example", "operator", "acme").await;
    let answer = server.call(&key, Method::GET, &format!("{TERRAFORM}?{ACME}"), "").await;
    assert_eq!((answer.status, answer.header("content-type")), (StatusCode::OK, "text/plain; charset=utf-8"));
    assert!(
        answer.body.contains("module \"delegate\"") && answer.body.contains("<DELEGATE_TOKEN>"),
        "{}",
        answer.body
    );
}
