//! A small server that speaks the protocol and remembers what it was told.

#![expect(dead_code, reason = "each test program uses a part of it")]

use std::sync::Arc;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::extract::{Path, Request, State};
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use drill::base::Base;
use drill::http::Http;
use drill::jwe;
use drill::profile::Profile;
use drill::scenario::Scenario;
use drill::stats::Stats;
use drill::token::Token;
use drill::tokens::Tokens;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::{Mutex, Notify};

/// Inner form of the token that the server knows.
pub(crate) const TOKEN: &str = "00112233445566778899aabbccddeeff";

/// One request, or one frame of a stream with the method `FRAME`.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) query: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
    /// Whether its credential opened.
    pub(crate) authentic: bool,
}

impl Seen {
    /// `METHOD path`.
    pub(crate) fn line(&self) -> String {
        format!("{} {}", self.method, self.path)
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    pub(crate) fn is_register(&self) -> bool {
        self.path.ends_with("/register")
    }

    /// A heartbeat over REST or on a stream.
    pub(crate) fn is_beat(&self) -> bool {
        self.path.ends_with("/heartbeat-with-polling") || self.method == "FRAME"
    }

    pub(crate) fn is_goodbye(&self) -> bool {
        self.path.ends_with("/unregister")
    }
}

/// What the server does instead of what the protocol says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Fault {
    #[default]
    None,
    /// 503 to every registration.
    Unavailable,
    /// 401 `INVALID_TOKEN` to every registration.
    InvalidToken,
    /// 401 `REVOKED_TOKEN` to every heartbeat over REST.
    RevokedAtBeat,
    /// `[SELF_DESTRUCT]<id>` instead of an acknowledgement.
    SelfDestruct,
    /// One key too many in the answer to a registration.
    AdditionalKey,
    /// The short acknowledgement although the long one was asked for.
    ForeignAck,
    /// Closes every stream after one acknowledgement.
    ShortStreams,
}

#[derive(Default)]
pub(crate) struct Inner {
    seen: Mutex<Vec<Seen>>,
    news: Notify,
    fault: Fault,
}

pub(crate) struct Server {
    pub(crate) base: Base,
    inner: Arc<Inner>,
}

impl Server {
    pub(crate) async fn start(fault: Fault) -> Self {
        let inner = Arc::new(Inner { fault, ..Inner::default() });
        let router = Router::new()
            .route("/stream/delegate/{account}", get(stream))
            .fallback(answer)
            .with_state(Arc::clone(&inner));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = Base::parse(&format!("http://{}", listener.local_addr().unwrap()), false).unwrap();
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self { base, inner }
    }

    pub(crate) fn http(&self) -> Http {
        Http::new(self.base.clone(), 4, Arc::new(Stats::default()))
    }

    pub(crate) async fn seen(&self) -> Vec<Seen> {
        self.inner.seen.lock().await.clone()
    }

    pub(crate) async fn last(&self) -> Seen {
        self.inner.seen.lock().await.last().unwrap().clone()
    }

    /// Ready when what was seen fulfils `condition`.
    pub(crate) async fn until(&self, condition: impl Fn(&[Seen]) -> bool) {
        loop {
            let news = self.inner.news.notified();
            if condition(&self.inner.seen.lock().await) {
                return;
            }
            news.await;
        }
    }
}

impl Inner {
    async fn remember(&self, seen: Seen) {
        self.seen.lock().await.push(seen);
        self.news.notify_one();
    }
}

async fn answer(State(inner): State<Arc<Inner>>, request: Request) -> Response {
    let (head, body) = request.into_parts();
    let body = to_bytes(body, 1 << 20).await.unwrap().to_vec();
    let credential = head.headers.get("authorization").and_then(|value| value.to_str().ok());
    let jwe = credential.and_then(|value| value.strip_prefix("Delegate "));
    let seen = seen(&head.method, &head.uri, head.headers.clone(), body, is_authentic(jwe));
    let authentic = seen.authentic;
    let reply = if authentic { reply(&seen, inner.fault) } else { refusal(401, "INVALID_TOKEN") };
    inner.remember(seen).await;
    reply
}

fn seen(method: &Method, uri: &Uri, headers: HeaderMap, body: Vec<u8>, authentic: bool) -> Seen {
    let (path, query) = (uri.path().to_owned(), uri.query().unwrap_or_default().to_owned());
    Seen { method: method.to_string(), path, query, headers, body, authentic }
}

fn is_authentic(jwe: Option<&str>) -> bool {
    jwe.is_some_and(|jwe| jwe::open(&Token::parse(TOKEN).unwrap(), jwe).is_ok())
}

