//! The whole server without a socket.

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::Router;
use axum::body::Body;
use axum::http::request::Builder;
use axum::http::{HeaderMap, Method, Request, StatusCode};
use fleet::access::Reach;
use fleet::scope::Scope;
use fleet::time::Timestamp;
use http_body_util::BodyExt as _;
use server::application::Parts;
use server::auth::session::Origin;
use server::clock::Clock;
use server::config::{Config, Options, ServeOptions};
use server::deeds::people::{self, NewAssignment, NewPerson};
use server::deeds::{Actor, keys};
use server::roster::report::Report;
use server::store;
use server::store::access::{AuditWanted, Change};
use server::tokens::issue::create_scope;
use server::tokens::vault::Vault;
use server::tokens::{self, KnownToken};
use tempfile::TempDir;
use tower::ServiceExt as _;

use crate::database::fresh_database;

/// 2026-11-20 12:00 UTC: today of the catalog fixture.
pub(crate) const NOON: Timestamp = Timestamp::from_millis(1_795_176_000_000);

/// Which database the suite runs on: `postgres`, or `pair` for two nodes on one, whose routers take turns. `SQLite`
/// otherwise.
const DATABASE: &str = "ROLLCALL_TEST_DATABASE";

/// What the one who runs the suite wants it to run on.
#[expect(clippy::disallowed_methods, reason = "the suite is told by its environment")]
fn wanted() -> String {
    std::env::var(DATABASE).unwrap_or_default()
}

/// A server on a database of its own.
pub(crate) struct Server {
    pub(crate) parts: Parts,
    /// The second node.
    twin: Option<Parts>,
    requests: AtomicUsize,
    pub(crate) clock: Clock,
    /// Somebody who may do everything.
    pub(crate) root: Caller,
    folder: TempDir,
}

