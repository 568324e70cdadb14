//! The four cards and the figures beside them (`product 6`).

use crate::common::*;
use fleet::policy::Anchor;
use fleet::summary::Counts;

/// Two expired, one near expiry, one unsupported, one supported, one unknown, one unreachable; two groups
/// off.
fn fleet() -> Vec<Group> {
    let off = |group: Group| group.with(|facts| facts.upgrader_seen = None);
    vec![
        off(Group::new("alpha").instance("alpha-1", EXPIRED, 5).instance("alpha-2", NEAR, 5)),
        off(Group::new("beta").instance("beta-1", EXPIRED, 5).instance("beta-2", "", 5)),
        Group::new("gamma")
            .instance("gamma-1", OLD, 5)
            .instance("gamma-2", LATEST, 5)
            .instance("gamma-3", LATEST, 400),
    ]
}

/// The link of a card or figure.
fn link<'a>(html: &'a str, health: &str) -> &'a str {
    let mark = format!("data-card=\"{health}\"");
    let at = html.find(&mark).unwrap_or_else(|| panic!("no {health} in {html}"));
    let start = html[..at].rfind("<a ").expect("the link begins before its attributes");
    let end = html[start..].find("</a>").expect("the link ends");
    &html[start..start + end]
}

fn number(card: &str) -> String {
    words(part(card, "<span class=\"big", "</span>"))
}

#[test]
fn each_card_shows_its_number_and_links_to_its_filter() {
    let html = page("", fleet());
    for (health, count) in
        [("expired", "2"), ("nearExpiry", "1"), ("unsupported", "1"), ("autoUpgradeOff", "2")]
    {
        let card = link(&html, health);
        assert_eq!(number(card), count, "{health}");
        assert!(card.contains(&format!("href=\"/a/acme/delegates?health={health}\"")), "{card}");
        assert!(!card.contains("aria-current"), "{card}");
    }
}

#[test]
fn a_second_click_clears_the_card_and_keeps_the_rest() {
    let html = page("health=expired&search=alpha&size=25", fleet());
    let card = link(&html, "expired");
    assert!(card.contains("aria-current=\"true\""));
    assert!(card.contains("href=\"/a/acme/delegates?search=alpha&amp;size=25\""), "{card}");
    let other = link(&html, "nearExpiry");
    assert!(!other.contains("aria-current"));
    assert!(other.contains("health=nearExpiry&amp;search=alpha&amp;size=25"), "{other}");
}

#[test]
fn numbers_follow_the_scope_and_not_the_filters() {
    let html = page("search=gamma", fleet());
    assert_eq!(number(link(&html, "expired")), "2");
    assert_eq!(number(link(&html, "autoUpgradeOff")), "2");
}

#[test]
fn captions_tell_groups_the_next_expiry_and_the_latest_release() {
    let html = page("", fleet());
    assert!(words(link(&html, "expired")).ends_with("instances past end of support · 2 groups"));
    assert!(words(link(&html, "nearExpiry")).ends_with("expires within 28 days · next in 10 days"));
    assert!(words(link(&html, "unsupported")).ends_with("behind the latest release 26.11.90604"));
    assert!(words(link(&html, "autoUpgradeOff")).ends_with("groups that need manual upgrades"));
}

#[test]
fn a_zero_is_quiet_and_says_so() {
    let html = page("", vec![Group::new("alpha").instance("alpha-1", LATEST, 5)]);
    for (health, caption) in [
        ("expired", "no instance is past end of support"),
        ("nearExpiry", "none expires within 28 days"),
        ("unsupported", "none is behind the latest release"),
        ("autoUpgradeOff", "no group needs manual upgrades"),
    ] {
        let card = link(&html, health);
        assert_eq!(number(card), "0");
        assert!(card.contains("big zero"));
        assert!(words(card).ends_with(caption), "{card}");
    }
}

#[test]
fn the_anchor_of_the_policy_names_the_end_that_counts() {
    let (mut overview, query) = overview("acme", "", fleet());
    overview.notes.policy.anchor = Anchor::Eol;
    let html = delegates_html(overview, query);
    assert!(words(link(&html, "expired")).contains("past end of life"));
}

