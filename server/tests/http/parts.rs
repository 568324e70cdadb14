//! What viewers share: one rendering for many, and nothing of one for another.

use axum::body::Body;
use axum::http::{Method, StatusCode};
use fleet::time::SECOND;

use crate::support::{Answer, Caller, Server};

const PART: &str = "text/vnd.rollcall.part+html, text/html;q=0.9";

async fn part(server: &Server, caller: &Caller, path: &str, more: &[(&str, &str)]) -> Answer {
    let mut request = server.request(caller, Method::GET, path).await.header("accept", PART);
    for (name, value) in more {
        request = request.header(*name, *value);
    }
    server.send(request.body(Body::empty()).expect("request")).await
}

/// What stands in the live part of a page.
fn live(body: &str) -> &str {
    let start = body.find("data-live=\"page\"").unwrap_or_else(|| panic!("no live part: {body}"));
    let rest = &body[start..];
    let rest = rest.split("</main>").next().unwrap_or(rest).split("</body>").next().unwrap_or(rest);
    // Marks that the renderer leaves behind what has no place.
    rest.trim_end_matches("<!>")
}

#[tokio::test]
async fn a_part_is_the_live_part_of_its_page() {
    let server = Server::new().await;
    server.register_one_of_each().await;
    for path in [
        "/a/acme/o/payments/delegates",
        "/a/acme/o/payments/delegates?health=expired&sort=-name",
        "/a/acme/delegates?all=true",
        "/a/acme/o/payments/delegates/_old",
    ] {
        let (whole, part) = (server.get(path).await, part(&server, &server.root, path, &[]).await);
        assert_eq!(part.status, StatusCode::OK, "{path}");
        assert_eq!(live(&part.body), live(&whole.body), "{path}");
        let title = |answer: &Answer| answer.body.split("<title>").nth(1).map(|rest| rest[..12].to_owned());
        assert_eq!(title(&part), title(&whole));
        assert!(!part.body.contains("<script") && !part.body.contains("<header"), "{path}");
        assert!(part.header("vary").contains("accept"), "{path}");
    }
}

#[tokio::test]
async fn nothing_of_one_viewer_reaches_another() {
    let server = Server::new().await;
    server.register("acme", "mine", "mine-1", Some("26.11.90604")).await;
    server.register("acme", "zebrafish", "zebrafish-1", Some("25.12.87602")).await;
    let people = [
        ("anna@acme.example", server.person("anna@acme.example", "admin", "acme").await),
        ("bert@acme.example", server.person("bert@acme.example", "admin", "acme").await),
        ("vera@acme.example", server.person("vera@acme.example", "viewer", "acme").await),
        ("nora@acme.example", server.narrowed_person("nora@acme.example", "viewer", "acme", "_mine").await),
    ];
    // Everybody asks for the same, again and again, so that whatever is shared is shared.
    for round in 0..3 {
        for (own, caller) in &people {
            for path in ["/a/acme/delegates", "/a/acme/delegates?all=true", "/a/acme/delegates/_mine"] {
                let body = part(&server, caller, path, &[]).await.body;
                for (other, _) in &people {
                    assert!(!body.contains(other), "{round} {own}: {path} names {other}");
                }
                let sees = !own.starts_with("nora") && !path.ends_with("_mine");
                assert_eq!(body.contains("zebrafish"), sees, "{round} {own} {path}");
                let deletes = own.starts_with("anna") || own.starts_with("bert");
                assert_eq!(body.contains("/_mine/delete"), deletes, "{round} {own} {path}");
            }
        }
    }
    for name in ["nora@acme.example", "vera@acme.example"] {
        let other = Caller::Browser(name.to_owned());
        let gone = part(&server, &other, "/a/acme/o/payments/delegates/_nothing", &[]).await;
        assert_eq!(gone.status, StatusCode::NOT_FOUND);
    }
    assert_eq!(
        part(&server, &Caller::Stranger, "/a/acme/delegates", &[]).await.status,
        StatusCode::SEE_OTHER
    );
    let outside = server.person("otto@acme.example", "admin", "acme/payments").await;
    let refused = part(&server, &outside, "/a/acme/delegates", &[]).await;
    assert_eq!(refused.status, StatusCode::FORBIDDEN);
    assert!(!refused.body.contains("zebrafish"));
}

#[tokio::test]
async fn a_way_to_undo_is_for_those_who_may() {
    let server = Server::new().await;
    server.register("acme", "mine", "mine-1", None).await;
    let anna = server.person("anna@acme.example", "admin", "acme").await;
    let vera = server.person("vera@acme.example", "viewer", "acme").await;
    server.clock.advance(301 * SECOND);
    let path = "/a/acme/delegates";
    let before = part(&server, &anna, path, &[]).await.body;
    assert!(!before.contains("/undo"));
    let deleted = server.post_as(&anna, "/a/acme/delegates/_mine/delete", &[("name", "mine")]).await;
    assert_eq!(deleted.status, StatusCode::SEE_OTHER, "{}", deleted.body);
    assert!(part(&server, &anna, path, &[]).await.body.contains("/undo"));
    assert!(!part(&server, &vera, path, &[]).await.body.contains("/undo"));
}

#[tokio::test]
async fn a_part_is_as_new_as_the_fleet() {
    let server = Server::new().await;
    let path = "/a/acme/delegates";
    let first = part(&server, &server.root, path, &[]).await.body;
    assert!(!first.contains(">edge<"));
    server.register("acme", "edge", "edge-1", None).await;
    assert!(part(&server, &server.root, path, &[]).await.body.contains(">edge<"));
    server.register("acme", "second", "second-1", None).await;
    assert!(part(&server, &server.root, path, &[]).await.body.contains(">second<"));
}

#[tokio::test]
async fn a_part_comes_in_the_form_that_the_browser_takes() {
    let server = Server::new().await;
    server.register_one_of_each().await;
    let path = "/a/acme/o/payments/delegates";
    let plain = part(&server, &server.root, path, &[]).await;
    assert_eq!(plain.header("content-encoding"), "");
    for (accepted, expected) in [("gzip, deflate, br", "br"), ("gzip", "gzip"), ("br;q=0, gzip", "gzip")] {
        let packed = part(&server, &server.root, path, &[("accept-encoding", accepted)]).await;
        assert_eq!(packed.header("content-encoding"), expected);
        assert!(packed.body.len() < plain.body.len() / 3, "{accepted}");
    }
}
