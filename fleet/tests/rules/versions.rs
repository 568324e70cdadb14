//! Version forms and their order (product 5.1, 5.2).

use std::cmp::Ordering;

use fleet::delegate::Family;
use fleet::version::{Line, Version, reported};
use proptest::prelude::*;

use crate::support::version;

#[track_caller]
fn reads(text: &str, line: Line, numbers: (u32, u32, u32), variant: Option<&str>) {
    let version = version(text);
    assert_eq!((version.line(), version.numbers(), version.variant()), (line, numbers, variant), "{text}");
    assert_eq!(version.as_str(), text);
}

#[test]
fn classic_versions_are_year_month_build_and_an_optional_suffix() {
    reads("26.09.89620", Line::Classic, (26, 9, 89_620), None);
    reads("26.09.89620.minimal", Line::Classic, (26, 9, 89_620), Some("minimal"));
    reads("26.09.89620-minimal", Line::Classic, (26, 9, 89_620), Some("minimal"));
    reads("23.12.81803-ubi9-beta", Line::Classic, (23, 12, 81_803), Some("ubi9-beta"));
    reads("20.01.1234", Line::Classic, (20, 1, 1_234), None);
    reads("99.12.123456", Line::Classic, (99, 12, 123_456), None);
}

#[test]
fn a_custom_image_tag_that_starts_with_a_version_counts_as_that_version() {
    reads("26.09.89620-acme.7", Line::Classic, (26, 9, 89_620), Some("acme.7"));
    reads("26.09.89620_acme", Line::Classic, (26, 9, 89_620), Some("acme"));
    assert_eq!(version("26.09.89620-acme.7").base(), "26.09.89620");
}

#[test]
fn what_is_not_quite_classic_is_custom() {
    let texts = ["19.09.89620", "26.00.89620", "26.09.123", "26.09.1234567x", "26.09.89620.", "26.09.89620x"];
    for text in
        texts.into_iter().chain(["acme-26.09.89620", "v26.09.89620", "26.09", "v0.1", "nightly", "26..1"])
    {
        reads(text, Line::Custom, (0, 0, 0), None);
    }
}

#[test]
fn legacy_versions_are_1_0_and_a_number_and_latest() {
    reads("1.0.82007", Line::Legacy, (1, 0, 82_007), None);
    reads("1.0.82007-000", Line::Legacy, (1, 0, 82_007), Some("000"));
    reads("latest", Line::Legacy, (0, 0, 0), None);
}

#[test]
fn runner_versions_are_semver_other_than_1_0() {
    reads("3.0.0", Line::Runner, (3, 0, 0), None);
    reads("v3.1.0", Line::Runner, (3, 1, 0), None);
    reads("1.35.0", Line::Runner, (1, 35, 0), None);
    reads("3.0.0-rc.1", Line::Runner, (3, 0, 0), Some("rc.1"));
    assert_eq!(version("v3.1.0-rc.1").base(), "3.1.0");
    reads("v1.0.82007", Line::Custom, (0, 0, 0), None);
    reads("3.00.0", Line::Custom, (0, 0, 0), None);
    reads("3.0.99999999999", Line::Custom, (0, 0, 0), None);
}

#[test]
fn a_text_is_trimmed_and_cut_at_64_characters() {
    assert_eq!(version(" 26.09.89620\n").as_str(), "26.09.89620");
    assert_eq!(version(&"ü".repeat(80)).as_str(), "ü".repeat(64));
}

#[test]
fn minimal_is_known_and_the_base_is_without_suffix() {
    assert!(version("26.09.89620.minimal").is_minimal());
    assert!(!version("26.09.89620-ubi9").is_minimal());
    assert_eq!(version("26.09.89620.minimal").base(), "26.09.89620");
    assert_eq!(version("26.09.89620").build(), Some(89_620));
    assert_eq!(version("1.0.82007").build(), None);
}

#[test]
fn an_absent_version_and_the_placeholder_of_a_runner_are_not_reported() {
    assert_eq!(reported(None, Family::Java), None);
    assert_eq!(reported(Some(" "), Family::Java), None);
    assert_eq!(reported(Some("v0.1"), Family::Runner), None);
    assert_eq!(reported(Some("v0.1"), Family::Java).unwrap().line(), Line::Custom);
    assert_eq!(reported(Some("3.1.0"), Family::Runner).unwrap().line(), Line::Runner);
}

