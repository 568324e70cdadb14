//! Embed keys (`product 15.2`).

use crate::common::*;
use crate::fake::*;
use app::context::{FormOutcome, PageRequest};
use app::port::access::EmbedKey;
use fleet::access::BuiltIn;
use fleet::time::DAY;

const PAGE: &str = "/a/acme/embeds";

fn key(id: &str) -> EmbedKey {
    EmbedKey {
        id: id.into(),
        name: "Wiki".into(),
        filter: "health=expired".to_owned(),
        origins: vec!["https://wiki.example.com".to_owned()],
        created_at: NOW.plus(-DAY),
        created_by: "uri@example.com".to_owned(),
        expires_at: None,
        revoked_at: None,
    }
}

#[tokio::test]
async fn keys_are_listed_and_revoked() {
    let over = EmbedKey { expires_at: Some(NOW), ..key("k2") };
    let gone = EmbedKey { revoked_at: Some(NOW.plus(-1)), name: "<b>Old</b>".into(), ..key("k3") };
    let html = Fake { embeds: vec![key("k1"), over, gone], ..Fake::default() }.open(PAGE).await;
    let text = words(part(&html, "<table class=\"data\"", "</table>"));
    assert!(text.contains("Wiki by uri@example.com https://wiki.example.com health=expired"), "{text}");
    for state in ["no end Active Snippet… Revoke", "12:00:00 UTC Ended", "&lt;b&gt;Old&lt;/b&gt;", "Revoked"]
    {
        assert!(text.contains(state), "{state}: {text}");
    }
    assert!(form(&html, "/a/acme/embeds/k1/revoke").contains("method=\"post\""));
    assert!(!html.contains("/k3/revoke"));
    assert!(!html.contains("<iframe"));
    assert!(words(&Fake::default().open(PAGE).await).contains("No site may frame the delegates of acme."));
}

#[tokio::test]
async fn a_new_key_comes_once_with_the_frame_to_paste() {
    let outcome =
        FormOutcome { secret: Some(("Wiki".to_owned(), "ek-123".to_owned())), ..FormOutcome::default() };
    let request = PageRequest {
        outcome,
        origin: "https://rollcall.example.com".to_owned(),
        ..request_of(BuiltIn::Admin, "acme")
    };
    let (_, html) = Fake::default().open_as(request, PAGE).await;
    let panel = part(&html, "class=\"panel sheet once\"", "</section>");
    assert!(
        words(panel).contains(
            "&lt;iframe src=\"https://rollcall.example.com/embed/ek-123\" sandbox=\"allow-scripts allow-popups \
             allow-popups-to-escape-sandbox\""
        ),
        "{panel}"
    );
    assert!(!html.contains("<iframe"), "it is text to copy");
    assert_eq!(html.matches("ek-123").count(), panel.matches("ek-123").count());
}

#[tokio::test]
async fn the_form_asks_for_sites_filter_and_end() {
    let html = Fake::default().open(PAGE).await;
    assert_eq!(fields(form(&html, PAGE)), ["name", "origins", "filter", "days"]);
    let values = [("name", "Wiki"), ("origins", "wiki\n</textarea><b>"), ("filter", "health=expired")];
    let html = Fake::default().sent(PAGE, failure("embeds", "origins", "Not a site: wiki.", &values)).await;
    assert_wrong(&html, "origins", "Not a site: wiki.");
    let area = part(&html, "<textarea", "</textarea>");
    assert!(area.ends_with(">wiki\n&lt;/textarea&gt;&lt;b&gt;"), "{area}");
}

#[tokio::test]
async fn the_looks_of_a_frame_are_chosen_by_a_form_and_seen() {
    let fake = Fake { embeds: vec![key("k1")], ..Fake::default() };
    let html = fake.open("/a/acme/embeds/k1?cols=version&cols=status&theme=dark").await;
    let chosen = form(&html, "/a/acme/embeds/k1");
    assert!(chosen.contains("method=\"get\""));
    let on: Vec<&str> = chosen.split("<input ").filter(|input| input.contains("checked")).collect();
    for value in ["version", "status", "dark", "comfortable"] {
        assert!(on.iter().any(|input| input.contains(&format!("value=\"{value}\""))), "{value}: {chosen}");
    }
    assert_eq!(on.len(), 4, "{chosen}");
    let frame = part(&html, "<iframe", ">");
    assert!(
        frame.contains("src=\"/a/acme/embeds/k1/preview?cols=version,status&amp;theme=dark\""),
        "{frame}"
    );
    assert!(frame.contains("sandbox=\"\"") && frame.contains("title=\"Preview\""), "{frame}");
    for (id, status) in [("k2", 404), ("k1?cols=colour", 400), ("k1?theme=red", 400)] {
        let request = request_of(BuiltIn::Admin, "acme");
        assert_eq!(fake.open_as(request, &format!("/a/acme/embeds/{id}")).await.0, status, "{id}");
    }
}
