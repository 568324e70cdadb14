//! Answers of servers of many kinds, and what the client makes of them.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};
use client::{Client, ClientError, Key};
use fleet::scope::Scope;

/// What a server saw, and how it answers.
#[derive(Clone)]
struct Played {
    seen: Arc<Mutex<Vec<(String, HeaderMap)>>>,
    status: StatusCode,
    headers: Vec<(&'static str, &'static str)>,
    body: &'static str,
}

async fn answer(State(played): State<Played>, request: Request) -> Response {
    let line = format!("{} {}", request.method(), request.uri());
    played.seen.lock().expect("seen").push((line, request.headers().clone()));
    let mut response = (played.status, played.body).into_response();
    response.headers_mut().insert("content-type", "application/json".parse().expect("a value"));
    for (name, value) in played.headers {
        response.headers_mut().insert(name, value.parse().expect("a value"));
    }
    response
}

/// The address of a server that answers everything alike.
async fn play(
    status: u16,
    headers: Vec<(&'static str, &'static str)>,
    body: &'static str,
) -> (String, Played) {
    let status = StatusCode::from_u16(status).expect("a status");
    let played = Played { seen: Arc::default(), status, headers, body };
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let router = Router::new().fallback(answer).with_state(played.clone());
    tokio::spawn(async move { axum::serve(listener, router).await });
    (format!("http://{address}"), played)
}

fn client(base: &str) -> Client {
    Client::new(base, Key::new(" sat.acme.id.secret\n")).expect("a client")
}

fn scope(text: &str) -> Scope {
    text.parse().expect("a scope")
}

#[tokio::test]
async fn a_list_is_read_whatever_keys_it_lacks_or_has_too_many() {
    let body = r#"{"metaData":{},"resource":[
        {"name":"full","type":"KUBERNETES","tags":["full","eu"],"lastHeartBeat":5,"connected":true,"newKey":{},
         "delegateReplicas":[{"uuid":"a","lastHeartbeat":4,"connected":true,"hostName":"h","version":"26.09.89620",
                              "expiringAt":9,"status":"ACTIVE","runner":false,"other":[]}],
         "autoUpgrade":"SYNCHRONIZING","orgName":"payments"},
        {"name":"bare","delegateReplicas":[{"uuid":"b"}],"tags":null},
        {"name":7}, "nothing"
    ],"responseMessages":[],"correlationId":"x"}"#;
    let (base, other) = play(200, vec![("date", "Fri, 20 Nov 2026 12:00:00 GMT")], body).await;
    let told = client(&format!("{base}/gateway/")).list(&scope("acme/payments"), true).await.expect("a list");
    assert_eq!(told.date.map(fleet::time::Timestamp::millis), Some(1_795_176_000_000));
    assert_eq!(told.value.skipped, 2);
    let [full, least] = &told.value.delegates[..] else { panic!("{:?}", told.value) };
    assert_eq!(
        (full.connected, full.replicas[0].expiring_at, full.org_name.as_deref()),
        (Some(true), 9, Some("payments"))
    );
    assert_eq!(full.auto_upgrade.as_deref(), Some("SYNCHRONIZING"));
    assert_eq!((least.connected, least.replicas[0].connected, least.tags.len()), (None, None, 0));
    let seen = other.seen.lock().expect("seen");
    let (line, headers) = &seen[0];
    assert_eq!(
        line,
        "POST /gateway/ng/api/delegate-setup/listDelegates?accountIdentifier=acme&orgIdentifier=payments&all=true"
    );
    assert_eq!(headers["x-api-key"], "sat.acme.id.secret");
    assert_eq!(headers["content-type"], "application/json");
}

#[tokio::test]
async fn every_refusal_is_what_it_is() {
    let failure = async |status, headers, body| {
        let (base, _) = play(status, headers, body).await;
        client(&base).list(&scope("acme"), false).await.expect_err("a refusal")
    };
    let said = r#"{"code":"ENTITY_NOT_FOUND","message":"no such account"}"#;
    let message = "no such account".to_owned();
    for status in [401, 403] {
        let refused = ClientError::Refused { status, message: message.clone() };
        assert_eq!(failure(status, vec![], said).await, refused);
    }
    let code = "ENTITY_NOT_FOUND".to_owned();
    assert_eq!(failure(404, vec![], said).await, ClientError::Failed { status: 404, code, message });
    let many = |retry_after| ClientError::TooMany { retry_after };
    assert_eq!(failure(429, vec![], "").await, many(None));
    assert_eq!(failure(429, vec![("retry-after", "17")], "").await, many(Some(17)));
    assert_eq!(failure(503, vec![("content-type", "text/html")], "<html>").await, ClientError::Server(503));
    for (headers, body) in [
        (vec![("content-type", "text/html")], "<html>sign in</html>"),
        (vec![], "[]"),
        (vec![], r#"{"resource":{}}"#),
        (vec![], r#"{"other":[]}"#),
    ] {
        assert!(matches!(failure(200, headers, body).await, ClientError::Shape(_)), "{body}");
    }
    assert!(failure(503, vec![], "").await.may_pass() && !failure(404, vec![], "").await.may_pass());
}

#[tokio::test]
async fn the_key_goes_nowhere_else() {
    let (elsewhere, other) = play(200, vec![], r#"{"resource":[]}"#).await;
    let target: &'static str = Box::leak(format!("{elsewhere}/stolen").into_boxed_str());
    for status in [301, 302, 307, 308] {
        let (base, _) = play(status, vec![("location", target)], "").await;
        let refused = client(&base).list(&scope("acme"), false).await.expect_err("a refusal");
        assert_eq!(refused, ClientError::Redirected(status));
    }
    assert!(other.seen.lock().expect("seen").is_empty());
    let client = client(&elsewhere);
    assert!(!format!("{client:?}").contains("secret"));
    let unreachable = Client::new("http://127.0.0.1:9", Key::new("pat.acme.id.secret")).expect("a client");
    let error = unreachable.latest(&scope("acme")).await.expect_err("nobody");
    assert!(
        matches!(&error, ClientError::Unreachable(_)) && !error.to_string().contains("secret"),
        "{error}"
    );
}

#[test]
fn addresses_and_keys_that_cannot_be_used_are_refused_at_once() {
    let key = || Key::new("pat.acme.id.secret");
    for base in ["", "rollcall.example", "ftp://a", "http://", "http://user:word@a", "http://a?x=1"] {
        assert!(matches!(Client::new(base, key()), Err(ClientError::Address(_))), "{base}");
    }
    assert!(matches!(Client::new("http://a", Key::new("a\nb")), Err(ClientError::Key)));
    assert_eq!(key().account(), Some("acme"));
    assert_eq!(Key::new("sat.a.b.id.secret").account(), Some("a.b"));
    for odd in ["", "pat.acme", "pat..id.secret", "pat.a.b"] {
        assert_eq!(Key::new(odd).account(), None, "{odd}");
    }
}
