//! Badges: what deserves a second look, each with its explanation (`product 3.6`, `9.1`, `9.2`, `11.2`).

use fleet::delegate::InstanceFacts;
use fleet::history::State::{Connected, NotConnected};

use crate::common::*;

const FLAPPING: [(i64, fleet::history::State); 6] = [
    (1_800, NotConnected),
    (1_700, Connected),
    (1_200, NotConnected),
    (1_100, Connected),
    (600, NotConnected),
    (500, Connected),
];

fn two(change: impl Fn(&mut InstanceFacts) + Copy) -> Group {
    let member = |group: Group, host| group.instance_with(host, LATEST, Some(8), change);
    member(member(Group::new("a"), "host-1"), "host-2")
}

fn row(group: Group) -> String {
    part(&page("", vec![group]), "<tr data-key", "</tr>").to_owned()
}

/// The words of the badges of a row that are in sight.
fn shown(row: &str) -> Vec<&str> {
    let faces = row.split("class=\"badge").skip(1);
    faces
        .map(|rest| rest.split('>').nth(1).and_then(|rest| rest.split('<').next()).expect("a word"))
        .filter(|word| !word.is_empty())
        .collect()
}

#[test]
fn an_unstable_group_says_why_and_leads_to_the_troubleshooter() {
    let row = row(two(|_| ()).turned(&FLAPPING));
    assert_eq!(shown(&row), ["Unstable"]);
    let told = words(part(&row, "id=\"b-unstable-g-a\"", "</div>"));
    assert!(told.contains("An instance was lost 3 times or more within 60 minutes."), "{told}");
    assert!(row.contains("href=\"/a/acme/delegates/_a/troubleshoot#unstable\""), "{row}");
    let calm = two(|_| ()).turned(&FLAPPING[..4]);
    assert!(shown(&self::row(calm)).is_empty());
}

#[test]
fn a_badge_opens_on_a_press_and_is_named_for_everyone() {
    let row = row(two(|_| ()).turned(&FLAPPING));
    let button = part(&row, "popovertarget=\"b-unstable-g-a\"", ">");
    assert!(button.contains("aria-label=\"Unstable. Explain this about a\""), "{button}");
}

#[test]
fn a_row_has_two_badges_at_most_and_a_button_for_the_rest() {
    let troubled = Group::new("a")
        .with(|facts| facts.returned_at = Some(NOW.plus(-60_000)))
        .instance_with("host-1", LATEST, Some(8), |facts| {
            facts.incomplete = true;
            facts.clock_skew = Some(90_000);
        })
        .turned(&FLAPPING);
    let row = row(troubled);
    assert_eq!(shown(&row), ["Returned after delete", "Single instance"]);
    let rest = words(part(&row, "id=\"b-more-g-a\"", "</div>"));
    assert!(row.contains("aria-label=\"+3 more to know about a\""), "{row}");
    for word in ["Unstable", "Identity incomplete", "Clock off"] {
        assert!(rest.contains(word), "{word}: {rest}");
    }
}

#[test]
fn members_that_differ_name_the_field() {
    let group = two(|_| ()).instance_with("host-3", LATEST, Some(8), |facts| facts.token = "t2".into());
    assert_eq!(shown(&row(group)), ["Members differ"]);
}

#[test]
fn the_last_replica_is_told_from_an_only_one() {
    assert_eq!(shown(&row(Group::new("a").instance("host-1", LATEST, 8))), ["Single instance"]);
    let last = two(|_| ()).instance("host-3", LATEST, 8);
    assert!(shown(&row(last)).is_empty());
    let last = Group::new("a").instance("host-1", LATEST, 8).instance("host-2", LATEST, 400);
    assert_eq!(shown(&row(last)), ["Last healthy replica"]);
}

#[test]
fn every_explanation_of_a_page_has_an_id_of_its_own() {
    let groups = || {
        ["a", "b"].map(|name| Group::new(name).instance(&format!("{name}-1"), LATEST, 8).turned(&FLAPPING))
    };
    let html = page("open=g-a&open=g-b", groups().into());
    let mut ids: Vec<&str> = html.split(" id=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    let all = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), all);
}
