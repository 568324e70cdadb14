//! What a list offers to whom: rows to choose, menus, approval (`product 2.4`, `10.4`, `ux 1.3`).

use std::sync::Arc;

use crate::common::*;
use crate::fake::{attribute, fields, form};
use app::context::PageRequest;
use app::pages::accounts::{AccountsView, AccountsViewProps};
use app::pages::delegates::{DelegatesView, DelegatesViewProps};
use app::pages::group::{GroupView as GroupPageView, GroupViewProps};
use app::port::ScopeNode;
use fleet::access::BuiltIn;
use fleet::delegate::Approval;
use fleet::query::Query;

const OPEN: &str = "open=g-edge-a";

fn edge() -> Group {
    Group::new("edge-a").instance("edge-a-1", LATEST, 5)
}

#[test]
fn who_may_delete_finds_it_in_the_menu_and_at_the_instances() {
    let html = page_of(BuiltIn::Operator, OPEN, vec![edge()]);
    let menu = part(&html, "id=\"m0\"", "</td>");
    assert!(menu.contains("role=\"menuitem\"") && words(menu).ends_with("Delete…"), "{menu}");
    assert!(menu.contains("href=\"/a/acme/delegates/_edge_a/delete\""), "{menu}");
    let instances = part(&html, "class=\"inst\"", "</table>");
    assert!(
        instances.contains("href=\"/a/acme/delegates/_edge_a/instances/id-edge-a-1/delete\""),
        "{instances}"
    );
    assert!(instances.contains("aria-label=\"Delete instance edge-a-1\""));
}

#[test]
fn who_may_not_reads_why() {
    let html = page_of(BuiltIn::Viewer, OPEN, vec![edge()]);
    let why = "Needs core_delegate_delete in account acme: your roles there do not hold it";
    let menu = part(&html, "id=\"m0\"", "</td>");
    assert!(words(menu).ends_with(&format!("Delete… {why}")), "{menu}");
    assert!(menu.contains("aria-disabled=\"true\""));
    assert!(!html.contains("_edge_a/delete"), "no way around");
    let instances = part(&html, "class=\"inst\"", "</table>");
    assert!(instances.contains(&format!("aria-label=\"Delete instance edge-a-1. {why}\"")), "{instances}");
    assert!(!instances.contains("/delete\""));
}

#[test]
fn nobody_sees_nothing_of_it() {
    let html = page(OPEN, vec![edge()]);
    assert!(!html.contains("Delete") && !html.contains("type=\"checkbox\""), "{html}");
}

#[test]
fn rows_can_be_chosen_only_by_who_may_delete_some() {
    let html = page_of(BuiltIn::Operator, "", vec![edge()]);
    let bulk = form(&html, "/a/acme/delete");
    assert!(bulk.contains("method=\"get\"") && bulk.contains("id=\"bulk\""), "{bulk}");
    let checkbox = part(&html, "<td class=\"sel\">", "</td>");
    assert_eq!(attribute(checkbox, "form"), Some("bulk"));
    assert_eq!(attribute(checkbox, "name"), Some("id"));
    assert_eq!(attribute(checkbox, "value"), Some("g-edge-a"));
    assert_eq!(attribute(checkbox, "aria-label"), Some("Select edge-a"));
    let viewer = page_of(BuiltIn::Viewer, "", vec![edge()]);
    assert!(!viewer.contains("type=\"checkbox\"") && !viewer.contains("id=\"bulk\""));
}

#[test]
fn a_row_of_a_scope_above_cannot_be_chosen_from_here() {
    let groups = vec![edge(), Group::new("own").scope("acme/payments").instance("own-1", LATEST, 5)];
    let (overview, query) = overview("acme/payments", "usable=true", groups);
    let request = request_of(BuiltIn::Operator, "acme");
    let html = html(request, || DelegatesView(DelegatesViewProps { overview, query, scopes: scopes() }));
    assert!(html.contains("aria-label=\"Select own\""));
    assert!(!html.contains("aria-label=\"Select edge-a\""));
    assert!(html.contains("<span title=\"acme\" class=\"badge\">acme</span>"), "it says where it is from");
}

#[test]
fn the_columns_and_the_row_of_instances_agree() {
    for (role, columns) in [(BuiltIn::Operator, 10), (BuiltIn::Viewer, 9)] {
        let html = page_of(role, OPEN, vec![edge()]);
        let head = part(list_of(&html), "<thead>", "</thead>");
        assert_eq!(head.matches("<th ").count(), columns, "{role:?}");
        assert!(html.contains(&format!("<td colspan=\"{columns}\">")), "{role:?}");
        let row = part(&html, "<tr data-key=\"g-edge-a\"", "</tr>");
        assert_eq!(row.matches("<td").count() + row.matches("<th").count(), columns, "{role:?}");
    }
}

