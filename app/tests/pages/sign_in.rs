//! The ways in: sign-in and the link of the first start.

use crate::common::*;
use crate::fake::*;
use app::context::PageRequest;
use app::port::access::{Doors, Setup};

async fn open(fake: &Fake, uri: &str) -> (u16, String) {
    fake.open_as(PageRequest::default(), uri).await
}

#[tokio::test]
async fn the_form_works_with_password_managers_and_keeps_the_way() {
    let (status, html) = open(&Fake::default(), "/sign-in?next=%2Fa%2Facme%2Fdelegates%3Fq%3D%22").await;
    assert_eq!(status, 200);
    let form = form(&html, "/sign-in");
    assert!(form.contains("method=\"post\""));
    assert_eq!(fields(form), ["next", "email", "password"]);
    assert_eq!(attribute(control(form, "next"), "value"), Some("/a/acme/delegates?q=&quot;"));
    let (email, password) = (control(form, "email"), control(form, "password"));
    assert_eq!(
        (attribute(email, "type"), attribute(email, "autocomplete")),
        (Some("email"), Some("username"))
    );
    assert_eq!(attribute(password, "autocomplete"), Some("current-password"));
    assert!(!html.contains("onpaste"));
    assert!(!html.contains("/sign-in/sso") && !html.contains("Nobody can sign in yet"));
}

#[tokio::test]
async fn the_bar_has_nothing_to_lead_a_stranger_to() {
    let (_, html) = open(&Fake::default(), "/sign-in").await;
    let top = part(&html, "<header class=\"top\"", "</header>");
    assert!(
        !top.contains("class=\"nav\"") && !top.contains("id=\"scopes\"") && !top.contains("/sign-out"),
        "{top}"
    );
    assert!(top.contains("id=\"display\""));
}

#[tokio::test]
async fn an_identity_provider_is_a_door_of_its_own() {
    let doors = Doors { provider: Some("Okta <x>".to_owned()), empty: false };
    let (_, html) = open(&Fake { doors, ..Fake::default() }, "/sign-in?next=/a/acme/tokens").await;
    assert!(words(&html).contains("Continue with Okta &lt;x&gt; or"), "{}", words(&html));
    assert!(html.contains("href=\"/sign-in/sso?next=%2Fa%2Facme%2Ftokens\""));
}

#[tokio::test]
async fn a_server_without_people_says_how_to_make_the_first() {
    let doors = Doors { provider: None, empty: true };
    let (_, html) = open(&Fake { doors, ..Fake::default() }, "/sign-in").await;
    assert!(words(&html).contains("Open the one-time link that rollcall serve printed"));
}

#[tokio::test]
async fn a_failure_keeps_the_e_mail_and_forgets_the_password() {
    let sentence = "E-mail and password do not belong together.";
    let values = [("email", "alex@example.com"), ("password", "hunter2hunter2"), ("next", "/a/acme/audit")];
    let request =
        PageRequest { outcome: failure("sign-in", "", sentence, &values), ..PageRequest::default() };
    let (_, html) = Fake::default().open_as(request, "/sign-in").await;
    assert!(words(part(&html, "role=\"alert\"", "</div>")).contains(sentence));
    assert_eq!(attribute(control(&html, "email"), "value"), Some("alex@example.com"));
    assert_eq!(attribute(control(&html, "next"), "value"), Some("/a/acme/audit"));
    assert!(!html.contains("hunter2"));
}

#[tokio::test]
async fn the_first_link_makes_an_account_or_joins_one() {
    let fresh = Fake { setup: Some(Setup::default()), ..Fake::default() };
    let (status, html) = open(&fresh, "/setup/abc123").await;
    assert_eq!(status, 200);
    let form = form(&html, "/setup/abc123");
    assert_eq!(fields(form), ["account", "email", "name", "password"]);
    assert!(control(form, "account").starts_with("<input"));
    assert_eq!(attribute(control(form, "password"), "autocomplete"), Some("new-password"));
    let setup = Setup { accounts: vec!["acme".to_owned(), "beta".to_owned()] };
    let (_, html) = open(&Fake { setup: Some(setup), ..Fake::default() }, "/setup/abc123").await;
    assert!(control(&html, "account").starts_with("<select"));
    assert!(html.contains("<option value=\"beta\""));
}

#[tokio::test]
async fn a_used_link_is_404() {
    let (status, html) = open(&Fake::default(), "/setup/abc123").await;
    assert_eq!(status, 404);
    assert!(words(&html).contains("This link does not exist, or no longer."));
    assert!(!html.contains("action=\"/setup"));
}
