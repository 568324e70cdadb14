//! What counts as latest for a scope (product 5.5, P14), and the age of the data.

use fleet::catalog::{Catalog, Latest, Origin};
use fleet::health::{Status, judge};
use fleet::policy::Policy;
use fleet::version::Line;

use crate::support::{CATALOG, at, catalog, now, version};

fn classic(latest: &Latest) -> Option<&str> {
    latest.classic.as_ref().map(|version| version.as_str())
}

fn minimal(latest: &Latest) -> Option<&str> {
    latest.classic_minimal.as_ref().map(|version| version.as_str())
}

#[test]
fn without_setting_and_ring_the_catalog_names_the_latest() {
    let latest = catalog().latest(None, None, now());
    assert_eq!(classic(&latest), Some("26.11.90604"));
    assert_eq!(minimal(&latest), Some("26.11.90604.minimal"));
    assert_eq!(latest.runner.unwrap().as_str(), "3.1.0");
    assert_eq!(latest.legacy, None);
}

#[test]
fn the_ring_of_the_account_goes_before_the_catalog() {
    let latest = catalog().latest(None, Some("3"), now());
    assert_eq!((classic(&latest), minimal(&latest)), (Some("26.10.90212"), Some("26.10.90212.minimal")));
    let latest = catalog().latest(None, Some("4"), now());
    assert_eq!((classic(&latest), minimal(&latest)), (Some("26.10.90107"), None));
    let latest = catalog().latest(None, Some("9"), now());
    assert_eq!(classic(&latest), Some("26.11.90604"), "an unknown ring says nothing");
}

#[test]
fn the_setting_of_the_scope_goes_before_the_ring() {
    let latest = catalog().latest(Some(&version("26.09.89620")), Some("3"), now());
    assert_eq!((classic(&latest), minimal(&latest)), (Some("26.09.89620"), Some("26.09.89620.minimal")));
    assert_eq!(latest.runner.unwrap().as_str(), "3.1.0");
}

#[test]
fn a_setting_speaks_for_its_own_line_only() {
    let latest = catalog().latest(Some(&version("3.0.0")), Some("3"), now());
    assert_eq!(classic(&latest), Some("26.10.90212"));
    assert_eq!(latest.runner.unwrap().as_str(), "3.0.0");
    let latest = catalog().latest(Some(&version("1.0.82007")), None, now());
    assert_eq!(
        (classic(&latest), latest.legacy.as_ref().unwrap().as_str()),
        (Some("26.11.90604"), "1.0.82007")
    );
    let latest = catalog().latest(Some(&version("nightly")), None, now());
    assert_eq!(classic(&latest), Some("26.11.90604"));
}

#[test]
fn a_minimal_setting_names_both_variants() {
    let latest = catalog().latest(Some(&version("26.07.89303.minimal")), None, now());
    assert_eq!((classic(&latest), minimal(&latest)), (Some("26.07.89303"), Some("26.07.89303.minimal")));
}

#[test]
fn without_a_named_latest_it_is_the_highest_classic_version_released_by_today() {
    let unnamed = CATALOG.replace(
        r#""classic": "26.11.90604", "classicMinimal": "26.11.90604.minimal""#,
        r#""classic": null"#,
    );
    let catalog = Catalog::import(&unnamed).unwrap();
    let on = |instant: &str| {
        let latest = catalog.latest(None, None, at(instant));
        (latest.classic.unwrap().to_string(), latest.classic_minimal.map(|version| version.to_string()))
    };
    // 26.08.89455 and 26.10.90107 are both of 6 October; 26.11.90604 is of 10 November.
    assert_eq!(on("2026-11-10 00:00:00").0, "26.11.90604");
    assert_eq!(on("2026-11-10 00:00:00").1.as_deref(), Some("26.11.90604.minimal"));
    assert_eq!(on("2026-11-09 23:59:59").0, "26.10.90212");
    assert_eq!(on("2026-10-06 00:00:00").0, "26.10.90107");
    assert_eq!(on("2026-10-05 23:59:59").0, "26.09.89620");
}

#[test]
fn an_empty_catalog_has_no_latest_and_nothing_is_behind() {
    let latest = Catalog::default().latest(None, None, now());
    assert_eq!(latest, Latest::default());
    let newest =
        judge(Some(&version("26.07.89303")), &Catalog::default(), &latest, &Policy::default(), now());
    assert_eq!(newest.status, Some(Status::Active));
}

#[test]
fn a_lower_latest_leaves_fewer_versions_behind() {
    let catalog = catalog();
    let status = |ring| {
        let latest = catalog.latest(None, ring, now());
        judge(Some(&version("26.10.90212")), &catalog, &latest, &Policy::default(), now()).status
    };
    assert_eq!(status(None), Some(Status::Unsupported));
    assert_eq!(status(Some("3")), Some(Status::Active), "equal to the latest");
    assert_eq!(status(Some("4")), Some(Status::Active), "above the latest");
}

#[test]
fn data_is_old_after_60_days() {
    let catalog = catalog();
    assert!(!catalog.is_stale(at("2027-01-19 00:00:00")));
    assert!(catalog.is_stale(at("2027-01-19 00:00:00.001")));
    assert!(!Catalog::default().is_stale(now()));
}

#[test]
fn the_latest_says_where_it_comes_from() {
    let pinned = version("26.09.89620");
    let from = |pinned, ring, line| catalog().latest_with_origins(pinned, ring, now()).1.of(line);
    assert_eq!(from(Some(&pinned), Some("3"), Line::Classic), Origin::Setting);
    assert_eq!(from(Some(&pinned), None, Line::Runner), Origin::Catalog);
    assert_eq!(from(None, Some("3"), Line::Classic), Origin::Ring);
    assert_eq!(from(None, Some("99"), Line::Classic), Origin::Catalog);
    assert_eq!(from(None, None, Line::Legacy), Origin::Nowhere);
    assert_eq!(from(None, None, Line::Custom), Origin::Nowhere);
    let mut bare = catalog();
    bare.latest = fleet::catalog::LatestVersions::default();
    assert_eq!(bare.latest_with_origins(None, None, now()).1.classic, Origin::Released);
    assert_eq!(Catalog::default().latest_with_origins(None, None, now()).1.classic, Origin::Nowhere);
}
