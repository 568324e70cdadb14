//! The columns of the list (`product 11.2`).

use crate::common::*;
use fleet::delegate::{DelegateType, Family};
use fleet::time::{DAY, MINUTE};

/// The row of the one group on the page.
fn row(group: Group) -> String {
    rows("", vec![group])
}

fn rows(url: &str, groups: Vec<Group>) -> String {
    let html = page(url, groups);
    part(&html, "<tbody data-rows>", "</tbody>").to_owned()
}

/// The cells of a row: arrow, delegate, connectivity, tags, version, status, heartbeat, auto-upgrade, menu.
fn cells(group: Group) -> Vec<String> {
    let row = row(group);
    let row = row.split("</tr>").next().expect("a row");
    row.replace("<th ", "<td ").split("<td").skip(1).map(|cell| words(&format!("<td{cell}"))).collect()
}

fn plain(name: &str) -> Group {
    Group::new(name).instance("host-1", LATEST, 8)
}

#[test]
fn headers_stand_in_the_order_of_the_product() {
    let html = page("", vec![plain("alpha")]);
    let head = part(list_of(&html), "<thead>", "</thead>");
    assert_eq!(
        words(head),
        "Expand Delegate Connectivity Tags Version Instance status Last heartbeat Auto-upgrade Actions"
    );
    assert!(
        html.contains(
            "<caption id=\"cap\" class=\"vh\">Delegates, 1 of 1 group, connected first, then by name"
        )
    );
    assert!(html.contains("tabindex=\"0\" role=\"region\" aria-labelledby=\"cap\""));
}

#[test]
fn delegate_shows_type_name_identifier_and_number_of_instances() {
    let row = row(plain("edge-a").instance("host-2", LATEST, 8));
    assert!(row.contains("<th scope=\"row\">"));
    assert!(row.contains("role=\"img\" aria-label=\"Kubernetes\""));
    assert!(
        row.contains("<a class=\"nm\" href=\"/a/acme/delegates/_edge_a\">edge-a</a>")
            || row.contains("href=\"/a/acme/delegates/_edge_a\"")
    );
    assert!(words(&row).contains("edge-a _edge_a (2 instances)"), "{}", words(&row));
    assert!(cells(plain("one"))[1].contains("(1 instance)"));
}

#[test]
fn every_type_has_a_name() {
    let name = |kind: DelegateType, family: Family| {
        let row = row(plain("x").with(|facts| (facts.kind, facts.family) = (kind, family)));
        part(&row, "role=\"img\" aria-label=\"", "\" title").replace("role=\"img\" aria-label=\"", "")
    };
    assert_eq!(name(DelegateType::Helm, Family::Java), "Helm");
    assert_eq!(name(DelegateType::Docker, Family::Java), "Docker");
    assert_eq!(name(DelegateType::Ecs, Family::Java), "ECS");
    assert_eq!(name(DelegateType::Shell, Family::Java), "Shell script");
    assert_eq!(name(DelegateType::Docker, Family::Go), "Virtual machine");
    assert_eq!(name(DelegateType::from(""), Family::Java), "Unknown type");
    assert_eq!(name(DelegateType::from("NOMAD"), Family::Java), "NOMAD");
}

#[test]
fn only_the_runner_family_carries_the_generation_badge() {
    assert!(cells(plain("r").with(|facts| facts.family = Family::Runner))[1].contains("r 3.x"));
    assert!(!cells(plain("r"))[1].contains("3.x"));
}

#[test]
fn rows_of_scopes_below_carry_their_scope_and_link_into_it() {
    let groups = || vec![plain("own"), plain("deep").scope("acme/payments/checkout")];
    let rows = rows("all=true", groups());
    assert!(rows.contains("href=\"/a/acme/o/payments/p/checkout/delegates/_deep\""));
    assert_eq!(
        rows.matches("title=\"acme/payments/checkout\" class=\"badge\">payments/checkout<").count(),
        1
    );
}

#[test]
fn connectivity_counts_connected_members() {
    assert_eq!(cells(plain("a").instance("host-2", LATEST, 8))[2], "Connected 2 of 2");
    assert!(cells(plain("a"))[2].starts_with("Connected 1 of 1 Single instance"));
    let last = &cells(plain("a").instance("host-2", LATEST, 301))[2];
    assert!(last.starts_with("Partially connected (1/2) Last healthy replica"), "{last}");
    let silent = cells(Group::new("a").instance("host-1", LATEST, 301));
    assert_eq!(silent[2], "Not connected 0 of 1");
    assert!(silent[5].ends_with("Troubleshoot"), "{}", silent[5]);
    assert_eq!(cells(Group::new("a"))[2], "Not connected no instances");
}

#[test]
fn the_boundary_of_connected_is_300_seconds() {
    assert!(cells(Group::new("a").instance("host-1", LATEST, 300))[2].starts_with("Connected"));
    assert!(cells(Group::new("a").instance("host-1", LATEST, 301))[2].starts_with("Not connected"));
}

