//! The viewer's own page.

use crate::common::*;
use crate::fake::*;
use app::context::FormOutcome;
use app::port::access::{ApiKey, Assignment, Me, Session};
use fleet::access::{Reach, Resources};
use fleet::time::{DAY, HOUR};

fn me() -> Me {
    Me {
        has_password: true,
        assignments: vec![Assignment {
            id: "a1".into(),
            reach: Reach::Server,
            role: "Admin".into(),
            resources: Resources::All,
            external: false,
            removable: false,
        }],
        keys: vec![ApiKey {
            id: "k1".into(),
            name: "<i>ci</i>".into(),
            scope: scope("acme/payments"),
            created_at: NOW.plus(-DAY),
            expires_at: None,
            last_used: None,
        }],
        sessions: vec![Session {
            current: true,
            created_at: NOW.plus(-HOUR),
            last_seen: NOW,
            agent: "Firefox".to_owned(),
            address: "192.0.2.1".to_owned(),
        }],
        scopes: vec![scope("acme"), scope("acme/payments")],
    }
}

fn fake() -> Fake {
    Fake { me: me(), ..Fake::default() }
}

#[tokio::test]
async fn the_page_shows_what_belongs_to_the_viewer() {
    let html = fake().open("/me").await;
    let text = words(&html);
    for told in [
        "Alex alex@example.com",
        "Admin in the whole server",
        "&lt;i&gt;ci&lt;/i&gt; k1 acme/payments 2026-11-19 12:00 UTC no end never Revoke",
        "Firefox This one 192.0.2.1",
    ] {
        assert!(text.contains(told), "{told}: {text}");
    }
    for action in ["/me/sessions/end", "/me/keys/k1/revoke"] {
        assert!(form(&html, action).contains("method=\"post\""));
    }
    assert!(!html.contains("<i>ci"));
}

#[tokio::test]
async fn passwords_are_changed_with_the_help_of_a_password_manager() {
    let html = fake().open("/me").await;
    let password = form(&html, "/me/password");
    assert_eq!(attribute(control(password, "current"), "autocomplete"), Some("current-password"));
    assert_eq!(attribute(control(password, "password"), "autocomplete"), Some("new-password"));
    let values = [("current", "hunter2hunter2"), ("password", "letmeinletmein")];
    let html =
        fake().sent("/me", failure("password", "current", "This is not your password.", &values)).await;
    assert_wrong(&html, "current", "This is not your password.");
    assert!(!html.contains("hunter2") && !html.contains("letmein"), "passwords never come back");
    let without = Fake { me: Me { has_password: false, ..me() }, ..Fake::default() };
    assert!(!without.open("/me").await.contains("/me/password"));
}

#[tokio::test]
async fn a_key_is_bound_and_shown_once() {
    let html = fake().open("/me").await;
    let keys = form(&html, "/me/keys");
    assert_eq!(fields(keys), ["name", "scope", "days"]);
    assert!(keys.contains("<option value=\"acme/payments\""));
    assert_eq!(attribute(control(keys, "days"), "max"), Some("365"));
    let secret = Some(("ci".to_owned(), "pat.acme.k2.s3cr3t".to_owned()));
    let html = fake().sent("/me", FormOutcome { secret, ..FormOutcome::default() }).await;
    let panel = part(&html, "class=\"panel sheet once\"", "</section>");
    assert!(words(panel).contains("API key ci is ready") && words(panel).contains("x-api-key"));
    assert_eq!(html.matches("s3cr3t").count(), panel.matches("s3cr3t").count());
    let html = fake().sent("/me", failure("keys", "days", "1 to 365, or nothing.", &[("days", "900")])).await;
    assert_wrong(form(&html, "/me/keys"), "days", "1 to 365, or nothing.");
}

#[tokio::test]
async fn somebody_without_anything_is_told_so() {
    let text = words(&Fake::default().open("/me").await);
    assert!(text.contains("You have no role yet.") && text.contains("You have no API key."), "{text}");
}
