//! Sources that cannot be read, or say what they should not (`management-api 7.5`).

use std::sync::atomic::Ordering;

use axum::http::StatusCode;
use axum::http::header::{CONTENT_TYPE, LOCATION, RETRY_AFTER};
use axum::response::{IntoResponse as _, Response};
use fleet::time::{MINUTE, SECOND};
use parking_lot::Mutex;
use serde_json::json;

use crate::mirror::{Answer, Script, Source, list, two};
use crate::support::{NOON, Server};

fn empty() -> Response {
    list(&json!([]))
}

fn html() -> Response {
    ([(CONTENT_TYPE, "text/html")], "<html>Sign in</html>").into_response()
}

#[tokio::test]
async fn a_source_that_cannot_be_read_keeps_its_rows_and_is_asked_less_often() {
    let (server, script) = (Server::new().await, Script::default());
    script.then(two);
    let source = Source::serve(script.router()).await;
    server.mirror("vendor", &source.url, "pat.there.id.secret").await;
    let mut row = server.looked("vendor").await;
    let answers: [(Answer, &str, &str); 6] = [
        (|| StatusCode::TOO_MANY_REQUESTS.into_response(), "asked less often", "asks to be read less often"),
        (|| StatusCode::SERVICE_UNAVAILABLE.into_response(), "fails (503)", "cannot be read"),
        (html, "no JSON but text/html", "cannot be read"),
        (|| list(&json!({"not": "a list"})), "is no list", "cannot be read"),
        (|| StatusCode::UNAUTHORIZED.into_response(), "refused (401)", "refuses its API key"),
        (
            || (StatusCode::TOO_MANY_REQUESTS, [(RETRY_AFTER, "900")]).into_response(),
            "less often",
            "less often",
        ),
    ];
    for (answer, detail, told) in answers {
        script.then(answer);
        server.clock.advance(row.due_at.millis() - server.clock.now().millis());
        row = server.looked("vendor").await;
        assert!(row.detail.contains(detail), "{}", row.detail);
        assert_eq!(row.as_of, Some(NOON), "{detail}");
        assert_eq!(server.listed("acme").await["counts"]["connected"], 2, "{detail}");
        let page = server.get("/a/acme/delegates?all=true").await.body;
        assert!(page.contains(told) && page.contains("as of 2026-11-20 12:00 UTC"), "{detail}");
        let page = server.get("/a/acme/mirrors").await.body;
        assert!(page.contains("Trouble") && !page.contains("secret"), "{page}");
    }
    assert!(row.due_at.millis() - server.clock.now().millis() >= 900 * SECOND, "it said when");
    script.then(two);
    server.clock.advance(row.due_at.millis() - server.clock.now().millis());
    let row = server.looked("vendor").await;
    assert_eq!((row.trouble, row.as_of), (None, Some(server.clock.now())));
}

#[tokio::test]
async fn the_pace_slows_down_for_a_source_that_wants_it_and_for_no_other() {
    let (server, busy, calm) = (Server::new().await, Script::default(), Script::default());
    busy.then(two);
    calm.then(two);
    let (busy_source, calm_source) = (Source::serve(busy.router()).await, Source::serve(calm.router()).await);
    server.mirror("busy", &busy_source.url, "pat.there.id.secret").await;
    server.mirror("calm", &calm_source.url, "pat.there.id.secret").await;
    let mut row = server.looked("busy").await;
    for _ in 0..5 {
        busy.then(|| StatusCode::TOO_MANY_REQUESTS.into_response());
    }
    let mut waits = Vec::new();
    for _ in 0..5 {
        server.clock.advance(row.due_at.millis() - server.clock.now().millis());
        row = server.looked("busy").await;
        waits.push(row.due_at.millis() - server.clock.now().millis());
    }
    for (wait, minutes) in waits.iter().zip([2, 4, 8, 15, 15]) {
        let even = minutes * MINUTE;
        assert!((wait - even).abs() <= even / 10, "{waits:?}");
    }
    let calm = server.mirror_row("calm").await;
    assert_eq!((calm.trouble, calm.tried_at), (None, Some(server.clock.now())), "no other is affected");
    busy.then(|| StatusCode::FORBIDDEN.into_response());
    server.clock.advance(row.due_at.millis() - server.clock.now().millis());
    let row = server.looked("busy").await;
    assert!(row.due_at.millis() - server.clock.now().millis() >= 54 * MINUTE, "hourly");
}

