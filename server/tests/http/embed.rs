//! Pages in frames of other sites (`product 15.2`).

use axum::body::Body;
use axum::http::{HeaderMap, Method, StatusCode};
use http_body_util::BodyExt as _;
use server::deeds::Actor;
use server::deeds::keys::{NewEmbedKey, create_embed_key, revoke_embed_key};
use tower::ServiceExt as _;

use crate::support::{Answer, Caller, NOON, Server};

const SITES: &str = "https://wiki.example\nhttp://localhost:8080";
const HOUR: i64 = 3_600_000;

async fn key(server: &Server, scope: &str, filter: &str, days: &str) -> String {
    let new = NewEmbedKey { name: "wiki", origins: SITES, filter, days };
    let scope = scope.parse().expect("scope");
    let (text, changes) = create_embed_key(&Actor::command_line(), &scope, &new, NOON).expect("key");
    server.parts.state.change_access(&changes).await.expect("stored");
    text
}

async fn revoke(server: &Server, scope: &str, key: &str) {
    let tables = server.parts.state.auth.directory.tables();
    let (scope, id) = (scope.parse().expect("scope"), key.split('.').next().expect("id"));
    let changes = revoke_embed_key(&tables, &Actor::command_line(), &scope, id, NOON).expect("key");
    server.parts.state.change_access(&changes).await.expect("stored");
}

/// As a browser asks for what stands in a frame: without any cookie.
async fn frame(server: &Server, path: &str) -> Answer {
    server.get_as(&Caller::Stranger, path).await
}

fn ancestors(headers: &HeaderMap) -> String {
    let policy = headers["content-security-policy"].to_str().expect("text");
    let directive = policy.split(';').find_map(|part| part.trim().strip_prefix("frame-ancestors "));
    directive.unwrap_or_default().to_owned()
}

#[tokio::test]
async fn a_key_shows_its_scope_to_its_sites_and_sets_no_cookie() {
    let server = Server::new().await;
    server.register_one_of_each().await;
    server.register("acme", "above", "above-1", None).await;
    let key = key(&server, "acme/payments", "", "").await;
    let page = frame(&server, &format!("/embed/{key}")).await;
    assert_eq!(page.status, StatusCode::OK, "{}", page.body);
    for shown in ["ageing", "behind", "current", "custom", "old", "of acme/payments", "Open in Rollcall"] {
        assert!(page.body.contains(shown), "{shown}");
    }
    assert!(!page.body.contains("above"));
    assert_eq!(ancestors(&page.headers), "http://localhost:8080 https://wiki.example");
    assert_eq!((page.headers.get("x-frame-options"), page.headers.get("set-cookie")), (None, None));
    assert_eq!((page.header("referrer-policy"), page.header("cache-control")), ("no-referrer", "no-store"));
    let other = frame(&server, "/sign-in").await;
    assert_eq!((ancestors(&other.headers).as_str(), other.header("x-frame-options")), ("'none'", "DENY"));
}

#[tokio::test]
async fn nothing_in_a_frame_changes_anything_or_leads_out_of_it() {
    let server = Server::new().await;
    server.register("acme", "edge", "edge-1", Some("26.11.90604")).await;
    let key = key(&server, "acme", "", "").await;
    let own = format!("/embed/{key}");
    for query in ["", "?health=active", "?search=nothing", "?cols=version&theme=dark"] {
        let page = frame(&server, &format!("{own}{query}")).await.body;
        let body = page.split("<body").nth(1).expect("body");
        for forbidden in
            ["<form", "<input", "/delete", "role=\"menu\"", "<nav class=\"nav\"", "sign-out", "<select"]
        {
            assert!(!body.contains(forbidden), "{query}: {forbidden}");
        }
        for link in body.split("<a ").skip(1).map(|rest| rest.split('>').next().unwrap_or_default()) {
            let out = link.contains("target=\"_blank\"") && link.contains("rel=\"noopener noreferrer\"");
            assert!(out || link.contains(&format!("href=\"{own}")), "{query}: {link}");
        }
    }
}

