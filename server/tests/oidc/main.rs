//! Sign-in through a real identity provider, well-behaved and otherwise.

mod faults;
mod provider;

use std::sync::Arc;

use fleet::access::Reach;
use server::auth::oidc::{External, Oidc, OidcError};
use server::clock::Clock;
use server::tokens::vault::Vault;

use provider::{Provider, SECRET, browse, config, sign_in, vault};

#[tokio::test]
async fn a_person_comes_back_with_name_groups_and_the_page_that_was_wanted() {
    let provider = Provider::start().await;
    let oidc = provider.oidc();
    let begin = oidc.begin("/a/acme?q=linux").await.expect("begin");
    let query: std::collections::BTreeMap<_, _> = begin.url.query_pairs().into_owned().collect();
    assert_eq!(query["code_challenge_method"], "S256");
    assert_eq!(query["response_type"], "code");
    assert_eq!(query["scope"], "openid email profile");
    assert!(!begin.url.as_str().contains(SECRET) && !begin.cookie_value.contains(&query["state"]));

    let query = browse(begin.url, "ana").await;
    let ana = oidc.finish(&begin.cookie_value, &query).await.expect("signed in");
    let expected = External {
        issuer: provider.issuer.clone(),
        subject: "ana".to_owned(),
        email: "ana@acme.example".to_owned(),
        name: Some("Ana Lima".to_owned()),
        groups: vec!["fleet-admins".to_owned(), "everyone".to_owned()],
        next: "/a/acme?q=linux".to_owned(),
    };
    assert_eq!(ana, expected);
    let acme = Reach::Scope("acme".parse().expect("scope"));
    let roles = [(acme.clone(), "account_admin".to_owned()), (acme.clone(), "viewer".to_owned())];
    assert_eq!(oidc.roles_of(&ana.groups), roles);

    // One group may come as a text, and a provider may say nothing of the address being verified.
    let bo = sign_in(&oidc, "bo", "https://evil.example").await.expect("signed in");
    assert_eq!((bo.email.as_str(), bo.next.as_str()), ("bo@acme.example", "/"));
    assert_eq!(oidc.roles_of(&bo.groups), [(acme, "viewer".to_owned())]);
}

#[tokio::test]
async fn a_group_without_a_rule_gives_no_role() {
    let provider = Provider::start().await;
    let oidc = provider.oidc();
    let stranger = sign_in(&oidc, "stranger", "/").await.expect("the provider knows them");
    assert_eq!(stranger.groups, ["visitors"]);
    assert_eq!(oidc.roles_of(&stranger.groups), []);
}

#[tokio::test]
async fn what_the_token_leaves_out_is_asked_for() {
    let provider = Provider::start().await;
    let ana = sign_in(&provider.oidc(), "ana+asked-only", "/").await.expect("signed in");
    assert_eq!((ana.email.as_str(), ana.name.as_deref()), ("ana@acme.example", Some("Ana Lima")));
    assert_eq!(ana.groups, ["fleet-admins", "everyone"]);
}

#[tokio::test]
async fn a_key_that_came_into_use_since_is_fetched() {
    let provider = Provider::start().await;
    let oidc = provider.oidc();
    sign_in(&oidc, "ana", "/").await.expect("with the first key");
    sign_in(&oidc, "ana+new-key", "/").await.expect("with the second key");
    sign_in(&oidc, "ana", "/").await.expect("the first is still good");
}

#[tokio::test]
async fn a_code_works_once() {
    let provider = Provider::start().await;
    let oidc = provider.oidc();
    let begin = oidc.begin("/").await.expect("begin");
    let query = browse(begin.url, "ana").await;
    oidc.finish(&begin.cookie_value, &query).await.expect("signed in");
    assert_eq!(oidc.finish(&begin.cookie_value, &query).await, Err(OidcError::Refused));
}

