//! The filter page, chips in words, saved filters, hidden delegates (`product 4.1`, `11.4`).

use app::context::PageRequest;
use app::pages::delegates::{DelegatesView, DelegatesViewProps};
use app::pages::filter::{FilterView, FilterViewProps};
use app::pages::saved_filter::{NewFilterView, NewFilterViewProps};
use app::pages::saved_filters::{SavedFiltersView, SavedFiltersViewProps};
use app::port::Notes;
use app::port::filters::{FilterPage, SavedFilter};
use fleet::access::BuiltIn;
use fleet::query::{Query, facets, select};
use fleet::time::DAY;

use crate::common::*;
use crate::fake::{Fake, assert_wrong, attribute, control, failure, fields, form};

/// A filter that the viewer keeps for themselves.
pub(crate) fn saved(name: &str) -> SavedFilter {
    SavedFilter {
        id: format!("f-{name}").into(),
        name: name.into(),
        query: "health=expired&delegateTags=eu".to_owned(),
        everyone: false,
        owner: "alex@example.com".into(),
        mine: true,
        changeable: true,
        deletable: true,
        changed_at: NOW.plus(-DAY),
    }
}

/// The same of somebody else, for everyone; the viewer may not change it.
fn shared(name: &str) -> SavedFilter {
    let owner = "uri@example.com".into();
    SavedFilter { everyone: true, mine: false, changeable: false, deletable: false, owner, ..saved(name) }
}

fn fleet() -> Vec<Group> {
    vec![
        Group::new("edge-a").tags(&["eu", "linux"]).instance("a-1", LATEST, 5),
        Group::new("edge-b").tags(&["eu"]).instance("b-1", EXPIRED, 5),
        Group::new("vm").with(|facts| facts.kind = "DOCKER".into()).instance("vm-1", "", 5),
    ]
}

fn filter_page(at: &str, url: &str, hidden: u64, request: PageRequest, groups: Vec<Group>) -> String {
    let query = Query::parse(url).expect("a query");
    let snapshot = snapshot(at, query.below, groups);
    let listed = select(&snapshot, &query).groups as u64;
    let page = FilterPage {
        facets: facets(&snapshot, &query),
        listed,
        groups: snapshot.groups.len() as u64,
        hidden,
    };
    html(request, || FilterView(FilterViewProps { scope: scope(at), query, page, scopes: scopes() }))
}

fn plain_page(url: &str) -> String {
    filter_page("acme", url, 0, request_of(BuiltIn::Viewer, "acme"), fleet())
}

/// The fieldset of this legend.
fn facet<'a>(html: &'a str, legend: &str) -> &'a str {
    let at =
        html.find(&format!("<legend>{legend}</legend>")).unwrap_or_else(|| panic!("no {legend} in {html}"));
    let end = html[at..].find("</fieldset>").expect("its end");
    &html[at..at + end]
}

#[test]
fn every_condition_has_its_choices_with_their_counts() {
    let html = plain_page("");
    let text = words(&html);
    assert!(text.contains("Filter delegates 3 of 3 groups now."), "{text}");
    let said = |legend: &str| words(facet(&html, legend));
    assert_eq!(said("Type"), "Type Kubernetes 2 groups Docker 1 group");
    assert_eq!(said("Tags, all of"), "Tags, all of eu 2 groups linux 1 group");
    assert!(said("Version").contains("Not reported 1 group"), "{}", said("Version"));
    assert!(
        said("Health").starts_with("Health Any Expired 1 group Near expiry 0 groups"),
        "{}",
        said("Health")
    );
    assert!(said("Connectivity").contains("Connected 3 groups Partially connected 0 groups"));
    for legend in ["Auto-upgrade", "Token", "Redundancy", "Marked", "Generation", "Transport", "Availability"]
    {
        assert!(!said(legend).is_empty());
    }
    assert!(!html.contains("<legend>Scope</legend>"), "there is one only");
}

