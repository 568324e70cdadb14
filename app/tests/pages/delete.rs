//! Deleting: the last page before it, and what a reader can still do afterwards (`product 11.3`,
//! `agent-protocol 9.4`).

use std::sync::atomic::Ordering;

use crate::common::*;
use crate::fake::*;
use app::context::PageRequest;
use app::pages::delegates::{DelegatesView, DelegatesViewProps};
use app::port::access::{Refused, Undo};
use fleet::access::BuiltIn;
use fleet::time::SECOND;

const PAGE: &str = "/a/acme/delegates/_edge_a/delete";
const INSTANCE: &str = "/a/acme/o/payments/delegates/_edge_a/instances/id-1/delete";

#[tokio::test]
async fn a_group_is_deleted_by_typing_its_name() {
    let html = Fake::default().open(PAGE).await;
    let confirm = part(&html, "class=\"panel confirm\"", "</section>");
    let text = words(confirm);
    assert!(text.contains("Delete delegate edge-a?"), "{text}");
    assert!(text.contains("It leaves the list at once, with 3 instances."), "{text}");
    assert!(text.contains("does not uninstall"), "{text}");
    assert!(text.contains("undo this for 10 minutes"), "{text}");
    assert!(text.contains("Type edge-a to confirm"), "{text}");
    let form = form(&html, PAGE);
    assert!(form.contains("method=\"post\""));
    assert_eq!(fields(form), ["name"]);
    assert!(control(form, "name").contains(" autofocus"), "typing can start at once");
    assert!(form.contains("href=\"/a/acme/delegates\""), "the way back");
    assert!(!form.contains("disabled"), "the button says what is wrong instead of being dead");
}

#[tokio::test]
async fn an_instance_is_deleted_by_typing_its_host_name() {
    let html = Fake::default().open(INSTANCE).await;
    let text = words(form(&html, INSTANCE));
    assert!(text.contains("Type edge-a-1 to confirm"), "{text}");
    assert!(words(&html).contains("Delete instance edge-a-1?"));
    assert!(words(&html).contains("Other instances of edge-a stay."));
}

#[tokio::test]
async fn what_a_connected_delegate_does_next_depends_on_the_policy() {
    let fake = Fake { connected: 2, ..Fake::default() };
    let text = words(&fake.open(PAGE).await);
    assert!(text.contains("2 of 3 instances are connected now"), "{text}");
    assert!(text.contains("comes back to the list, marked as returned after delete"), "{text}");
    let text = words(&Fake { refuses_returns: true, ..fake }.open(PAGE).await);
    assert!(text.contains("is turned away: it gets no work until somebody allows it again"), "{text}");
}

#[tokio::test]
async fn a_connected_delegate_that_must_not_be_deleted_has_a_reason_and_no_form() {
    let fake = Fake { connected: 1, forbids_connected: true, ..Fake::default() };
    let html = fake.open(PAGE).await;
    let confirm = part(&html, "class=\"panel confirm\"", "</section>");
    assert!(words(confirm).contains("1 of 3 instances is connected"), "{confirm}");
    assert!(words(confirm).contains("delegates.delete_connected"));
    assert!(!confirm.contains("<form") && !confirm.contains("<input"), "{confirm}");
    let idle = Fake { connected: 0, ..fake };
    assert!(idle.open(PAGE).await.contains(&format!("action=\"{PAGE}\"")), "what is silent can go");
}

#[tokio::test]
async fn a_wrong_name_is_told_at_the_field_and_kept() {
    let outcome = failure("delete", "name", "This is not the name: edge-a.", &[("name", "edge-b")]);
    let html = Fake::default().sent(PAGE, outcome).await;
    assert_wrong(&html, "name", "This is not the name: edge-a.");
    assert_eq!(attribute(control(&html, "name"), "value"), Some("edge-b"));
}

#[tokio::test]
async fn what_is_wrong_beside_the_name_is_told_above_the_form() {
    let html = Fake::default().sent(PAGE, failure("delete", "", "It has gone already.", &[])).await;
    assert!(words(part(form(&html, PAGE), "role=\"alert\"", "</div>")).contains("It has gone already."));
    assert!(!html.contains("aria-invalid"));
}

#[tokio::test]
async fn names_stay_text() {
    let html = Fake::default().open("/a/acme/delegates/%3Cimg%20src=x%3E/delete").await;
    assert!(!html.contains("<img"), "{html}");
    assert!(html.contains("&lt;img"));
}

#[tokio::test]
async fn several_are_deleted_by_typing_how_many() {
    let fake = Fake { connected: 1, ..Fake::default() };
    let html = fake.open("/a/acme/delete?id=g-edge-a&id=g-gone").await;
    let text = words(&html);
    assert!(text.contains("Delete 1 delegate?"), "{text}");
    assert!(text.contains("These leave the list at once, with 3 instances: edge-a"), "{text}");
    assert!(text.contains("does not uninstall"));
    assert!(text.contains("1 instance is connected now"), "{text}");
    let form = form(&html, "/a/acme/delete");
    assert_eq!(fields(form), ["id", "count"]);
    assert_eq!(attribute(control(form, "id"), "value"), Some("g-edge-a"), "only what exists is sent");
    assert!(words(form).contains("Type 1 to confirm"));
}

