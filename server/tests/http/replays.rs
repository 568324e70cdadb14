//! The calls of existing clients, replayed as they send them and decoded as strictly as they do (`management-api 6`).

use std::collections::BTreeMap;

use axum::body::Body;
use axum::http::{Method, StatusCode};
use fleet::time::{DAY, MINUTE};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::management::{ACME, DELEGATE, LIST, PAYMENTS, TOKENS};
use crate::support::{Answer, Caller, NOON, Server};

/// What a call is answered with, as typed clients decode it: a value of another type breaks them, an unknown key does not.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Envelope<T> {
    #[expect(dead_code, reason = "clients decode it and look away")]
    meta_data: BTreeMap<String, String>,
    resource: T,
    #[expect(dead_code, reason = "the same")]
    response_messages: Vec<BTreeMap<String, String>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::struct_field_names, reason = "keys are named by those who send them")]
struct Delegate {
    #[serde(rename = "type")]
    kind: String,
    name: String,
    description: String,
    tags: Vec<String>,
    #[serde(rename = "lastHeartBeat")]
    last_heart_beat: i64,
    connected: bool,
    delegate_replicas: Vec<Replica>,
    auto_upgrade: String,
    legacy: bool,
    delegate_group_identifier: String,
    group_name: String,
    identifier: String,
    status: String,
    version: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Replica {
    uuid: String,
    last_heartbeat: i64,
    connected: bool,
    host_name: String,
    version: Option<String>,
    expiring_at: i64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Token {
    uuid: String,
    account_id: String,
    name: String,
    created_by: Option<BTreeMap<String, Option<String>>>,
    created_by_ng_user: Principal,
    created_at: i64,
    status: String,
    value: Option<String>,
    revoke_after: Option<i64>,
}

#[derive(Deserialize)]
struct Principal {
    #[serde(rename = "type")]
    kind: String,
    name: String,
    jwtclaims: BTreeMap<String, String>,
}

#[derive(Deserialize)]
struct Failure {
    status: String,
    code: String,
    message: String,
}

/// One client: the base of its paths and the headers that it always sends.
struct Client<'a> {
    server: &'a Server,
    caller: Caller,
    base: &'static str,
    headers: &'static [(&'static str, &'static str)],
}

impl Client<'_> {
    /// Without a body a client names no type of one.
    async fn send(&self, method: Method, path: &str, body: Option<&str>) -> Answer {
        let mut request = self.server.request(&self.caller, method, &format!("{}{path}", self.base)).await;
        for (name, value) in self.headers {
            request = request.header(*name, *value);
        }
        if body.is_some() {
            request = request.header("content-type", "application/json");
        }
        let body = Body::from(body.unwrap_or_default().to_owned());
        let answer = self.server.send(request.body(body).expect("a request")).await;
        assert!(answer.header("content-type").starts_with("application/json"), "undefined response type");
        answer
    }

    async fn get<T: DeserializeOwned>(&self, method: Method, path: &str, body: Option<&str>) -> T {
        let answer = self.send(method, path, body).await;
        assert_eq!(answer.status, StatusCode::OK, "{path}: {}", answer.body);
        let decoded: Result<Envelope<T>, _> = serde_json::from_str(&answer.body);
        decoded.unwrap_or_else(|error| panic!("{error}: {}", answer.body)).resource
    }

    async fn fail(&self, method: Method, path: &str, body: Option<&str>) -> (StatusCode, Failure) {
        let answer = self.send(method, path, body).await;
        assert!(answer.status.is_client_error(), "what is repeated for minutes: {}", answer.status);
        (answer.status, serde_json::from_str(&answer.body).expect("a failure"))
    }
}

async fn fleet() -> (Server, Caller) {
    let server = Server::new().await;
    server.register_one_of_each().await;
    let caller = server.holder("sre@acme.example", "admin", "acme").await;
    (server, caller)
}

