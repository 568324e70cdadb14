//! The auto-upgrade state of a group, row by row (agent-protocol 10.5, product 7).

use fleet::catalog::{Source, Support};
use fleet::delegate::{DelegateType, Family, GroupFacts};
use fleet::policy::Policy;
use fleet::time::{DAY, MINUTE};
use fleet::upgrade::{AutoUpgrade, Reason, State, age_hint, auto_upgrade, image_months};

use crate::support::{ago, at, catalog, date, group, instance, now, texts, version, view};

/// The state of a group that differs from a healthy one, with this lowest connected version.
fn state_of(change: impl FnOnce(&mut GroupFacts), lowest: &str) -> AutoUpgrade {
    let mut group = group("edge-a");
    change(&mut group);
    let lowest = Some(version(lowest)).filter(|version| !version.as_str().is_empty());
    auto_upgrade(&group, lowest.as_ref(), &Policy::default(), now())
}

#[track_caller]
fn row(change: impl FnOnce(&mut GroupFacts), lowest: &str, state: State, reason: Reason, text: &str) {
    let found = state_of(change, lowest);
    assert_eq!((found.state, found.reason), (state, reason));
    assert_eq!(found.reason_text(), text);
}

#[test]
fn row_1_runners_have_no_upgrader() {
    row(|group| group.family = Family::Runner, "3.1.0", State::Off, Reason::Runner, "Not supported by 3.x");
}

#[test]
fn row_1_goes_before_row_2() {
    let change = |group: &mut GroupFacts| (group.family, group.kind) = (Family::Runner, DelegateType::Ecs);
    assert_eq!(state_of(change, "3.1.0").reason, Reason::Runner);
}

#[test]
fn row_2_ecs_and_fargate_are_not_supported() {
    row(
        |group| group.kind = DelegateType::Ecs,
        "26.11.90604",
        State::Off,
        Reason::Ecs,
        "Not supported on ECS",
    );
    for tag in ["platform:ecs", "platform:fargate", "platform:Fargate"] {
        assert_eq!(
            state_of(|group| group.tags = texts(&["eu", tag]), "26.11.90604").reason,
            Reason::Ecs,
            "{tag}"
        );
    }
    assert_eq!(state_of(|group| group.tags = texts(&["platform:vm"]), "26.11.90604").state, State::On);
}

#[test]
fn row_3_the_embedded_client_has_no_upgrader() {
    let text = "Embedded client has no upgrader";
    row(|group| group.family = Family::Go, "", State::Off, Reason::GoClient, text);
}

#[test]
fn row_4_legacy_types_are_updated_by_their_watcher() {
    let text = "Watcher updates this legacy type";
    for lowest in ["1.0.82007", "latest"] {
        row(|group| group.upgrader_seen = None, lowest, State::On, Reason::LegacyWatcher, text);
    }
}

#[test]
fn row_5_images_below_build_76300_are_too_old() {
    row(|_| {}, "22.09.76299", State::Off, Reason::ImageTooOld, "Image too old for the upgrader");
    assert_eq!(state_of(|_| {}, "22.09.76300").state, State::On);
}

#[test]
fn row_6_the_upgrader_was_seen() {
    let seen = at("2026-11-20 11:04:30");
    let text = "Upgrader last seen 2026-11-20 11:04 UTC";
    row(|group| group.upgrader_seen = Some(seen), "26.11.90604", State::On, Reason::Seen(seen), text);
    row(|group| group.upgrader_seen = Some(seen), "", State::On, Reason::Seen(seen), text);
}

#[test]
fn rows_6_to_8_apply_to_docker_too() {
    let change = |group: &mut GroupFacts| group.kind = DelegateType::Docker;
    assert_eq!(state_of(change, "26.11.90604").state, State::On);
}

#[test]
fn row_7_a_new_group_waits_for_the_first_call() {
    let young = |group: &mut GroupFacts| (group.first_seen, group.upgrader_seen) = (ago(90 * MINUTE), None);
    let text = "Waiting for the first upgrader call";
    row(young, "26.11.90604", State::Detecting, Reason::Waiting, text);
}

