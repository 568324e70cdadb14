//! What delegates were: pages of a group's activity, of one instance, and the mark of updating by hand.

use std::time::Duration;

use axum::http::StatusCode;
use fleet::time::{DAY, HOUR, MINUTE, SECOND};

use crate::support::{Caller, NOON, Server};

const GROUP: &str = "/a/acme/o/payments/delegates/_edge";

/// Waits until the flusher has written this many changes of the group.
async fn written(server: &Server, lines: usize) {
    let scope = "acme/payments".parse().expect("scope");
    let group = server.parts.roster.group_id(&scope, "_edge").expect("group");
    for _ in 0..200 {
        let found = server.parts.store.transitions("acme", &group, None, 1_000).await.expect("history");
        if found.len() >= lines {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("the history was not written");
}

/// Registered at noon, silent from then on, back an hour later with another version.
async fn with_a_loss() -> (Server, String) {
    let server = Server::new().await;
    let id = server.register("acme/payments", "edge", "edge-1", Some("26.09.89620")).await;
    server.clock.advance(HOUR);
    server.register("acme/payments", "edge", "edge-1", Some("26.10.90107")).await;
    written(&server, 4).await;
    (server, id.to_string())
}

async fn ok(server: &Server, path: &str) -> String {
    let answer = server.get(path).await;
    assert_eq!(answer.status, StatusCode::OK, "{path}: {}", answer.body);
    answer.body
}

fn in_order(page: &str, texts: &[&str]) {
    let places: Vec<usize> =
        texts.iter().map(|text| page.find(text).unwrap_or_else(|| panic!("{text} in {page}"))).collect();
    assert!(places.is_sorted(), "{texts:?} at {places:?}");
}

#[tokio::test]
async fn the_activity_of_a_group_tells_what_happened_newest_first() {
    let (server, id) = with_a_loss().await;
    let page = ok(&server, &format!("{GROUP}/activity")).await;
    in_order(
        &page,
        &[
            "Changed its version from 26.09.89620 to 26.10.90107",
            "Lost: it fell silent",
            "Registered for the first time",
        ],
    );
    let one = ok(&server, &format!("{GROUP}/activity?instance={id}")).await;
    assert!(one.contains("Lost: it fell silent"));
    let other = ok(&server, &format!("{GROUP}/activity?instance=other")).await;
    assert!(other.contains("Nothing is kept of this instance"));
}

#[tokio::test]
async fn activity_comes_in_pages_that_leave_nothing_out() {
    let server = Server::new().await;
    // All of one instant, so that a page ends in the middle of it.
    for n in 0..130 {
        server.register("acme/payments", "edge", &format!("edge-{n:03}"), None).await;
    }
    written(&server, 130).await;
    let hosts = |page: &str| -> Vec<String> {
        let list = page.split("class=\"events\"").nth(1).unwrap_or_default();
        let parts = list.split("class=\"host\"").skip(1);
        parts.filter_map(|part| Some(part.split_once('>')?.1.split_once('<')?.0.to_owned())).collect()
    };
    let first = ok(&server, &format!("{GROUP}/activity")).await;
    let next = format!("before={}%2D100", NOON.millis());
    assert!(first.contains(&next), "{first}");
    let second = ok(&server, &format!("{GROUP}/activity?{next}")).await;
    assert!(!second.contains(">Older<"));
    let mut all = [hosts(&first), hosts(&second)].concat();
    assert_eq!(all.len(), 130);
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), 130);
    for bad in ["x", "1-x", "-", "1-99999999"] {
        let answer = server.get(&format!("{GROUP}/activity?before={bad}")).await;
        assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{bad}");
        assert!(answer.body.contains("before"), "{bad}");
    }
}

#[tokio::test]
async fn an_instance_has_its_page_with_its_past() {
    let (server, id) = with_a_loss().await;
    let page = ok(&server, &format!("{GROUP}/instances/{id}")).await;
    in_order(&page, &["edge-1", "Connected", "Heartbeats of edge-1 in the past 24 hours", "Instance id"]);
    assert!(page.contains("lost once"), "{page}");
    assert!(page.contains("Changed its version from 26.09.89620 to 26.10.90107"));
    for window in ["7d", "30d"] {
        let page = ok(&server, &format!("{GROUP}/instances/{id}?window={window}")).await;
        assert!(page.contains("lost once"), "{window}");
    }
    let group = ok(&server, &format!("{GROUP}?window=7d")).await;
    assert!(group.contains("Heartbeats of edge-1 in the past 7 days"), "{group}");
    for path in [format!("{GROUP}/instances/{id}?window=1h"), format!("{GROUP}?window=forever")] {
        let answer = server.get(&path).await;
        assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{path}");
        assert!(answer.body.contains("Parameter window: must be 24h, 7d or 30d"), "{path}");
    }
}

