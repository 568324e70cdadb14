//! The words of the Instance Status column (product 5.8, P16).

use fleet::health::{Judge, countdown, status_text, status_text_with_date};
use fleet::policy::{Anchor, Policy};
use fleet::time::Timestamp;

use crate::support::{Seen, at, catalog, group, instance, now, view_by};

/// The words for one instance, without and with the date.
fn words(seen: Seen, anchor: Anchor, now: Timestamp) -> (String, String) {
    let (catalog, policy) = (catalog(), Policy { anchor, ..Policy::default() });
    let mut judge = Judge::new(&catalog, catalog.latest(None, None, now), &policy, now);
    let view = view_by(&mut judge, group("edge-a"), vec![seen]).unwrap();
    let member = &view.members[0];
    let version = member.facts.version.as_deref();
    (
        status_text(&member.assessment, version, &policy, now),
        status_text_with_date(&member.assessment, version, &policy, now),
    )
}

/// The words for a connected instance at [`now`] with the default anchor.
fn words_for(version: &str) -> (String, String) {
    words(instance("a", version), Anchor::Eos, now())
}

#[test]
fn the_countdown_is_in_days_below_two_months_and_in_months_from_60_days_on() {
    for (days, text) in [
        (400, "Expiring in 13 months"),
        (90, "Expiring in 3 months"),
        (89, "Expiring in 2 months"),
        (60, "Expiring in 2 months"),
        (59, "Expiring in 59 days"),
        (2, "Expiring in 2 days"),
        (1, "Expiring in 1 day"),
        (0, "Expiring today"),
        (-1, "Expired 1 day ago"),
        (-2, "Expired 2 days ago"),
        (-59, "Expired 59 days ago"),
        (-60, "Expired 2 months ago"),
        (-89, "Expired 2 months ago"),
        (-90, "Expired 3 months ago"),
    ] {
        assert_eq!(countdown(days), text, "{days}");
    }
}

#[test]
fn days_are_calendar_days_in_utc() {
    let on = |instant: &str| {
        let seen = instance("a", "26.06.89208").beat(Some(at(instant)));
        words(seen, Anchor::Eos, at(instant)).0
    };
    assert_eq!(on("2026-10-01 23:59:59"), "Expiring in 2 months");
    assert_eq!(on("2026-11-29 00:00:00"), "Expiring in 1 day");
    assert_eq!(on("2026-11-29 23:59:59.999"), "Expiring in 1 day");
    assert_eq!(on("2026-11-30 00:00:00"), "Expiring today");
    assert_eq!(on("2026-12-01 00:00:00"), "Expired 1 day ago");
}

#[test]
fn the_date_follows_in_parentheses() {
    let expected = ("Expiring in 10 days".to_owned(), "Expiring in 10 days (2026-11-30)".to_owned());
    assert_eq!(words_for("26.06.89208"), expected);
    assert_eq!(words_for("26.05.89004").1, "Expired 20 days ago (2026-10-31)");
}

#[test]
fn unsupported_and_supported_versions_count_down_too() {
    assert_eq!(words_for("26.07.89303").1, "Expiring in 41 days (2026-12-31)");
    assert_eq!(words_for("26.11.90604").1, "Expiring in 5 months (2027-04-30)");
}

#[test]
fn the_countdown_refers_to_the_anchor() {
    let (_, text) = words(instance("a", "26.05.89004"), Anchor::Eol, now());
    assert_eq!(text, "Expiring in 41 days (2026-12-31)");
}

#[test]
fn legacy_needs_an_upgrade() {
    for version in ["1.0.80104", "latest"] {
        assert_eq!(words_for(version), ("Upgrade required".to_owned(), "Upgrade required".to_owned()));
    }
}

#[test]
fn unknown_and_not_connected_have_a_dash() {
    let dash = ("-".to_owned(), "-".to_owned());
    assert_eq!(words_for(""), dash);
    assert_eq!(words_for("nightly"), dash);
    assert_eq!(words(instance("a", "26.06.89208").silent(), Anchor::Eos, now()), dash);
    assert_eq!(words(instance("a", "latest").silent(), Anchor::Eos, now()), dash);
}

#[test]
fn a_runner_without_dates_has_nothing_to_count() {
    assert_eq!(words_for("3.1.0"), ("-".to_owned(), "-".to_owned()));
}