#[test]
fn row_7_is_for_groups_that_never_saw_an_upgrader() {
    let seen = ago(91 * MINUTE);
    let change = |group: &mut GroupFacts| (group.first_seen, group.upgrader_seen) = (ago(MINUTE), Some(seen));
    assert_eq!(state_of(change, "26.11.90604").state, State::Off);
}

#[test]
fn row_8_the_upgrader_was_never_seen_or_long_ago() {
    let never = "Upgrader never seen; a schedule of more than 90 minutes shows as off";
    row(|group| group.upgrader_seen = None, "26.11.90604", State::Off, Reason::NotSeen(None), never);
    let seen = at("2026-11-20 10:29:59");
    let text = "Upgrader last seen 2026-11-20 10:29 UTC; a schedule of more than 90 minutes shows as off";
    row(
        |group| group.upgrader_seen = Some(seen),
        "26.11.90604",
        State::Off,
        Reason::NotSeen(Some(seen)),
        text,
    );
}

#[test]
fn the_lowest_connected_version_decides_about_age() {
    let members = vec![
        instance("a", "26.11.90604"),
        instance("b", "22.09.76299"),
        instance("c", "22.01.70000").silent(),
    ];
    assert_eq!(view(group("edge-a"), members).rollup.auto_upgrade.reason, Reason::ImageTooOld);
    let members = vec![instance("a", "26.11.90604"), instance("b", "22.09.76299").silent()];
    assert_eq!(view(group("edge-a"), members).rollup.auto_upgrade.state, State::On);
}

#[test]
fn by_choice_stays_off_but_is_not_counted() {
    let off = |by_choice| {
        state_of(|group| (group.upgrader_seen, group.by_choice) = (Some(ago(DAY)), by_choice), "26.11.90604")
    };
    assert!(off(false).counts_as_off());
    assert_eq!((off(true).state, off(true).by_choice, off(true).counts_as_off()), (State::Off, true, false));
}

#[test]
fn an_old_image_that_nobody_upgrades_is_told_from_three_months_on() {
    let (catalog, version) = (catalog(), version("24.07.83300"));
    let support = catalog.support(&version);
    let hint = |state, today: &str| {
        let state = AutoUpgrade { state, reason: Reason::NotSeen(None), by_choice: false };
        age_hint(&state, Some(&version), support.as_ref(), date(today))
    };
    assert_eq!(support.and_then(|support| support.released), None, "its month counts");
    assert_eq!(hint(State::Off, "2024-09-30"), None);
    let text = "Image is 3 months old; update by hand every 3 to 6 months";
    assert_eq!(hint(State::Off, "2024-10-01").as_deref(), Some(text));
    assert_eq!(hint(State::On, "2024-10-01"), None);
    assert_eq!(hint(State::Detecting, "2026-10-01"), None);
}

#[test]
fn the_age_of_an_image_counts_whole_months_since_its_publication() {
    let old = version("26.05.88214");
    let released = date("2026-05-12");
    let support = Support { eos: None, eol: None, released: Some(released), source: Source::Catalog };
    let months = |today: &str| image_months(&old, Some(&support), date(today));
    assert_eq!(months("2026-05-11"), None);
    assert_eq!(months("2026-05-12"), Some(0));
    assert_eq!(months("2026-08-11"), Some(2));
    assert_eq!(months("2026-08-12"), Some(3));
    assert_eq!(months("2027-05-12"), Some(12));
    // Without one, since the first of the month in the version.
    let unpublished = version("26.08.1234");
    assert_eq!(image_months(&unpublished, None, date("2026-10-31")), Some(2));
    assert_eq!(image_months(&unpublished, None, date("2026-11-01")), Some(3));
    assert_eq!(image_months(&version("3.0.0"), None, date("2026-05-12")), None);
    assert_eq!(image_months(&version("my-build"), None, date("2026-05-12")), None);
}