#[tokio::test]
async fn who_looks_makes_no_difference() {
    let server = Server::new().await;
    server.register("acme", "edge", "edge-1", None).await;
    let key = key(&server, "acme", "", "").await;
    let page = server.get(&format!("/embed/{key}")).await.body;
    assert!(!page.contains("root@acme.example") && !page.contains("Delete"));
    let request = server.request(&server.root, Method::GET, &format!("/embed/{key}")).await;
    let dark = request.header("cookie", "rollcall_theme=dark; rollcall_density=compact");
    let page = server.send(dark.body(Body::empty()).expect("request")).await.body;
    assert!(page.contains("data-theme=\"system\" data-density=\"comfortable\""));
    let chosen = frame(&server, &format!("/embed/{key}?theme=dark&density=compact")).await.body;
    assert!(chosen.contains("data-theme=\"dark\" data-density=\"compact\""));
    assert!(
        chosen.contains(&format!("href=\"/embed/{key}?theme=dark&amp;density=compact&amp;health=expired\""))
    );
}

#[tokio::test]
async fn the_address_narrows_and_never_widens() {
    let server = Server::new().await;
    server.register_one_of_each().await;
    server.register("acme/payments/checkout", "below", "below-1", Some("25.12.87602")).await;
    server.register("acme", "above", "above-1", Some("25.12.87602")).await;
    let fixed = key(&server, "acme/payments", "health=expired", "").await;
    for query in ["", "?health=active", "?health=", "?all=true", "?usable=true", "?health=active&all=true"] {
        let page = frame(&server, &format!("/embed/{fixed}{query}")).await.body;
        let names: Vec<&str> =
            page.split("class=\"nm\">").skip(1).filter_map(|rest| rest.split('<').next()).collect();
        assert_eq!(names, ["old"], "{query}");
    }
    let open = key(&server, "acme/payments", "", "").await;
    let page = frame(&server, &format!("/embed/{open}?search=cur&cols=version,status")).await.body;
    assert!(page.contains("current-1-a") || page.contains(">current<"), "{page}");
    assert!(!page.contains(">ageing<") && !page.contains(">Connectivity</"), "{page}");
    for (query, field) in
        [("cols=colour", "cols"), ("theme=red", "theme"), ("size=7", "size"), ("density=x", "density")]
    {
        let bad = frame(&server, &format!("/embed/{open}?{query}")).await;
        assert_eq!(bad.status, StatusCode::BAD_REQUEST, "{query}");
        assert!(bad.body.contains(&format!("<p>{field}: ")), "{}", bad.body);
    }
}

#[tokio::test]
async fn what_a_delegate_calls_itself_is_text() {
    let server = Server::new().await;
    server.register("acme", "edge", "<script>alert(1)</script>", Some("<img src=x>")).await;
    let key = key(&server, "acme", "", "").await;
    let id = "open=";
    let page = frame(&server, &format!("/embed/{key}?status=CONNECTED&{id}")).await.body;
    assert!(page.contains("&lt;script&gt;alert(1)"), "{page}");
    assert!(!page.contains("<script>alert") && !page.contains("<img src=x"));
}

#[tokio::test]
async fn a_key_that_does_not_count_shows_nothing() {
    let server = Server::new().await;
    server.register("acme", "zebrafish", "zebrafish-1", None).await;
    let revoked = key(&server, "acme", "", "").await;
    let ended = key(&server, "acme", "", "1").await;
    let good = key(&server, "acme", "", "").await;
    revoke(&server, "acme", &revoked).await;
    server.clock.advance(25 * HOUR);
    let half = good.split('.').next().expect("id").to_owned();
    for (key, sites) in [
        (revoked.as_str(), "http://localhost:8080 https://wiki.example"),
        (&ended, "http://localhost:8080 https://wiki.example"),
        (&format!("{half}.wrong"), "'none'"),
        (&half, "'none'"),
        ("unknown", "'none'"),
    ] {
        for path in [format!("/embed/{key}"), format!("/embed/{key}/live"), format!("/embed/{key}?cols=bad")]
        {
            let answer = frame(&server, &path).await;
            assert_eq!(answer.status, StatusCode::FORBIDDEN, "{path}");
            assert!(
                answer.body.contains("its key is not valid") && !answer.body.contains("zebrafish"),
                "{path}"
            );
            assert_eq!(ancestors(&answer.headers), sites, "{path}");
        }
    }
    assert_eq!(frame(&server, &format!("/embed/{good}")).await.status, StatusCode::OK);
}

