//! A server that shows the delegates of others (`management-api 7`).

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::http::header::{CONTENT_TYPE, DATE};
use axum::http::{Method, Request, StatusCode};
use axum::middleware::map_response;
use axum::response::{IntoResponse as _, Response};
use fleet::time::{HOUR, MINUTE, SECOND};
use parking_lot::Mutex;
use serde_json::{Value, json};
use server::deeds::Actor;
use server::deeds::mirrors::{NewMirror, add};
use server::store::mirrors::MirrorRow;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use crate::support::{NOON, Server};

/// A source that can be stopped.
pub(crate) struct Source {
    pub(crate) url: String,
    task: JoinHandle<()>,
}

impl Source {
    pub(crate) async fn serve(router: Router) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let task = tokio::spawn(async move { axum::serve(listener, router).await.expect("served") });
        Self { url, task }
    }

    async fn stop(self) {
        self.task.abort();
        let _ = self.task.await;
    }
}

impl Server {
    pub(crate) async fn mirror(&self, name: &str, url: &str, key: &str) {
        let account = "acme".parse().expect("a scope");
        let new = NewMirror { name, url, scopes: "", key };
        let (store, vault) = (&self.parts.store, &self.parts.state.vault);
        add(store, vault, &Actor::command_line(), &account, &new, self.clock.now()).await.expect("a mirror");
    }

    pub(crate) async fn mirror_row(&self, name: &str) -> MirrorRow {
        let rows = self.parts.store.mirrors().await.expect("mirrors");
        rows.into_iter().find(|row| *row.name == *name).expect("the mirror")
    }