#[tokio::test]
async fn what_cannot_go_is_named_with_its_reason_and_not_sent() {
    let fake = Fake { connected: 1, forbids_connected: true, ..Fake::default() };
    let html = fake.open("/a/acme/delete?id=g-edge-a").await;
    let confirm = part(&html, "class=\"panel confirm\"", "</section>");
    assert!(words(confirm).contains("These stay: edge-a"), "{confirm}");
    assert!(words(confirm).contains("delegates.delete_connected"));
    assert!(!confirm.contains("<form"), "{confirm}");
    let nothing = words(&Fake::default().open("/a/acme/delete").await);
    assert!(nothing.contains("No delegate of this scope was selected"), "{nothing}");
}

#[tokio::test]
async fn after_a_wrong_count_the_selection_comes_from_the_form() {
    let outcome = failure("delete", "count", "Type 1.", &[("id", "g-edge-a"), ("count", "7")]);
    let html = Fake::default().sent("/a/acme/delete", outcome).await;
    assert_wrong(&html, "count", "Type 1.");
    assert_eq!(attribute(control(&html, "id"), "value"), Some("g-edge-a"));
}

#[tokio::test]
async fn a_refused_request_asks_nothing_and_says_why() {
    let fake = Fake::default();
    let reason = "Needs core_delegate_delete in account acme: your roles there do not hold it";
    for uri in [PAGE, "/a/acme/delegates", "/a/acme/delegates/_edge_a", "/a/acme/tokens", "/me"] {
        let denied = Some(reason.to_owned());
        let request = PageRequest { denied, ..request_of(BuiltIn::Viewer, "acme") };
        let (status, html) = fake.open_as(request, uri).await;
        assert_eq!(status, 403, "{uri}");
        assert!(words(&html).contains(reason), "{uri}");
        assert!(!html.contains("edge-a"), "{uri}: nothing of what is behind it");
    }
    assert_eq!(fake.asked.load(Ordering::Relaxed), 0);
    let refusing = Fake { denied: Some(reason.to_owned()), ..fake };
    let (status, html) = refusing.open_as(request_of(BuiltIn::Viewer, "acme"), PAGE).await;
    assert_eq!(status, 403);
    assert!(words(&html).contains(reason));
}

fn with_notes(role: BuiltIn) -> String {
    let (mut overview, query) = overview("acme", "", vec![Group::new("a").instance("h", LATEST, 5)]);
    overview.notes.undo = vec![Undo {
        scope: scope("acme/payments"),
        group: "g1".into(),
        instance: "".into(),
        name: "edge<b>".into(),
        at: NOW.plus(-20 * SECOND),
        by: "uri@example.com".to_owned(),
    }];
    overview.notes.refused = vec![Refused {
        scope: scope("acme"),
        group: "g2".into(),
        name: "core".into(),
        deleted_at: NOW.plus(-60 * SECOND),
        called_at: NOW.plus(-8 * SECOND),
        rejected: false,
        token: Some(("t1".into(), "edge".into())),
    }];
    html(request_of(role, "acme"), || DelegatesView(DelegatesViewProps { overview, query, scopes: scopes() }))
}

#[test]
fn a_deletion_can_be_taken_back() {
    let html = with_notes(BuiltIn::Operator);
    let form = form(&html, "/a/acme/o/payments/undo");
    assert_eq!(fields(form), ["group", "instance"]);
    assert_eq!(attribute(control(form, "group"), "value"), Some("g1"));
    assert_eq!(attribute(control(form, "instance"), "value"), Some(""));
    let text = words(part(&html, "<ul aria-label=\"Notes\"", "</ul>"));
    assert!(text.contains("Delegate edge&lt;b&gt; deleted 11:59:40 UTC by uri@example.com"), "{text}");
}

#[test]
fn a_delegate_that_keeps_calling_can_be_allowed_or_cut_off() {
    let html = with_notes(BuiltIn::Operator);
    let form = form(&html, "/a/acme/allow");
    assert_eq!(fields(form), ["group"]);
    let text = words(part(&html, "<ul aria-label=\"Notes\"", "</ul>"));
    assert!(
        text.contains("core was deleted and keeps calling, last 11:59:52 UTC , with token edge"),
        "{text}"
    );
    assert!(html.contains("href=\"/a/acme/tokens/t1/revoke\""));
    let html = with_notes(BuiltIn::Viewer);
    assert!(!html.contains("/a/acme/allow") && !html.contains("/tokens/t1/revoke"));
}
