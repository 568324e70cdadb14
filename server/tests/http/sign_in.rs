//! Signing in and out, and being kept from it.

use axum::http::StatusCode;
use fleet::time::{HOUR, SECOND};
use server::auth::password::Passwords;
use server::auth::session::{ABSOLUTE, IDLE, Origin, SignInError};
use server::deeds::Actor;
use server::deeds::people::set_password;
use zeroize::Zeroizing;

use crate::support::{Answer, Caller, NOON, Server};

const EMAIL: &str = "alex@acme.example";
const PASSWORD: &str = "correct horse battery";

async fn with_password() -> Server {
    with_password_on(Server::new().await).await
}

async fn with_password_on(server: Server) -> Server {
    server.person(EMAIL, "operator", "acme").await;
    let user = server.parts.state.auth.directory.tables().by_email(EMAIL).cloned().expect("user");
    let hash = Passwords::default().hash(Zeroizing::new(PASSWORD.to_owned())).await.expect("hash");
    let scope = "acme".parse().expect("scope");
    let changes = set_password(&Actor::command_line(), Some(&scope), &user, hash, "", NOON);
    server.parts.state.change_access(&changes).await.expect("stored");
    server
}

async fn sign_in(server: &Server, email: &str, password: &str, next: &str) -> Answer {
    let fields = [("email", email), ("password", password), ("next", next)];
    server.post_as(&Caller::Stranger, "/sign-in", &fields).await
}

fn cookie(answer: &Answer) -> Caller {
    let cookie = answer.header("set-cookie");
    let secret = cookie.strip_prefix("rollcall_session=").and_then(|rest| rest.split(';').next());
    Caller::Cookie(secret.expect("cookie").to_owned())
}

#[tokio::test]
async fn the_right_password_opens_what_was_asked_for() {
    let server = with_password().await;
    let next = "/a/acme/delegates?health=expired";
    let answer = sign_in(&server, " Alex@ACME.example ", PASSWORD, next).await;
    assert_eq!((answer.status, answer.header("location")), (StatusCode::SEE_OTHER, next));
    let attributes = answer.header("set-cookie");
    assert!(attributes.contains("; HttpOnly; SameSite=Lax"), "{attributes}");
    assert_eq!(server.get_as(&cookie(&answer), next).await.status, StatusCode::OK);
}

#[tokio::test]
async fn the_way_on_never_leads_to_another_site() {
    let server = with_password().await;
    for next in ["https://evil.example/", "//evil.example", "/\\evil.example"] {
        assert_eq!(sign_in(&server, EMAIL, PASSWORD, next).await.header("location"), "/", "{next}");
    }
}

#[tokio::test]
async fn a_wrong_password_and_an_unknown_person_get_the_same_answer() {
    let server = with_password().await;
    let wrong = sign_in(&server, EMAIL, "not the password", "/").await;
    let unknown = sign_in(&server, "nobody@acme.example", "not the password", "/").await;
    for answer in [&wrong, &unknown] {
        assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY);
        assert!(answer.body.contains("E-mail or password is not right."));
        assert!(!answer.body.contains("not the password"), "a password never comes back");
        assert_eq!(answer.header("set-cookie"), "");
    }
}

#[tokio::test]
async fn ten_thousand_tries_are_throttled_and_lock_nobody_out_for_ever() {
    let server = with_password_on(Server::alone().await).await;
    let auth = &server.parts.state.auth;
    let mut refused = 0;
    for _ in 0..10_000 {
        let guess = Zeroizing::new("guess".to_owned());
        let tried = auth.check_password(EMAIL, guess, &Origin::default()).await;
        refused += u32::from(matches!(tried, Err(SignInError::TooMany(_))));
    }
    assert_eq!(refused, 10_000 - 5);
    let (status, retry_after) =
        server.post_bare("/sign-in", &[("email", EMAIL), ("password", "guess")]).await;
    assert_eq!((status, retry_after.as_str()), (StatusCode::TOO_MANY_REQUESTS, "30"));
    assert_eq!(sign_in(&server, EMAIL, PASSWORD, "/").await.status, StatusCode::TOO_MANY_REQUESTS);
    server.clock.advance(30 * SECOND);
    assert_eq!(sign_in(&server, EMAIL, PASSWORD, "/").await.status, StatusCode::SEE_OTHER);
}

