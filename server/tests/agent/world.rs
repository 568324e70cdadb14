//! A server with one account and one token, and clients that speak to it.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use crate::token_shortcuts::TokenShortcuts as _;
use axum::Router;
use axum::body::Body;
use axum::http::{HeaderMap, Request, StatusCode};
use fleet::time::Timestamp;
use fleet::view::{GroupView, Member};
use http_body_util::BodyExt as _;
use prometheus::Registry;
use serde_json::Value;
use server::agent::metrics::AgentMetrics;
use server::agent::{self, AgentParts, AgentSettings, AgentState, path};
use server::clock::Clock;
use server::roster::{Limits, Reference, Roster, RosterParts};
use server::store::{self, NewScope, SharedStore, TokenRow, TokenStatus};
use server::tokens::book::TokenBook;
use server::tokens::key::TokenKey;
use server::tokens::vault::Vault;
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt as _;
use tower::util::MapRequest;

/// The key of both vectors (agent-protocol 1.11).
pub(crate) const KEY: &str = "00112233445566778899aabbccddeeff";
/// Made by a live Go client; valid until shortly after [`NOW`].
pub(crate) const V1: &str = "eyJhbGciOiJkaXIiLCJlbmMiOiJBMTI4R0NNIiwidHlwIjoiSldUIn0..Fo9u9QMIAKBUkrkN.V-tPDboRXepg_M2DEpBHKZLmBFt0TU9JspeXSqbNnjdL6snXWSnDZWNxDz8nkP2vI_PUS_njwjRJreBiNc7coVKHYBvb4d-Gx9Dtlh-pIrDiVS6i_V4XZWtvRIvv8kXj0hV5TOcNSy0tsgvQSNUB0pbdjWZXonc0y8zL1ayw.bZn08Htfsi0Y1PKtFoTQBQ";
/// When [`V1`] ends, in milliseconds.
pub(crate) const V1_EXP: i64 = 1_795_207_061_000;
/// Composed in the Java shape; valid until 2100.
pub(crate) const V2: &str = "eyJlbmMiOiJBMTI4R0NNIiwiYWxnIjoiZGlyIn0..AAECAwQFBgcICQoL.UPdet921tULvV02yIa9tz35q72hOk6_OzHz2bIB-4goMq7ogZXg6yi6C19q_dqfOmkjl1Nmg6IjELBTIF9ktZKLV9u01E1H59FiTV2sJf8UV9VPJDUqqEjFjVd-LykOUxWWmHo3bg360DzfKHp_8NOljfBN-0FmPTJUmjgLTRwqbTNlW8zelaqLlFvmWzQgUAYenAru44ERL8hT7nA._iz_VW8FVKFURDXHwqvwkg";
/// Between the iat and the exp of [`V1`].
pub(crate) const NOW: Timestamp = Timestamp::from_millis(1_795_206_000_000);

pub(crate) const REGISTER: &str = "/api/agent/delegates/register?accountId=ACC";
pub(crate) const HEARTBEAT: &str = "/api/agent/delegates/heartbeat-with-polling?accountId=ACC";
pub(crate) const UNREGISTER: &str = "/api/agent/delegates/unregister?accountId=ACC";

/// A file of fixtures/agent.
macro_rules! fixture {
    ($name:literal) => {
        include_str!(concat!("../../../fixtures/agent/", $name))
    };
}
pub(crate) use fixture;

pub(crate) type App = MapRequest<Router, fn(Request<Body>) -> Request<Body>>;

/// The server in a test.
pub(crate) struct World {
    pub(crate) clock: Clock,
    pub(crate) roster: Arc<Roster>,
    pub(crate) tokens: Arc<TokenBook>,
    pub(crate) agent: AgentState,
    pub(crate) store: SharedStore,
    pub(crate) registry: Registry,
    pub(crate) shutdown: CancellationToken,
    pub(crate) folder: TempDir,
    vault: Vault,
    app: App,
    looks: AtomicI64,
}

impl World {
    /// Account `ACC` with the token `edge`, whose key is [`KEY`].
    pub(crate) async fn new() -> Self {
        Self::with(AgentSettings::default()).await
    }

    pub(crate) async fn with(settings: AgentSettings) -> Self {
        let world = Self::unready(settings).await;
        world.issue("edge", "ACC", KEY).await;
        world.reload().await;
        world
    }

