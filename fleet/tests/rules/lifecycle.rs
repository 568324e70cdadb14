//! Support windows, status, and the expected tables of product 5.4, 5.5 and 5.7.

use std::collections::BTreeMap;

use fleet::catalog::{Catalog, Source};
use fleet::health::{Standing, Status, Verdict, judge};
use fleet::policy::{Anchor, Policy};
use fleet::time::{DAY, SECOND};
use fleet::version::Line;

use crate::support::{ago, at, catalog, date, group, instance, now, version, view, view_by};

const CLASSIC: Line = Line::Classic;

/// How many versions of the fixture have which status when each of them runs once, connected.
fn expected_table(anchor: Anchor) -> BTreeMap<(Line, Status), Vec<String>> {
    let (catalog, policy) = (catalog(), Policy { anchor, ..Policy::default() });
    let latest = catalog.latest(None, None, now());
    let mut table = BTreeMap::<_, Vec<String>>::new();
    for entry in &catalog.entries {
        let verdict = judge(Some(&entry.version), &catalog, &latest, &policy, now());
        table.entry((entry.line, verdict.status.unwrap())).or_default().push(entry.version.to_string());
    }
    table
}

fn sizes(table: &BTreeMap<(Line, Status), Vec<String>>) -> BTreeMap<(Line, Status), usize> {
    table.iter().map(|(&key, versions)| (key, versions.len())).collect()
}

#[test]
fn the_fixture_gives_the_expected_table_with_anchor_eos() {
    let table = expected_table(Anchor::Eos);
    let expected = BTreeMap::from([
        ((CLASSIC, Status::Expired), 24),
        ((CLASSIC, Status::Expiring), 3),
        ((CLASSIC, Status::Unsupported), 8),
        ((CLASSIC, Status::Active), 2),
        ((Line::Legacy, Status::Expired), 2),
        ((Line::Runner, Status::Unsupported), 2),
        ((Line::Runner, Status::Active), 1),
    ]);
    assert_eq!(sizes(&table), expected);
    assert_eq!(table[&(CLASSIC, Status::Expiring)], ["26.06.89201", "26.06.89208", "26.06.89208.minimal"]);
    assert_eq!(table[&(CLASSIC, Status::Active)], ["26.11.90604", "26.11.90604.minimal"]);
    assert_eq!(table[&(Line::Runner, Status::Active)], ["3.1.0"]);
}

#[test]
fn the_fixture_gives_the_expected_table_with_anchor_eol() {
    let table = expected_table(Anchor::Eol);
    let expected = BTreeMap::from([
        ((CLASSIC, Status::Expired), 22),
        ((CLASSIC, Status::Expiring), 1),
        ((CLASSIC, Status::Unsupported), 12),
        ((CLASSIC, Status::Active), 2),
        ((Line::Legacy, Status::Expired), 2),
        ((Line::Runner, Status::Unsupported), 2),
        ((Line::Runner, Status::Active), 1),
    ]);
    assert_eq!(sizes(&table), expected);
    assert_eq!(table[&(CLASSIC, Status::Expiring)], ["26.04.88805"]);
}

#[test]
fn the_cards_of_a_group_with_every_version_agree_with_the_table() {
    let entries = catalog().entries;
    let members =
        entries.iter().map(|entry| instance(entry.version.as_str(), entry.version.as_str())).collect();
    let counts = view(group("all"), members).rollup.counts;
    assert_eq!((counts.instances, counts.connected), (42, 42));
    assert_eq!((counts.expired, counts.near_expiry), (26, 3));
    assert_eq!((counts.unsupported, counts.active), (10, 3));
    assert_eq!((counts.unknown, counts.unreachable), (0, 0));
}

#[test]
fn a_version_without_entry_has_the_dates_of_the_formula() {
    let empty = Catalog::default();
    for (text, eos, eol) in [
        ("24.07.83404", "2024-12-31", "2025-02-28"),
        ("24.08.83706", "2025-01-31", "2025-03-31"),
        ("26.05.89004", "2026-10-31", "2026-12-31"),
        ("26.06.89201", "2026-11-30", "2027-01-31"),
        ("26.11.90604", "2027-04-30", "2027-06-30"),
        ("27.07.91000", "2027-12-31", "2028-02-29"),
        ("99.12.99999", "2100-05-31", "2100-07-31"),
    ] {
        let support = empty.support(&version(text)).unwrap();
        assert_eq!((support.eos, support.eol), (Some(date(eos)), Some(date(eol))), "{text}");
        assert_eq!((support.source, support.released), (Source::Formula, None), "{text}");
    }
}

#[test]
fn the_fixture_agrees_with_the_formula_because_hotfixes_do_not_extend_their_month() {
    let (catalog, empty) = (catalog(), Catalog::default());
    for entry in catalog.entries.iter().filter(|entry| entry.line != Line::Runner) {
        let (listed, formula) =
            (catalog.support(&entry.version).unwrap(), empty.support(&entry.version).unwrap());
        assert_eq!((listed.eos, listed.eol), (formula.eos, formula.eol), "{}", entry.version);
        assert_eq!(listed.source, Source::Catalog);
    }
}

#[test]
fn legacy_without_entry_ended_on_31_january_2024() {
    for text in ["1.0.99999", "latest"] {
        let support = catalog().support(&version(text)).unwrap();
        assert_eq!(
            (support.eos, support.eol),
            (Some(date("2024-01-31")), Some(date("2024-01-31"))),
            "{text}"
        );
        assert_eq!(support.source, Source::LegacyEnd);
    }
}

