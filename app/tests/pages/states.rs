//! What a page says when there is little or nothing to show, or when its figures need a word (`product 3.7`,
//! `5.5`).

use std::sync::Arc;

use crate::common::*;
use app::context::PageRequest;
use app::pages::accounts::{AccountsView, AccountsViewProps};
use app::pages::trouble::{Trouble, TroubleView, TroubleViewProps};
use fleet::query::Query;
use fleet::summary::Counts;

fn empty(at: &str, below: u64) -> String {
    let (mut overview, query) = overview(at, "", Vec::new());
    overview.below = Counts { groups: below, ..Counts::default() };
    delegates_html(overview, query)
}

#[test]
fn an_empty_scope_says_what_it_is_and_how_to_get_a_delegate() {
    for (at, title) in [
        ("acme", "No delegates in account acme yet"),
        ("acme/payments", "No delegates in organization payments yet"),
        ("acme/payments/checkout", "No delegates in project checkout yet"),
    ] {
        let html = empty(at, 0);
        let text = words(&html);
        assert!(text.contains(title), "{text}");
        assert!(text.contains(&format!("rollcall token create --scope {at} --name edge")));
        assert!(text.contains("MANAGER_HOST_AND_PORT") && text.contains("DELEGATE_TOKEN"));
        assert!(!html.contains("class=\"cards\""), "cards full of zeros say nothing");
        assert!(!html.contains("<table"));
        assert!(!text.contains("Include"), "there is nothing below");
    }
}

#[test]
fn an_empty_scope_offers_the_delegates_below_it() {
    let html = empty("acme/payments", 12);
    let blank = part(&html, "class=\"panel blank\"", "</section>");
    assert!(blank.contains("href=\"/a/acme/o/payments/delegates?all=true\""), "{blank}");
    assert!(words(blank).contains("Include 12 delegates in scopes below"));
}

#[test]
fn the_switch_for_scopes_below_counts_them_and_turns_back() {
    let (mut off, query) = overview("acme", "search=a", vec![Group::new("a").instance("h", LATEST, 5)]);
    off.below = Counts { groups: 7, ..Counts::default() };
    let html = delegates_html(off, query);
    let switch = part(&html, "class=\"btn switch\"", "</a>");
    assert!(words(&format!("<a {switch}")).ends_with("Include scopes below 7"), "{switch}");
    assert!(html.contains("href=\"/a/acme/delegates?search=a&amp;all=true\""));
    let (on, query) = overview("acme", "search=a&all=true", vec![Group::new("a").instance("h", LATEST, 5)]);
    let html = delegates_html(on, query);
    let at = html.find("class=\"btn switch on\"").expect("the switch is on");
    let tag = &html[html[..at].rfind('<').expect("its tag")..at + 80];
    assert!(tag.contains("href=\"/a/acme/delegates?search=a\""), "{tag}");
}

#[test]
fn a_scope_without_scopes_below_has_no_switch() {
    let html = page("", vec![Group::new("a").instance("h", LATEST, 5)]);
    assert!(!html.contains("btn switch"));
}

#[test]
fn a_healthy_server_has_no_banner() {
    assert!(!page("", vec![Group::new("a").instance("h", LATEST, 5)]).contains("class=\"banner"));
}

#[test]
fn notes_become_banners_most_serious_first() {
    let (mut overview, query) = overview("acme", "", vec![Group::new("a").instance("h", LATEST, 5)]);
    overview.notes.restarted_at = Some(NOW.plus(-60_000));
    overview.notes.unstored_since = Some(NOW.plus(-120_000));
    overview.notes.deaf_since = Some(NOW.plus(-180_000));
    overview.notes.catalog_stale = true;
    let html = delegates_html(overview, query);
    let banners = words(part(&html, "<ul aria-label=\"Notes\"", "</ul>"));
    let places: Vec<_> = [
        "Changes cannot be stored since 11:58 UTC.",
        "This server cannot read what other servers heard since 11:57 UTC.",
        "The server restarted at 11:59 UTC. Until 12:04 UTC a delegate",
        "Version data may be old",
    ]
    .iter()
    .map(|text| banners.find(text).unwrap_or_else(|| panic!("{text}: {banners}")))
    .collect();
    assert!(places.is_sorted(), "{banners}");
    assert!(banners.contains("rollcall catalog import FILE"));
}

#[test]
fn a_missing_catalog_is_not_called_old() {
    let (mut overview, query) = overview("acme", "", vec![Group::new("a").instance("h", LATEST, 5)]);
    overview.notes.catalog_present = false;
    overview.notes.catalog_stale = true;
    let html = delegates_html(overview, query);
    assert!(words(&html).contains("No version catalog is imported"));
    assert!(!words(&html).contains("may be old"));
}