#[test]
fn a_pending_group_can_be_approved_by_who_may_edit() {
    let pending = || edge().with(|facts| facts.approval = Approval::Pending);
    let html = page_of(BuiltIn::Operator, "", vec![pending()]);
    let asked = words(part(&html, "class=\"ask\"", "</th>"));
    assert!(asked.contains("Pending approval") && asked.ends_with("Approve Reject"), "{asked}");
    for action in ["approve", "reject"] {
        let form = form(&html, &format!("/a/acme/delegates/_edge_a/{action}"));
        assert!(form.contains("method=\"post\""));
        assert_eq!(fields(form), Vec::<&str>::new());
    }
    let html = page_of(BuiltIn::Viewer, "", vec![pending()]);
    assert!(words(&html).contains("Pending approval"));
    assert!(!html.contains("/approve") && !html.contains("/reject"));
}

#[test]
fn a_group_that_returned_after_its_deletion_is_marked() {
    let html = page("", vec![edge().with(|facts| facts.returned_at = Some(NOW.plus(-60_000)))]);
    assert!(
        words(&html)
            .contains("Returned after delete It was deleted and called again at 2026-11-20 11:59 UTC.")
    );
    assert!(!page("", vec![edge()]).contains("Returned after delete"));
}

#[test]
fn the_group_page_offers_the_same() {
    let open = |role| {
        let (page, query) = group_page("", edge());
        html(request_of(role, "acme"), || {
            GroupPageView(GroupViewProps { page, query, history: None, scopes: scopes() })
        })
    };
    assert!(open(BuiltIn::Operator).contains("href=\"/a/acme/delegates/_edge_a/delete\""));
    let denied = open(BuiltIn::Viewer);
    assert!(
        words(part(&denied, "class=\"refused\"", "</div>"))
            .contains("Needs core_delegate_delete in account acme")
    );
    assert!(!denied.contains("_edge_a/delete"));
}

#[test]
fn the_switch_for_what_is_usable_here_is_a_link() {
    let open = |at: &str, url: &str| {
        let (overview, query) = overview(at, url, vec![edge()]);
        delegates_html(overview, query)
    };
    let off = open("acme/payments", "search=e");
    assert!(off.contains("href=\"/a/acme/o/payments/delegates?search=e&amp;usable=true\""), "{off}");
    assert!(words(&off).contains("Show usable from here"));
    let on = open("acme/payments", "search=e&usable=true");
    assert!(on.contains("href=\"/a/acme/o/payments/delegates?search=e\""));
    assert!(words(&on).contains("Usable from here shown"));
    assert!(on.contains("data-feed=\"/a/acme/o/payments/live?usable=true\""));
    assert!(!words(&open("acme", "")).contains("usable from here"), "an account has nothing above");
}

#[test]
fn usable_is_part_of_the_query_of_a_page() {
    let query = Query::parse("usable=true&size=25").expect("a query");
    assert!(query.usable);
    assert_eq!(query.to_url(), "size=25&usable=true");
    assert_eq!(query.with_usable(false).to_url(), "size=25");
    assert_eq!(Query::parse("usable=maybe").expect_err("neither").field, "usable");
}

#[test]
fn a_scope_that_is_only_on_the_way_is_no_link() {
    let node = |text: &str, reachable, children| ScopeNode { scope: scope(text), reachable, children };
    let tree = Arc::new(vec![node("acme", false, vec![node("acme/payments", true, Vec::new())])]);
    let (overview, query) = overview("acme/payments", "", Vec::new());
    let request = request_of(BuiltIn::Viewer, "acme/payments");
    let switcher = html(request.clone(), || {
        DelegatesView(DelegatesViewProps { overview, query, scopes: Arc::clone(&tree) })
    });
    let scopes = part(&switcher, "id=\"scopes\"", "</nav>");
    assert!(!scopes.contains("href=\"/a/acme/delegates\""), "{scopes}");
    assert!(scopes.contains("href=\"/a/acme/o/payments/delegates\""));
    let start = html(request, || AccountsView(AccountsViewProps { scopes: tree }));
    assert!(!start.contains("href=\"/a/acme/delegates\""), "{start}");
    assert!(start.contains("href=\"/a/acme/o/payments/delegates\""));
}

#[test]
fn somebody_without_any_role_is_told_so() {
    let request = PageRequest { viewer: Some(viewer(&[])), ..PageRequest::default() };
    let start = html(request, || AccountsView(AccountsViewProps { scopes: Arc::default() }));
    assert!(words(&start).contains("You have no role yet"));
    assert!(!start.contains("rollcall scope create"));
}
