//! The audit log (`product 14`).

use crate::common::*;
use crate::fake::*;
use app::port::access::{AuditLine, AuditPage};
use fleet::access::BuiltIn;

const PAGE: &str = "/a/acme/audit";

fn line() -> AuditLine {
    AuditLine {
        id: "l1".to_owned(),
        at: NOW.plus(-61_000),
        actor: "uri@example.com".to_owned(),
        action: "token.revoke".to_owned(),
        resource: "token".to_owned(),
        name: "edge <b>".to_owned(),
        scope: Some(scope("acme/payments")),
        summary: "Revoked token edge.".to_owned(),
        before: [("status".to_owned(), "ACTIVE".to_owned())].into(),
        after: [("status".to_owned(), "<REVOKED>".to_owned()), ("reason".to_owned(), "lost".to_owned())]
            .into(),
    }
}

fn fake(next: Option<&str>) -> Fake {
    let plain = AuditLine { scope: None, before: [].into(), after: [].into(), ..line() };
    let audit = AuditPage {
        lines: vec![line(), plain],
        next: next.map(str::to_owned),
        actions: vec!["token.create", "token.revoke"],
        resources: vec!["token"],
    };
    Fake { audit, ..Fake::default() }
}

#[tokio::test]
async fn a_line_tells_who_did_what_when_where_and_the_change() {
    let html = fake(None).open(PAGE).await;
    let table = part(&html, "<table class=\"data\"", "id=\"say\"");
    let text = words(table);
    assert!(
        text.contains("2026-11-20 11:58:59 uri@example.com token.revoke edge &lt;b&gt; token acme/payments Revoked token edge."),
        "{text}"
    );
    assert!(
        text.contains("Before and after Value Before After reason none lost status ACTIVE &lt;REVOKED&gt;"),
        "{text}"
    );
    assert!(text.contains("whole server"));
    assert_eq!(
        html.matches("<details class=\"change\"").count(),
        1,
        "a line without values has nothing to open"
    );
    assert!(!html.contains("<REVOKED>"));
}

#[tokio::test]
async fn a_filter_is_decoded_once() {
    for (sent, read) in
        [("100%25", "100%"), ("%2541", "%41"), ("a%20b%2Bc", "a b+c"), ("m%C3%BCller", "müller")]
    {
        let html = fake(Some("l0")).open(&format!("{PAGE}?user={sent}")).await;
        assert_eq!(attribute(control(&html, "user"), "value"), Some(read), "{sent}");
        assert!(
            html.contains(&format!("?user={sent}&amp;before=l0")),
            "the next page asks for the same: {sent}"
        );
    }
}

#[tokio::test]
async fn without_days_it_is_the_last_seven() {
    assert!(words(&fake(None).open(PAGE).await).contains("of acme, the last 7 days"));
    let text = words(&fake(None).open("/a/acme/audit?from=2026-11-01&to=2026-11-03").await);
    assert!(text.contains("of acme, 2026-11-01 to 2026-11-03"), "{text}");
}

#[tokio::test]
async fn filters_are_a_form_that_keeps_what_was_chosen() {
    let html =
        fake(None).open("/a/acme/audit?user=uri%22&action=token.revoke&all=true&from=2026-11-01").await;
    let form = form(&html, PAGE);
    assert!(form.contains("method=\"get\""));
    assert_eq!(fields(form), ["user", "action", "resource", "from", "to", "all"]);
    assert_eq!(attribute(control(form, "user"), "value"), Some("uri&quot;"));
    assert_eq!(attribute(control(form, "from"), "value"), Some("2026-11-01"));
    assert!(form.contains("<option value=\"token.revoke\" selected"));
    assert!(control(form, "all").contains(" checked"));
    let project = fake(None).open("/a/acme/o/payments/p/checkout/audit").await;
    assert!(!project.contains("name=\"all\""), "nothing lies below a project");
}

#[tokio::test]
async fn older_lines_and_exports_keep_the_filters() {
    let html = fake(Some("l9")).open("/a/acme/audit?user=a+b&before=l5").await;
    assert!(html.contains("href=\"/a/acme/audit?user=a%20b&amp;before=l9\""), "{html}");
    assert!(html.contains("href=\"/a/acme/audit?user=a%20b\""), "the way to the newest");
    for format in ["csv", "json", "ndjson"] {
        let href = format!("href=\"/api/v1/accounts/acme/audit?user=a%20b&amp;format={format}\"");
        assert!(html.contains(&href), "{href}: {html}");
    }
    assert!(!fake(None).open(PAGE).await.contains(">Older<"));
}

#[tokio::test]
async fn an_empty_answer_and_a_wrong_day_are_told() {
    let text = words(&Fake::default().open(PAGE).await);
    assert!(text.contains("Nothing was recorded that these filters let through."), "{text}");
    let request = request_of(BuiltIn::Admin, "acme");
    let (status, html) = Fake::default().open_as(request, "/a/acme/audit?from=yesterday").await;
    assert_eq!(status, 400);
    assert!(words(&html).contains("Parameter from: must be a day such as 2026-11-14."));
}