/// Who asks.
#[derive(Clone, Debug)]
pub(crate) enum Caller {
    Stranger,
    /// With a new session of this person for each request.
    Browser(String),
    /// With exactly this session.
    Cookie(String),
    Key(String),
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
        Self::on(&wanted()).await
    }

    /// The same on one node, for what each node counts or keeps for itself.
    pub(crate) async fn alone() -> Self {
        let wanted = wanted();
        Self::on(if wanted == "pair" { "postgres" } else { &wanted }).await
    }

    /// The same on SQLite, for what is particular to its file.
    pub(crate) async fn on_a_file() -> Self {
        Self::on("").await
    }

    async fn on(wanted: &str) -> Self {
        let folder = tempfile::tempdir().expect("folder");
        let clock = Clock::manual(NOON);
        let url = match wanted {
            "postgres" | "pair" => fresh_database().await,
            _ => format!("sqlite://{}", folder.path().join("rollcall.db").display()),
        };
        let store = store::open(&url).await.expect("store");
        store.migrate().await.expect("schema");
        let vault = Arc::new(Vault::from_key([7; 32]));
        let scope: Scope = "acme/payments/checkout".parse().expect("scope");
        create_scope(&*store, &vault, &scope, NOON).await.expect("scopes");
        let document = include_str!("../../../fixtures/catalog.json").to_owned();
        store.commit(&[Change::PutCatalog { document, at: NOON }]).await.expect("catalog");
        let config = Config::load(Options::default(), ServeOptions::default()).expect("config");
        let node = async |store| {
            Parts::build(&config, store, Arc::clone(&vault), clock.clone()).await.expect("parts")
        };
        let twin = match wanted {
            "pair" => Some(node(store::open(&url).await.expect("store")).await),
            _ => None,
        };
        let parts = node(store).await;
        let root = Caller::Browser("root@acme.example".to_owned());
        let server = Self { parts, twin, requests: AtomicUsize::new(0), clock, root, folder };
        server.person("root@acme.example", "admin", "*").await;
        server
    }

    /// Every node.
    pub(crate) fn nodes(&self) -> impl Iterator<Item = &Parts> {
        std::iter::once(&self.parts).chain(&self.twin)
    }

    /// That of the node whose turn it is.
    pub(crate) fn router(&self) -> Router {
        let turn = self.requests.fetch_add(1, Ordering::Relaxed);
        let parts = self.twin.as_ref().filter(|_| turn.is_multiple_of(2)).unwrap_or(&self.parts);
        parts.router.clone()
    }

    /// As somebody who may do everything.
    pub(crate) async fn get(&self, path: &str) -> Answer {
        self.get_as(&self.root, path).await
    }

    pub(crate) async fn get_as(&self, caller: &Caller, path: &str) -> Answer {
        self.send(self.request(caller, Method::GET, path).await.body(Body::empty()).expect("request")).await
    }

    /// Sends a form as a browser would.
    pub(crate) async fn post_as(&self, caller: &Caller, path: &str, fields: &[(&str, &str)]) -> Answer {
        let form: Vec<String> = fields
            .iter()
            .map(|(name, value)| {
                let encode =
                    |text: &str| form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>();
                format!("{}={}", encode(name), encode(value))
            })
            .collect();
        let request = self
            .request(caller, Method::POST, path)
            .await
            .header("origin", "http://localhost:3000")
            .header("content-type", "application/x-www-form-urlencoded");
        self.send(request.body(Body::from(form.join("&"))).expect("request")).await
    }

    /// Status and `retry-after` of a form that a stranger sends, without reading the page.
    pub(crate) async fn post_bare(&self, path: &str, fields: &[(&str, &str)]) -> (StatusCode, String) {
        let form: Vec<String> = fields.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let request = self
            .request(&Caller::Stranger, Method::POST, path)
            .await
            .header("sec-fetch-site", "same-origin")
            .body(Body::from(form.join("&")))
            .expect("request");
        let response = self.router().oneshot(request).await.expect("infallible");
        let header = response.headers().get("retry-after").and_then(|value| value.to_str().ok());
        (response.status(), header.unwrap_or_default().to_owned())
    }

    /// A request of this caller; a browser comes with a session of its own each time.
    pub(crate) async fn request(&self, caller: &Caller, method: Method, path: &str) -> Builder {
        let request = Request::builder().method(method).uri(path).header("host", "localhost:3000");
        match caller {
            Caller::Stranger => request,
            Caller::Browser(email) => {
                let secret = self.session(email).await;
                request.header("cookie", format!("rollcall_session={secret}"))
            }
            Caller::Cookie(secret) => request.header("cookie", format!("rollcall_session={secret}")),
            Caller::Key(key) => request.header("x-api-key", key),
        }
    }

    /// A new session of somebody.
    pub(crate) async fn session(&self, email: &str) -> String {
        let auth = &self.parts.state.auth;
        let user = auth.directory.tables().by_email(email).cloned().expect("user");
        let (secret, changes) = auth.new_session(&user, &Origin::default());
        self.parts.store.commit(&changes).await.expect("session");
        secret.to_string()
    }

    /// Somebody with a role in a scope, `*` for the whole server; without a password.
    pub(crate) async fn person(&self, email: &str, role: &str, scope: &str) -> Caller {
        self.narrowed_person(email, role, scope, "").await
    }

    /// The same on named delegates only.
    pub(crate) async fn narrowed_person(
        &self,
        email: &str,
        role: &str,
        scope: &str,
        delegates: &str,
    ) -> Caller {
        let (tables, actor) = (self.parts.state.auth.directory.tables(), Actor::command_line());
        let mut changes = Vec::new();
        let user = if let Some(user) = tables.by_email(email) {
            user.clone()
        } else {
            let new = NewPerson { email: email.to_owned(), ..NewPerson::default() };
            let (user, made) = people::create(&tables, &actor, None, &new, NOON).expect("new");
            changes = made;
            user
        };
        let reach = if scope == "*" { Reach::Server } else { Reach::Scope(scope.parse().expect("scope")) };
        let resources = people::checked_resources(delegates).expect("resources");
        let role = NewAssignment { role: role.to_owned(), reach, resources };
        changes.extend(people::assign(&tables, &actor, &user, &role, NOON).expect("role"));
        self.parts.state.change_access(&changes).await.expect("stored");
        Caller::Browser(email.to_owned())
    }

    /// An API key of somebody.
    pub(crate) async fn key(&self, email: &str, scope: &str) -> String {
        let user = self.parts.state.auth.directory.tables().by_email(email).cloned().expect("user");
        let scope = scope.parse().expect("scope");
        let actor = Actor::command_line();
        let (text, changes) = keys::create_api_key(&actor, &user, &scope, "test", "", NOON).expect("key");
        self.parts.state.change_access(&changes).await.expect("stored");
        text
    }

    /// Revokes an API key.
    pub(crate) async fn revoke_key(&self, email: &str, key: &str) {
        let tables = self.parts.state.auth.directory.tables();
        let owner = tables.by_email(email).expect("user").id.clone();
        let id = key.rsplit('.').nth(1).expect("id");
        let changes = keys::revoke_api_key(&tables, &Actor::command_line(), &owner, id, NOON).expect("key");
        self.parts.state.change_access(&changes).await.expect("stored");
    }

    /// Creates a scope beside the usual ones; known at once.
    pub(crate) async fn create_scope(&self, scope: &str) {
        let scope: Scope = scope.parse().expect("scope");
        let made = create_scope(&*self.parts.store, &self.parts.state.vault, &scope, NOON).await;
        made.expect("scope");
        let mut reference = (*self.parts.roster.reference()).clone();
        reference.scopes.extend(scope.ancestors());
        self.parts.roster.set_reference(reference);
    }

    /// Status and headers alone.
    pub(crate) async fn head_of(&self, caller: &Caller, method: Method, path: &str) -> Answer {
        let request = self.request(caller, method, path).await.body(Body::empty()).expect("request");
        let response = self.router().oneshot(request).await.expect("infallible");
        Answer { status: response.status(), headers: response.headers().clone(), body: String::new() }
    }

    /// Every line of the audit log, newest first: actor, action, name.
    pub(crate) async fn audit(&self) -> Vec<(String, String, String)> {
        let wanted = AuditWanted {
            scope: None,
            below: true,
            server: false,
            actor: String::new(),
            action: String::new(),
            resource: String::new(),
            from: Timestamp::from_millis(0),
            to: Timestamp::from_millis(i64::MAX),
            behind: None,
            limit: 1_000,
        };
        let found = self.parts.store.audit(&wanted).await.expect("audit");
        found.into_iter().map(|line| (line.actor, line.action, line.name)).collect()
    }

    /// The folder with the database.
    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
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
        let caller = tokens::Caller { account, token: Arc::new(token) };
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