#[tokio::test]
async fn an_answer_fits_the_sign_in_it_belongs_to_alone() {
    let provider = Provider::start().await;
    let oidc = provider.oidc();
    let (one, other) = (oidc.begin("/").await.expect("begin"), oidc.begin("/").await.expect("begin"));
    let query = browse(one.url, "ana").await;
    let finish = async |cookie: &str, query: &str| oidc.finish(cookie, query).await;
    assert_eq!(finish(&other.cookie_value, &query).await, Err(OidcError::StateMismatch));
    let stateless = query.replace("state=", "etats=");
    assert_eq!(finish(&one.cookie_value, &stateless).await, Err(OidcError::StateMismatch));
    assert_eq!(finish(&one.cookie_value, "").await, Err(OidcError::StateMismatch));
    let elsewhere = query.replace("iss=http", "iss=https");
    assert_ne!(elsewhere, query);
    assert_eq!(finish(&one.cookie_value, &elsewhere).await, Err(OidcError::WrongIssuer));
    let codeless = query.replace("code=", "edoc=");
    assert_eq!(finish(&one.cookie_value, &codeless).await, Err(OidcError::Refused));
    // None of these used up the code.
    finish(&one.cookie_value, &query).await.expect("signed in");
}

#[tokio::test]
async fn the_cookie_is_needed_whole_and_within_10_minutes() {
    let provider = Provider::start().await;
    let clock = Clock::manual(Clock::system().now());
    let oidc = Oidc::new(provider.config(), clock.clone(), vault()).expect("settings");
    let begin = oidc.begin("/").await.expect("begin");
    let query = browse(begin.url, "ana").await;

    let mut tampered = begin.cookie_value.clone();
    tampered.replace_range(20..21, if &tampered[20..21] == "A" { "B" } else { "A" });
    for cookie in ["", "no cookie", &tampered, &begin.cookie_value[1..]] {
        assert_eq!(oidc.finish(cookie, &query).await, Err(OidcError::UnknownAttempt), "{cookie}");
    }
    let other_key = Arc::new(Vault::from_key([8; 32]));
    let stranger = Oidc::new(provider.config(), clock.clone(), other_key).expect("settings");
    assert_eq!(stranger.finish(&begin.cookie_value, &query).await, Err(OidcError::UnknownAttempt));
    clock.advance(600_001);
    assert_eq!(oidc.finish(&begin.cookie_value, &query).await, Err(OidcError::LapsedAttempt));
    clock.advance(-600_001);
    let other_node = Oidc::new(provider.config(), clock.clone(), vault()).expect("settings");
    other_node.finish(&begin.cookie_value, &query).await.expect("in time, on any node");
}

#[tokio::test]
async fn what_the_provider_says_of_itself_is_kept_for_an_hour() {
    let mut provider = Provider::start().await;
    let clock = Clock::manual(Clock::system().now());
    let oidc = Oidc::new(provider.config(), clock.clone(), vault()).expect("settings");
    let begin = oidc.begin("/").await.expect("begin");
    let query = browse(begin.url, "ana").await;
    provider.stop().await;

    assert_eq!(oidc.finish(&begin.cookie_value, &query).await, Err(OidcError::Unreachable));
    clock.advance(3_599_999);
    assert!(oidc.begin("/").await.is_ok(), "still known");
    clock.advance(1);
    assert_eq!(oidc.begin("/").await.err(), Some(OidcError::Unreachable));
}

#[tokio::test]
async fn another_name_or_secret_than_the_providers_is_noticed() {
    let provider = Provider::start().await;
    let other_name = provider.issuer.replace("127.0.0.1", "localhost");
    let oidc = Oidc::new(config(&other_name, SECRET), Clock::system(), vault()).expect("settings");
    assert_eq!(oidc.begin("/").await.err(), Some(OidcError::WrongIssuer));

    let oidc = Oidc::new(config(&provider.issuer, "guess"), Clock::system(), vault()).expect("settings");
    assert_eq!(sign_in(&oidc, "ana", "/").await, Err(OidcError::Refused));
}