    /// Takes the looks that are due, here or on the other node, until this one has ended and is shown.
    pub(crate) async fn looked(&self, name: &str) -> MirrorRow {
        let now = self.clock.now();
        for _ in 0..500 {
            for node in self.nodes() {
                node.mirrors.catch_up().await.expect("a look");
            }
            let row = self.mirror_row(name).await;
            if row.tried_at == Some(now) {
                for node in self.nodes() {
                    node.mirrors.catch_up().await.expect("shown");
                }
                return row;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        panic!("{name} was never looked at");
    }

    pub(crate) async fn listed(&self, scope: &str) -> Value {
        self.get(&format!("/api/v1/accounts/{scope}/delegates?all=true")).await.json()
    }
}

/// The clock of a server in a test stands still; that of what serves it does not.
async fn at_noon(mut response: Response) -> Response {
    let date = NOON.to_utc().to_rfc2822().replace("+0000", "GMT");
    response.headers_mut().insert(DATE, date.try_into().expect("a date"));
    response
}

/// Makes an answer.
pub(crate) type Answer = fn() -> Response;

/// Answers that a fake source gives, the last one again and again.
#[derive(Clone, Default)]
pub(crate) struct Script {
    answers: Arc<Mutex<Vec<Answer>>>,
    pub(crate) asked: Arc<AtomicUsize>,
    /// Queries of the lists that were asked for.
    pub(crate) queries: Arc<Mutex<Vec<String>>>,
}

impl Script {
    pub(crate) fn then(&self, answer: Answer) {
        self.answers.lock().push(answer);
    }

    pub(crate) fn router(&self) -> Router {
        let answer = async |State(script): State<Self>, request: Request<Body>| {
            if request.method() == Method::GET {
                return StatusCode::NOT_FOUND.into_response();
            }
            script.queries.lock().push(request.uri().query().unwrap_or_default().to_owned());
            let place = script.asked.fetch_add(1, Ordering::SeqCst);
            let answers = script.answers.lock();
            let answer = answers.get(place).or(answers.last()).copied();
            answer.map_or_else(|| StatusCode::NOT_FOUND.into_response(), |answer| answer())
        };
        Router::new().fallback(answer).with_state(self.clone())
    }
}

pub(crate) fn list(resource: &Value) -> Response {
    // Without milliseconds, on the source's own clock: two minutes ahead.
    let date = NOON.plus(2 * MINUTE).to_utc().to_rfc2822().replace("+0000", "GMT");
    let body = json!({"metaData": {}, "resource": resource, "responseMessages": [], "newer": 1});
    ([(CONTENT_TYPE, "application/json".to_owned()), (DATE, date)], body.to_string()).into_response()
}

pub(crate) fn two() -> Response {
    list(&json!([
        {"name": "one", "type": "KUBERNETES", "tags": ["one", "eu"], "autoUpgrade": "ON", "brandNew": {"a": 1},
         "delegateReplicas": [
            {"uuid": "u1", "hostName": "h1", "version": "26.11.90604", "connected": true,
             "lastHeartbeat": NOON.plus(2 * MINUTE - SECOND).millis(), "expiringAt": 0, "also": []}]},
        {"name": "two", "type": "DOCKER", "orgName": "payments",
         "delegateReplicas": [
            {"uuid": "u2", "hostName": "h2", "lastHeartbeat": NOON.plus(2 * MINUTE - 299 * SECOND).millis()},
            {"uuid": "u3", "hostName": "h3", "lastHeartbeat": NOON.plus(2 * MINUTE - 301 * SECOND).millis()}]},
        {"noName": true},
    ]))
}

#[tokio::test]
async fn a_mirror_of_another_rollcall_shows_the_same_cards_and_list_and_says_as_of_when() {
    let source = Server::alone().await;
    for number in 0..10_000 {
        let scope = ["acme/payments", "acme/payments/checkout"][number % 2];
        let version = [Some("26.11.90604"), Some("26.09.89620"), Some("25.03.85403"), None][number / 7 % 4];
        source.register(scope, &format!("edge-{}", number / 20), &format!("host-{number}"), version).await;
    }
    source.person("mirror@acme.example", "viewer", "acme").await;
    let key = source.key("mirror@acme.example", "acme").await;
    let router = source.parts.router.clone().layer(map_response(at_noon));
    let running = Source::serve(router).await;

    let server = Server::new().await;
    server.mirror("east", &running.url, &key).await;
    let row = server.looked("east").await;
    assert_eq!((row.trouble, row.as_of, row.skipped), (None, Some(NOON), 0), "{}", row.detail);
    let (theirs, ours) = (source.listed("acme").await, server.listed("acme").await);
    assert_eq!(ours["counts"], theirs["counts"]);
    assert_eq!(ours["counts"]["instances"], 10_000);
    let shape = |listed: &Value| -> Vec<Value> {
        let mut groups = listed["delegates"].as_array().expect("a list").clone();
        for group in &mut groups {
            for key in ["identifier", "delegateGroupIdentifier", "source", "mirror", "asOf"] {
                group.as_object_mut().expect("an object").remove(key);
            }
        }
        groups
    };
    for (ours, theirs) in shape(&ours).iter().zip(shape(&theirs)) {
        assert_eq!(*ours, theirs);
    }
    assert!(ours["delegates"].as_array().expect("a list").iter().all(|group| group["source"] == "mirror"));

    running.stop().await;
    server.clock.advance(HOUR);
    let row = server.looked("east").await;
    assert_eq!(row.as_of, Some(NOON));
    assert!(row.detail.contains("cannot be reached"), "{}", row.detail);
    let later = server.listed("acme").await;
    assert_eq!(later["counts"], ours["counts"], "nobody is called lost for it");
    let page = server.get("/a/acme/delegates?all=true").await.body;
    let told = "The mirrored server east cannot be read. Its delegates are shown as of 2026-11-20 12:00 UTC.";
    assert!(page.contains(told), "{page}");
    assert!(page.contains("east as of 2026-11-20 12:00 UTC"));
    let metrics = server.get("/metrics").await.body;
    assert!(metrics.contains("rollcall_mirror_up{account=\"acme\",mirror=\"east\"} 0\n"), "{metrics}");
    let age = "rollcall_mirror_last_success_age_seconds{account=\"acme\",mirror=\"east\"} 3600\n";
    assert!(metrics.contains(age), "{metrics}");
}

#[tokio::test]
async fn what_a_source_leaves_out_is_computed_on_its_clock_and_what_it_adds_is_ignored() {
    let (server, script) = (Server::new().await, Script::default());
    script.then(two);
    let source = Source::serve(script.router()).await;
    server.mirror("vendor", &source.url, "pat.there.id.secret").await;
    let row = server.looked("vendor").await;
    assert_eq!((row.trouble, row.skipped), (None, 1), "one entry has no name");
    assert_eq!(*script.queries.lock(), ["accountIdentifier=there&all=true"]);
    let listed = server.listed("acme").await;
    let rows: Vec<_> = listed["delegates"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|group| (group["name"].as_str(), group["orgName"].as_str(), group["autoUpgrade"].as_str()))
        .collect();
    assert_eq!(rows, [(Some("one"), None, Some("ON")), (Some("two"), Some("payments"), None)]);
    assert_eq!(listed["counts"]["connected"], 2, "299 s are no silence, 301 s are one");
    let groups = listed["delegates"].as_array().expect("a list");
    assert_eq!(groups[0]["lastHeartBeat"], NOON.plus(-SECOND).millis(), "on our clock");

    let one = server.get("/a/acme/delegates/_one~vendor").await;
    assert_eq!(one.status, StatusCode::OK);
    assert!(one.body.contains("Mirrored from vendor, as of 2026-11-20 12:00 UTC."), "{}", one.body);
    assert!(!one.body.contains("Delete…") && !one.body.contains("/troubleshoot\""), "details only");
    let instance = server.get("/a/acme/delegates/_one~vendor/instances/u1").await;
    assert!(instance.status == StatusCode::OK && instance.body.contains("Mirrored from vendor"));
    assert!(!instance.body.contains("Delete instance"));
    assert!(!instance.body.contains("not known any more"), "{}", instance.body);
    let activity = server.get("/a/acme/delegates/_one~vendor/activity").await;
    assert_eq!(activity.status, StatusCode::OK);
    for of in ["connectivity", "status"] {
        let why = server.get(&format!("/a/acme/delegates/_one~vendor/why?of={of}")).await.body;
        assert!(why.contains("The mirrored server vendor says so."), "{why}");
        assert!(!why.contains("Only the clock of this server counts"), "{why}");
    }
    let why = server.get("/a/acme/delegates/_one~vendor/why?of=auto-upgrade").await;
    assert!(why.body.contains("The mirrored server says so"), "{}", why.body);
    assert_eq!(server.get("/a/acme/delegates?source=own").await.status, StatusCode::OK);
    let own = server.get("/api/v1/accounts/acme/delegates?all=true&source=own").await.json();
    assert_eq!(own["delegates"], json!([]));
}

#[tokio::test]
async fn nothing_is_done_to_what_another_server_tells_of() {
    let (server, script) = (Server::new().await, Script::default());
    script.then(two);
    let source = Source::serve(script.router()).await;
    server.mirror("vendor", &source.url, "pat.there.id.secret").await;
    server.looked("vendor").await;
    let asked = script.asked.load(Ordering::SeqCst);
    let key = server.holder("boss@acme.example", "admin", "acme").await;
    for (method, path) in [
        (
            Method::DELETE,
            "/ng/api/delegate-setup/delegate/_one~vendor?accountIdentifier=acme&forceDelete=true",
        ),
        (Method::PUT, "/ng/api/delegate-group-tags/_one~vendor?accountIdentifier=acme"),
    ] {
        let answer = server.call(&key, method, path, r#"{"tags":["a"]}"#).await;
        assert!(answer.status.is_client_error(), "{path}: {}", answer.body);
    }
    let root = server.root.clone();
    let path = "/a/acme/delegates/_one~vendor";
    for (deed, fields) in [
        ("/delete", vec![("name", "one"), ("confirm", "one")]),
        ("/instances/u1/delete", vec![("name", "h1"), ("confirm", "h1")]),
        ("/approve", vec![]),
        ("/reject", vec![]),
        ("/by-hand", vec![("on", "true")]),
    ] {
        let answer = server.post_as(&root, &format!("{path}{deed}"), &fields).await;
        assert_eq!(answer.status, StatusCode::NOT_FOUND, "{deed}");
    }
    for page in ["/troubleshoot", "/delete"] {
        assert_eq!(server.get(&format!("{path}{page}")).await.status, StatusCode::NOT_FOUND, "{page}");
    }
    assert_eq!(server.listed("acme").await["counts"]["groups"], 2);
    assert_eq!(script.asked.load(Ordering::SeqCst), asked, "nor is the source told of it");
}
