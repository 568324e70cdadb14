//! Other servers whose delegates are shown (`management-api 7`).

use crate::common::*;
use crate::fake::*;
use app::port::mirrors::{Mirror, Shown};
use fleet::time::MINUTE;

const PAGE: &str = "/a/acme/mirrors";

fn mirror(name: &str) -> Mirror {
    Mirror {
        id: format!("m-{name}").into(),
        name: name.into(),
        url: "https://app.harness.io/gateway".to_owned(),
        scopes: vec!["there".parse().expect("a scope"), "there/payments".parse().expect("a scope")],
        created_by: Some("uri@example.com".to_owned()),
        shown: Some(Shown { as_of: NOW.plus(-MINUTE), groups: 1_200, instances: 3_600 }),
        trouble: String::new(),
        skipped: 0,
    }
}

#[tokio::test]
async fn mirrors_say_what_they_show_as_of_when_and_what_is_wrong() {
    let ill =
        Mirror { trouble: "the key is refused (401): <b>no</b>.".to_owned(), skipped: 2, ..mirror("ill") };
    let new = Mirror { shown: None, created_by: None, ..mirror("new") };
    let html = Fake { mirrors: vec![mirror("well"), ill, new], ..Fake::default() }.open(PAGE).await;
    let text = words(part(&html, "<table class=\"data\"", "</table>"));
    assert!(
        text.contains("well by uri@example.com https://app.harness.io/gateway there there/payments"),
        "{text}"
    );
    assert!(text.contains("1200 3600 instances Up to date Remove"), "{text}");
    assert!(text.contains("Trouble the key is refused (401): &lt;b&gt;no&lt;/b&gt;."), "{text}");
    assert!(text.contains("2 entries could not be understood."), "{text}");
    assert!(text.contains("not read yet First look follows Remove"), "{text}");
    assert!(form(&html, "/a/acme/mirrors/m-well/remove").contains("method=\"post\""));
    assert!(
        words(&Fake::default().open(PAGE).await).contains("No other server's delegates are shown in acme.")
    );
}

#[tokio::test]
async fn a_form_that_was_refused_says_why_and_never_shows_the_key_again() {
    let values = [("url", "wiki"), ("api_key", "top-secret")];
    let html = Fake::default().sent(PAGE, failure("mirrors", "url", "Not an address.", &values)).await;
    let new = form(&html, PAGE);
    assert!(new.contains("Not an address.") && new.contains("value=\"wiki\""), "{new}");
    assert!(!html.contains("top-secret"), "{html}");
    assert!(new.contains("type=\"password\""), "{new}");
}
