//! `/api/v1/accounts/…/delegates` (`product 15.1`, `management-api 2.1` to `2.3`).

use axum::http::StatusCode;
use fleet::time::SECOND;
use serde_json::{Value, json};

use crate::support::{NOON, Server};

const PAYMENTS: &str = "/api/v1/accounts/acme/orgs/payments/delegates";

fn names(answer: &Value) -> Vec<&str> {
    let mut names: Vec<&str> = answer["delegates"]
        .as_array()
        .expect("delegates")
        .iter()
        .filter_map(|entry| entry["name"].as_str())
        .collect();
    names.sort_unstable();
    names
}

#[tokio::test]
async fn the_answer_has_exactly_the_agreed_keys() {
    let server = Server::new().await;
    let id = server.register("acme/payments", "edge-a", "edge-a-7c9d-x2kqp", Some("26.09.89620")).await;
    let answer = server.get(PAYMENTS).await;
    assert_eq!((answer.status, answer.header("content-type")), (StatusCode::OK, "application/json"));
    assert_eq!(
        answer.json(),
        json!({
            "schema": 1, "generatedAt": NOON.millis(),
            "scope": "acme/payments",
            "filters": {},
            "counts": {
                "groups": 1, "instances": 1, "connected": 1, "unreachable": 0, "unknown": 0, "expired": 0,
                "nearExpiry": 0, "unsupported": 1, "active": 0, "autoUpgradeOff": 0
            },
            "delegates": [{
                "type": "KUBERNETES", "name": "edge-a", "description": "", "tags": ["edge-a", "eu"],
                "lastHeartBeat": NOON.millis(), "connected": true,
                "delegateReplicas": [{
                    "uuid": &*id, "lastHeartbeat": NOON.millis(), "connected": true, "hostName": "edge-a-7c9d-x2kqp",
                    "version": "26.09.89620", "expiringAt": 1_803_859_199_000_i64, "status": "UNSUPPORTED", "runner": false
                }],
                "autoUpgrade": "DETECTING", "legacy": false, "delegateGroupIdentifier": "_edge_a", "groupName": "edge-a",
                "identifier": "_edge_a", "status": "CONNECTED", "version": "26.09.89620", "source": "own"
            }]
        })
    );
}

#[tokio::test]
async fn a_filter_narrows_the_list_and_leaves_the_counts() {
    let server = Server::new().await;
    server.register_one_of_each().await;
    let all = server.get(PAYMENTS).await.json();
    for (query, expected) in [
        ("versionStatus=EXPIRED", vec!["old"]),
        ("versionStatus=EXPIRING", vec!["ageing"]),
        ("versionStatus=UNSUPPORTED", vec!["behind"]),
        ("versionStatus=ACTIVE", vec!["current"]),
        ("health=unknown", vec!["custom"]),
        ("hostName=old-1-a", vec!["old"]),
        ("delegateName=UR", vec!["current"]),
        ("delegateTags=eu&delegateTags=old", vec!["old"]),
        ("search=behind-1", vec!["behind"]),
        ("status=DISCONNECTED", vec![]),
        ("versionStatus=EXPIRED&delegateName=ageing", vec![]),
        ("delegateType=docker", vec![]),
        ("autoUpgrade=ON", vec![]),
    ] {
        let answer = server.get(&format!("{PAYMENTS}?{query}")).await.json();
        assert_eq!(names(&answer), expected, "{query}");
        assert_eq!(answer["counts"], all["counts"], "{query}");
    }
    let filtered = server
        .get(&format!("{PAYMENTS}?versionStatus=EXPIRED&delegateTags=eu&delegateTags=old"))
        .await
        .json();
    assert_eq!(filtered["filters"], json!({"versionStatus": "EXPIRED", "delegateTags": ["eu", "old"]}));
}