#[test]
fn newer_means_a_later_month_even_with_a_lower_build() {
    let order = |a: &str, b: &str| version(a).compare(&version(b));
    assert_eq!(order("24.08.83706", "24.12.84702"), Some(Ordering::Less));
    assert_eq!(order("25.01.80000", "24.12.84702"), Some(Ordering::Greater));
    assert_eq!(order("26.09.9999", "26.09.10000"), Some(Ordering::Less));
    assert_eq!(order("26.09.89620", "26.09.89620.minimal"), Some(Ordering::Equal));
    assert_eq!(order("3.0.0", "1.35.0"), Some(Ordering::Greater));
    assert_eq!(order("1.0.80104", "1.0.82007"), Some(Ordering::Less));
}

#[test]
fn lines_custom_texts_and_latest_are_not_comparable() {
    for (a, b) in [("26.09.89620", "3.0.0"), ("1.0.82007", "3.0.0"), ("x", "x"), ("latest", "1.0.82007")] {
        assert_eq!(version(a).compare(&version(b)), None, "{a} {b}");
    }
}

#[test]
fn a_version_is_stored_as_its_text() {
    let stored = serde_json::to_string(&version("26.09.89620.minimal")).unwrap();
    assert_eq!(stored, r#""26.09.89620.minimal""#);
    assert_eq!(serde_json::from_str::<Version>(&stored).unwrap(), version("26.09.89620.minimal"));
}

fn any_version() -> impl Strategy<Value = Version> {
    let suffix = prop::sample::select(vec!["", ".minimal", "-ubi9-beta", "_x"]);
    let classic = (20_u32..30, 1_u32..=12, 1000_u32..100_000, suffix.clone())
        .prop_map(|(year, month, build, suffix)| format!("{year}.{month:02}.{build}{suffix}"));
    let legacy = (80_000_u32..90_000, suffix).prop_map(|(number, suffix)| format!("1.0.{number}{suffix}"));
    let runner = (0_u32..5, 1_u32..40, 0_u32..5).prop_map(|(a, b, c)| format!("{a}.{b}.{c}"));
    let text =
        prop_oneof![4 => classic, 1 => legacy, 1 => runner, 1 => Just("latest".to_owned()), 1 => ".{0,70}"];
    text.prop_map(|text| Version::parse(&text))
}

proptest! {
    #[test]
    fn reading_what_was_written_gives_the_same_version(version in any_version()) {
        let again = Version::parse(&version.to_string());
        prop_assert_eq!(&again, &version);
        prop_assert_eq!(again.line(), version.line());
        prop_assert_eq!(again.numbers(), version.numbers());
        prop_assert_eq!(again.variant(), version.variant());
    }

    #[test]
    fn the_base_of_a_version_is_a_version_with_the_same_numbers(version in any_version()) {
        let base = Version::parse(&version.base());
        prop_assert_eq!(base.line(), version.line());
        prop_assert_eq!(base.numbers(), version.numbers());
    }

    #[test]
    fn classic_order_is_the_order_of_the_numbers(a in any_version(), b in any_version()) {
        let order = a.compare(&b);
        prop_assert_eq!(order.map(Ordering::reverse), b.compare(&a));
        if let Some(order) = order {
            prop_assert_eq!(a.line(), b.line());
            prop_assert_eq!(order, a.numbers().cmp(&b.numbers()));
            prop_assert!(order == Ordering::Equal || order == a.display_order(&b));
        }
    }

    #[test]
    fn the_display_order_is_total(a in any_version(), b in any_version(), c in any_version()) {
        prop_assert_eq!(a.display_order(&b), b.display_order(&a).reverse());
        prop_assert_eq!(a.display_order(&b) == Ordering::Equal, a == b);
        if a.display_order(&b).is_le() && b.display_order(&c).is_le() {
            prop_assert!(a.display_order(&c).is_le());
        }
    }
}