#[tokio::test]
async fn a_hostile_list_hurts_nobody() {
    let (server, script) = (Server::new().await, Script::default());
    script.then(|| {
        let long = "x".repeat(300);
        list(&json!([
            {"name": "<b>fine</b>", "orgName": "../..", "delegateReplicas": [
                {"uuid": "u\u{0}", "hostName": "h"}, {"uuid": "", "hostName": "h"}, {"uuid": 5},
                {"uuid": "ok", "hostName": "h\u{0}", "lastHeartbeat": i64::MAX, "expiringAt": i64::MAX, "connected": true}]},
            {"name": "nul\u{0}"}, {"name": ""}, {"name": long}, {"name": 7}, null, [],
        ]))
    });
    let source = Source::serve(script.router()).await;
    server.mirror("vendor", &source.url, "pat.there.id.secret").await;
    let row = server.looked("vendor").await;
    assert_eq!((row.trouble, row.skipped), (None, 9), "{}", row.detail);
    let listed = server.listed("acme").await;
    assert_eq!((&listed["counts"]["groups"], &listed["counts"]["connected"]), (&json!(1), &json!(1)));
    let page = server.get("/a/acme/delegates?all=true").await;
    assert!(page.status == StatusCode::OK && !page.body.contains("<b>fine"), "{}", page.body);
    let identifier = listed["delegates"][0]["identifier"].as_str().expect("text").to_owned();
    let organization = listed["delegates"][0]["orgName"].as_str().expect("text").to_owned();
    assert!(organization.starts_with("_.._"), "{organization}");
    let page = server.get(&format!("/a/acme/o/{organization}/delegates/{identifier}/instances/ok")).await;
    assert_eq!(page.status, StatusCode::OK, "{}", page.body);
    script.then(|| list(&json!([{"nom": "one"}, {"nom": "two"}])));
    server.clock.advance(row.due_at.millis() - server.clock.now().millis());
    let row = server.looked("vendor").await;
    assert!(row.detail.contains("none of its entries has the form"), "{}", row.detail);
    assert_eq!(server.listed("acme").await["counts"]["groups"], 1, "another form is no empty fleet");
    script.then(|| list(&json!([{"name": "fine", "delegateReplicas": [{"id": "ok", "hostName": "h"}]}])));
    server.clock.advance(row.due_at.millis() - server.clock.now().millis());
    let row = server.looked("vendor").await;
    assert!(row.detail.contains("none of its entries has the form"), "{}", row.detail);
    assert_eq!(server.listed("acme").await["counts"]["connected"], 1, "nor have its instances gone");
}

#[tokio::test]
async fn an_empty_list_is_believed_the_second_time() {
    let (server, script) = (Server::new().await, Script::default());
    for answer in [two, empty, two, empty, empty] {
        script.then(answer);
    }
    let source = Source::serve(script.router()).await;
    server.mirror("vendor", &source.url, "pat.there.id.secret").await;
    for groups in [2, 2, 2, 2, 0] {
        let row = server.looked("vendor").await;
        assert_eq!(row.trouble, None);
        assert_eq!(server.listed("acme").await["counts"]["groups"], groups);
        server.clock.advance(row.due_at.millis() - server.clock.now().millis());
    }
}

#[tokio::test]
async fn a_source_that_does_not_know_the_scopes_below_is_asked_without_them() {
    let (server, script) = (Server::new().await, Script::default());
    script.then(|| (StatusCode::BAD_REQUEST, "all?").into_response());
    script.then(two);
    let source = Source::serve(script.router()).await;
    server.mirror("vendor", &source.url, "pat.there.id.secret").await;
    assert_eq!(server.looked("vendor").await.trouble, None);
    let asked = ["accountIdentifier=there&all=true", "accountIdentifier=there"];
    assert_eq!(*script.queries.lock(), asked);
}

#[tokio::test]
async fn a_key_is_not_sent_where_a_source_redirects_to() {
    static ELSEWHERE: Mutex<String> = Mutex::new(String::new());
    let elsewhere = Script::default();
    let other = Source::serve(elsewhere.router()).await;
    ELSEWHERE.lock().clone_from(&other.url);
    let (server, script) = (Server::new().await, Script::default());
    script.then(|| {
        (StatusCode::TEMPORARY_REDIRECT, [(LOCATION, format!("{}/x", ELSEWHERE.lock()))]).into_response()
    });
    let source = Source::serve(script.router()).await;
    server.mirror("vendor", &source.url, "pat.there.id.secret").await;
    let row = server.looked("vendor").await;
    assert!(row.detail.contains("redirects (307)"), "{}", row.detail);
    assert_eq!(elsewhere.asked.load(Ordering::SeqCst), 0);
}
