//! The three charts over the list, and the banner about a mass loss (`ux 5.6`, `product 3.8`).

use app::context::{PageRequest, Preferences};
use app::pages::delegates::{DelegatesView, DelegatesViewProps};
use fleet::history::State::{Connected, NotConnected};
use fleet::query::{Query, select_all};

use crate::common::*;

/// Two versions of two standings, one lost for 45 minutes of the past day, one gone.
fn fleet() -> Vec<Group> {
    vec![
        Group::new("alpha").instance("alpha-1", NEAR, 5).instance("alpha-2", LATEST, 5),
        Group::new("beta")
            .instance_with("beta-1", LATEST, Some(5), |facts| {
                facts.registered_at = NOW.plus(-fleet::time::DAY);
            })
            .turned(&[(7_200, NotConnected), (4_500, Connected)]),
        Group::new("gamma").instance("gamma-1", OLD, 400),
    ]
}

fn section(html: &str) -> &str {
    part(html, "class=\"charts\"", "</section>")
}

/// The links of the drawings: address and name.
fn marks(html: &str) -> Vec<(String, String)> {
    let attribute = |tag: &str, name: &str| {
        let start = tag.find(name).unwrap_or_else(|| panic!("no {name} in {tag}")) + name.len();
        tag[start..].split('"').next().expect("a value").replace("&amp;", "&")
    };
    let links = section(html)
        .split("<a ")
        .skip(1)
        .filter(|link| link.split('>').next().is_some_and(|tag| tag.contains("class=\"mark\"")));
    links.map(|link| (attribute(link, "href=\""), part(link, "<title>", "</title>").to_owned())).collect()
}

#[test]
fn every_mark_leads_to_as_many_instances_as_it_names() {
    let fleet_of = snapshot("acme", false, fleet());
    let marks = marks(&page("", fleet()));
    assert!(marks.len() >= 4, "{marks:?}");
    for (href, name) in marks {
        let (path, query) = href.split_once('?').expect("a query");
        assert_eq!(path, "/a/acme/delegates");
        let listed = select_all(&fleet_of, &Query::parse(query).expect("a query")).instances;
        let instances = if listed == 1 { "1 instance".to_owned() } else { format!("{listed} instances") };
        assert!(listed > 0 && name.contains(&instances), "{href}: {name}");
    }
}

#[test]
fn each_chart_says_in_a_sentence_what_it_shows() {
    let html = page("", fleet());
    let told = words(section(&html));
    assert!(told.contains("Connected instances by version: 26.11 has 2, 26.06 has 1."), "{told}");
    let expiry = "1 connected instance reaches its end of support within 12 weeks, most in the week of 30 Nov 2026: 1. \
                  Not drawn: 2 later.";
    assert!(told.contains(expiry), "{told}");
    assert!(
        told.contains("of expected time connected in the past 24 h, one gap: 10:00 to 11:00 UTC."),
        "{told}"
    );
}

#[test]
fn a_table_holds_the_same_numbers_and_links() {
    let html = page("", fleet());
    for table in ["table-versions", "table-expiry", "table-heartbeats"] {
        assert!(section(&html).contains(&format!("popovertarget=\"{table}\"")), "{table}");
    }
    let rows = words(part(&html, "id=\"table-versions\"", "</table>"));
    assert!(rows.ends_with("26.11 2 of 26.11 2 supported 26.06 1 of 26.06 1 near expiry"), "{rows}");
    let rows = part(&html, "id=\"table-heartbeats\"", "</table>");
    assert!(rows.contains("href=\"/a/acme/delegates?silent=2026-11-20T10%3A00Z\""), "{rows}");
}

#[test]
fn marks_keep_the_scopes_and_drop_other_filters() {
    let html = page("search=alpha&all=true&size=25&page=2", fleet());
    let (href, _) = &marks(&html)[0];
    assert_eq!(href, "/a/acme/delegates?version=26.11&size=25&all=true");
}

#[test]
fn the_mark_that_is_listed_leads_away_from_there() {
    let html = page("version=26.06", fleet());
    let section = section(&html);
    assert_eq!(section.matches("aria-current=\"true\"").count(), 2, "the mark and its row of the table");
    let at = section.find("aria-current").expect("a current mark");
    let tag = &section[section[..at].rfind('<').expect("a tag")..];
    assert!(tag.split('>').next().expect("a tag").contains("href=\"/a/acme/delegates\""), "{tag}");
}

#[test]
fn the_charts_of_a_group_lead_to_its_own_page() {
    let html =
        group_html("", Group::new("alpha").instance("alpha-1", NEAR, 5).instance("alpha-2", LATEST, 5));
    assert_eq!(marks(&html)[0].0, "/a/acme/delegates/_alpha?version=26.11");
}

#[test]
fn a_viewer_can_fold_the_charts_away() {
    let (overview, query) = overview("acme", "", fleet());
    let preferences = Preferences { charts_hidden: true, ..Preferences::default() };
    let request =
        PageRequest { preferences, uri: "/a/acme/delegates?page=2".to_owned(), ..PageRequest::default() };
    let html = html(request, || DelegatesView(DelegatesViewProps { overview, query, scopes: scopes() }));
    let folded = section(&html);
    assert!(!folded.contains("class=\"plot\""));
    assert!(folded.contains("value=\"shown\"") && folded.contains("aria-expanded=\"false\""), "{folded}");
    assert!(folded.contains("value=\"/a/acme/delegates?page=2\""), "{folded}");
    let shown = page("", fleet());
    assert!(
        section(&shown).contains("value=\"hidden\"") && section(&shown).contains("aria-expanded=\"true\"")
    );
}

#[test]
fn an_empty_scope_has_no_charts_and_a_silent_one_says_so() {
    assert!(!page("", Vec::new()).contains("class=\"charts\""));
    let told = words(section(&page("", vec![Group::new("a").instance("a-1", LATEST, 400)])));
    assert!(told.contains("No instance is connected, so none runs a version."), "{told}");
}

#[test]
fn drawings_carry_no_styles_of_their_own() {
    let html = page("", fleet());
    assert!(!section(&html).contains("style="));
}

/// So many instances that were lost ten minutes ago, of which the first `back` have returned.
fn lost(count: usize, back: usize) -> Vec<Group> {
    let turns = [(600, NotConnected), (300, Connected)];
    let group = |number: usize| {
        let (age, turns) = if number < back { (5, &turns[..]) } else { (900, &turns[..1]) };
        Group::new(&format!("g{number}")).instance(&format!("host-{number}"), LATEST, age).turned(turns)
    };
    (0..count).map(group).collect()
}

#[test]
fn a_mass_loss_is_told_once_in_words() {
    let html = page("search=g&all=true", lost(6, 2));
    let banner = part(&html, "data-key=\"loss\"", "</div>");
    let told = words(banner);
    assert!(told.contains("6 of 6 connected instances were lost within a minute at 11:50 UTC."), "{told}");
    assert!(
        told.contains("its network, proxy and certificate") && told.contains("2 of them are back."),
        "{told}"
    );
    assert!(
        banner.contains("href=\"/a/acme/delegates?silent=2026-11-20T11%3A30Z&amp;all=true\""),
        "{banner}"
    );
}

#[test]
fn without_a_mass_loss_nothing_is_said() {
    for groups in [lost(4, 0), lost(6, 6), fleet()] {
        assert!(!page("", groups).contains("data-key=\"loss\""));
    }
}