#[tokio::test]
async fn the_go_sdk_decodes_every_answer_and_gives_up_at_once() {
    let (server, caller) = fleet().await;
    let headers = &[("accept", "application/json"), ("user-agent", "OpenAPI-Generator/1.0.0/go")];
    let sdk = Client { server: &server, caller, base: "/gateway", headers };
    let list = format!("{LIST}?{PAYMENTS}");
    let delegates: Vec<Delegate> = sdk.get(Method::POST, &list, Some(r#"{"filterType":"Delegate"}"#)).await;
    assert_eq!(delegates.len(), 5);
    for delegate in &delegates {
        assert_eq!((delegate.last_heart_beat, &*delegate.kind), (NOON.millis(), "KUBERNETES"));
        assert!(delegate.connected && !delegate.legacy && delegate.description.is_empty());
        assert!(delegate.tags.contains(&delegate.name) && delegate.auto_upgrade == "DETECTING");
        let [replica] = &delegate.delegate_replicas[..] else { panic!("one instance") };
        assert!(replica.connected && !replica.uuid.is_empty() && !replica.host_name.is_empty());
        assert_eq!(replica.last_heartbeat, NOON.millis());
    }
    let token: Token = sdk.get(Method::POST, &format!("{TOKENS}?{PAYMENTS}&tokenName=sdk"), None).await;
    assert_eq!((&*token.name, &*token.account_id, &*token.status), ("sdk", "acme", "ACTIVE"));
    assert!(token.value.is_some_and(|value| value.len() == 44) && !token.uuid.is_empty());
    assert_eq!((token.created_at, token.revoke_after), (NOON.millis(), None));
    assert_eq!(&*token.created_by_ng_user.kind, "USER");
    assert_eq!(token.created_by_ng_user.jwtclaims["email"], token.created_by_ng_user.name);
    assert_eq!(token.created_by.expect("a person")["email"].as_deref(), Some("sre@acme.example"));

    let (status, failure) = sdk.fail(Method::POST, &format!("{TOKENS}?{PAYMENTS}&tokenName=sdk"), None).await;
    assert_eq!((status, &*failure.code), (StatusCode::BAD_REQUEST, "INVALID_REQUEST"));
    assert!(failure.message.contains("already exists") && failure.status == "FAILURE", "{}", failure.message);
    let (status, _) = sdk.fail(Method::POST, &list, Some(r#"{"status":"ILL"}"#)).await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
    let (status, _) = sdk.fail(Method::PATCH, &list, None).await;
    assert_eq!(status, StatusCode::METHOD_NOT_ALLOWED);
    let (status, failure) = sdk.fail(Method::GET, "/ng/api/pipelines?accountIdentifier=acme", None).await;
    assert_eq!((status, &*failure.code), (StatusCode::NOT_FOUND, "RESOURCE_NOT_FOUND"));
    let stranger = Client { caller: Caller::Key("pat.acme.x.y".to_owned()), ..sdk };
    let (status, failure) = stranger.fail(Method::POST, &list, Some("{}")).await;
    assert_eq!((status, &*failure.code), (StatusCode::UNAUTHORIZED, "INVALID_TOKEN"));
}

#[tokio::test]
async fn terraform_applies_destroys_and_applies_again() {
    let (server, caller) = fleet().await;
    let headers =
        &[("accept", "application/json"), ("user-agent", "terraform-provider-harness-platform-dev")];
    let provider = Client { server: &server, caller, base: "/gateway", headers };
    let (by_name, token) =
        (format!("{TOKENS}?{PAYMENTS}&name=tf"), format!("{TOKENS}?{PAYMENTS}&tokenName=tf"));
    let mut values = Vec::new();
    for _ in 0..2 {
        let none: Vec<Token> = provider.get(Method::GET, &by_name, None).await;
        assert!(none.is_empty(), "an empty list means that it is gone");
        let made: Token = provider.get(Method::POST, &token, None).await;
        let read: Vec<Token> = provider.get(Method::GET, &by_name, None).await;
        assert_eq!((read[0].uuid.clone(), read[0].value.clone()), (made.uuid, made.value.clone()));
        values.push(made.value);
        let revoked: Token = provider.get(Method::PUT, &token, None).await;
        assert_eq!((&*revoked.status, revoked.value), ("REVOKED", None));
        let _: Option<Token> = provider.get(Method::DELETE, &token, None).await;
    }
    assert_ne!(values[0], values[1]);
    let (status, failure) = provider.fail(Method::GET, &format!("{TOKENS}/tf?{PAYMENTS}"), None).await;
    assert_eq!(
        (status, &*failure.code),
        (StatusCode::NOT_FOUND, "ENTITY_NOT_FOUND"),
        "dropped from the state"
    );
    let path = format!("/ng/api/delegate-setup/latest-supported-version?{ACME}");
    let latest: BTreeMap<String, String> = provider.get(Method::GET, &path, None).await;
    assert!(
        latest.values().all(|version| !version.is_empty()) && latest.contains_key("latestSupportedVersion")
    );
    let body = r#"{"filterType":"Delegate","versionStatus":"EXPIRED"}"#;
    let expired: Vec<Delegate> = provider.get(Method::POST, &format!("{LIST}?{PAYMENTS}"), Some(body)).await;
    assert_eq!(expired.iter().map(|delegate| &*delegate.name).collect::<Vec<_>>(), ["old"]);
    let reader = server.holder("reader@acme.example", "viewer", "acme").await;
    let reader = Client { caller: reader, ..provider };
    let (status, failure) = reader.fail(Method::POST, &token, None).await;
    assert_eq!((status, &*failure.code), (StatusCode::FORBIDDEN, "ACCESS_DENIED"));
}

#[tokio::test]
async fn the_command_line_client_reads_its_keys_and_works_by_path() {
    let (server, caller) = fleet().await;
    let cli = Client { server: &server, caller, base: "", headers: &[("user-agent", "cli")] };
    let delegates: Vec<Delegate> = cli.get(Method::POST, &format!("{LIST}?{PAYMENTS}"), Some("{}")).await;
    let behind = delegates.iter().find(|delegate| delegate.name == "behind").expect("listed");
    assert_eq!((&*behind.delegate_group_identifier, &*behind.group_name), ("_behind", "behind"));
    assert_eq!(
        (&*behind.identifier, &*behind.status, &*behind.version),
        ("_behind", "CONNECTED", "26.09.89620")
    );
    let _: Token = cli.get(Method::POST, &format!("{TOKENS}?{PAYMENTS}&tokenName=cli"), None).await;
    let path = format!("{TOKENS}/cli?{PAYMENTS}");
    let (status, _) = cli.fail(Method::DELETE, &path, None).await;
    assert_eq!(status, StatusCode::BAD_REQUEST, "it is active");
    let _: Option<Token> = cli.get(Method::DELETE, &format!("{path}&forceRevoke=true"), None).await;
    let delegate = format!("{DELEGATE}/_behind?{PAYMENTS}");
    let (status, failure) = cli.fail(Method::DELETE, &delegate, None).await;
    assert_eq!((status, failure.message.contains("connected")), (StatusCode::BAD_REQUEST, true));
    let _: BTreeMap<String, String> =
        cli.get(Method::DELETE, &format!("{delegate}&forceDelete=true"), None).await;
    let (status, _) = cli.fail(Method::DELETE, &format!("{delegate}&forceDelete=true"), None).await;
    assert_eq!(status, StatusCode::BAD_REQUEST, "the second time");
}

#[tokio::test]
async fn the_mcp_server_lists_everything_and_finds_what_is_stale_or_ends() {
    let (server, caller) = fleet().await;
    server.clock.advance(6 * MINUTE);
    server.register("acme", "fresh", "fresh-1-a", Some("26.11.90604")).await;
    let mcp = Client { server: &server, caller, base: "/gateway", headers: &[("accept", "*/*")] };
    let path = format!("{LIST}?{ACME}&all=true");
    let delegates: Vec<Delegate> = mcp.get(Method::POST, &path, Some("{}")).await;
    let now = server.clock.now().millis();
    let is_stale = |delegate: &&Delegate| now - delegate.last_heart_beat > 5 * MINUTE;
    assert_eq!((delegates.len(), delegates.iter().filter(is_stale).count()), (6, 5));
    let replicas = delegates.iter().flat_map(|delegate| &delegate.delegate_replicas);
    let ends = replicas.filter(|replica| replica.expiring_at > 0 && replica.expiring_at - now < 7 * DAY);
    assert_eq!(ends.filter(|replica| replica.version.is_some()).count(), 0, "what is silent has no end");
    let made: Token = mcp.get(Method::POST, &format!("{TOKENS}?{ACME}"), Some(r#"{"name":"mcp"}"#)).await;
    let read: Token = mcp.get(Method::GET, &format!("{TOKENS}/mcp?{ACME}"), None).await;
    assert_eq!(made.uuid, read.uuid);
    let users: BTreeMap<String, serde_json::Value> =
        mcp.get(Method::GET, &format!("{TOKENS}/mcp/delegates?{ACME}"), None).await;
    assert_eq!(users["delegateGroupDetails"], serde_json::json!([]));
    let revoked: Token = mcp.get(Method::PUT, &format!("{TOKENS}/mcp?{ACME}"), None).await;
    assert_eq!(revoked.status, "REVOKED");
}