#[tokio::test]
async fn signing_out_ends_the_session_for_good() {
    let server = with_password().await;
    let session = cookie(&sign_in(&server, EMAIL, PASSWORD, "/").await);
    assert_eq!(server.get_as(&session, "/me").await.status, StatusCode::OK);
    let out = server.post_as(&session, "/sign-out", &[]).await;
    assert_eq!((out.status, out.header("location")), (StatusCode::SEE_OTHER, "/sign-in"));
    assert!(out.header("set-cookie").contains("Max-Age=0"));
    assert_eq!(server.get_as(&session, "/me").await.status, StatusCode::SEE_OTHER);
}

#[tokio::test]
async fn a_session_ends_when_it_idles_and_when_it_is_old() {
    let server = with_password().await;
    let idle = cookie(&sign_in(&server, EMAIL, PASSWORD, "/").await);
    server.clock.advance(IDLE);
    assert_eq!(server.get_as(&idle, "/me").await.status, StatusCode::OK);
    server.clock.advance(IDLE + 1);
    assert_eq!(server.get_as(&idle, "/me").await.status, StatusCode::SEE_OTHER);

    let busy = cookie(&sign_in(&server, EMAIL, PASSWORD, "/").await);
    for _ in 0..ABSOLUTE / HOUR {
        assert_eq!(server.get_as(&busy, "/me").await.status, StatusCode::OK);
        server.clock.advance(HOUR);
    }
    assert_eq!(server.get_as(&busy, "/me").await.status, StatusCode::OK);
    server.clock.advance(1);
    assert_eq!(server.get_as(&busy, "/me").await.status, StatusCode::SEE_OTHER);
}

#[tokio::test]
async fn another_password_ends_all_other_sessions() {
    let server = with_password().await;
    let one = cookie(&sign_in(&server, EMAIL, PASSWORD, "/").await);
    let other = cookie(&sign_in(&server, EMAIL, PASSWORD, "/").await);
    let wrong = server
        .post_as(&one, "/me/password", &[("current", "guess"), ("password", "a new long password")])
        .await;
    assert_eq!(wrong.status, StatusCode::UNPROCESSABLE_ENTITY);
    let short = server.post_as(&one, "/me/password", &[("current", PASSWORD), ("password", "short")]).await;
    assert_eq!(short.status, StatusCode::UNPROCESSABLE_ENTITY);
    let fields = [("current", PASSWORD), ("password", "a new long password")];
    assert_eq!(server.post_as(&one, "/me/password", &fields).await.status, StatusCode::SEE_OTHER);
    assert_eq!(server.get_as(&one, "/me").await.status, StatusCode::OK);
    assert_eq!(server.get_as(&other, "/me").await.status, StatusCode::SEE_OTHER);
    assert_eq!(sign_in(&server, EMAIL, "a new long password", "/").await.status, StatusCode::SEE_OTHER);
}

#[tokio::test]
async fn who_is_shut_out_is_out_at_once() {
    let server = with_password().await;
    let session = cookie(&sign_in(&server, EMAIL, PASSWORD, "/").await);
    let key = Caller::Key(server.key(EMAIL, "acme").await);
    assert_eq!(server.get_as(&key, "/api/v1/accounts/acme/delegates").await.status, StatusCode::OK);
    let id = server.parts.state.auth.directory.tables().by_email(EMAIL).expect("user").id.clone();
    let answer = server.post_as(&server.root, &format!("/a/acme/users/{id}/disable"), &[]).await;
    assert_eq!(answer.status, StatusCode::SEE_OTHER, "{}", answer.body);
    assert_eq!(server.get_as(&session, "/me").await.status, StatusCode::SEE_OTHER);
    let refused = server.get_as(&key, "/api/v1/accounts/acme/delegates").await;
    assert_eq!(refused.status, StatusCode::UNAUTHORIZED);
    assert_eq!(sign_in(&server, EMAIL, PASSWORD, "/").await.status, StatusCode::UNPROCESSABLE_ENTITY);
}