#[test]
fn late_members_are_hinted_at_from_180_seconds_on() {
    assert!(!cells(Group::new("a").instance("host-1", LATEST, 179))[2].contains("late"));
    let late = cells(Group::new("a").instance("host-1", LATEST, 180));
    assert!(late[2].ends_with("late, last heartbeat 180 s ago"), "{}", late[2]);
    let several = cells(plain("a").instance("host-2", LATEST, 200).instance("host-3", LATEST, 250));
    assert_eq!(several[2], "Connected 3 of 3 2 late");
}

#[test]
fn all_tags_are_reachable_custom_ones_first() {
    assert_eq!(cells(plain("Solo"))[3], "solo");
    assert_eq!(cells(plain("solo").tags(&["eu"]))[3], "eu solo");
    let row = row(plain("Edge").tags(&["eu", "linux", "prod"]));
    let cell = words(part(&row, "<div class=\"tags\">", "</td>"));
    assert_eq!(cell, "eu linux +2 Tags of Edge eu linux prod edge implicit");
    assert!(row.contains("aria-label=\"+2 tags, show all 4 of Edge\""));
}

#[test]
fn a_custom_tag_equal_to_the_implicit_one_is_shown_once() {
    assert_eq!(cells(plain("edge").tags(&["edge"]))[3], "edge");
}

#[test]
fn version_is_the_lowest_of_connected_members() {
    assert_eq!(cells(plain("a"))[4], LATEST);
    assert_eq!(cells(plain("a").instance("host-2", OLD, 8))[4], "26.09.89620 (+1 more)");
    assert_eq!(cells(plain("a").instance("host-2", OLD, 400))[4], LATEST);
    assert_eq!(cells(Group::new("a").instance("host-1", LATEST, 400))[4], "N/A");
    assert_eq!(cells(Group::new("a").instance("host-1", "", 8))[4], "not reported");
}

#[test]
fn a_long_version_may_break_before_its_variant() {
    let row = row(Group::new("a").instance("host-1", "26.11.90604.minimal", 8));
    assert!(row.contains("26.11.90604.<wbr>minimal"), "{row}");
}

#[test]
fn status_is_word_countdown_and_date() {
    let status = |version: &str| {
        let row = row(Group::new("a").instance("host-1", version, 8));
        let cell = part(&row, "<td class=\"stat\">", "</td>");
        let face = part(cell, "<span class=\"st", "</span>");
        let (_, below) = cell.rsplit_once("<div class=\"sub num\">").expect("a second line");
        format!("{} | {}", words(face), words(below))
    };
    assert_eq!(status(EXPIRED), "Expired | Expired 51 days ago (2026-09-30)");
    assert_eq!(status(NEAR), "Near expiry | Expiring in 10 days (2026-11-30)");
    assert!(status(OLD).starts_with("Unsupported |"), "{}", status(OLD));
    assert_eq!(status(LATEST), "Supported | Expiring in 5 months (2027-04-30)");
    assert_eq!(status("1.0.80104"), "Expired | Upgrade required");
}

#[test]
fn unsupported_names_what_it_is_behind() {
    let row = row(Group::new("a").instance("host-1", OLD, 8));
    assert!(words(&row).contains("behind 26.11.90604"));
    assert!(row.contains(
        "aria-label=\"Unsupported, behind 26.11.90604, Expiring in 3 months (2027-02-28). Explain"
    ));
}

#[test]
fn without_a_connected_version_there_is_no_status() {
    assert_eq!(cells(Group::new("a").instance("host-1", LATEST, 400))[5], "- Troubleshoot");
    assert!(
        row(Group::new("a").instance("host-1", LATEST, 400))
            .contains("aria-label=\"None, not connected. Explain\"")
    );
    assert!(cells(Group::new("a").instance("host-1", "", 8))[5].starts_with("Unknown"));
}

#[test]
fn last_heartbeat_is_the_newest_in_absolute_utc() {
    let row = row(plain("a").instance("host-2", LATEST, 3));
    assert!(
        row.contains("<time datetime=\"2026-11-20T11:59:57.000Z\" class=\"ago\">11:59:57 UTC</time>"),
        "{row}"
    );
    let old =
        self::row(Group::new("a").instance("host-1", LATEST, 21_000).with(|facts| facts.id = "b".into()));
    assert!(old.contains(">06:10:00 UTC</time>"), "{old}");
    assert_eq!(cells(Group::new("a"))[6], "-");
    assert_eq!(cells(Group::new("a").instance_with("host-1", LATEST, None, |_| ()))[6], "-");
}

#[test]
fn auto_upgrade_tells_the_state_and_leads_to_the_reason() {
    let cell = |group: Group| cells(group)[7].clone();
    assert_eq!(cell(plain("a")), "On");
    assert_eq!(cell(plain("a").with(|facts| facts.upgrader_seen = None)), "Off");
    let detecting = plain("a").with(|facts| {
        facts.upgrader_seen = None;
        facts.first_seen = NOW.plus(-90 * MINUTE);
    });
    assert_eq!(cell(detecting), "Detecting");
    let by_choice = plain("a").with(|facts| {
        facts.upgrader_seen = None;
        facts.by_choice = true;
    });
    assert_eq!(cell(by_choice), "Off (by choice)");
    assert!(row(plain("a")).contains("href=\"/a/acme/delegates/_a/why?of=auto-upgrade\""));
}

