//! What surrounds every page, and what holds for all of its markup.

use std::collections::HashSet;

use crate::common::*;
use app::context::{Density, PageRequest, Preferences, Shortcuts, Theme, TimeForm};
use app::pages::delegates::{DelegatesView, DelegatesViewProps};
use app::port::ScopeNode;
use leptos::prelude::*;

fn fleet() -> Vec<Group> {
    let tags = ["eu", "linux", "prod", "blue"];
    (0..25)
        .map(|at| {
            let name = format!("edge-cluster-{at:02}");
            (0..3).fold(Group::new(&name).tags(&tags), |group, pod| {
                let version = [LATEST, OLD, NEAR, EXPIRED][at % 4];
                group.instance(&format!("{name}-7c9d5b6f4-x{pod}kqp"), version, 5 + pod)
            })
        })
        .collect()
}

fn whole(url: &str) -> String {
    let page = page(url, fleet());
    let sprite = html(PageRequest::default(), || view! { <app::components::icons::Sprite/> });
    format!("{sprite}{page}")
}

fn attributes<'a>(html: &'a str, name: &'a str) -> impl Iterator<Item = &'a str> {
    let start = format!(" {name}=\"");
    html.match_indices(&start)
        .map(|(at, found)| &html[at + found.len()..])
        .filter_map(|rest| rest.split_once('"').map(|(value, _)| value))
        .collect::<Vec<_>>()
        .into_iter()
}

#[test]
fn every_icon_is_in_the_sprite() {
    let html = whole("size=25&open=g-edge-cluster-00&search=edge&health=nearExpiry");
    let drawn: HashSet<_> = attributes(&html, "id").filter(|id| id.starts_with("i-")).collect();
    let used: HashSet<_> = attributes(&html, "href").filter_map(|href| href.strip_prefix('#')).collect();
    let missing: Vec<_> = used.iter().filter(|id| id.starts_with("i-") && !drawn.contains(*id)).collect();
    assert!(used.len() > 8, "the page uses icons");
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn ids_are_unique_and_popovers_exist() {
    let html = whole("size=25&open=g-edge-cluster-00&open=g-edge-cluster-01");
    let ids: Vec<_> = attributes(&html, "id").collect();
    assert_eq!(ids.iter().collect::<HashSet<_>>().len(), ids.len());
    for reference in ["popovertarget", "aria-controls", "aria-labelledby"] {
        for target in attributes(&html, reference) {
            assert!(ids.contains(&target), "{reference}={target}");
        }
    }
}

#[test]
fn nothing_needs_inline_style_or_script() {
    let html = whole("size=25&open=g-edge-cluster-00");
    for forbidden in [" style=", " onclick=", " onload=", "<style", "<script", "javascript:"] {
        assert!(!html.contains(forbidden), "{forbidden}");
    }
}

#[test]
fn twenty_five_groups_stay_small() {
    let html = whole("size=25&all=true");
    assert_eq!(html.matches("class=\"g\"").count(), 25);
    // Brotli makes less than a tenth of it; the budget for what travels is 30 KB.
    assert!(html.len() < 160_000, "{} bytes", html.len());
}

#[test]
fn the_switcher_lists_every_scope_and_marks_the_current_one() {
    let html = page("", fleet());
    let scopes = part(&html, "id=\"scopes\"", "</nav>");
    for href in
        ["/a/acme/delegates", "/a/acme/o/payments/delegates", "/a/acme/o/payments/p/checkout/delegates"]
    {
        assert_eq!(scopes.matches(&format!("href=\"{href}\"")).count(), 1, "{href}");
    }
    assert_eq!(scopes.matches("aria-current=\"true\"").count(), 1);
    assert!(html.contains("popovertarget=\"scopes\""), "it opens without scripts");
}

#[test]
fn a_great_many_scopes_open_only_around_the_current_one() {
    let node = |text: &str, children| ScopeNode { scope: scope(text), reachable: true, children };
    let organizations = (0..30).map(|at| {
        let projects = (0..10).map(|project| node(&format!("acme/o{at}/p{project}"), Vec::new())).collect();
        node(&format!("acme/o{at}"), projects)
    });
    let scopes = std::sync::Arc::new(vec![node("acme", organizations.collect())]);
    let (overview, query) = overview("acme/o3", "", Vec::new());
    let html = html(PageRequest::default(), || DelegatesView(DelegatesViewProps { overview, query, scopes }));
    assert!(html.contains("href=\"/a/acme/o/o29/delegates\""));
    assert!(html.contains("href=\"/a/acme/o/o3/p/p9/delegates\""));
    assert!(!html.contains("href=\"/a/acme/o/o4/p/p0/delegates\""));
}

#[test]
fn theme_and_density_are_a_form_that_leads_back() {
    let request = PageRequest {
        preferences: Preferences {
            theme: Theme::Dark,
            density: Density::Compact,
            time: TimeForm::Local,
            keys: Shortcuts::Off,
            announce: true,
            ..Preferences::default()
        },
        uri: "/a/acme/delegates?search=\"x\"".to_owned(),
        ..PageRequest::default()
    };
    let (overview, query) = overview("acme", "", fleet());
    let html = html(request, || DelegatesView(DelegatesViewProps { overview, query, scopes: scopes() }));
    let form = part(&html, "<form method=\"post\" action=\"/ui/preferences\"", "</form>");
    assert!(form.contains("name=\"back\" value=\"/a/acme/delegates?search=&quot;x&quot;\""), "{form}");
    let checked: Vec<_> = form.split("<input").filter(|input| input.contains(" checked")).collect();
    assert_eq!(checked.len(), 5);
    assert!(checked[0].contains("name=\"theme\" value=\"dark\""), "{}", checked[0]);
    assert!(checked[1].contains("name=\"density\" value=\"compact\""), "{}", checked[1]);
    assert!(checked[2].contains("name=\"time\" value=\"local\""), "{}", checked[2]);
    assert!(checked[3].contains("name=\"keys\" value=\"off\""), "{}", checked[3]);
    assert!(checked[4].contains("name=\"announce\" value=\"on\""), "{}", checked[4]);
}

#[test]
fn the_page_names_its_stream_and_its_instant() {
    let html = page("", fleet());
    assert!(html.contains("data-feed=\"/a/acme/live\" data-as-of=\"1795176000000\""));
    assert!(words(&html).contains("As of 12:00:00 UTC"));
    assert!(page("all=true", fleet()).contains("data-feed=\"/a/acme/live?all=true\""));
    let (overview, query) = overview("acme/payments/checkout", "", Vec::new());
    assert!(delegates_html(overview, query).contains("data-feed=\"/a/acme/o/payments/p/checkout/live\""));
}

#[test]
fn no_control_of_a_later_version_is_shown() {
    let html = words(&whole("size=25"));
    for word in ["New delegate", "Audit", "Saved filters", "Delete"] {
        assert!(!html.contains(word), "{word}");
    }
}
