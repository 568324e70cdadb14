//! Instances inside their group's row (`product 6.2`, `11.2`).

use crate::common::*;
use fleet::delegate::Transport;

fn many(count: usize) -> Group {
    (0..count).fold(Group::new("big"), |group, at| group.instance(&format!("big-{at:03}"), LATEST, 5))
}

fn hosts(html: &str) -> Vec<String> {
    html.split("class=\"host\"")
        .skip(1)
        .filter_map(|rest| rest.split_once('>')?.1.split('<').next())
        .map(str::to_owned)
        .collect()
}

#[test]
fn a_row_opens_by_a_link_and_closes_by_the_same() {
    let group = || vec![Group::new("a").instance("host-1", LATEST, 5)];
    let closed = page("size=25", group());
    assert!(closed.contains("role=\"button\""));
    assert!(closed.contains("aria-expanded=\"false\""));
    assert!(closed.contains("aria-label=\"Instances of a\""));
    assert!(closed.contains("open=g-a"), "the link opens this group");
    assert!(hosts(&closed).is_empty());
    let open = page("size=25&open=g-a", group());
    assert!(open.contains("aria-expanded=\"true\" aria-controls=\"x0\""), "{open}");
    assert!(open.contains("id=\"x0\""));
    assert!(open.contains("href=\"/a/acme/delegates?size=25\""), "the link closes it again");
    assert_eq!(hosts(&open), ["host-1"]);
}

#[test]
fn a_group_without_instances_has_nothing_to_open() {
    let html = page("open=g-a", vec![Group::new("a")]);
    assert!(!list_of(&html).contains("aria-expanded"));
    assert!(!html.contains("class=\"inst\""));
}

#[test]
fn an_instance_shows_host_id_state_version_heartbeat_and_transport() {
    let group = Group::new("a")
        .instance_with("host-1", NEAR, Some(8), |facts| facts.transport = Transport::WebSocket);
    let html = page("open=g-a", vec![group]);
    let table = part(&html, "<table aria-label=\"Instances of a\">", "</table>");
    assert_eq!(
        words(table).split_once("Instance Connectivity").map(|(_, rest)| rest.trim()),
        Some(
            "Version Status Last heartbeat Transport host-1 id-host-1 Connected 26.06.89201 Near expiry \
             Expiring in 10 days (2026-11-30) 11:59:52 UTC WebSocket"
        )
    );
}

#[test]
fn an_instance_that_is_not_connected_has_neither_version_nor_status() {
    let html = page("open=g-a", vec![Group::new("a").instance("host-1", NEAR, 301)]);
    let table = words(part(&html, "<table aria-label", "</table>"));
    assert!(table.contains("Not connected N/A - 11:54:59 UTC Polling"), "{table}");
}

#[test]
fn a_late_instance_says_how_late() {
    let html =
        page("open=g-a", vec![Group::new("a").instance("host-1", NEAR, 215).instance("host-2", NEAR, 5)]);
    let table = words(part(&html, "<table aria-label", "</table>"));
    assert!(table.contains("Connected late, last heartbeat 215 s ago"), "{table}");
}

#[test]
fn a_clock_is_called_wrong_beyond_60_seconds() {
    let shown = |skew: i64| {
        let group =
            Group::new("a").instance_with("host-1", LATEST, Some(8), |facts| facts.clock_skew = Some(skew));
        words(part(&page("open=g-a", vec![group]), "<table aria-label", "</table>"))
    };
    assert!(!shown(60_000).contains("clock"));
    assert!(shown(60_001).contains("clock 60 s ahead"));
    assert!(!shown(-60_000).contains("clock"));
    assert!(shown(-93_000).contains("clock 93 s behind"));
}

#[test]
fn a_filter_on_instances_opens_every_row_with_the_matching_ones_only() {
    let groups = || {
        vec![
            Group::new("a").instance("a-near", NEAR, 5).instance("a-new", LATEST, 5),
            Group::new("b").instance("b-new", LATEST, 5),
            Group::new("c").instance("c-near", NEAR, 5),
        ]
    };
    let html = page("health=nearExpiry", groups());
    assert_eq!(hosts(&html), ["a-near", "c-near"]);
    assert!(!list_of(&html).contains("aria-expanded"), "there is nothing to close");
    assert!(words(&html).contains("2 of 4 instances in 2 groups"));
}

#[test]
fn the_page_shows_at_most_100_instances_of_a_group_and_links_to_the_rest() {
    let html = page("open=g-big", vec![many(100)]);
    assert_eq!(hosts(&html).len(), 100);
    assert!(!html.contains("class=\"rest\""));
    let html = page("open=g-big&sort=name", vec![many(340)]);
    assert_eq!(hosts(&html).len(), 100);
    let rest = part(&html, "<p class=\"rest\">", "</p>");
    assert_eq!(words(rest), "and 240 more instances of big");
    assert!(rest.contains("href=\"/a/acme/delegates/_big\""), "{rest}");
}

#[test]
fn the_link_to_the_rest_keeps_the_filter() {
    let html = page("health=active", vec![many(101)]);
    let rest = part(&html, "<p class=\"rest\">", "</p>");
    assert!(rest.contains("href=\"/a/acme/delegates/_big?health=active\""), "{rest}");
}
