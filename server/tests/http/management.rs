//! The management API as its clients call it (`management-api`).

use axum::body::Body;
use axum::http::{Method, StatusCode};
use serde_json::{Value, json};

use crate::support::{Answer, Caller, Server};

pub(crate) const LIST: &str = "/ng/api/delegate-setup/listDelegates";
pub(crate) const DELEGATE: &str = "/ng/api/delegate-setup/delegate";
const LATEST: &str = "/ng/api/delegate-setup/latest-supported-version";
pub(crate) const TOKENS: &str = "/ng/api/delegate-token-ng";
pub(crate) const ACME: &str = "accountIdentifier=acme";
pub(crate) const PAYMENTS: &str = "accountIdentifier=acme&orgIdentifier=payments";

impl Server {
    /// A call with a body, which may be empty.
    pub(crate) async fn call(&self, caller: &Caller, method: Method, path: &str, body: &str) -> Answer {
        let request = self.request(caller, method, path).await.header("origin", "http://localhost:3000");
        self.send(request.body(Body::from(body.to_owned())).expect("request")).await
    }

    /// The resource of a call that succeeds.
    pub(crate) async fn resource(&self, caller: &Caller, method: Method, path: &str, body: &str) -> Value {
        let answer = self.call(caller, method, path, body).await;
        assert_eq!(answer.status, StatusCode::OK, "{path}: {}", answer.body);
        assert!(answer.header("content-type").contains("application/json"), "{path}");
        let mut answer = answer.json();
        assert_eq!((&answer["metaData"], &answer["responseMessages"]), (&json!({}), &json!([])));
        answer["resource"].take()
    }

    /// The key of somebody with a role in a scope.
    pub(crate) async fn holder(&self, email: &str, role: &str, scope: &str) -> Caller {
        self.person(email, role, scope).await;
        Caller::Key(self.key(email, scope).await)
    }
}

pub(crate) fn names(groups: &Value) -> Vec<&str> {
    groups.as_array().expect("a list").iter().map(|group| group["name"].as_str().expect("a name")).collect()
}

#[tokio::test]
async fn the_list_has_one_entry_per_group_in_the_shape_of_the_vendor() {
    let server = Server::new().await;
    server.register_one_of_each().await;
    let key = server.holder("sre@acme.example", "viewer", "acme").await;
    let groups = server.resource(&key, Method::POST, &format!("{LIST}?{PAYMENTS}"), "{}").await;
    assert_eq!(names(&groups), ["ageing", "behind", "current", "custom", "old"], "connected ones by name");
    let behind = &groups[1];
    let id = behind["delegateReplicas"][0]["uuid"].as_str().expect("an id");
    let expected = json!({
        "type": "KUBERNETES", "name": "behind", "description": "", "tags": ["behind", "eu"],
        "lastHeartBeat": 1_795_176_000_000_i64, "connected": true,
        "delegateReplicas": [{
            "uuid": id, "lastHeartbeat": 1_795_176_000_000_i64, "connected": true, "hostName": "behind-1-a",
            "version": "26.09.89620", "expiringAt": behind["delegateReplicas"][0]["expiringAt"],
            "status": "UNSUPPORTED", "runner": false,
        }],
        "autoUpgrade": "DETECTING", "legacy": false, "delegateGroupIdentifier": "_behind",
        "groupName": "behind", "identifier": "_behind", "status": "CONNECTED", "version": "26.09.89620",
        "source": "own",
    });
    assert_eq!(*behind, expected);
    assert!(behind["delegateReplicas"][0]["expiringAt"].as_i64() > Some(1_795_176_000_000));
}