#[test]
fn the_header_counts_and_names_the_latest_version() {
    let text = words(&page("", vec![Group::new("a").instance("h", LATEST, 5).instance("i", LATEST, 5)]));
    assert!(text.contains("Delegates 1 group · 2 instances"), "{text}");
    assert!(text.contains("Latest version 26.11.90604"));
}

fn trouble(trouble: Trouble) -> String {
    let request = PageRequest {
        uri: "/a/acme/delegates?page=x".to_owned(),
        request_id: "req-42".to_owned(),
        ..PageRequest::default()
    };
    html(request, || TroubleView(TroubleViewProps { trouble, scope: None, scopes: scopes() }))
}

#[test]
fn every_trouble_has_a_code_a_reason_a_way_on_and_the_request() {
    let bad = Query::parse("page=x").expect_err("x is no page");
    let group = Trouble::NoSuchGroup { scope: scope("acme/payments"), identifier: "_gone".to_owned() };
    for (trouble, code, reason, href) in [
        (Trouble::NoSuchPage, 404, "There is no such page", "/"),
        (Trouble::NoSuchScope(scope("acme/nowhere")), 404, "acme/nowhere does not exist here", "/"),
        (group, 404, "_gone is not listed in acme/payments", "/a/acme/o/payments/delegates"),
        (Trouble::BadQuery(bad), 400, "Parameter page:", "/a/acme/delegates"),
        (Trouble::NotReady, 503, "The fleet is still loading", "/a/acme/delegates?page=x"),
    ] {
        assert_eq!(trouble.code(), code);
        let html = self::trouble(trouble);
        assert!(words(&html).contains(reason), "{reason}: {}", words(&html));
        let blank = part(&html, "class=\"panel blank\"", "</section>");
        assert!(blank.contains(&format!("href=\"{href}\"")), "{blank}");
        assert!(words(blank).ends_with("Request req-42"));
        assert!(!html.contains("id=\"pause\""), "there is nothing to pause");
    }
}

#[test]
fn a_missing_delegate_may_be_hidden_elsewhere_or_deleted() {
    let lost = || Trouble::NoSuchGroup { scope: scope("acme/payments"), identifier: "_gone".to_owned() };
    let seen = trouble(lost());
    let ways = part(&seen, "<ul class=\"ways\"", "</ul>");
    assert!(ways.contains("href=\"/a/acme/o/payments/delegates?hidden=true\""), "{ways}");
    assert!(ways.contains("href=\"/a/acme/delegates?search=_gone&amp;all=true\""), "{ways}");
    assert!(!ways.contains("/audit"), "the log is not for everybody");
    let request = request_of(fleet::access::BuiltIn::Admin, "acme");
    let seen =
        html(request, || TroubleView(TroubleViewProps { trouble: lost(), scope: None, scopes: scopes() }));
    assert!(seen.contains("href=\"/a/acme/o/payments/audit?resource=delegate\""), "{seen}");
}

#[test]
fn a_bad_parameter_can_be_left_out_alone() {
    let request =
        PageRequest { uri: "/a/acme/delegates?page=x&all=true".to_owned(), ..PageRequest::default() };
    let bad = Trouble::BadQuery(Query::parse("page=x").expect_err("x is no page"));
    let html =
        html(request, || TroubleView(TroubleViewProps { trouble: bad, scope: None, scopes: scopes() }));
    assert!(html.contains("href=\"/a/acme/delegates\""), "{html}");
    assert!(words(&html).contains("Leave out only page"));
    assert!(html.contains("href=\"/a/acme/delegates?all=true\""), "{html}");
}

#[test]
fn a_missing_scope_leads_to_the_one_above() {
    let html = trouble(Trouble::NoSuchScope(scope("acme/nowhere")));
    assert!(words(&html).contains("See the delegates of acme"));
}

#[test]
fn trouble_repeats_hostile_input_as_text_only() {
    let html = trouble(Trouble::NoSuchGroup {
        scope: scope("acme"),
        identifier: "<img src=x onerror=1>".to_owned(),
    });
    assert!(!html.contains("<img"));
    assert!(html.contains("&lt;img"));
}

#[test]
fn the_first_visit_names_the_two_commands() {
    let html = html(PageRequest::default(), || AccountsView(AccountsViewProps { scopes: Arc::default() }));
    let text = words(&html);
    assert!(text.contains("rollcall scope create acme"));
    assert!(text.contains("rollcall token create --scope acme --name edge"));
}

#[test]
fn several_accounts_are_a_list_of_links() {
    let html = html(PageRequest::default(), || AccountsView(AccountsViewProps { scopes: scopes() }));
    assert!(html.contains("href=\"/a/acme/delegates\""));
    assert!(words(&html).contains("acme 1 organization · 1 project"));
}
