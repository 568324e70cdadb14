//! Pages through the router: status, headers, who may ask, preferences.

use axum::body::Body;
use axum::http::{Method, Request, StatusCode};

use crate::support::Server;

#[tokio::test]
async fn a_page_is_whole_in_its_first_answer() {
    let server = Server::new().await;
    server.register_one_of_each().await;
    let page = server.get("/a/acme/o/payments/delegates").await;
    assert_eq!(page.status, StatusCode::OK);
    for text in ["old", "ageing", "behind", "current", "custom", "26.11.90604", "</html>"] {
        assert!(page.body.contains(text), "{text}");
    }
}

#[tokio::test]
async fn each_path_answers_with_its_status() {
    let server = Server::new().await;
    server.register("acme", "edge-a", "edge-a-1", None).await;
    for (path, status) in [
        ("/a/acme/delegates", StatusCode::OK),
        ("/a/acme/o/payments/p/checkout/delegates", StatusCode::OK),
        ("/a/acme/delegates/_edge_a", StatusCode::OK),
        ("/a/acme/delegates/_nobody", StatusCode::NOT_FOUND),
        ("/a/nobody/delegates", StatusCode::NOT_FOUND),
        ("/a/acme/o/nobody/delegates", StatusCode::NOT_FOUND),
        ("/a/acme/delegates?sort=colour", StatusCode::BAD_REQUEST),
        ("/nowhere", StatusCode::NOT_FOUND),
        ("/a/acme", StatusCode::TEMPORARY_REDIRECT),
        ("/", StatusCode::TEMPORARY_REDIRECT),
        ("/pkg/nothing.js", StatusCode::NOT_FOUND),
    ] {
        assert_eq!(server.get(path).await.status, status, "{path}");
    }
    assert_eq!(server.get("/").await.header("location"), "/a/acme/delegates", "the only account");
}

#[tokio::test]
async fn every_answer_to_people_carries_the_security_headers_and_a_request_id() {
    let server = Server::new().await;
    for path in ["/a/acme/delegates", "/nowhere", "/api/v1/nothing", "/metrics", "/pkg/nothing.js"] {
        let answer = server.get(path).await;
        let policy = answer.header("content-security-policy");
        assert!(
            policy.contains("script-src 'nonce-") && !policy.contains("unsafe-inline"),
            "{path}: {policy}"
        );
        assert_eq!(answer.header("x-content-type-options"), "nosniff", "{path}");
        assert_eq!(answer.header("x-frame-options"), "DENY", "{path}");
        assert_eq!(answer.header("x-request-id").len(), 22, "{path}");
    }
}

#[tokio::test]
async fn scripts_carry_the_nonce_of_the_header_and_each_answer_has_its_own() {
    let server = Server::new().await;
    let mut nonces = Vec::new();
    for _ in 0..2 {
        let page = server.get("/a/acme/delegates").await;
        let policy = page.header("content-security-policy").to_owned();
        let nonce = policy
            .split("'nonce-")
            .nth(1)
            .and_then(|rest| rest.split('\'').next())
            .expect("nonce")
            .to_owned();
        let scripts = page.body.matches("<script").count();
        assert_eq!(page.body.matches(&format!("nonce=\"{nonce}\"")).count(), scripts, "{scripts} scripts");
        assert!(scripts > 0);
        nonces.push(nonce);
    }
    assert_ne!(nonces[0], nonces[1]);
}

#[tokio::test]
async fn pages_and_data_answer_under_names_of_this_machine_only() {
    let server = Server::new().await;
    let get = |path: &str, host: &str| {
        Request::get(path).header("host", host).body(Body::empty()).expect("request")
    };
    for path in ["/a/acme/delegates", "/api/v1/accounts/acme/delegates", "/metrics", "/a/acme/live"] {
        assert_eq!(server.send(get(path, "rollcall.example")).await.status, StatusCode::FORBIDDEN, "{path}");
    }
    for host in ["localhost:3000", "127.0.0.1:3000", "[::1]:3000"] {
        assert_eq!(server.send(get("/sign-in", host)).await.status, StatusCode::OK, "{host}");
    }
    let key = server.key("root@acme.example", "acme").await;
    let by_key = Request::get("/api/v1/accounts/acme/delegates").header("host", "rollcall.example");
    let by_key = by_key.header("x-api-key", key).body(Body::empty()).expect("request");
    assert_eq!(
        server.send(by_key).await.status,
        StatusCode::OK,
        "a key is nothing that another site could misuse"
    );
    let agent = server.send(get("/api/account/acme/status", "rollcall.example")).await;
    assert_eq!(agent.status, StatusCode::OK, "delegates use the name that they were given");
}

#[tokio::test]
async fn preferences_are_kept_in_cookies_and_show_in_the_page() {
    let server = Server::new().await;
    let form = |extra: (&'static str, &'static str)| {
        Request::builder()
            .method(Method::POST)
            .uri("/ui/preferences")
            .header("host", "localhost:3000")
            .header("content-type", "application/x-www-form-urlencoded")
            .header(extra.0, extra.1)
            .body(Body::from(
                "theme=dark&density=compact&charts=hidden&back=%2Fa%2Facme%2Fdelegates%3Fhealth%3Dexpired",
            ))
            .expect("request")
    };
    let answer = server.send(form(("sec-fetch-site", "same-origin"))).await;
    assert_eq!(
        (answer.status, answer.header("location")),
        (StatusCode::SEE_OTHER, "/a/acme/delegates?health=expired")
    );
    assert_eq!(answer.headers.get_all("set-cookie").iter().count(), 3);
    assert_eq!(server.send(form(("sec-fetch-site", "cross-site"))).await.status, StatusCode::FORBIDDEN);
    assert_eq!(server.send(form(("origin", "https://evil.example"))).await.status, StatusCode::FORBIDDEN);

    let request = Request::get("/sign-in")
        .header("host", "localhost:3000")
        .header("cookie", "other=1; rollcall_theme=dark; rollcall_density=compact; rollcall_charts=hidden")
        .body(Body::empty())
        .expect("request");
    let page = server.send(request).await.body;
    assert!(page.contains("data-theme=\"dark\"") && page.contains("data-density=\"compact\""));
}

#[tokio::test]
async fn what_delegates_call_themselves_is_shown_as_text() {
    let server = Server::new().await;
    server.register("acme", "<script>alert(1)</script>", "\"><img src=x>", None).await;
    for path in [
        "/a/acme/delegates?health=connected",
        "/a/acme/delegates?search=%3Cscript%3E",
        "/a/acme/delegates/__script_alert_1___script_",
    ] {
        let page = server.get(path).await;
        assert_eq!(page.status, StatusCode::OK, "{path}");
        assert!(!page.body.contains("<script>alert"), "{path}");
        assert!(!page.body.contains("<img src=x"), "{path}");
    }
}
