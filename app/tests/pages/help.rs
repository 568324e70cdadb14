//! The help pages, and every link to them (`product 11.8`).

use std::collections::BTreeSet;

use app::help::{topic, topics};
use app::pages::help::{HelpView, HelpViewProps};
use fleet::access::BuiltIn;
use fleet::troubleshoot::{Next, PROBLEMS, Platform, guide};

use crate::common::*;
use crate::fake::Fake;

fn show(slug: Option<&str>) -> String {
    let topic = slug.map(|slug| topic(slug).expect("a topic"));
    html(request_of(BuiltIn::Viewer, "acme"), || HelpView(HelpViewProps { topic, scopes: scopes() }))
}

/// Addresses of help pages in a piece of HTML.
fn links(html: &str) -> BTreeSet<String> {
    let found = html.split("href=\"/help").skip(1).filter_map(|rest| rest.split('"').next());
    found.map(|rest| format!("/help{rest}")).collect()
}

fn resolves(link: &str) -> bool {
    let (path, anchor) = link.split_once('#').map_or((link, None), |(path, anchor)| (path, Some(anchor)));
    let Some(slug) = path.strip_prefix("/help/") else { return path == "/help" };
    if slug == app::pages::api::SLUG {
        return anchor.is_none();
    }
    let Some(found) = topic(slug) else { return false };
    anchor.is_none_or(|anchor| show(Some(found.slug)).contains(&format!("id=\"{anchor}\"")))
}

#[test]
fn every_page_of_the_product_is_there() {
    for slug in [
        "auto-upgrade",
        "securing",
        "tokens",
        "troubleshooting",
        "proxy",
        "certificates",
        "scope",
        "requirements",
    ] {
        assert!(topic(slug).is_some(), "{slug}");
        assert!(links(&show(None)).contains(&format!("/help/{slug}")));
    }
    let slugs: BTreeSet<_> = topics().map(|topic| topic.slug).collect();
    assert_eq!(slugs.len(), topics().count());
}

#[test]
fn every_own_link_resolves() {
    let mut all: BTreeSet<String> = topics().flat_map(|topic| links(&show(Some(topic.slug)))).collect();
    all.extend(links(&show(None)));
    all.extend(links(&page_of(BuiltIn::Viewer, "", vec![Group::new("a").instance("a-1", NEAR, 5)])));
    all.extend(PROBLEMS.iter().map(|problem| format!("/help/{}", problem.help)));
    for platform in Platform::ALL {
        all.extend(guide(platform).steps().filter_map(|step| match step.next {
            Next::Finding { help, .. } => help.map(|slug| format!("/help/{slug}")),
            _ => None,
        }));
    }
    all.extend(
        ["/help/auto-upgrade#reasons", "/help/delegates#alerts", "/help/auto-upgrade"].map(ToOwned::to_owned),
    );
    let dead: Vec<_> = all.iter().filter(|link| !resolves(link)).collect();
    assert!(dead.is_empty(), "{dead:?}");
    assert!(all.contains("/help"), "the menu of the user leads here");
    let related = links(&page_of(BuiltIn::Viewer, "", vec![Group::new("a").instance("a-1", NEAR, 5)]));
    for slug in ["auto-upgrade", "tokens", "securing", "troubleshooting"] {
        assert!(related.contains(&format!("/help/{slug}")), "{slug}");
    }
}

#[test]
fn the_two_components_are_drawn_and_told() {
    let html = show(Some("delegates"));
    let picture = part(&html, "<svg viewBox", ">");
    assert!(picture.contains("role=\"img\"") && picture.contains("Nothing calls the delegate."), "{picture}");
    assert!(words(&html).contains("Rollcall keeps heartbeat data only"));
}

#[test]
fn the_tables_of_the_product_are_whole() {
    let reference = words(&show(Some("reference")));
    for cells in [
        "Docker in Docker no yes, by the Docker socket",
        "Start time 30 to 60 s 10 to 20 s",
        "privileged no yes",
        "drop_capability yes yes",
        "up to 200 GiB; at least 21 GiB (21,504 MiB) if set",
        "5 CreateLogGroup a second, 50 CreateLogStream a second, and 800 PutLogEvents",
        "two subnets in different availability zones",
    ] {
        assert!(reference.contains(cells), "{cells}");
    }
    let requirements = words(&show(Some("requirements")));
    for cells in
        ["Laptop 1.6 GB 0.5", "Large 13.2 GB 4", "8 16 GB 4 80", "100 in 24 hours and 40 in an hour", "9418"]
    {
        assert!(requirements.contains(cells), "{cells}");
    }
    let logs = words(&show(Some("logs")));
    for cells in ["50 MB", "10 earlier days", "1 GB", "maximum validating future count"] {
        assert!(logs.contains(cells), "{cells}");
    }
}

#[tokio::test]
async fn pages_answer_under_their_addresses() {
    let request = || request_of(BuiltIn::Viewer, "acme");
    let fake = Fake::default();
    for (path, status) in [("/help", 200), ("/help/tokens", 200), ("/help/nothing", 404)] {
        assert_eq!(fake.open_as(request(), path).await.0, status, "{path}");
    }
}
