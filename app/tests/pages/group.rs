//! The page of one group (`product 11.5`).

use crate::common::*;
use fleet::delegate::{DelegateType, Family};
use fleet::time::{DAY, MINUTE};

fn fact(html: &str, term: &str) -> String {
    words(part(html, &format!("<dt>{term}</dt>"), "</dd>").split_once("</dt>").expect("a value").1)
}

fn edge() -> Group {
    Group::new("edge-a")
        .scope("acme/payments")
        .tags(&["eu", "prod"])
        .with(|facts| {
            facts.description = "Edge cluster A".into();
            facts.token_name = "edge".into();
        })
        .instance("edge-a-1", NEAR, 5)
        .instance("edge-a-2", LATEST, 5)
        .instance("edge-a-3", LATEST, 400)
}

#[test]
fn facts_tell_what_is_known() {
    let html = group_html("", edge());
    for (term, value) in [
        ("Group name", "edge-a"),
        ("Identifier", "_edge_a"),
        ("Type", "Kubernetes"),
        ("Family", "Classic delegate"),
        ("Scope", "acme/payments (organization)"),
        ("Token", "edge"),
        ("First seen", "2026-11-10 12:00 UTC"),
        ("Versions", "26.06.89201 on 1 instance 26.11.90604 on 1 instance"),
        ("Tags", "Custom eu prod Implicit edge-a"),
        ("Description", "Edge cluster A"),
    ] {
        assert_eq!(fact(&html, term), value, "{term}");
    }
    assert!(html.contains("data-copy=\"_edge_a\""));
}

#[test]
fn the_head_leads_back_and_tells_the_state() {
    let html = group_html("", edge());
    let trail = part(&html, "<nav aria-label=\"Breadcrumb\"", "</nav>");
    assert!(trail.contains("href=\"/a/acme/o/payments/delegates\""));
    assert_eq!(words(trail.split_once('>').expect("a tag").1), "Delegates edge-a");
    let head = words(part(&html, "<div data-key=\"head\"", "</div>"));
    assert!(head.contains("edge-a Partially connected (2/3) Near expiry 1 unreachable"), "{head}");
}

#[test]
fn cards_are_those_of_the_group_and_stay_on_its_page() {
    let html = group_html("", edge());
    let path = "/a/acme/o/payments/delegates/_edge_a";
    for health in ["expired", "nearExpiry", "unsupported", "autoUpgradeOff"] {
        assert!(html.contains(&format!("href=\"{path}?health={health}\"")), "{health}");
    }
    assert!(words(&html).contains("Auto-upgrade off 0 this group needs no manual upgrades"));
    let off = group_html("", edge().with(|facts| facts.upgrader_seen = None));
    assert!(words(&off).contains("Auto-upgrade off 1 this group needs manual upgrades"));
}

#[test]
fn the_list_is_open_without_arrow_menu_and_order() {
    let html = group_html("", edge());
    assert_eq!(html.matches("class=\"host\"").count(), 3);
    assert!(!list_of(&html).contains("aria-expanded"));
    assert!(!html.contains("role=\"menu\""));
    assert!(!part(list_of(&html), "<thead>", "</thead>").contains("href"));
    assert!(words(&html).contains("1–3 of 3"));
}

#[test]
fn a_filter_narrows_the_members() {
    let html = group_html("health=nearExpiry", edge());
    assert_eq!(html.matches("class=\"host\"").count(), 1);
    assert!(words(&html).contains("1 of 3 instances"));
    let html = group_html("health=expired", edge());
    assert!(words(&html).contains("No instance matches"));
    assert!(html.contains("<dt>Group name</dt>"), "the facts stay");
}

#[test]
fn members_come_in_pages() {
    let big =
        || (0..25).fold(Group::new("big"), |group, at| group.instance(&format!("big-{at:02}"), LATEST, 5));
    let html = group_html("page=2", big());
    assert_eq!(html.matches("class=\"host\"").count(), 10);
    assert!(html.contains(">big-10<") && html.contains(">big-19<"));
    assert!(words(&html).contains("11–20 of 25"));
    assert!(html.contains("href=\"/a/acme/delegates/_big?page=3\""));
}

#[test]
fn redundancy_is_counted_in_connected_members() {
    let with = |ages: &[i64]| {
        let group = ages
            .iter()
            .enumerate()
            .fold(Group::new("a"), |group, (at, age)| group.instance(&format!("h-{at}"), LATEST, *age));
        fact(&group_html("", group), "Redundancy").split(" Only").next().unwrap_or_default().to_owned()
    };
    assert_eq!(with(&[5, 5, 5]), "3 of 3 connected, tolerates the loss of 2");
    assert_eq!(with(&[5]), "1 of 1 connected, tolerates no loss");
    assert_eq!(with(&[400]), "0 of 1 connected, does no work");
}

#[test]
fn auto_upgrade_comes_with_reason_and_advice() {
    let on = fact(&group_html("", edge()), "Auto-upgrade");
    assert!(on.starts_with("On Upgrader last seen 2026-11-20 11:30 UTC"), "{on}");
    let runner = edge().with(|facts| {
        facts.family = Family::Runner;
        facts.kind = DelegateType::Docker;
        facts.upgrader_seen = Some(NOW.plus(-30 * MINUTE));
    });
    let html = group_html("", runner);
    let off = fact(&html, "Auto-upgrade");
    assert!(off.contains("Off Not supported by 3.x"), "{off}");
    assert!(off.contains("Last upgrader call: 11:30:00 UTC"), "{off}");
    assert_eq!(fact(&html, "Family"), "Delegate 3.x (runner)");
}

#[test]
fn differences_and_doubles_are_explained_in_words() {
    let old = |facts: &mut fleet::delegate::InstanceFacts| facts.version_since = NOW.plus(-DAY);
    let differ = Group::new("a")
        .instance_with("h-1", LATEST, Some(5), old)
        .instance_with("h-2", OLD, Some(5), old)
        .instance_with("h-3", OLD, Some(5), |facts| facts.token = "t2".into());
    let text = fact(&group_html("", differ), "Members differ");
    assert!(text.starts_with("Connected members differ in version and token."), "{text}");
    let double = Group::new("a").instance_with("h-1", LATEST, Some(5), |facts| facts.double_seen = Some(NOW));
    let text = fact(&group_html("", double), "Possible double delegate");
    assert!(text.starts_with("Two processes use the id of one instance."), "{text}");
    assert!(!group_html("", edge()).contains("Possible double delegate"));
}

#[test]
fn an_expired_group_says_that_the_flag_is_informational() {
    let html = group_html("", Group::new("a").instance("h", EXPIRED, 5));
    assert!(words(&html).contains("it does not stop this delegate and is not the cause of a failure"));
    assert!(!words(&group_html("", edge())).contains("not the cause of a failure"));
}

#[test]
fn absent_facts_have_words() {
    let html = group_html("", Group::new("a").with(|facts| facts.token_name = "".into()));
    assert_eq!(fact(&html, "Token"), "not known");
    assert_eq!(fact(&html, "Description"), "none");
    assert_eq!(fact(&html, "Versions"), "N/A, nothing is connected");
}