    /// A server that has not loaded its tokens yet.
    pub(crate) async fn unready(settings: AgentSettings) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store =
            store::open(&format!("sqlite://{}", folder.path().join("fleet.db").display())).await.unwrap();
        store.migrate().await.unwrap();
        let clock = Clock::manual(NOW);
        let tokens = Arc::new(TokenBook::default());
        let parts = RosterParts {
            store: Arc::clone(&store),
            tokens: Arc::clone(&tokens),
            clock: clock.clone(),
            reference: Reference::default(),
            limits: Limits::default(),
            stop: CancellationToken::new(),
        };
        let (roster, _) = Roster::start(parts).await.unwrap();
        let registry = Registry::new();
        let shutdown = CancellationToken::new();
        let agent = AgentState::new(AgentParts {
            roster: Arc::clone(&roster),
            tokens: Arc::clone(&tokens),
            clock: clock.clone(),
            settings,
            metrics: AgentMetrics::new(&registry).unwrap(),
            shutdown: shutdown.clone(),
        });
        // A manager URL with a path, as some installations have it.
        let rewrite: fn(Request<Body>) -> Request<Body> = |request| path::rewrite(Some("/gratis"))(request);
        let app = MapRequest::new(agent::routes(agent.clone()), rewrite);
        let (vault, looks) = (Vault::from_key([5; 32]), AtomicI64::new(0));
        Self { clock, roster, tokens, agent, store, registry, shutdown, folder, vault, app, looks }
    }

    /// Stores a token; [`World::reload`] makes it known.
    pub(crate) async fn issue(&self, name: &str, scope: &str, key: &str) {
        let key = TokenKey::parse(key).unwrap();
        let scope: Arc<fleet::scope::Scope> = Arc::new(scope.parse().unwrap());
        let row = |name: &str, key: &TokenKey| TokenRow {
            id: format!("id-of-{name}").into(),
            scope: Arc::clone(&scope),
            name: name.into(),
            sealed: self.vault.seal(key, &format!("id-of-{name}")),
            hash: key.hash().into(),
            status: TokenStatus::Active,
            created_at: NOW,
            created_by: None,
            revoke_after: None,
            revoked_at: None,
            last_used: None,
        };
        let mut missing: Vec<_> = scope.ancestors().collect();
        missing.reverse();
        for scope in missing {
            let first = row(&format!("default-{scope}").replace('/', "-"), &TokenKey::random());
            let first = TokenRow { scope: Arc::new(scope.clone()), ..first };
            self.store.create_scopes(&[NewScope { scope, created_at: NOW, token: first }]).await.unwrap();
        }
        self.store.insert_token(&row(name, &key)).await.unwrap();
    }

    /// Reads all tokens anew.
    pub(crate) async fn reload(&self) {
        let rows = self.store.tokens().await.unwrap();
        assert!(self.tokens.replace(&rows, &self.vault).is_empty());
    }

    pub(crate) async fn send(&self, request: Request<Body>) -> Answer {
        let response = self.app.clone().oneshot(request).await.unwrap();
        let (parts, body) = response.into_parts();
        let body = body.collect().await.unwrap().to_bytes();
        let body = String::from_utf8(body.into()).unwrap();
        Answer { status: parts.status, headers: parts.headers, body }
    }

    /// A call of an agent with vector V2.
    pub(crate) async fn call(&self, method: &str, uri: &str, body: &str) -> Answer {
        self.send(request(method, uri, V2, body)).await
    }

    pub(crate) async fn register(&self, body: &str) -> Answer {
        self.call("POST", REGISTER, body).await
    }

    /// Registers and returns the id.
    pub(crate) async fn registered(&self, body: &str) -> String {
        let answer = self.register(body).await;
        assert_eq!(answer.status, StatusCode::OK, "{}", answer.body);
        let id = answer.json()["resource"]["delegateId"].as_str().unwrap().to_owned();
        assert!(!id.is_empty());
        id
    }

    pub(crate) async fn heartbeat(&self, body: &str) -> Answer {
        self.call("POST", HEARTBEAT, body).await
    }

    /// The visible groups of a scope and those below.
    pub(crate) async fn groups(&self, scope: &str) -> Vec<GroupView> {
        let scope = scope.parse().unwrap();
        if !self.roster.has_scope(&scope) {
            return Vec::new();
        }
        // Each look comes later than a snapshot is kept for.
        let later = self.looks.fetch_add(2_000, Ordering::Relaxed);
        let shared = self.roster.snapshot(&scope, true, self.clock.now().plus(later)).await.unwrap();
        shared.snapshot.groups.clone()
    }

    /// Every visible instance of account `ACC`.
    pub(crate) async fn instances(&self) -> Vec<Member> {
        self.groups("ACC").await.into_iter().flat_map(|group| group.members).collect()
    }

    /// The one instance of account `ACC`.
    pub(crate) async fn instance(&self) -> Member {
        let mut instances = self.instances().await;
        assert_eq!(instances.len(), 1);
        instances.remove(0)
    }

    /// What `/metrics` would show.
    pub(crate) fn metrics(&self) -> String {
        prometheus::TextEncoder::new().encode_to_string(&self.registry.gather()).unwrap()
    }

    /// Listens on a free port of the loopback address.
    pub(crate) async fn listen(&self) -> SocketAddr {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let app = self.app.clone();
        let app = axum::ServiceExt::<Request<Body>>::into_make_service_with_connect_info::<SocketAddr>(app);
        tokio::spawn(async move { axum::serve(listener, app).await });
        address
    }
}

/// Waits for what another task is about to do.
pub(crate) async fn eventually(done: impl AsyncFn() -> bool) {
    for _ in 0..5_000 {
        if done().await {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(2)).await;
    }
    panic!("it never happened");
}

/// What came back.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: String,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }

    /// The code of an error, which its header repeats.
    pub(crate) fn code(&self) -> String {
        let code = self.json()["responseMessages"][0]["code"].as_str().unwrap().to_owned();
        assert_eq!(self.headers["x-harness-error"], *code);
        code
    }
}

/// A request as an agent sends it.
pub(crate) fn request(method: &str, uri: &str, jwe: &str, body: &str) -> Request<Body> {
    Request::builder()
        .method(method)
        .uri(uri)
        .header("authorization", format!("Delegate {jwe}"))
        .header("content-type", "application/json")
        .body(Body::from(body.to_owned()))
        .unwrap()
}

/// A register body of this name and host, with further members.
pub(crate) fn body(name: &str, host: &str, rest: &str) -> String {
    let comma = if rest.is_empty() { "" } else { "," };
    format!(r#"{{"accountId":"ACC","delegateName":"{name}","hostName":"{host}","ng":true{comma}{rest}}}"#)
}
