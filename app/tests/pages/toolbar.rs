//! Search, active filters, pages (`product 11.1`).

use crate::common::*;

fn fleet(count: usize) -> Vec<Group> {
    (0..count)
        .map(|at| Group::new(&format!("edge-{at:03}")).instance(&format!("host-{at:03}"), LATEST, 5))
        .collect()
}

fn form(html: &str) -> &str {
    part(html, "<form role=\"search\"", "</form>")
}

#[test]
fn search_is_a_get_form_that_keeps_the_other_parameters() {
    let html =
        page("search=edge&health=active&size=25&sort=-name&page=2&all=true&delegateTags=a%26b", fleet(3));
    let form = form(&html);
    assert!(form.contains("action=\"/a/acme/delegates\" method=\"get\""));
    for (name, value) in [
        ("health", "active"),
        ("size", "25"),
        ("sort", "-name"),
        ("all", "true"),
        ("delegateTags", "a&amp;b"),
    ] {
        assert!(
            form.contains(&format!("type=\"hidden\" name=\"{name}\" value=\"{value}\"")),
            "{name}: {form}"
        );
    }
    assert!(!form.contains("name=\"page\""), "a search starts on the first page");
    assert_eq!(form.matches("name=\"search\"").count(), 1);
    assert!(form.contains("value=\"edge\""));
    assert!(words(form).ends_with("Apply"), "{form}");
}

#[test]
fn without_filters_the_bar_tells_the_size_of_the_scope() {
    let html = page("", fleet(3));
    assert!(html.contains("role=\"status\" id=\"shown\""));
    assert!(words(&html).contains("3 instances in 3 groups"));
    assert!(!html.contains("class=\"chips\""));
}

#[test]
fn with_filters_it_tells_how_much_of_it_is_shown() {
    let html = page("search=edge-00", fleet(23));
    assert!(words(&html).contains("10 of 23 instances in 10 groups"), "{}", words(&html));
}

#[test]
fn every_active_filter_is_a_chip_that_removes_only_itself() {
    let url = "search=edge&health=active&status=CONNECTED&versionStatus=ACTIVE&autoUpgrade=ON&delegateName=ed\
               &delegateType=KUBE&delegateTags=edge-001&hostName=host-001";
    let html = page(url, fleet(3));
    let chips = part(&html, "<ul aria-label=\"Active filters\"", "</ul>");
    for text in [
        "Health: Supported",
        "Search: edge",
        "Status: connected",
        "Version status: supported",
        "Auto-upgrade: on",
        "Name: ed",
        "Type contains: KUBE",
        "Tag: edge-001",
        "Host: host-001",
    ] {
        assert!(chips.contains(&format!("aria-label=\"Remove filter {text}\"")), "{text}: {chips}");
    }
    let health = part(chips, "data-key=\"health=active\"", "</li>");
    assert!(!part(health, "href=", " aria-label").contains("health="), "{health}");
    assert!(health.contains("search=edge") && health.contains("delegateTags=edge-001"), "{health}");
    assert!(
        chips.contains("<a href=\"/a/acme/delegates\" data-nav class=\"quietlink\">Clear filters</a>"),
        "{chips}"
    );
}

#[test]
fn one_filter_needs_no_clear_all() {
    let html = page("search=edge", fleet(3));
    assert!(!part(&html, "<ul aria-label=\"Active filters\"", "</ul>").contains("Clear filters"));
}

#[test]
fn nothing_that_matches_offers_to_clear_the_filters() {
    let html = page("search=nothing&size=25", fleet(3));
    assert!(words(&html).contains("No delegate matches"));
    assert!(!html.contains("data-list"));
    let blank = part(&html, "class=\"panel blank\"", "</section>");
    assert!(blank.contains("href=\"/a/acme/delegates?size=25\""), "{blank}");
    assert!(words(blank).ends_with("Clear filters"));
    assert!(html.contains("class=\"cards\""), "the cards stay");
}

#[test]
fn pages_tell_the_range_and_lead_to_the_neighbours() {
    let html = page("page=2&search=edge", fleet(25));
    let foot = part(&html, "class=\"foot\"", "</nav>");
    assert!(words(foot).contains("11–20 of 25"), "{foot}");
    assert!(foot.contains("href=\"/a/acme/delegates?search=edge\" data-nav=\"top\""), "{foot}");
    assert!(foot.contains("href=\"/a/acme/delegates?search=edge&amp;page=3\""), "{foot}");
}

#[test]
fn the_ends_have_no_way_beyond() {
    let turn = |url: &str| {
        let html = page(url, fleet(25));
        part(&html, "<div class=\"turns\">", "</div>").to_owned()
    };
    let first = turn("");
    assert!(first.contains("<span aria-disabled=\"true\" class=\"btn\">Previous</span>"), "{first}");
    assert!(first.contains("page=2"));
    let last = turn("page=3");
    assert!(last.contains("<span aria-disabled=\"true\" class=\"btn\">Next</span>"), "{last}");
    assert!(words(&page("page=3", fleet(25))).contains("21–25 of 25"));
}

#[test]
fn a_page_behind_the_last_shows_the_last() {
    let html = page("page=99", fleet(25));
    assert!(words(&html).contains("21–25 of 25"));
    assert!(part(&html, "<div class=\"turns\">", "</div>").contains("page=2"));
}

#[test]
fn sizes_are_links_and_start_over_on_page_one() {
    let html = page("page=2&size=25&search=edge", fleet(60));
    let sizes = part(&html, "<ul class=\"sizes\">", "</ul>");
    assert!(sizes.contains("href=\"/a/acme/delegates?search=edge\""), "10 is the default: {sizes}");
    for size in [50, 100] {
        assert!(
            sizes.contains(&format!("href=\"/a/acme/delegates?search=edge&amp;size={size}\"")),
            "{sizes}"
        );
    }
    let current = part(sizes, "aria-current=\"true\"", "</a>");
    assert!(words(&format!("<a {current}")).ends_with("25"));
}

#[test]
fn a_group_without_instances_has_an_empty_range() {
    let html = group_html("", Group::new("gone"));
    assert!(words(&html).contains("0–0 of 0 instances"), "{}", words(&html));
}

#[test]
fn a_list_that_fits_on_the_smallest_page_has_no_pager() {
    let html = page("", fleet(10));
    assert!(words(&html).contains("1–10 of 10"));
    assert!(!html.contains("class=\"sizes\""));
    assert!(!html.contains("class=\"turns\""));
}