#[test]
fn the_menu_leads_to_the_details_and_copies_the_identifier() {
    let row = row(plain("edge-a"));
    let menu = part(&row, "role=\"menu\"", "</td>");
    assert!(menu.contains("href=\"/a/acme/delegates/_edge_a\""));
    assert_eq!(words(menu.split_once('>').expect("a tag").1), "Details Open troubleshooter Copy identifier");
    assert!(menu.contains("data-copy=\"_edge_a\""));
}

#[test]
fn badges_name_what_deserves_a_second_look() {
    let old = |facts: &mut fleet::delegate::InstanceFacts| facts.version_since = NOW.plus(-DAY);
    let differ = plain("a").instance_with("host-2", OLD, Some(8), old);
    assert!(
        cells(differ)[1]
            .contains("Members differ Members differ: version Connected members differ in version.")
    );
    let tagged = |tag: &'static str| {
        move |facts: &mut fleet::delegate::InstanceFacts| facts.tags = [tag.into()].into()
    };
    let double = Group::new("a")
        .instance_with("host-1", LATEST, Some(8), tagged("cluster:blue"))
        .instance_with("host-2", LATEST, Some(8), tagged("cluster:green"));
    let cell = &cells(double)[1];
    assert!(cell.contains("Possible double delegate Members name different clusters."), "{cell}");
    let incomplete =
        Group::new("a").instance_with("host-1", LATEST, Some(8), |facts| facts.incomplete = true);
    assert!(cells(incomplete)[1].contains("Identity incomplete"));
    assert_eq!(cells(plain("a"))[1], "a _a (1 instance)");
}

#[test]
fn hostile_names_stay_text() {
    let hostile = "<script>alert(1)</script>\"'&";
    let group =
        Group::new(hostile).tags(&[hostile, "b", "c"]).instance_with(hostile, hostile, Some(8), |facts| {
            facts.clock_skew = Some(90_000);
        });
    let html = page(&format!("open=g-{}", "x"), vec![group]);
    assert!(!html.contains("<script>alert"), "{html}");
    assert!(!html.contains("\"\"'"), "no attribute ends early");
    let html = page("search=%3Cscript%3E%22%27", vec![plain("a")]);
    assert!(!html.contains("<script>\""));
    assert!(html.contains("&lt;script&gt;"));
}

#[test]
fn sort_links_go_from_ascending_to_descending_to_the_default() {
    let header = |url: &str, word: &str| {
        let html = page(url, vec![plain("a")]);
        let head = part(list_of(&html), "<thead>", "</thead>").to_owned();
        let at = head.find(&format!(">{word}")).expect("a header");
        let start = head[..at].rfind("<th").expect("its cell");
        head[start..at].to_owned()
    };
    for (word, column) in [
        ("Delegate", "name"),
        ("Connectivity", "connectivity"),
        ("Version", "version"),
        ("Instance status", "expiry"),
        ("Last heartbeat", "lastHeartbeat"),
    ] {
        let fresh = header("", word);
        assert!(fresh.contains(&format!("href=\"/a/acme/delegates?sort={column}\"")), "{fresh}");
        assert!(!fresh.contains("aria-sort"));
        let ascending = header(&format!("sort={column}&page=3"), word);
        assert!(ascending.contains("aria-sort=\"ascending\""));
        assert!(ascending.contains(&format!("href=\"/a/acme/delegates?sort=-{column}\"")), "{ascending}");
        let descending = header(&format!("sort=-{column}"), word);
        assert!(descending.contains("aria-sort=\"descending\""));
        assert!(descending.contains("href=\"/a/acme/delegates\""), "{descending}");
    }
    assert!(!header("", "Tags").contains("href"));
}

#[test]
fn rows_that_a_filter_opens_can_be_folded_all_at_once_and_opened_one_by_one() {
    let groups =
        || vec![Group::new("a").instance("a-1", EXPIRED, 5), Group::new("b").instance("b-1", EXPIRED, 5)];
    let open = page("health=expired", groups());
    assert!(open.contains("href=\"/a/acme/delegates?health=expired&amp;fold=true\""), "{open}");
    assert!(open.contains("aria-label=\"Hide the instances of all\""));
    assert_eq!(open.matches("class=\"inst\"").count(), 2);

    let folded = page("health=expired&fold=true", groups());
    assert!(folded.contains("aria-label=\"Show the instances of all\""));
    assert!(!folded.contains("class=\"inst\""));
    assert!(
        folded.contains("href=\"/a/acme/delegates?health=expired&amp;fold=true&amp;open=g-a\""),
        "{folded}"
    );
    let one = page("health=expired&fold=true&open=g-a", groups());
    assert_eq!(one.matches("class=\"inst\"").count(), 1);

    assert!(!page("", groups()).contains("of all\""), "nothing is open that could be folded");
}