#[tokio::test]
async fn a_lost_delegate_is_unreachable_and_has_neither_status_nor_expiry() {
    let server = Server::new().await;
    server.register("acme/payments", "old", "old-1-a", Some("25.12.87602")).await;
    server.clock.advance(301 * SECOND);
    let answer = server.get(PAYMENTS).await.json();
    assert_eq!((&answer["counts"]["unreachable"], &answer["counts"]["expired"]), (&json!(1), &json!(0)));
    let entry = &answer["delegates"][0];
    assert_eq!((&entry["status"], &entry["version"]), (&json!("DISCONNECTED"), &json!("N/A")));
    let replica = &entry["delegateReplicas"][0];
    assert_eq!((&replica["expiringAt"], replica.get("status")), (&json!(0), None));
}

#[tokio::test]
async fn scopes_below_come_on_request_and_carry_their_names() {
    let server = Server::new().await;
    server.register("acme", "a", "a-1", None).await;
    server.register("acme/payments/checkout", "p", "p-1", None).await;
    let own = server.get("/api/v1/accounts/acme/delegates").await.json();
    assert_eq!(names(&own), ["a"]);
    let all = server.get("/api/v1/accounts/acme/delegates?all=true").await.json();
    assert_eq!(names(&all), ["a", "p"]);
    let project =
        all["delegates"].as_array().expect("list").iter().find(|entry| entry["name"] == "p").expect("p");
    assert_eq!((&project["orgName"], &project["projectName"]), (&json!("payments"), &json!("checkout")));
    let only = server.get("/api/v1/accounts/acme/orgs/payments/projects/checkout/delegates").await.json();
    assert_eq!((names(&only), &only["scope"]), (vec!["p"], &json!("acme/payments/checkout")));
}

#[tokio::test]
async fn a_value_that_cannot_be_is_refused_with_the_name_of_its_parameter() {
    let server = Server::new().await;
    for (query, field) in [
        ("status=UP", "status"),
        ("versionStatus=OLD", "versionStatus"),
        ("autoUpgrade=yes", "autoUpgrade"),
        ("health=bad", "health"),
        ("all=maybe", "all"),
        ("page=0", "page"),
        ("size=11", "size"),
        ("sort=colour", "sort"),
        ("delegateTags=a,b,c,d,e,f,g,h,i,j,k", "delegateTags"),
    ] {
        let answer = server.get(&format!("{PAYMENTS}?{query}")).await;
        let body = answer.json();
        assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{query}");
        assert_eq!(
            (&body["code"], &body["errors"][0]["fieldId"]),
            (&json!("INVALID_REQUEST"), &json!(field)),
            "{query}"
        );
        assert_eq!(body["correlationId"], json!(answer.header("x-request-id")));
    }
    let unknown = server.get(&format!("{PAYMENTS}?accountIdentifier=acme&page_size=3")).await;
    assert_eq!(unknown.status, StatusCode::OK, "unknown parameters are ignored");
}

#[tokio::test]
async fn scopes_that_do_not_exist_or_cannot_are_told_apart() {
    let server = Server::new().await;
    for (path, status, code) in [
        ("/api/v1/accounts/nobody/delegates", StatusCode::NOT_FOUND, "ENTITY_NOT_FOUND"),
        ("/api/v1/accounts/acme/orgs/nobody/delegates", StatusCode::NOT_FOUND, "ENTITY_NOT_FOUND"),
        ("/api/v1/accounts/%ff/delegates", StatusCode::BAD_REQUEST, "INVALID_REQUEST"),
        ("/api/v1/accounts/a%20b/delegates", StatusCode::BAD_REQUEST, "INVALID_REQUEST"),
        ("/api/v1/accounts/acme/orgs/%2e%2e/delegates", StatusCode::BAD_REQUEST, "INVALID_REQUEST"),
        ("/api/v1/nothing", StatusCode::NOT_FOUND, "RESOURCE_NOT_FOUND"),
    ] {
        let answer = server.get(path).await;
        assert_eq!((answer.status, &answer.json()["code"]), (status, &json!(code)), "{path}");
    }
}
