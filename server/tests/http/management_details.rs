//! The older listing, and the delegates of a token (`management-api 5`, `4.1`).

use axum::http::{Method, StatusCode};
use serde_json::{Value, json};

use crate::support::Server;

const GROUPS: &str = "/api/setup/delegates/ng/v2";
const TOKENS: &str = "/ng/api/delegate-token-ng";
const PAYMENTS: &str = "accountId=acme&orgId=payments";

fn names(resource: &Value) -> Vec<&str> {
    let groups = resource["delegateGroupDetails"].as_array().expect("a list");
    groups.iter().map(|group| group["groupName"].as_str().expect("a name")).collect()
}

#[tokio::test]
async fn a_group_has_every_key_of_the_older_listing() {
    let server = Server::new().await;
    let uuid = server.register("acme/payments", "behind", "h-1", Some("26.09.89620")).await;
    let key = server.holder("sre@acme.example", "viewer", "acme").await;
    let resource = server.resource(&key, Method::POST, &format!("{GROUPS}?{PAYMENTS}"), "{}").await;
    let group = &resource["delegateGroupDetails"][0];
    let expires = group["delegateGroupExpirationTime"].as_i64().expect("an instant");
    let expected = json!({
        "groupId": group["groupId"], "delegateGroupIdentifier": "_behind", "delegateType": "KUBERNETES",
        "groupName": "behind", "delegateDescription": "", "delegateConfigurationId": null,
        "groupImplicitSelectors": {"behind": "DELEGATE_NAME"}, "groupCustomSelectors": ["eu"],
        "lastHeartBeat": 1_795_176_000_000_i64, "connectivityStatus": "connected",
        "activelyConnected": true, "grpcActive": true, "tokenActive": false, "autoUpgrade": "DETECTING",
        "delegateGroupExpirationTime": expires, "delegateVersion": "26.09.89620",
        "groupVersion": "26.09.89620", "upgraderLastUpdated": 0, "immutable": true,
        "delegateVersionStatusInstanceLevelCount": {"ACTIVE": 0, "EXPIRING": 0, "EXPIRED": 0, "UNSUPPORTED": 1},
        "delegateInsightsDetails": {},
        "delegateInstanceDetails": [{
            "uuid": &*uuid, "lastHeartbeat": 1_795_176_000_000_i64, "activelyConnected": true,
            "hostName": "h-1", "tokenActive": false, "version": "26.09.89620",
            "delegateExpirationTime": expires,
            "connections": [{"uuid": &*uuid, "version": "26.09.89620",
                             "lastHeartbeat": 1_795_176_000_000_i64, "lastGrpcHeartbeat": 0}],
            "polllingModeEnabled": true, "pollingModeEnabled": true, "disabled": false,
            "unsupported": true, "runner": false, "versionStatus": "UNSUPPORTED",
        }],
    });
    assert_eq!(*group, expected, "the token of this test is none of the book");
    let totals = json!({"ACTIVE": 0, "EXPIRING": 0, "EXPIRED": 0, "UNSUPPORTED": 1});
    assert_eq!(resource["delegateVersionStatusAggregatedCount"], totals);
    assert_eq!(resource["autoUpgradeOffCount"], 0);
}

#[tokio::test]
async fn filters_search_and_order_narrow_the_groups_and_their_totals() {
    let server = Server::new().await;
    server.register_one_of_each().await;
    let key = server.holder("sre@acme.example", "viewer", "acme").await;
    for (query, body, found) in [
        ("", "", vec!["ageing", "behind", "current", "custom", "old"]),
        ("&sort=name,DESC", "", vec!["old", "custom", "current", "behind", "ageing"]),
        ("&searchTerm=cu", "", vec!["current", "custom"]),
        ("&searchTerm=cu", r#"{"versionStatus":"ACTIVE"}"#, vec!["current"]),
        ("", r#"{"versionStatus":"EXPIRED"}"#, vec!["old"]),
    ] {
        let path = format!("{GROUPS}?{PAYMENTS}{query}");
        let resource = server.resource(&key, Method::POST, &path, body).await;
        assert_eq!(names(&resource), found, "{query} {body}");
        let counted = resource["delegateVersionStatusAggregatedCount"].as_object().expect("counts");
        let counted: i64 = counted.values().filter_map(Value::as_i64).sum();
        let unknown = i64::from(found.contains(&"custom"));
        assert_eq!(counted + unknown, i64::try_from(found.len()).expect("few"), "{query} {body}");
    }
    let read = server.resource(&key, Method::GET, &format!("{GROUPS}?{PAYMENTS}"), "").await;
    assert_eq!(names(&read).len(), 5, "reading needs no body");
    for (query, status, field) in [
        ("&sort=age", StatusCode::BAD_REQUEST, "sort"),
        ("&sort=name,UP", StatusCode::BAD_REQUEST, "sort"),
        ("&filterIdentifier=none", StatusCode::NOT_FOUND, ""),
    ] {
        let answer = server.call(&key, Method::POST, &format!("{GROUPS}?{PAYMENTS}{query}"), "").await;
        assert_eq!(answer.status, status, "{query}");
        if !field.is_empty() {
            assert_eq!(answer.json()["errors"][0]["fieldId"], field);
        }
    }
}

#[tokio::test]
async fn one_group_and_those_up_the_hierarchy_are_read_by_their_own_paths() {
    let server = Server::new().await;
    server.register("acme", "top", "h-0", None).await;
    server.register("acme/payments", "middle", "h-1", None).await;
    server.register("acme/payments/checkout", "bottom", "h-2", None).await;
    let key = server.holder("sre@acme.example", "viewer", "acme").await;
    let above =
        server.resource(&key, Method::GET, &format!("{GROUPS}/up-the-hierarchy?{PAYMENTS}"), "").await;
    assert_eq!(names(&above), ["middle", "top"]);
    let one = server.resource(&key, Method::GET, &format!("{GROUPS}/_middle?{PAYMENTS}"), "").await;
    assert_eq!(
        (&one["groupName"], one["delegateInstanceDetails"].as_array().map(Vec::len)),
        (&json!("middle"), Some(1))
    );
    let unknown = server.call(&key, Method::GET, &format!("{GROUPS}/_top?{PAYMENTS}"), "").await;
    assert_eq!(
        (unknown.status, &unknown.json()["code"]),
        (StatusCode::NOT_FOUND, &json!("ENTITY_NOT_FOUND"))
    );
}

#[tokio::test]
async fn the_delegates_of_a_token_are_those_that_used_it_last() {
    let server = Server::new().await;
    server.register("acme/payments", "edge", "h-1", None).await;
    let key = server.holder("sre@acme.example", "viewer", "acme").await;
    let path = format!("{TOKENS}/delegate-groups?accountIdentifier=acme&orgIdentifier=payments");
    let mine = format!("{path}&delegateTokenName=default_token/payments");
    assert_eq!(names(&server.resource(&key, Method::GET, &mine, "").await), [""; 0]);
    let by_path =
        format!("{TOKENS}/default_token%2Fpayments/delegates?accountIdentifier=acme&orgIdentifier=payments");
    assert_eq!(names(&server.resource(&key, Method::GET, &by_path, "").await), [""; 0]);
    let unnamed = server.call(&key, Method::GET, &path, "").await;
    assert_eq!(unnamed.json()["errors"][0]["fieldId"], "delegateTokenName");
    let unknown = server.call(&key, Method::GET, &format!("{path}&delegateTokenName=none"), "").await;
    assert_eq!(unknown.status, StatusCode::NOT_FOUND);
}