fn reply(seen: &Seen, fault: Fault) -> Response {
    let body = seen.json();
    match (seen.is_register(), fault) {
        (true, Fault::Unavailable) => return refusal(503, "UNAVAILABLE"),
        (true, Fault::InvalidToken) => return refusal(401, "INVALID_TOKEN"),
        (false, Fault::RevokedAtBeat) if seen.is_beat() => return refusal(401, "REVOKED_TOKEN"),
        _ => {}
    }
    if seen.is_register() {
        // The host name as the id, so that tests can tell who is who.
        let mut resource = json!({
            "delegateId": body["hostName"], "action": null, "migrateUrl": null, "sequenceNum": null,
            "delegateRandomToken": null,
        });
        if fault == Fault::AdditionalKey {
            resource["server"] = json!("x");
        }
        return envelope(&resource);
    }
    if seen.is_beat() {
        return envelope(&json!({
            "delegateId": body["delegateId"], "status": "ENABLED", "useCdn": false, "jreVersion": null,
            "delegateRandomToken": null, "sequenceNumber": null,
        }));
    }
    match seen.path.rsplit('/').next().unwrap_or_default() {
        "unregister" => envelope(&Value::Null),
        "task-events" => axum::Json(json!({"delegateTaskEvents": []})).into_response(),
        "runner-events" => axum::Json(json!({"delegateRunnerEvents": []})).into_response(),
        "reconcile" => axum::Json(json!({"data": []})).into_response(),
        "delegate-v2" | "delegate" => envelope(&json!({"imageTag": "x", "shouldUpgrade": false})),
        _ => StatusCode::OK.into_response(),
    }
}

fn envelope(resource: &Value) -> Response {
    axum::Json(json!({"metaData": {}, "resource": resource, "responseMessages": []})).into_response()
}

fn refusal(status: u16, code: &str) -> Response {
    let message =
        json!({"code": code, "level": "ERROR", "message": "No.", "exception": null, "failureTypes": []});
    let body = json!({"metaData": null, "resource": null, "responseMessages": [message]});
    (StatusCode::from_u16(status).unwrap(), axum::Json(body)).into_response()
}

async fn stream(
    State(inner): State<Arc<Inner>>,
    Path(account): Path<String>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    upgrade: WebSocketUpgrade,
) -> Response {
    let query = uri.query().unwrap_or_default();
    let token = query.split('&').find_map(|pair| pair.strip_prefix("token="));
    let authentic = is_authentic(token);
    inner.remember(seen(&method, &uri, headers, Vec::new(), authentic)).await;
    if authentic {
        upgrade.on_upgrade(move |socket| talk(inner, account, socket))
    } else {
        (StatusCode::UNAUTHORIZED, Body::empty()).into_response()
    }
}

async fn talk(inner: Arc<Inner>, account: String, mut socket: WebSocket) {
    while let Some(Ok(message)) = socket.recv().await {
        let Message::Text(text) = message else { continue };
        let frame: Value = serde_json::from_str(text.as_str()).unwrap();
        let authentic = is_authentic(frame["token"].as_str()) && frame["accountId"] == account.as_str();
        let (method, path) = ("FRAME".to_owned(), format!("/stream/delegate/{account}"));
        let body = text.as_bytes().to_vec();
        let (query, headers) = (String::new(), HeaderMap::new());
        inner.remember(Seen { method, path, query, headers, body, authentic }).await;
        let id = frame["delegateId"].as_str().unwrap();
        let short = frame["heartbeatAsObject"] == false;
        let reply = match inner.fault {
            Fault::SelfDestruct => format!("[SELF_DESTRUCT]{id}"),
            Fault::ForeignAck => "[X]somebody".to_owned(),
            _ if short => format!("[X]{id}"),
            _ => format!(
                r#"{{"eventType":"DelegateHeartbeatResponseStreaming","delegateId":"{id}","responseSentAt":1}}"#
            ),
        };
        if socket.send(Message::text(reply)).await.is_err() || inner.fault == Fault::ShortStreams {
            return;
        }
    }
}

/// A pod of the account ACC.
pub(crate) fn pod() -> Profile {
    Profile {
        version: Some("26.09.89620".into()),
        tags: ["eu", "edge"].map(Box::from).into(),
        ..Profile::new("ACC", "edge-a", "edge-a-7c9d5b6f4-x2kqp", "10.42.3.17")
    }
}

pub(crate) fn token() -> Token {
    Token::parse(TOKEN).unwrap()
}

/// The token for the scope ACC.
pub(crate) fn tokens() -> Tokens {
    let mut tokens = Tokens::default();
    tokens.add_pair(&format!("ACC={TOKEN}")).unwrap();
    tokens
}

/// A scenario of one group in the scope ACC; `group` holds its keys.
pub(crate) fn one_group(group: &str) -> Scenario {
    Scenario::parse(&format!("[[scope]]\npath = \"ACC\"\n[[scope.group]]\nname = \"edge\"\n{group}")).unwrap()
}
