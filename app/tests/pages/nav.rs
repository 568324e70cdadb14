//! The top bar: pages of the scope, what only some may open, the account of the viewer.

use crate::common::*;
use crate::fake::*;
use app::context::PageRequest;
use app::pages::delegates::{DelegatesView, DelegatesViewProps};
use fleet::access::BuiltIn;

fn as_seen(request: PageRequest, at: &str) -> String {
    let (overview, query) = overview(at, "", Vec::new());
    html(request, || DelegatesView(DelegatesViewProps { overview, query, scopes: scopes() }))
}

#[test]
fn an_admin_reaches_every_page_of_the_scope() {
    for (at, base) in [
        ("acme", "/a/acme"),
        ("acme/payments", "/a/acme/o/payments"),
        ("acme/payments/checkout", "/a/acme/o/payments/p/checkout"),
    ] {
        let html = as_seen(request_of(BuiltIn::Admin, "acme"), at);
        let nav = part(&html, "<nav aria-label=\"Pages\"", "</nav>");
        for page in ["delegates", "tokens", "audit", "users", "roles", "settings", "embeds"] {
            assert!(nav.contains(&format!("href=\"{base}/{page}\"")), "{page}: {nav}");
        }
        assert_eq!(nav.matches("aria-current=\"page\"").count(), 1);
        assert!(!nav.contains("aria-disabled"));
    }
}

#[test]
fn what_is_denied_stands_in_the_menu_with_the_reason() {
    let html = as_seen(request_of(BuiltIn::Viewer, "acme/payments"), "acme/payments/checkout");
    let nav = part(&html, "<nav aria-label=\"Pages\"", "</nav>");
    let base = "/a/acme/o/payments/p/checkout";
    assert!(nav.contains(&format!("href=\"{base}/tokens\"")));
    for (page, permission) in [
        ("users", "core_user_manage"),
        ("roles", "core_role_manage"),
        ("settings", "core_setting_manage"),
        ("embeds", "core_embed_manage"),
    ] {
        assert!(!nav.contains(&format!("href=\"{base}/{page}\"")), "{page}");
        let why = format!("Needs {permission} in project checkout: your roles there do not hold it");
        assert!(words(nav).contains(&why), "{why}: {nav}");
    }
    assert_eq!(nav.matches("aria-disabled=\"true\"").count(), 4);
    assert!(!nav.contains("/audit"), "the log is not offered to who may not read it");
}

#[test]
fn the_account_menu_names_the_viewer_and_leads_out() {
    let mut request = request_of(BuiltIn::Viewer, "acme");
    if let Some(viewer) = &mut request.viewer {
        viewer.name = "<b>Alex</b>".into();
    }
    let html = as_seen(request, "acme");
    let menu = part(&html, "id=\"user\"", "</header>");
    assert!(
        words(menu).contains(
            "&lt;b&gt;Alex&lt;/b&gt; alex@example.com Your account Keyboard shortcuts Help Sign out"
        ),
        "{menu}"
    );
    assert!(menu.contains("href=\"/me\""));
    let form = form(menu, "/sign-out");
    assert!(form.contains("method=\"post\""));
    assert!(html.contains("popovertarget=\"user\""));
}

#[test]
fn without_a_viewer_there_is_neither() {
    let html = as_seen(PageRequest::default(), "acme");
    assert!(!html.contains("class=\"nav\"") && !html.contains("/sign-out"));
}

#[tokio::test]
async fn the_same_pages_exist_at_every_level() {
    let fake = Fake { tokens: vec![token("edge")], ..Fake::default() };
    for base in ["/a/acme", "/a/acme/o/payments", "/a/acme/o/payments/p/checkout"] {
        for page in [
            "tokens",
            "tokens?status=revoked",
            "tokens/t-edge/revoke",
            "users",
            "roles",
            "settings",
            "audit",
            "embeds",
            "delete?id=g-edge-a",
            "delegates/_edge_a/delete",
            "delegates/_edge_a/instances/id-1/delete",
        ] {
            let html = fake.open(&format!("{base}/{page}")).await;
            assert!(html.contains("<h1"), "{base}/{page}");
            assert!(html.contains(&format!("href=\"{base}/delegates\"")), "{base}/{page} stays in its scope");
        }
    }
}

#[tokio::test]
async fn every_page_tells_a_refusal() {
    let reason = "Needs core_user_manage in account acme: you have no role there";
    let fake = Fake { denied: Some(reason.to_owned()), tokens: vec![token("edge")], ..Fake::default() };
    for page in ["tokens", "tokens/t-edge/revoke", "users", "roles", "settings", "audit", "embeds"] {
        let uri = format!("/a/acme/{page}");
        let (status, html) = fake.open_as(request_of(BuiltIn::Viewer, "acme"), &uri).await;
        assert_eq!(status, 403, "{uri}");
        assert!(words(&html).contains(reason), "{uri}");
    }
}

#[tokio::test]
async fn a_refusal_leaves_the_way_to_other_pages_open() {
    let denied =
        || Some("Needs core_user_manage in account acme: your roles there do not hold it".to_owned());
    let request = |viewer| PageRequest { denied: denied(), ..viewer };
    let fake = Fake::default();
    let (_, html) = fake.open_as(request(request_of(BuiltIn::Viewer, "acme")), "/a/acme/users").await;
    assert!(part(&html, "<nav aria-label=\"Pages\"", "</nav>").contains("href=\"/a/acme/delegates\""));
    let (_, html) = fake.open_as(request(request_of(BuiltIn::Viewer, "other")), "/a/acme/users").await;
    assert!(!html.contains("<nav aria-label=\"Pages\""), "nothing of a scope that is closed");
    let (status, html) = fake.open_as(request_of(BuiltIn::Admin, "beyond"), "/a/beyond/delegates").await;
    assert_eq!(status, 404);
    assert!(!html.contains("/a/beyond/tokens"), "nor of one that does not exist");
}
