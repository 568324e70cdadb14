//! The whole server without a socket.

use std::borrow::Cow;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderMap, Request, StatusCode};
use fleet::scope::Scope;
use fleet::time::Timestamp;
use http_body_util::BodyExt as _;
use server::application::Parts;
use server::clock::Clock;
use server::config::{Config, Options, ServeOptions};
use server::roster::report::Report;
use server::store;
use server::tokens::issue::create_scope;
use server::tokens::vault::Vault;
use server::tokens::{Caller, KnownToken};
use tempfile::TempDir;
use tower::ServiceExt as _;

/// 2026-11-20 12:00 UTC: today of the catalog fixture.
pub(crate) const NOON: Timestamp = Timestamp::from_millis(1_795_176_000_000);

/// A server on SQLite in a folder of its own.
pub(crate) struct Server {
    pub(crate) parts: Parts,
    pub(crate) clock: Clock,
    _folder: TempDir,
}

/// An answer, read whole.
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: String,
}

impl Answer {
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }
}

impl Server {
    /// With the scopes `acme`, `acme/payments`, `acme/payments/checkout` and the catalog fixture.
    pub(crate) async fn new() -> Self {
        let folder = tempfile::tempdir().expect("folder");
        let clock = Clock::manual(NOON);
        let url = format!("sqlite://{}", folder.path().join("rollcall.db").display());
        let store = store::open(&url).await.expect("store");
        store.migrate().await.expect("schema");
        let vault = Arc::new(Vault::from_key([7; 32]));
        let scope: Scope = "acme/payments/checkout".parse().expect("scope");
        create_scope(&*store, &vault, &scope, NOON).await.expect("scopes");
        store.put_catalog(include_str!("../../../fixtures/catalog.json"), NOON).await.expect("catalog");
        let config = Config::load(Options::default(), ServeOptions::default()).expect("config");
        let parts = Parts::build(&config, store, vault, clock.clone()).await.expect("parts");
        Self { parts, clock, _folder: folder }
    }

    pub(crate) fn router(&self) -> Router {
        self.parts.router.clone()
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        self.send(Request::get(path).header("host", "localhost:3000").body(Body::empty()).expect("request"))
            .await
    }

    pub(crate) async fn send(&self, request: Request<Body>) -> Answer {
        let response = self.router().oneshot(request).await.expect("infallible");
        let (head, body) = response.into_parts();
        let bytes = body.collect().await.expect("body").to_bytes();
        Answer {
            status: head.status,
            headers: head.headers,
            body: String::from_utf8_lossy(&bytes).into_owned(),
        }
    }

    /// Registers one delegate now and returns its id.
    pub(crate) async fn register(
        &self,
        scope: &str,
        name: &str,
        host: &str,
        version: Option<&str>,
    ) -> Arc<str> {
        let scope: Scope = scope.parse().expect("scope");
        let account = scope.account().into();
        let token = KnownToken::new("token".into(), "edge".into(), Arc::new(scope), None);
        let caller = Caller { account, token: Arc::new(token) };
        let text = |text: &str| Some(Cow::Owned(text.to_owned()));
        let report = Report {
            name: text(name),
            host_name: text(host),
            kind: text("KUBERNETES"),
            ip: text("10.0.0.1"),
            ng: Some(true),
            immutable: Some(true),
            version: version.map(|version| Cow::Owned(version.to_owned())),
            tags: Some(vec![Cow::Borrowed("eu")]),
            ..Report::default()
        };
        self.parts.roster.register(&caller, &report, self.clock.now()).await.expect("admitted").id
    }

    /// One instance of every standing in `acme/payments`: expired, near expiry, unsupported, active, unknown.
    pub(crate) async fn register_one_of_each(&self) {
        for (name, version) in [
            ("old", Some("25.12.87602")),
            ("ageing", Some("26.06.89201")),
            ("behind", Some("26.09.89620")),
            ("current", Some("26.11.90604")),
            ("custom", Some("my-build")),
        ] {
            self.register("acme/payments", name, &format!("{name}-1-a"), version).await;
        }
    }
}