#[tokio::test]
async fn a_frame_without_an_origin_may_ask_and_no_other_site() {
    let server = Server::new().await;
    let key = key(&server, "acme", "", "").await;
    for path in [format!("/embed/{key}"), format!("/embed/{key}/live")] {
        for (origin, allowed) in
            [("null", "null"), ("https://wiki.example", ""), ("https://evil.example", "")]
        {
            let request =
                server.request(&Caller::Stranger, Method::GET, &path).await.header("origin", origin);
            let request = request.body(Body::empty()).expect("request");
            let response = server.router().oneshot(request).await.expect("infallible");
            let header = |name: &str| {
                response.headers().get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
            };
            assert_eq!(header("access-control-allow-origin"), allowed, "{path} {origin}");
            assert_eq!(header("access-control-allow-credentials"), "");
        }
    }
}

#[tokio::test]
async fn a_stream_in_a_frame_ends_with_its_key() {
    let server = Server::new().await;
    let key = key(&server, "acme", "", "").await;
    let path = format!("/embed/{key}/live");
    let request =
        server.request(&Caller::Stranger, Method::GET, &path).await.body(Body::empty()).expect("request");
    let response = server.router().oneshot(request).await.expect("infallible");
    assert_eq!(response.headers()["content-type"], "text/event-stream");
    let mut body = response.into_body();
    let first = body.frame().await.expect("open").expect("frame").into_data().expect("data");
    assert!(first.starts_with(b"event: change"));
    revoke(&server, "acme", &key).await;
    let end = async { while body.frame().await.is_some() {} };
    tokio::time::timeout(std::time::Duration::from_secs(30), end).await.expect("an end");
}

#[tokio::test]
async fn one_network_cannot_ask_without_end() {
    let server = Server::new().await;
    let mut refused = None;
    for _ in 0..2_000 {
        let answer = frame(&server, "/embed/unknown").await;
        if answer.status != StatusCode::FORBIDDEN {
            refused = Some(answer);
            break;
        }
    }
    let refused = refused.expect("at some point");
    assert_eq!((refused.status, refused.header("retry-after")), (StatusCode::TOO_MANY_REQUESTS, "1"));
}

#[tokio::test]
async fn a_preview_is_framed_by_our_own_pages_alone() {
    let server = Server::new().await;
    server.register("acme", "edge", "edge-1", None).await;
    server.create_scope("other").await;
    let key = key(&server, "acme", "", "").await;
    let id = key.split('.').next().expect("id");
    let preview = server.get(&format!("/a/acme/embeds/{id}/preview?cols=version&theme=dark")).await;
    assert_eq!((preview.status, ancestors(&preview.headers).as_str()), (StatusCode::OK, "'self'"));
    assert!(preview.body.contains("data-theme=\"dark\"") && preview.body.contains(">edge<"));
    assert!(
        !preview.body.contains("<script"),
        "nothing runs in it: {}",
        &preview.body[preview.body.find("<script").unwrap_or(0)..]
    );
    assert!(!preview.body.contains(&key), "the key is not known any more");
    assert_eq!(server.get(&format!("/a/other/embeds/{id}/preview")).await.status, StatusCode::NOT_FOUND);
    let page = server.get(&format!("/a/acme/embeds/{id}?cols=version&cols=status&theme=dark")).await;
    let preview = format!("src=\"/a/acme/embeds/{id}/preview?cols=version,status&amp;theme=dark\"");
    assert!(page.body.contains(&preview), "{}", page.body);
    assert!(page.body.contains("/embed/EMBED_KEY?cols=version,status&amp;amp;theme=dark"), "{}", page.body);
    revoke(&server, "acme", &key).await;
    assert_eq!(server.get(&format!("/a/acme/embeds/{id}")).await.status, StatusCode::NOT_FOUND);
}