#[tokio::test]
async fn what_is_unknown_is_404_and_leads_on() {
    let (server, _) = with_a_loss().await;
    let answer = server.get(&format!("{GROUP}/instances/nobody")).await;
    assert_eq!(answer.status, StatusCode::NOT_FOUND);
    assert!(answer.body.contains("Nothing is known of an instance nobody of _edge"), "{}", answer.body);
    assert!(answer.body.contains(&format!("{GROUP}/instances?hidden=true")));
    for path in ["_other/activity", "_other/instances", "_other/instances/x"] {
        let answer = server.get(&format!("/a/acme/o/payments/delegates/{path}")).await;
        assert_eq!(answer.status, StatusCode::NOT_FOUND, "{path}");
    }
    // A page of one scope never tells of another.
    assert_eq!(server.get("/a/acme/delegates/_edge/activity").await.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn history_outlives_retention_and_deletion() {
    let (server, id) = with_a_loss().await;
    server.clock.advance(6 * HOUR + SECOND);
    server.parts.roster.record_silence(server.clock.now());
    let instance = format!("{GROUP}/instances/{id}");
    let page = ok(&server, &instance).await;
    assert!(page.contains("This instance is hidden"), "{page}");
    let list = ok(&server, &format!("{GROUP}/instances")).await;
    assert!(list.contains("No instance is listed"));
    let list = ok(&server, &format!("{GROUP}/instances?hidden=true")).await;
    assert!(list.contains(">Hidden<") && list.contains("edge-1"), "{list}");

    let delete = format!("{GROUP}/delete");
    let gone = server.post_as(&server.root, &delete, &[("name", "edge")]).await;
    assert_eq!(gone.status, StatusCode::SEE_OTHER, "{}", gone.body);
    let page = ok(&server, &instance).await;
    assert!(page.contains("This instance was deleted from the list"));
    written(&server, 6).await;
    let page = ok(&server, &format!("{GROUP}/activity")).await;
    assert!(page.contains("It was deleted or rejected") && page.contains("delegate.delete"), "{page}");

    // Memory lets it go, the store does not.
    server.clock.advance(8 * DAY);
    server.nodes().for_each(|node| node.roster.evict(server.clock.now()));
    let page = ok(&server, &format!("{instance}?window=30d")).await;
    assert!(page.contains("only its history is left"), "{page}");
}

#[tokio::test]
async fn the_past_is_shown_to_those_who_may_see_the_delegate() {
    let (server, id) = with_a_loss().await;
    let marked = server.post_as(&server.root, &format!("{GROUP}/by-hand"), &[("on", "true")]).await;
    assert_eq!(marked.status, StatusCode::SEE_OTHER);
    let viewer = server.person("viewer@acme.example", "viewer", "acme/payments").await;
    let other = server.narrowed_person("other@acme.example", "viewer", "acme/payments", "_other").await;
    for path in ["activity".to_owned(), "instances".to_owned(), format!("instances/{id}")] {
        let path = format!("{GROUP}/{path}");
        assert_eq!(server.get_as(&viewer, &path).await.status, StatusCode::OK, "{path}");
        assert_eq!(server.get_as(&other, &path).await.status, StatusCode::NOT_FOUND, "{path}");
        assert_eq!(server.get_as(&Caller::Stranger, &path).await.status, StatusCode::SEE_OTHER, "{path}");
    }
    // Who may not read the audit log sees what delegates did, not what people did.
    let page = server.get_as(&viewer, &format!("{GROUP}/activity")).await.body;
    assert!(page.contains("Lost: it fell silent") && !page.contains("delegate.by_choice"), "{page}");
    assert!(page.contains("What people did is left out: Needs core_audit_view"), "{page}");
    let page = ok(&server, &format!("{GROUP}/activity")).await;
    assert!(page.contains("delegate.by_choice") && page.contains("root@acme.example"), "{page}");
}

#[tokio::test]
async fn by_hand_on_purpose_is_stored_shown_and_told() {
    let server = Server::new().await;
    server.register("acme/payments", "edge", "edge-1", Some("26.09.89620")).await;
    server.clock.advance(91 * MINUTE);
    server.register("acme/payments", "edge", "edge-1", Some("26.09.89620")).await;
    let counted = async || {
        let list = server.get("/api/v1/accounts/acme/orgs/payments/delegates").await;
        list.json()["counts"]["autoUpgradeOff"].clone()
    };
    assert_eq!(counted().await, 1);
    let path = format!("{GROUP}/by-hand");
    let send = async |on: &str| server.post_as(&server.root, &path, &[("on", on)]).await;
    let answer = send("true").await;
    assert_eq!((answer.status, answer.header("location")), (StatusCode::SEE_OTHER, GROUP));
    assert_eq!(counted().await, 0);
    let page = ok(&server, GROUP).await;
    assert!(page.contains("Off (by choice)") && page.contains("Not by hand any more"), "{page}");
    let again = send("true").await;
    assert_eq!(again.status, StatusCode::CONFLICT);
    assert!(again.body.contains("is updated by hand on purpose already"), "{}", again.body);
    assert_eq!(send("perhaps").await.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert_eq!(send("false").await.status, StatusCode::SEE_OTHER);
    assert_eq!(counted().await, 1);
    let told = server.audit().await;
    let told: Vec<_> = told.iter().filter(|(_, action, _)| action == "delegate.by_choice").collect();
    assert_eq!(told.len(), 2);
    let root = ("root@acme.example".to_owned(), "delegate.by_choice".to_owned(), "edge".to_owned());
    assert_eq!(*told[0], root);
}