#[tokio::test]
async fn what_clients_send_as_a_body_is_understood() {
    let server = Server::new().await;
    server.register_one_of_each().await;
    let key = server.holder("sre@acme.example", "viewer", "acme").await;
    let path = format!("{LIST}?{PAYMENTS}");
    for body in ["", "{}", "  ", r#"{"filterType":"Delegate","pageIndex":3,"pageSize":1,"tags":{"a":"b"}}"#] {
        assert_eq!(server.resource(&key, Method::POST, &path, body).await.as_array().map(Vec::len), Some(5));
    }
    for (body, found) in [
        (r#"{"delegateName":"UR"}"#, vec!["current"]),
        (r#"{"delegateTags":["eu","old"]}"#, vec!["old"]),
        (r#"{"delegateTags":[],"delegateName":""}"#, vec!["ageing", "behind", "current", "custom", "old"]),
        (r#"{"versionStatus":"EXPIRED"}"#, vec!["old"]),
        (r#"{"hostName":"behind-1-a"}"#, vec!["behind"]),
        (r#"{"status":"DISCONNECTED"}"#, vec![]),
        (r#"{"runner":true}"#, vec![]),
        (r#"{"delegateGroupIdentifier":"_beh","runner":false}"#, vec!["behind"]),
    ] {
        let groups = server.resource(&key, Method::POST, &path, body).await;
        assert_eq!(names(&groups), found, "{body}");
    }
    for (body, field) in [
        (r#"{"status":"LOST"}"#, "status"),
        (r#"{"delegateName":7}"#, "delegateName"),
        (r#"{"delegateTags":"eu"}"#, "delegateTags"),
        (r#"{"runner":"yes"}"#, "runner"),
        ("[]", "body"),
        ("{", "body"),
    ] {
        let answer = server.call(&key, Method::POST, &path, body).await;
        assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{body}");
        let error = answer.json();
        assert_eq!(error["errors"][0]["fieldId"], field, "{error}");
        assert_eq!((&error["status"], &error["code"]), (&json!("FAILURE"), &json!("INVALID_REQUEST")));
    }
}

#[tokio::test]
async fn all_brings_the_scopes_below_and_says_where_they_are() {
    let server = Server::new().await;
    server.register("acme", "top", "h-0", None).await;
    server.register("acme/payments", "middle", "h-1", None).await;
    server.register("acme/payments/checkout", "bottom", "h-2", None).await;
    let key = server.holder("sre@acme.example", "viewer", "acme").await;
    let own = server.resource(&key, Method::POST, &format!("{LIST}?{ACME}"), "").await;
    assert_eq!(names(&own), ["top"]);
    assert!(own[0].get("orgName").is_none());
    let path = format!("{LIST}?{ACME}&all=true");
    let all = server.resource(&key, Method::POST, &path, r#"{"delegateName":"x"}"#).await;
    assert_eq!(names(&all), ["bottom", "middle", "top"]);
    assert_eq!((&all[0]["orgName"], &all[0]["projectName"]), (&json!("payments"), &json!("checkout")));
}

#[tokio::test]
async fn the_account_comes_from_wherever_the_client_puts_it() {
    let server = Server::new().await;
    let key = server.holder("sre@acme.example", "viewer", "acme").await;
    for path in [LATEST.to_owned(), format!("{LATEST}?account=acme"), format!("{LATEST}?accountId=acme")] {
        server.resource(&key, Method::GET, &path, "").await;
    }
    let request = server.request(&key, Method::GET, LATEST).await.header("Harness-Account", "acme");
    assert_eq!(server.send(request.body(Body::empty()).expect("request")).await.status, StatusCode::OK);
    let other = server.call(&key, Method::GET, &format!("{LATEST}?accountIdentifier=beta"), "").await;
    assert_eq!((other.status, &other.json()["code"]), (StatusCode::FORBIDDEN, &json!("ACCESS_DENIED")));
    let request = server.request(&key, Method::GET, &format!("{LATEST}?accountIdentifier=beta")).await;
    let both =
        server.send(request.header("Harness-Account", "acme").body(Body::empty()).expect("request")).await;
    assert_eq!(both.status, StatusCode::FORBIDDEN, "whichever of them names another account");
    let lost = server.call(&key, Method::GET, &format!("{LATEST}?projectIdentifier=checkout"), "").await;
    assert_eq!(
        (lost.status, &lost.json()["errors"][0]["fieldId"]),
        (StatusCode::BAD_REQUEST, &json!("orgIdentifier"))
    );
    let unknown = server.call(&key, Method::GET, &format!("{LATEST}?{ACME}&orgIdentifier=nobody"), "").await;
    assert_eq!(
        (unknown.status, &unknown.json()["code"]),
        (StatusCode::NOT_FOUND, &json!("ENTITY_NOT_FOUND"))
    );
}

#[tokio::test]
async fn the_latest_version_is_that_of_the_catalog() {
    let server = Server::new().await;
    let key = server.holder("sre@acme.example", "viewer", "acme").await;
    let latest = server.resource(&key, Method::GET, &format!("{LATEST}?{ACME}"), "").await;
    let expected = json!({"latestSupportedVersion": "26.11.90604", "latestSupportedMinimalVersion": "26.11.90604.minimal"});
    assert_eq!(latest, expected);
}

#[tokio::test]
async fn strangers_are_told_in_the_words_of_both_shapes() {
    let server = Server::new().await;
    for caller in [Caller::Stranger, Caller::Key("pat.acme.x.y".to_owned())] {
        let answer = server.call(&caller, Method::POST, &format!("{LIST}?{ACME}"), "{}").await;
        assert_eq!(answer.status, StatusCode::UNAUTHORIZED);
        assert_eq!(answer.header("x-harness-error"), "INVALID_TOKEN");
        let error = answer.json();
        assert_eq!((&error["status"], &error["code"]), (&json!("ERROR"), &json!("INVALID_TOKEN")));
        assert_eq!(error["responseMessages"][0]["code"], "INVALID_TOKEN");
        assert!(
            error["metaData"].is_null() && error["resource"].is_null() && error.get("resource").is_some()
        );
    }
}

#[tokio::test]
async fn clients_send_no_origin_and_are_told_what_is_wrong_with_their_key() {
    let server = Server::new().await;
    let key = server.holder("sre@acme.example", "viewer", "acme").await;
    for (caller, status) in [
        (key, StatusCode::OK),
        (Caller::Key("pat.acme.x.y".to_owned()), StatusCode::UNAUTHORIZED),
        (Caller::Stranger, StatusCode::UNAUTHORIZED),
    ] {
        let request = server.request(&caller, Method::POST, &format!("{LIST}?{ACME}")).await;
        let answer = server.send(request.body(Body::empty()).expect("request")).await;
        assert_eq!(answer.status, status, "{caller:?}: {}", answer.body);
        assert!(answer.header("content-type").contains("application/json"));
    }
}

#[tokio::test]
async fn a_token_lives_and_its_name_is_free_again_after_its_end() {
    let server = Server::new().await;
    let key = server.holder("sre@acme.example", "admin", "acme").await;
    let path = format!("{TOKENS}?{PAYMENTS}&tokenName=edge");
    let made = server.resource(&key, Method::POST, &path, "").await;
    assert_eq!((&made["name"], &made["status"]), (&json!("edge"), &json!("ACTIVE")));
    assert_eq!((&made["ownerIdentifier"], &made["accountId"]), (&json!("payments"), &json!("acme")));
    assert_eq!(made["createdBy"]["email"], "sre@acme.example");
    assert_eq!(made["createdByNgUser"]["jwtclaims"], json!({"email": "sre@acme.example"}));
    let value = made["value"].as_str().expect("a value").to_owned();
    let again = server.call(&key, Method::POST, &path, "").await;
    assert_eq!(again.status, StatusCode::BAD_REQUEST);
    assert!(again.json()["message"].as_str().is_some_and(|text| text.contains("already exists")));
    let listed = server.resource(&key, Method::GET, &format!("{TOKENS}?{PAYMENTS}&name=edge"), "").await;
    assert_eq!((listed.as_array().map(Vec::len), &listed[0]["value"]), (Some(1), &json!(value)));
    let early = server.call(&key, Method::DELETE, &path, "").await;
    assert_eq!(early.status, StatusCode::BAD_REQUEST, "an active one stays");
    let revoked = server.resource(&key, Method::PUT, &path, "").await;
    assert_eq!((&revoked["status"], &revoked["value"]), (&json!("REVOKED"), &Value::Null));
    assert_eq!(server.call(&key, Method::PUT, &path, "").await.status, StatusCode::BAD_REQUEST);
    let listed = server.resource(&key, Method::GET, &format!("{TOKENS}?{PAYMENTS}&name=edge"), "").await;
    assert_eq!((&listed[0]["status"], &listed[0]["value"]), (&json!("REVOKED"), &Value::Null));
    let active = server.resource(&key, Method::GET, &format!("{TOKENS}?{PAYMENTS}&status=ACTIVE"), "").await;
    assert_eq!(names(&active), ["default_token/payments"]);
    server.resource(&key, Method::DELETE, &path, "").await;
    assert_eq!(server.call(&key, Method::DELETE, &path, "").await.status, StatusCode::BAD_REQUEST);
    let listed = server.resource(&key, Method::GET, &format!("{TOKENS}?{PAYMENTS}&name=edge"), "").await;
    assert_eq!(listed, json!([]), "not 404");
    let new = server.resource(&key, Method::POST, &path, "").await;
    assert_ne!(new["value"], json!(value));
    let audit = server.audit().await;
    let deeds: Vec<&str> = audit.iter().map(|(_, action, _)| &**action).collect();
    for deed in ["token.create", "token.show", "token.revoke", "token.delete"] {
        assert!(deeds.contains(&deed), "{deed}: {deeds:?}");
    }
    assert!(!audit.iter().any(|line| format!("{line:?}").contains(&value)));
}

#[tokio::test]
async fn tokens_by_path_are_the_same_tokens() {
    let server = Server::new().await;
    let key = server.holder("sre@acme.example", "admin", "acme").await;
    let made = server.resource(&key, Method::POST, &format!("{TOKENS}?{ACME}"), r#"{"name":"mcp"}"#).await;
    assert_eq!(made["name"], "mcp");
    let path = format!("{TOKENS}/mcp?{ACME}");
    assert_eq!(server.resource(&key, Method::GET, &path, "").await["uuid"], made["uuid"]);
    assert_eq!(server.call(&key, Method::DELETE, &path, "").await.status, StatusCode::BAD_REQUEST);
    server.resource(&key, Method::DELETE, &format!("{path}&forceRevoke=true"), "").await;
    let gone = server.call(&key, Method::GET, &path, "").await;
    assert_eq!((gone.status, &gone.json()["code"]), (StatusCode::NOT_FOUND, &json!("ENTITY_NOT_FOUND")));
    let reserved =
        server.call(&key, Method::POST, &format!("{TOKENS}?{ACME}&tokenName=delegate-groups"), "").await;
    assert_eq!(reserved.status, StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn values_of_tokens_are_for_those_who_may_edit() {
    let server = Server::new().await;
    let path = format!("{TOKENS}?{ACME}");
    let viewer = server.holder("view@acme.example", "viewer", "acme").await;
    let operator = server.holder("operate@acme.example", "operator", "acme").await;
    let seen = server.resource(&viewer, Method::GET, &path, "").await;
    assert_eq!((&seen[0]["name"], &seen[0]["value"]), (&json!("default_token"), &Value::Null));
    let seen = server.resource(&operator, Method::GET, &path, "").await;
    assert!(seen[0]["value"].is_string());
    let ends = |when: &str| format!("{path}&tokenName=short&revokeAfter={when}");
    for when in ["1", "soon"] {
        let answer = server.call(&operator, Method::POST, &ends(when), "").await;
        assert_eq!(answer.json()["errors"][0]["fieldId"], "revokeAfter", "{}", answer.body);
    }
    let made = server.resource(&operator, Method::POST, &ends("1800000000000"), "").await;
    assert_eq!(made["revokeAfter"], 1_800_000_000_000_i64);
}

#[tokio::test]
async fn a_connected_delegate_is_deleted_by_force_only_and_once() {
    let server = Server::new().await;
    server.register("acme/payments", "edge", "h-1", None).await;
    server.register("acme/payments", "named", "h-2", None).await;
    let key = server.holder("sre@acme.example", "admin", "acme").await;
    let path = format!("{DELEGATE}/_edge?{PAYMENTS}");
    let refused = server.call(&key, Method::DELETE, &path, "").await;
    assert_eq!(
        (refused.status, &refused.json()["code"]),
        (StatusCode::BAD_REQUEST, &json!("INVALID_REQUEST"))
    );
    let done = server.resource(&key, Method::DELETE, &format!("{path}&forceDelete=true"), "").await;
    assert_eq!(done, json!({"responseMsg": "Successfully deleted delegate."}));
    let twice = server.call(&key, Method::DELETE, &format!("{path}&forceDelete=true"), "").await;
    assert_eq!(twice.status, StatusCode::BAD_REQUEST);
    assert_eq!(twice.json()["message"], "Delegate doesn't exist or it is already deleted.");
    // Lists of the vendor show names only.
    let by_name = format!("{DELEGATE}/named?{PAYMENTS}&forceDelete=true");
    server.resource(&key, Method::DELETE, &by_name, "").await;
    let left = server.resource(&key, Method::POST, &format!("{LIST}?{PAYMENTS}"), "{}").await;
    assert_eq!(left, json!([]));
    assert!(
        server.audit().await.iter().any(|(_, action, name)| action == "delegate.delete" && name == "edge")
    );
}

#[tokio::test]
async fn what_is_not_offered_is_not_found_in_json() {
    let server = Server::new().await;
    let key = server.holder("sre@acme.example", "viewer", "acme").await;
    for path in [
        "/ng/api/pipelines",
        "/gateway/ng/api/delegate-setup/nothing",
        "/gateway/api/graphql",
        "/api/graphql",
        "/ng/other",
    ] {
        let answer = server.call(&key, Method::GET, path, "").await;
        assert_eq!(
            (answer.status, &answer.json()["code"]),
            (StatusCode::NOT_FOUND, &json!("RESOURCE_NOT_FOUND")),
            "{path}"
        );
    }
    let long = "x".repeat(3 * 1024 * 1024);
    for (method, path, body, status) in [
        (Method::POST, format!("{LIST}?{ACME}"), &*long, StatusCode::PAYLOAD_TOO_LARGE),
        (Method::GET, format!("/ng/api/delegate-group-tags/%FF?{ACME}"), "", StatusCode::BAD_REQUEST),
    ] {
        let answer = server.call(&key, method, &path, body).await;
        assert_eq!(answer.status, status, "{path}");
        assert_eq!(answer.json()["code"], "INVALID_REQUEST");
    }
    let method = server.call(&key, Method::PATCH, &format!("{TOKENS}?{ACME}"), "").await;
    assert!(method.status.is_client_error() && method.header("content-type").contains("application/json"));
}