#[test]
fn runner_and_custom_versions_without_entry_have_no_dates() {
    assert_eq!(catalog().support(&version("3.9.9")), None);
    assert_eq!(catalog().support(&version("nightly")), None);
}

#[test]
fn a_variant_without_entry_has_that_of_its_base() {
    let catalog = catalog();
    for text in ["26.05.89004.minimal", "26.05.89004-minimal", "26.05.89004-acme"] {
        let support = catalog.support(&version(text)).unwrap();
        assert_eq!((support.eos, support.source), (Some(date("2026-10-31")), Source::BaseEntry), "{text}");
        assert_eq!(support.released, Some(date("2026-05-19")));
    }
    assert_eq!(catalog.support(&version("26.06.89208.minimal")).unwrap().source, Source::Catalog);
    assert_eq!(catalog.support(&version("v3.1.0")).unwrap().source, Source::BaseEntry);
}

fn verdict_on(text: &str) -> Verdict {
    let catalog = catalog();
    let latest = catalog.latest(None, None, now());
    judge(Some(&version(text)), &catalog, &latest, &Policy::default(), now())
}

#[test]
fn expiry_goes_before_the_comparison_with_the_latest() {
    assert_eq!(verdict_on("26.05.89004").status, Some(Status::Expired));
    assert_eq!(verdict_on("26.06.89208").status, Some(Status::Expiring));
    assert_eq!(verdict_on("26.10.90212").status, Some(Status::Unsupported));
    assert_eq!(verdict_on("26.11.90604").status, Some(Status::Active));
}

#[test]
fn a_version_above_the_latest_is_active() {
    assert_eq!(verdict_on("26.11.90605").status, Some(Status::Active));
    assert_eq!(verdict_on("3.2.0").status, Some(Status::Active));
}

#[test]
fn legacy_is_expired_by_its_dates_alone() {
    for text in ["1.0.80104", "1.0.99999", "latest"] {
        let verdict = verdict_on(text);
        assert_eq!(verdict.status, Some(Status::Expired), "{text}");
        assert_eq!(verdict.expires_at, Some(at("2024-01-31 23:59:59")), "{text}");
    }
}

#[test]
fn a_runner_without_dates_is_unsupported_or_active_only() {
    for (text, status) in
        [("3.0.0", Status::Unsupported), ("3.1.0", Status::Active), ("2.9.9", Status::Unsupported)]
    {
        let verdict = verdict_on(text);
        assert_eq!(
            (verdict.status, verdict.expires_at, verdict.due_at),
            (Some(status), None, None),
            "{text}"
        );
    }
}

#[test]
fn the_status_is_unknown_without_a_version_for_custom_texts_and_for_runners_without_a_latest() {
    let unknown = |text: &str, catalog: &Catalog| {
        let latest = catalog.latest(None, None, now());
        let version = Some(version(text)).filter(|_| !text.is_empty());
        let verdict = judge(version.as_ref(), catalog, &latest, &Policy::default(), now());
        verdict.status.is_none() && verdict.expires_at.is_none()
    };
    assert!(unknown("", &catalog()));
    assert!(unknown("nightly", &catalog()));
    assert!(unknown("3.1.0", &Catalog::default()));
    assert!(!unknown("3.1.0", &catalog()));
    assert!(!unknown("26.11.90604", &Catalog::default()), "a classic version has the dates of the formula");
}

#[test]
fn a_disconnected_instance_has_no_status_whatever_it_runs() {
    let group = view(group("edge-a"), vec![instance("a", "26.05.89004").silent()]);
    let assessment = &group.members[0].assessment;
    assert_eq!((assessment.standing, assessment.due_at), (Standing::Unreachable, None));
    assert_eq!(assessment.standing.status(), None);
}

#[test]
fn a_verdict_tells_when_time_alone_changes_it() {
    assert_eq!(verdict_on("26.07.89303").due_at, Some(at("2026-12-31 23:59:59").plus(-28 * DAY)));
    assert_eq!(verdict_on("26.06.89208").due_at, Some(at("2026-11-30 23:59:59").plus(1)));
    assert_eq!(verdict_on("26.05.89004").due_at, None);
}

#[test]
fn an_assessment_tells_when_silence_changes_it() {
    let due_with_age = |age, text| {
        let seen = instance("a", text).beat(Some(ago(age)));
        view(group("edge-a"), vec![seen]).members[0].assessment.due_at
    };
    assert_eq!(due_with_age(0, "3.1.0"), Some(now().plus(180 * SECOND)));
    assert_eq!(due_with_age(180 * SECOND, "3.1.0"), Some(now().plus(120 * SECOND + 1)));
    assert_eq!(due_with_age(300 * SECOND, "3.1.0"), Some(now().plus(1)));
    assert_eq!(due_with_age(300 * SECOND + 1, "3.1.0"), None);
    assert_eq!(due_with_age(-5 * SECOND, "3.1.0"), Some(now().plus(185 * SECOND)));
}

#[test]
fn an_expiry_that_comes_before_silence_is_due_first() {
    let (catalog, policy) = (catalog(), Policy::default());
    let now = at("2026-11-30 23:59:00");
    let mut judge = fleet::health::Judge::new(&catalog, catalog.latest(None, None, now), &policy, now);
    let seen = instance("a", "26.06.89208").beat(Some(now));
    let view = view_by(&mut judge, group("edge-a"), vec![seen]).unwrap();
    assert_eq!(view.members[0].assessment.due_at, Some(at("2026-11-30 23:59:59.001")));
}
