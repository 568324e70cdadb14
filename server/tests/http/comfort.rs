//! What pages say beside their content: when the session ends, what was just done, what may not be done and why.

use axum::body::Body;
use axum::http::{Method, StatusCode};
use fleet::time::{DAY, HOUR};
use server::auth::session::{ABSOLUTE, IDLE};

use crate::support::{Answer, Caller, NOON, Server};

/// The answer to a browser with these cookies beside that of its session.
async fn get_with(server: &Server, cookies: &str, path: &str, header: Option<(&str, &str)>) -> Answer {
    let secret = server.session("root@acme.example").await;
    let mut request = server
        .request(&Caller::Stranger, Method::GET, path)
        .await
        .header("cookie", format!("rollcall_session={secret}; {cookies}"));
    if let Some((name, value)) = header {
        request = request.header(name, value);
    }
    server.send(request.body(Body::empty()).expect("request")).await
}

fn attribute(html: &str, name: &str) -> Option<i64> {
    let (_, rest) = html.split_once(&format!(" {name}=\""))?;
    rest.split_once('"')?.0.parse().ok()
}

#[tokio::test]
async fn a_page_and_a_script_are_told_when_the_session_ends() {
    let server = Server::new().await;
    let secret = server.session("root@acme.example").await;
    let browser = Caller::Cookie(secret);
    let page = server.get_as(&browser, "/me").await.body;
    let latest = NOON.plus(ABSOLUTE).millis();
    assert_eq!(attribute(&page, "data-session-end"), Some(NOON.plus(IDLE).millis()));
    assert_eq!(attribute(&page, "data-session-latest"), Some(latest));
    assert_eq!(attribute(&page, "data-now"), Some(NOON.millis()));
    assert!(page.contains("This sign-in ends at "), "it stands in words as well");

    server.clock.advance(HOUR);
    let told = server.get_as(&browser, "/me/session").await.json();
    assert_eq!(told["end"], NOON.plus(HOUR + IDLE).millis(), "to ask is to go on");
    assert_eq!((&told["latest"], &told["now"]), (&latest.into(), &NOON.plus(HOUR).millis().into()));
    for _ in 0..13 {
        server.clock.advance(DAY / 2);
        assert_eq!(server.get_as(&browser, "/me/session").await.status, StatusCode::OK);
    }
    let told = server.get_as(&browser, "/me/session").await.json();
    assert_eq!(told["end"], latest, "but not for ever");

    let key = server.key("root@acme.example", "acme").await;
    let told = server.get_as(&Caller::Key(key), "/me/session").await;
    assert_eq!((told.status, told.json()), (StatusCode::OK, serde_json::json!({})));
    let sign_in = server.get_as(&Caller::Stranger, "/sign-in").await.body;
    assert_eq!(attribute(&sign_in, "data-session-end"), None);
}

#[tokio::test]
async fn what_was_done_is_told_once_and_only_to_people() {
    let server = Server::new().await;
    let done = server.post_as(&server.root, "/me/sessions/end", &[]).await;
    assert_eq!(done.status, StatusCode::SEE_OTHER);
    assert!(done.header("set-cookie").starts_with("rollcall_done=sessions; Path=/; Max-Age=30;"));
    let refused = server.post_as(&server.root, "/a/acme/users/nobody/disable", &[]).await;
    assert_eq!((refused.status, refused.header("set-cookie")), (StatusCode::NOT_FOUND, ""));

    let sentence = "Every other sign-in was ended.";
    let by_script =
        get_with(&server, "rollcall_done=sessions", "/me", Some(("sec-fetch-dest", "empty"))).await;
    assert!(!by_script.body.contains(sentence) && by_script.header("set-cookie").is_empty());
    let seen = get_with(&server, "rollcall_done=sessions", "/me", Some(("sec-fetch-dest", "document"))).await;
    assert!(seen.body.contains(sentence));
    assert!(seen.header("set-cookie").starts_with("rollcall_done=; Path=/; Max-Age=0"));
    let unknown = get_with(&server, "rollcall_done=%3Cb%3Ehello", "/me", None).await;
    assert!(!unknown.body.contains("hello"), "nothing but a fixed sentence is ever told");
}

#[tokio::test]
async fn choices_of_the_display_menu_are_kept_and_written_on_the_page() {
    let server = Server::new().await;
    let fields = [("time", "local"), ("keys", "off"), ("back", "/me")];
    let kept = server.post_as(&server.root, "/ui/preferences", &fields).await;
    let cookies: Vec<_> =
        kept.headers.get_all("set-cookie").iter().map(axum::http::HeaderValue::as_bytes).collect();
    assert!(cookies.iter().any(|cookie| cookie.starts_with(b"rollcall_time=local;")));
    assert!(cookies.iter().any(|cookie| cookie.starts_with(b"rollcall_keys=off;")));
    let page = get_with(&server, "rollcall_time=local; rollcall_keys=off", "/me", None).await.body;
    assert!(page.contains("data-time=\"local\" data-keys=\"off\""));
    let page = get_with(&server, "rollcall_time=<b>; rollcall_keys=<b>", "/me", None).await.body;
    assert!(page.contains("data-time=\"relative\" data-keys=\"on\""));
}

#[tokio::test]
async fn who_is_signed_in_may_sign_in_again() {
    let server = Server::new().await;
    assert_eq!(server.get("/sign-in?next=%2Fme").await.status, StatusCode::SEE_OTHER);
    let again = server.get("/sign-in?next=%2Fme&again=true").await;
    assert_eq!(again.status, StatusCode::OK);
    assert!(again.body.contains("Sign in to Rollcall"));
}

#[tokio::test]
async fn names_with_characters_that_nobody_sees_are_refused() {
    let server = Server::new().await;
    for hidden in ["\u{202e}", "\u{200b}", "\u{feff}", "\u{2066}"] {
        let name = format!("night{hidden}shift");
        for (path, field, more) in [
            ("/a/acme/tokens", "name", ("days", "")),
            ("/a/acme/roles", "name", ("permissions", "core_delegate_view")),
            ("/me/keys", "name", ("scope", "acme")),
        ] {
            let answer = server.post_as(&server.root, path, &[(field, &name), more]).await;
            assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY, "{path}: {}", answer.body);
        }
        let person = [("email", "new@acme.example"), ("name", &*name), ("role", "viewer")];
        let answer = server.post_as(&server.root, "/a/acme/users", &person).await;
        assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY);
        assert!(answer.body.contains("a character that nobody sees"), "{}", answer.body);
    }
}

#[tokio::test]
async fn the_users_page_says_whom_one_may_not_touch() {
    let server = Server::new().await;
    let admin = server.person("admin@acme.example", "admin", "acme/payments").await;
    let page = server.get_as(&admin, "/a/acme/o/payments/users").await.body;
    assert!(page.contains("root@acme.example has roles that you do not manage"), "{page}");
    let page = server.get("/a/acme/o/payments/users").await.body;
    assert!(page.contains("aria-label=\"Disable admin@acme.example\""));
    assert!(!page.contains("has roles that you do not manage"));
}
