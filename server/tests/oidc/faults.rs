//! Providers that refuse, lie, or break.

use std::convert::Infallible;

use axum::Router;
use axum::body::Body;
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Redirect, Response};
use server::auth::oidc::{Oidc, OidcError};
use server::clock::Clock;
use tokio::net::TcpListener;

use crate::provider::{Provider, SECRET, browse, config, sign_in, vault};

#[tokio::test]
async fn an_id_token_must_pass_every_check() {
    let provider = Provider::start().await;
    let oidc = provider.oidc();
    for (fault, expected) in [
        ("wrong-nonce", OidcError::WrongNonce),
        ("no-nonce", OidcError::WrongNonce),
        ("wrong-issuer", OidcError::WrongIssuer),
        ("wrong-audience", OidcError::WrongAudience),
        ("more-audiences", OidcError::WrongAudience),
        ("wrong-party", OidcError::WrongAudience),
        ("expired", OidcError::Expired),
        ("future", OidcError::Expired),
        ("wrong-hash", OidcError::WrongTokenHash),
        ("bad-signature", OidcError::BadSignature),
        ("unknown-key", OidcError::BadSignature),
        ("shared-secret", OidcError::BadSignature),
        ("unsigned", OidcError::BadSignature),
        ("no-token", OidcError::Unusable),
    ] {
        assert_eq!(sign_in(&oidc, &format!("ana+{fault}"), "/").await, Err(expected), "{fault}");
    }
    // Clocks may differ by a minute; this token ended 20 s ago.
    sign_in(&oidc, "ana+expired-a-moment-ago", "/").await.expect("within the leeway");
}

#[tokio::test]
async fn an_email_address_must_be_there_and_not_be_called_unverified() {
    let provider = Provider::start().await;
    let oidc = provider.oidc();
    for person in ["nomail", "unverified", "unverified+asked-only"] {
        assert_eq!(sign_in(&oidc, person, "/").await, Err(OidcError::NoEmail), "{person}");
    }
}

#[tokio::test]
async fn a_refusal_is_told_without_the_providers_words() {
    let provider = Provider::start().await;
    let oidc = provider.oidc();
    let begin = oidc.begin("/").await.expect("begin");
    let query = browse(begin.url, "nobody").await;
    assert!(query.contains("error_description="), "{query}");
    let declined = oidc.finish(&begin.cookie_value, &query).await.expect_err("declined");
    assert_eq!(declined, OidcError::Declined);
    let refused = query.replace("access_denied", "server_error");
    let refused = oidc.finish(&begin.cookie_value, &refused).await.expect_err("refused");
    assert_eq!(refused, OidcError::Refused);
    for text in [declined.to_string(), refused.to_string()] {
        assert!(!text.contains("said") && !text.contains("server_error"), "{text}");
    }
}

/// The first half of a sign-in at something that answers everything like this.
async fn begin_at(answer: impl Fn() -> Response + Clone + Send + Sync + 'static) -> Option<OidcError> {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("listen");
    let issuer = format!("http://{}", listener.local_addr().expect("address"));
    let router = Router::new().fallback(move || {
        let answer = answer();
        async { answer }
    });
    let served = tokio::spawn(async { axum::serve(listener, router).await });
    let oidc = Oidc::new(config(&issuer, SECRET), Clock::system(), vault()).expect("settings");
    let error = oidc.begin("/").await.err();
    served.abort();
    error
}

#[tokio::test]
async fn what_is_no_provider_is_not_believed() {
    let provider = Provider::start().await;
    let elsewhere = format!("{}/.well-known/openid-configuration", provider.issuer);
    let redirect = move || Redirect::temporary(&elsewhere).into_response();
    assert_eq!(begin_at(redirect).await, Some(OidcError::Unusable), "redirects are not followed");
    let page = || "<!doctype html>".into_response();
    assert_eq!(begin_at(page).await, Some(OidcError::Unusable));
    let missing = || StatusCode::NOT_FOUND.into_response();
    assert_eq!(begin_at(missing).await, Some(OidcError::Unusable));
    let endless = || {
        let spaces = futures::stream::repeat_with(|| Ok::<_, Infallible>(" ".repeat(4096)));
        Body::from_stream(spaces).into_response()
    };
    assert_eq!(begin_at(endless).await, Some(OidcError::Unusable), "nobody waits for its end");
    let broken = || StatusCode::BAD_GATEWAY.into_response();
    assert_eq!(begin_at(broken).await, Some(OidcError::Unreachable));
}

#[tokio::test]
async fn a_provider_that_is_down_is_asked_again_after_5_seconds() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("listen");
    let address = listener.local_addr().expect("address");
    drop(listener);
    let clock = Clock::manual(Clock::system().now());
    let oidc =
        Oidc::new(config(&format!("http://{address}"), SECRET), clock.clone(), vault()).expect("settings");
    assert_eq!(oidc.begin("/").await.err(), Some(OidcError::Unreachable));

    let listener = TcpListener::bind(address).await.expect("listen");
    tokio::spawn(async { axum::serve(listener, Router::new()).await });
    clock.advance(4_999);
    assert_eq!(oidc.begin("/").await.err(), Some(OidcError::Unreachable), "not asked");
    clock.advance(1);
    assert_eq!(oidc.begin("/").await.err(), Some(OidcError::Unusable), "asked, and answered with 404");
}