#[test]
fn every_card_explains_itself_without_hovering() {
    let html = page("", fleet());
    for (health, word) in [
        ("expired", "About Expired"),
        ("nearExpiry", "About Near expiry"),
        ("unsupported", "About Unsupported"),
        ("autoUpgradeOff", "About Auto-upgrade off"),
    ] {
        assert!(html.contains(&format!("popovertarget=\"h-{health}\" aria-label=\"{word}\"")), "{health}");
        let help = part(&html, &format!("id=\"h-{health}\" class=\"pop\""), "</div>");
        assert_eq!(help.matches("<p>").count(), 3, "what it counts, why it matters, what to do: {help}");
    }
    assert!(!link(&html, "expired").contains("<button"), "a button inside a link is no valid HTML");
}

#[test]
fn expired_is_called_informational() {
    let html = page("", fleet());
    let help = words(part(&html, "id=\"h-expired\"", "</div>"));
    assert!(help.contains("The flag stops nothing and is not why something fails."), "{help}");
}

#[test]
fn unreachable_and_unknown_are_figures_of_their_own() {
    let html = page("", fleet());
    let unreachable = link(&html, "unreachable");
    assert_eq!(words(unreachable), "1 unreachable");
    assert!(unreachable.contains("href=\"/a/acme/delegates?health=unreachable\""));
    assert_eq!(words(link(&html, "unknown")), "1 version unknown");
}

#[test]
fn figures_of_zero_are_left_out_unless_the_list_is_narrowed_to_them() {
    let healthy = || vec![Group::new("alpha").instance("alpha-1", LATEST, 5)];
    let html = page("", healthy());
    assert!(!html.contains("data-card=\"unreachable\""));
    assert!(!html.contains("data-card=\"unknown\""));
    let html = page("health=unknown", healthy());
    let figure = link(&html, "unknown");
    assert!(figure.contains("aria-current=\"true\""));
    assert!(figure.contains("href=\"/a/acme/delegates\""), "the way out stays: {figure}");
}

#[test]
fn cards_agree_with_the_rows_they_link_to() {
    for (health, count) in
        [("expired", 2), ("nearExpiry", 1), ("unsupported", 1), ("unknown", 1), ("unreachable", 1)]
    {
        let html = page(&format!("health={health}&size=100"), fleet());
        assert_eq!(html.matches("<tr data-key=\"i").count(), count, "{health}");
    }
    let html = page("health=autoUpgradeOff&size=100", fleet());
    assert_eq!(html.matches("class=\"g\"").count(), 2);
}

#[test]
fn a_card_tells_what_scopes_below_hold_and_leads_there() {
    let (mut overview, query) = overview("acme", "search=a", fleet());
    overview.below = Counts { expired: 3, unsupported: 12_000, groups: 900, ..Counts::default() };
    let html = delegates_html(overview, query);
    let cards = part(&html, "class=\"cards\"", "</section>");
    for (name, text) in
        [("Expired", "3 more in scopes below"), ("Unsupported", "12,000 more in scopes below")]
    {
        let link = part(cards, &format!("aria-label=\"{text}: {name}\""), "</a>");
        assert!(link.ends_with(text), "{link}");
    }
    for health in ["expired", "unsupported"] {
        let href = format!("/a/acme/delegates?health={health}&amp;search=a&amp;all=true");
        assert!(cards.contains(&href), "{href} in {cards}");
    }
    assert_eq!(cards.matches("class=\"beneath num\"").count(), 2, "nothing is said of nothing");
    let text = words(&page("", fleet()));
    assert!(!text.contains("in scopes below"), "{text}");
}

#[test]
fn a_card_without_anything_of_its_own_still_tells_what_lies_below() {
    let (mut overview, query) = overview("acme", "", vec![Group::new("a").instance("h", LATEST, 5)]);
    overview.below = Counts { near_expiry: 75, groups: 36, ..Counts::default() };
    assert!(words(&delegates_html(overview, query)).contains(" 75 in scopes below"));
}