#[test]
fn it_is_a_get_form_that_keeps_order_and_scopes_but_no_place() {
    let html =
        plain_page("type=DOCKER&search=vm&sort=-name&size=25&all=true&page=3&open=g1&expires=2026-11-24");
    let form = form(&html, "/a/acme/filter");
    assert!(form.contains("method=\"get\""));
    let names = fields(form);
    for name in [
        "apply",
        "sort",
        "size",
        "all",
        "search",
        "delegateName",
        "delegateGroupIdentifier",
        "description",
        "hostName",
        "expires",
    ] {
        assert!(names.contains(&name), "{name}: {names:?}");
    }
    assert!(!names.contains(&"page") && !names.contains(&"open") && !names.contains(&"hidden"));
    assert_eq!(attribute(control(form, "search"), "value"), Some("vm"));
    assert!(facet(&html, "Type").contains("value=\"DOCKER\" checked"), "{}", facet(&html, "Type"));
    assert!(words(facet(&html, "Also")).contains("Expires in the week of 2026-11-24"));
    assert!(
        html.contains("href=\"/a/acme/delegates?sort=-name&amp;size=25&amp;all=true\""),
        "clears: {html}"
    );
}

#[test]
fn without_a_filter_there_is_nothing_to_clear() {
    assert!(!plain_page("").contains("Clear filters"));
}

#[test]
fn scopes_below_are_a_choice_where_they_are_listed() {
    let groups = vec![
        Group::new("a").instance("a-1", "", 5),
        Group::new("b").scope("acme/payments").instance("b-1", "", 5),
    ];
    let html = filter_page("acme", "all=true", 0, request_of(BuiltIn::Viewer, "acme"), groups);
    assert_eq!(words(facet(&html, "Scope")), "Scope acme 1 group acme/payments 1 group");
}

#[test]
fn hidden_delegates_are_a_switch_where_there_are_any() {
    let html = filter_page("acme", "", 4, request_of(BuiltIn::Viewer, "acme"), fleet());
    assert!(words(&html).contains("Show hidden delegates, too (4 instances)"));
    assert!(!words(&plain_page("")).contains("hidden"));
    assert!(control(&plain_page("hidden=true"), "hidden").contains("checked"));
}

#[tokio::test]
async fn an_empty_filter_is_refused_in_words() {
    let request = PageRequest {
        outcome: failure("", "", "Nothing is chosen, so there is nothing to filter by.", &[]),
        ..request_of(BuiltIn::Viewer, "acme")
    };
    let (_, html) = Fake::default().open_as(request, "/a/acme/filter?apply=true").await;
    let alert = part(&html, "role=\"alert\"", "</div>");
    assert!(words(alert).contains("Nothing is chosen"), "{alert}");
}

#[tokio::test]
async fn a_filter_page_has_an_address_of_its_own_in_every_scope() {
    for path in
        ["/a/acme/filter", "/a/acme/o/payments/filter?health=expired", "/a/acme/o/payments/p/checkout/filter"]
    {
        let html = Fake::default().open_as(request_of(BuiltIn::Viewer, "acme"), path).await;
        assert_eq!(html.0, 200, "{path}");
        assert!(html.1.contains("id=\"confirm-title\">Filter delegates"), "{path}");
    }
    assert_eq!(
        Fake::default().open_as(request_of(BuiltIn::Viewer, "acme"), "/a/acme/filter?health=ill").await.0,
        400
    );
}

#[test]
fn chips_speak_in_words() {
    let url = "connectivity=notConnected&type=HELM_DELEGATE&type=ODD&version=none&version=26.10&token=edge&scope=acme%2Fpayments\
               &redundancy=single&mark=byChoice&generation=3.x&transport=websocket&delegateInstanceFilter=AVAILABLE\
               &expires=2026-11-24&silent=2026-11-20T11:30Z&delegateGroupIdentifier=_e&description=shop";
    let html = page(url, fleet());
    let chips = part(&html, "aria-label=\"Active filters\"", "</ul>");
    for text in [
        "Connectivity: not connected",
        "Type: Helm",
        "Type: ODD",
        "Version: not reported",
        "Version: 26.10",
        "Token: edge",
        "Scope: acme/payments",
        "Redundancy: one connected instance",
        "Marked: updated by hand on purpose",
        "Generation: 3.x",
        "Transport: WebSocket",
        "Availability: connected and not expired",
        "Expires in the week of 2026-11-24",
        "Silent around 2026-11-20 11:30 UTC",
        "Identifier: _e",
        "Description: shop",
    ] {
        assert!(chips.contains(&format!("aria-label=\"Remove filter {text}\"")), "{text}: {chips}");
    }
    let helm = part(chips, "data-key=\"type=HELM_DELEGATE\"", "</li>");
    assert!(helm.contains("type=ODD") && !helm.contains("type=HELM_DELEGATE&"), "{helm}");
}

