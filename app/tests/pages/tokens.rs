//! The Tokens page and the last page before a revocation (`product 10.5`, `11.6`).

use crate::common::*;
use crate::fake::*;
use app::context::FormOutcome;
use app::port::access::TokenGroup;
use fleet::access::BuiltIn;

const PAGE: &str = "/a/acme/tokens";

fn fake() -> Fake {
    Fake { tokens: vec![token("edge"), revoked_token("old")], ..Fake::default() }
}

#[tokio::test]
async fn active_and_revoked_tokens_have_a_tab_each() {
    let html = fake().open(PAGE).await;
    let table = part(&html, "<table class=\"data\"", "</table>");
    let text = words(table);
    assert!(text.contains("Name Created by Created Status Auto-revoke Last used Delegates"), "{text}");
    assert!(
        text.contains(
            "edge uri@example.com 2026-11-10 12:00 UTC Active never 11:00:00 UTC 2 instances Revoke…"
        ),
        "{text}"
    );
    assert!(!text.contains("old"));
    assert!(table.contains("href=\"/a/acme/tokens/t-edge/revoke\""));
    let html = fake().open("/a/acme/tokens?status=revoked").await;
    let text = words(part(&html, "<table class=\"data\"", "</table>"));
    assert!(text.contains("old") && !text.contains("edge uri"), "{text}");
    assert!(text.contains("Name free on 2026-12-19"), "{text}");
    assert!(form(&html, "/a/acme/tokens/t-old/delete").contains("method=\"post\""));
    let tabs = part(&html, "class=\"tabs\"", "</nav>");
    assert_eq!(tabs.matches("aria-current=\"page\"").count(), 1);
}

#[tokio::test]
async fn an_empty_scope_says_what_is_missing() {
    let text = words(&Fake::default().open(PAGE).await);
    assert!(text.contains("No active token in acme"), "{text}");
    let text = words(&Fake::default().open("/a/acme/tokens?status=revoked").await);
    assert!(text.contains("No token of this scope is revoked"), "{text}");
}

#[tokio::test]
async fn a_new_token_has_a_name_and_perhaps_an_end() {
    let html = fake().open(PAGE).await;
    let form = form(&html, PAGE);
    assert!(form.contains("method=\"post\""));
    assert_eq!(fields(form), ["name", "days"]);
    let days = control(form, "days");
    assert_eq!((attribute(days, "min"), attribute(days, "max")), (Some("1"), Some("3650")));
    assert!(!html.contains("id=\"secret\""));
}

#[tokio::test]
async fn the_value_is_shown_once_and_nowhere_else() {
    let value = "c2VjcmV0LXZhbHVl";
    let secret = Some(("north".to_owned(), value.to_owned()));
    let html = fake().sent(PAGE, FormOutcome { secret, ..FormOutcome::default() }).await;
    let panel = part(&html, "class=\"panel sheet once\"", "</section>");
    assert!(words(panel).contains("Token north is ready"), "{panel}");
    assert!(panel.contains(&format!("<code id=\"secret\">{value}</code>")));
    assert!(panel.contains(&format!("data-copy=\"{value}\"")));
    assert_eq!(html.matches(value).count(), panel.matches(value).count());
    assert!(!fake().open(PAGE).await.contains(value));
}

#[tokio::test]
async fn a_name_that_is_taken_is_told_at_the_field() {
    let sentence = "A token of this name exists; revoked ones keep their name for 30 days.";
    let values = [("name", "old\"><script>"), ("days", "30")];
    let html = fake().sent(PAGE, failure("tokens", "name", sentence, &values)).await;
    assert_wrong(&html, "name", sentence);
    assert_eq!(attribute(control(&html, "name"), "value"), Some("old&quot;&gt;&lt;script&gt;"));
    assert_eq!(attribute(control(&html, "days"), "value"), Some("30"));
    assert!(html.contains("<details open class=\"panel sheet fold\""), "the form is in sight");
    assert!(!html.contains("<script>"));
}

#[tokio::test]
async fn a_refused_deletion_is_told_above_the_list() {
    let html = fake().sent(PAGE, failure("delete", "", "This token is active.", &[])).await;
    assert!(words(part(&html, "role=\"alert\"", "</div>")).contains("This token is active."));
}

#[tokio::test]
async fn a_viewer_looks_and_reads_why() {
    let (status, html) = fake().open_as(request_of(BuiltIn::Viewer, "acme"), PAGE).await;
    assert_eq!(status, 200);
    assert!(!html.contains("action=\"/a/acme/tokens\"") && !html.contains("/revoke\""), "{html}");
    let text = words(&html);
    assert!(
        text.contains("New token Needs core_delegate_edit in account acme: your roles there do not hold it")
    );
    assert!(html.contains("aria-label=\"Revoke… edge. Needs core_delegate_delete in account acme"));
}

#[tokio::test]
async fn a_revocation_names_who_loses_access() {
    let group = TokenGroup {
        scope: scope("acme/payments"),
        name: "edge-<a>".into(),
        identifier: "_edge_a".into(),
        instances: 3,
        connected: 2,
    };
    let fake = Fake { groups: vec![group], ..fake() };
    let page = "/a/acme/tokens/t-edge/revoke";
    let html = fake.open(page).await;
    let text = words(part(&html, "class=\"panel confirm\"", "</section>"));
    assert!(text.contains("Revoke token edge?"), "{text}");
    assert!(text.contains("3 instances of 1 delegate lose access at once"), "{text}");
    assert!(text.contains("edge-&lt;a&gt; acme/payments 3 instances, 2 connected"), "{text}");
    assert!(text.contains("cannot be undone"));
    assert!(html.contains("href=\"/a/acme/o/payments/delegates/_edge_a\""));
    let form = form(&html, page);
    assert_eq!(fields(form), ["name"]);
    assert!(words(form).contains("Type edge to confirm"));
    let html = fake.sent(page, failure("revoke", "name", "Type edge.", &[("name", "egde")])).await;
    assert_wrong(&html, "name", "Type edge.");
}

#[tokio::test]
async fn what_is_revoked_or_unknown_cannot_be_revoked() {
    let html = fake().open("/a/acme/tokens/t-old/revoke").await;
    let confirm = part(&html, "class=\"panel confirm\"", "</section>");
    assert!(words(confirm).contains("revoked already") && !confirm.contains("<form"), "{confirm}");
    let (status, html) =
        fake().open_as(request_of(BuiltIn::Admin, "acme"), "/a/acme/tokens/t-x/revoke").await;
    assert_eq!(status, 404);
    assert!(words(&html).contains("This token does not exist"));
}

#[tokio::test]
async fn what_a_delegate_is_given_stands_together_and_the_token_is_masked() {
    let html = fake().open(PAGE).await;
    let text = words(part(&html, "id=\"credentials\"", "</section>"));
    assert!(text.contains("ACCOUNT_ID acme"), "{text}");
    assert!(text.contains("MANAGER_HOST_AND_PORT"), "{text}");
    assert!(
        text.contains(
            "DELEGATE_TOKEN •••••••• Shown when a token is created, and in the files for a new delegate."
        ),
        "{text}"
    );
    let (_, html) = fake().open_as(request_of(BuiltIn::Viewer, "acme"), PAGE).await;
    let text = words(part(&html, "id=\"credentials\"", "</section>"));
    assert!(text.contains("•••••••• Needs core_delegate_edit in account acme"), "{text}");
}