#[tokio::test]
async fn a_form_without_a_proof_of_origin_is_refused() {
    let server = with_password().await;
    let session = cookie(&sign_in(&server, EMAIL, PASSWORD, "/").await);
    for (name, value, status) in [
        ("accept", "text/html", StatusCode::FORBIDDEN),
        ("origin", "https://evil.example", StatusCode::FORBIDDEN),
        ("sec-fetch-site", "same-site", StatusCode::FORBIDDEN),
        ("sec-fetch-site", "same-origin", StatusCode::SEE_OTHER),
    ] {
        let request = server.request(&session, axum::http::Method::POST, "/me/sessions/end").await;
        let request = request.header(name, value).body(axum::body::Body::empty()).expect("request");
        assert_eq!(server.send(request).await.status, status, "{name}: {value}");
    }
}

#[tokio::test]
async fn a_key_past_its_end_says_so() {
    let server = with_password().await;
    let session = cookie(&sign_in(&server, EMAIL, PASSWORD, "/").await);
    let made =
        server.post_as(&session, "/me/keys", &[("name", "nightly"), ("scope", "acme"), ("days", "1")]).await;
    assert_eq!(made.status, StatusCode::OK, "{}", made.body);
    let start = made.body.find("pat.acme.").expect("the key is shown");
    let text: String =
        made.body[start..].chars().take_while(|c| c.is_ascii_alphanumeric() || ".-_".contains(*c)).collect();
    let key = Caller::Key(text.clone());
    let path = "/api/v1/accounts/acme/delegates";
    assert_eq!(server.get_as(&key, path).await.status, StatusCode::OK);
    assert!(!server.get_as(&session, "/me").await.body.contains(&text), "shown once");
    server.clock.advance(24 * HOUR);
    let late = server.get_as(&key, path).await;
    assert_eq!(
        (late.status, late.json()["code"].clone()),
        (StatusCode::UNAUTHORIZED, "EXPIRED_TOKEN".into())
    );
    let bad = server.get_as(&Caller::Key(format!("{text}x")), path).await;
    assert_eq!((bad.status, bad.json()["code"].clone()), (StatusCode::UNAUTHORIZED, "INVALID_TOKEN".into()));
}

#[tokio::test]
async fn comings_and_goings_are_in_the_log_of_the_scope_that_somebody_belongs_to() {
    let server = with_password().await;
    sign_in(&server, EMAIL, "not the password", "/").await;
    let session = cookie(&sign_in(&server, EMAIL, PASSWORD, "/").await);
    server.post_as(&session, "/sign-out", &[]).await;
    let auditor = server.person("auditor@acme.example", "operator", "acme").await;
    let log = server.get_as(&auditor, "/api/v1/accounts/acme/audit?format=ndjson").await.body;
    for action in ["access.sign_in", "access.sign_in_failed", "access.sign_out", "user.password"] {
        assert!(log.contains(&format!("\"{action}\"")), "{action} in {log}");
    }
    let elsewhere = server.get_as(&server.root, "/api/v1/accounts/acme/audit?format=ndjson").await.body;
    assert!(elsewhere.contains("user.create"), "whoever reads everything reads what concerns the server");
    assert!(!log.contains("root@acme.example was created"), "others do not");
}

#[tokio::test]
async fn every_node_knows_when_somebody_signed_in_last() {
    let server = Server::new().await;
    server.person("sam@acme.example", "viewer", "acme").await;
    let page = server.get("/a/acme/users").await;
    assert!(page.body.contains("never"), "{}", page.body);
    server.session("sam@acme.example").await;
    for _ in server.nodes() {
        let page = server.get("/a/acme/users").await;
        assert!(page.body.contains("sam@acme.example") && !page.body.contains("never"), "{}", page.body);
    }
}