#[test]
fn the_toolbar_leads_to_the_filter_page_with_the_filter_so_far() {
    let html = page("health=expired&delegateTags=eu&page=2&open=g1", fleet());
    let link = part(&html, "href=\"/a/acme/filter?health=expired&amp;delegateTags=eu\"", "</a>");
    assert!(link.contains("data-dialog"), "{link}");
    assert!(words(&format!("<a {link}")).ends_with("Filter 2 active"), "{link}");
    assert!(html.contains("placeholder=\"Name, tag, host, version…\""));
    assert!(!group_html("", Group::new("edge")).contains("/filter"), "not for one group");
}

fn with_saved(url: &str, saved: Vec<SavedFilter>, hidden: u64) -> String {
    let (mut overview, query) = overview("acme", url, fleet());
    overview.notes = Notes { saved, hidden, ..notes() };
    html(request_of(BuiltIn::Viewer, "acme"), || {
        DelegatesView(DelegatesViewProps { overview, query, scopes: scopes() })
    })
}

#[test]
fn saved_filters_are_a_menu_that_marks_the_one_on_screen() {
    let html = with_saved(
        "delegateTags=eu&health=expired&size=25&page=2",
        vec![saved("eu"), shared("all \"eu\"")],
        0,
    );
    let menu = part(&html, "id=\"saved\"", "</div>");
    assert!(menu.contains("role=\"menu\""), "{menu}");
    assert!(
        menu.contains("href=\"/a/acme/delegates?health=expired&amp;delegateTags=eu&amp;size=25\""),
        "{menu}"
    );
    assert_eq!(menu.matches("aria-current=\"true\"").count(), 2, "both mean it");
    let text = words(menu);
    assert!(text.contains("eu Only me"), "{text}");
    assert!(text.contains("Everyone, by uri@example.com Save this filter… Manage saved filters"), "{text}");
    assert!(menu.contains("href=\"/a/acme/filters/new?health=expired&amp;delegateTags=eu\""), "{menu}");
    assert!(words(&menu.replace("&quot;", "\"")).contains("all \"eu\""), "{menu}");
}

#[test]
fn without_a_filter_there_is_nothing_to_save() {
    let html = with_saved("", Vec::new(), 0);
    let menu = part(&html, "id=\"saved\"", "</div>");
    assert!(words(menu).contains("Save this filter… Nothing is filtered yet."), "{menu}");
    assert!(!menu.contains("href="), "{menu}");
}

#[test]
fn saved_filters_are_listed_in_words_with_what_may_be_done() {
    let filters = vec![saved("mine"), shared("theirs")];
    let html = html(request_of(BuiltIn::Viewer, "acme"), || {
        SavedFiltersView(SavedFiltersViewProps { scope: scope("acme"), filters, scopes: scopes() })
    });
    let text = words(part(&html, "<table class=\"data\"", "</table>"));
    assert!(
        text.contains("mine Health: Expired Tag: eu Only me 2026-11-19 12:00 UTC Edit… Delete…"),
        "{text}"
    );
    assert!(
        text.ends_with("theirs Health: Expired Tag: eu Everyone, by uri@example.com 2026-11-19 12:00 UTC"),
        "{text}"
    );
    assert!(html.contains("href=\"/a/acme/filters/f-mine/delete\""));
    assert!(!html.contains("/filters/f-theirs"));
}

fn new_filter(role: BuiltIn, filters: Vec<SavedFilter>) -> String {
    let query = Query::parse("health=expired&page=2&open=g1").expect("a query");
    html(request_of(role, "acme"), || {
        NewFilterView(NewFilterViewProps { scope: scope("acme"), query, filters, scopes: scopes() })
    })
}

#[test]
fn a_filter_is_saved_under_a_name_for_oneself_or_for_everyone() {
    let html = new_filter(BuiltIn::Operator, Vec::new());
    let form = form(&html, "/a/acme/filters");
    assert_eq!(fields(form), ["query", "name", "visibility", "visibility"]);
    assert_eq!(attribute(control(form, "query"), "value"), Some("health=expired"));
    assert!(words(&html).contains("Health: Expired"));
    assert!(!form.contains("disabled"), "{form}");
    assert!(!html.contains("/filters/replace"));
}

#[test]
fn publishing_needs_the_permission_to_edit() {
    let html = new_filter(BuiltIn::Viewer, Vec::new());
    let form = form(&html, "/a/acme/filters");
    assert!(form.contains("value=\"everyone\" disabled"), "{form}");
    assert!(words(form).contains("core_delegate_edit"), "{}", words(form));
}

#[test]
fn it_can_take_the_place_of_one_that_may_be_changed() {
    let html = new_filter(BuiltIn::Viewer, vec![saved("mine"), shared("theirs")]);
    let form = form(&html, "/a/acme/filters/replace");
    assert_eq!(fields(form), ["query", "id"]);
    assert!(form.contains("f-mine") && !form.contains("f-theirs"), "{form}");
}

#[tokio::test]
async fn a_saved_filter_is_edited_and_deleted_on_pages_of_their_own() {
    let html = Fake::default().open("/a/acme/filters/f-expired").await;
    let edit = form(&html, "/a/acme/filters/f-expired");
    assert_eq!(attribute(control(edit, "name"), "value"), Some("expired"));
    let html = Fake::default().open("/a/acme/filters/f-expired/delete").await;
    assert!(form(&html, "/a/acme/filters/f-expired/delete").contains("method=\"post\""));
    assert!(words(&html).contains("Delete filter expired?"));
    for path in ["/a/acme/filters/f-other", "/a/acme/filters/f-other/delete"] {
        assert_eq!(Fake::default().open_as(request_of(BuiltIn::Admin, "acme"), path).await.0, 404, "{path}");
    }
}

#[tokio::test]
async fn a_name_that_is_taken_is_told_at_the_field() {
    let sentence = "a filter mine of yours already exists";
    let outcome = failure("save", "name", sentence, &[("name", "mine"), ("visibility", "everyone")]);
    let html = Fake::default().sent("/a/acme/filters/new?health=expired", outcome).await;
    assert_wrong(&html, "name", sentence);
    assert!(html.contains("value=\"everyone\" checked"), "{html}");
}

#[test]
fn the_switch_for_hidden_delegates_says_how_many_there_are() {
    let html = with_saved("health=expired", Vec::new(), 1);
    let link = part(&html, "href=\"/a/acme/delegates?health=expired&amp;hidden=true\"", "</a>");
    assert!(link.contains("aria-label=\"Show hidden: 1 instance\""), "{link}");
    assert!(!with_saved("", Vec::new(), 0).contains("hidden=true"));
    let on = with_saved("hidden=true", Vec::new(), 0);
    assert!(on.contains("Hidden shown. Leave them out"), "{on}");
}

#[test]
fn what_is_hidden_says_so_and_why() {
    let edge = Group::new("edge")
        .instance("on-1", LATEST, 5)
        .instance("lost-1", LATEST, 6 * 3_600 + 1)
        .instance_with("bye-1", LATEST, Some(60), |facts| facts.goodbye_at = Some(NOW.plus(-30_000)));
    let old = Group::new("old").with(|facts| facts.last_active = NOW.plus(-8 * DAY)).instance(
        "old-1",
        LATEST,
        8 * 86_400,
    );
    let groups = vec![edge, old];
    let url = "hidden=true&open=g-edge&open=g-old";
    let html = page(url, groups);
    let row = |key: &str| words(part(&html, &format!("data-key=\"{key}\""), "</th>"));
    assert!(row("iid-lost-1").contains("Hidden Silent for more than 6 hours"), "{}", row("iid-lost-1"));
    assert!(row("iid-bye-1").contains("Hidden It said goodbye: a planned stop"), "{}", row("iid-bye-1"));
    assert!(!row("iid-on-1").contains("Hidden"), "{}", row("iid-on-1"));
    assert!(
        row("g-old").contains("Hidden No instance has been active for more than 7 days"),
        "{}",
        row("g-old")
    );
    assert!(!row("g-edge").contains("Hidden"), "{}", row("g-edge"));
    assert!(html.contains("class=\"g dim\"") && html.contains("class=\"dim\""));
    assert!(words(&html).contains("1 group · 1 instance"), "no figure counts them");
}
