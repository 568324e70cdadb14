//! An explanation never says anything else than the rule that it explains (`product 3`, `5.7`, `7`, `19`).

use fleet::catalog::{Origin, Origins};
use fleet::delegate::{DelegateType, Family, GroupFacts};
use fleet::explain::{self, Explanation, Ground, Value};
use fleet::health::{Connectivity, Judge, Standing};
use fleet::policy::{Anchor, Policy};
use fleet::time::{DAY, HOUR, MINUTE, SECOND, Timestamp};
use fleet::upgrade::State;
use fleet::version::{Line, Version};
use fleet::view::GroupView;
use proptest::prelude::*;

use crate::support::{Seen, ago, at, catalog, group, instance, now, scope, texts, view_by};

/// What rules rest on at an instant.
fn ground_at(policy: &Policy, now: Timestamp) -> Ground {
    let (_, origins) = catalog().latest_with_origins(None, None, now);
    Ground {
        policy: policy.clone(),
        now,
        origins,
        public: catalog().latest(None, None, now).classic,
        ..Ground::default()
    }
}

fn view_at(facts: GroupFacts, members: Vec<Seen>, policy: &Policy, now: Timestamp) -> GroupView {
    let catalog = catalog();
    let latest = catalog.latest(None, None, now);
    view_by(&mut Judge::new(&catalog, latest, policy, now), facts, members).unwrap()
}

fn of_age(millis: i64) -> Explanation<Connectivity> {
    let policy = Policy::default();
    let view = view_at(
        group("edge"),
        vec![instance("edge-1", "26.11.90604").beat(Some(ago(millis)))],
        &policy,
        now(),
    );
    explain::connectivity(&view.members[0], &ground_at(&policy, now()))
}

/// The condition that decided.
fn decided<T>(explained: &Explanation<T>) -> Vec<&'static str> {
    explained.checks.iter().filter(|check| check.met).map(|check| check.leads_to).collect()
}

#[test]
fn connectivity_is_explained_at_every_boundary() {
    for (millis, outcome, word, because) in [
        (
            179 * SECOND,
            Connectivity::Connected,
            "Connected",
            "The last heartbeat is 179 s old, less than 180 s.",
        ),
        (
            180 * SECOND,
            Connectivity::Late,
            "Connected, late",
            "The last heartbeat is 180 s old: at least 180 s, but not more than 300 s.",
        ),
        (
            300 * SECOND,
            Connectivity::Late,
            "Connected, late",
            "The last heartbeat is 300 s old: at least 180 s, but not more than 300 s.",
        ),
        (
            300 * SECOND + 1,
            Connectivity::NotConnected,
            "Not connected",
            "The last heartbeat is 300.001 s old, more than 300 s.",
        ),
        (
            301 * SECOND,
            Connectivity::NotConnected,
            "Not connected",
            "The last heartbeat is 301 s old, more than 300 s.",
        ),
    ] {
        let explained = of_age(millis);
        assert_eq!(explained.outcome, outcome, "{millis}");
        assert_eq!(decided(&explained), [word], "{millis}");
        assert_eq!(explained.because, because);
        assert_eq!(explained.value("Last heartbeat"), Some(&Value::At(ago(millis))));
        assert_eq!(explained.value("Compared at"), Some(&Value::At(now())));
    }
}

#[test]
fn what_silence_brings_next_is_told_to_the_millisecond() {
    let from_now = |millis| -> Vec<(i64, bool)> {
        of_age(millis).due.into_iter().map(|due| (now().age(due.at), due.changes_state)).collect()
    };
    assert_eq!(from_now(0), [(180 * SECOND, true), (300 * SECOND + 1, true), (6 * HOUR + 1, false)]);
    let first = of_age(180 * SECOND);
    assert_eq!(first.due_at(), Some(ago(180 * SECOND).plus(300 * SECOND + 1)));
    let gone = of_age(301 * SECOND);
    assert_eq!(gone.due_at(), None, "no state changes by itself any more");
    assert_eq!(gone.due[0].at, ago(301 * SECOND).plus(6 * HOUR + 1));
    assert_eq!(gone.due[0].what, "hidden from the list, 6 hours after its last heartbeat");
}

#[test]
fn thresholds_are_those_of_the_settings() {
    let policy = Policy {
        timeout: 20 * MINUTE,
        late: 600 * SECOND,
        near_expiry: 7 * DAY,
        upgrader_seen: 3 * HOUR,
        ..Policy::default()
    };
    let view = view_at(group("edge"), vec![instance("edge-1", "26.06.89208")], &policy, now());
    let ground = ground_at(&policy, now());
    let told = explain::connectivity(&view.members[0], &ground);
    assert!(told.rule[0].contains("at most 20 minutes old. From 10 minutes on"), "{:?}", told.rule);
    assert!(explain::version_status(&view.members[0], &ground).rule[0].contains("The last 7 days before"));
    assert!(explain::auto_upgrade(&view, &ground).rule[0].contains("called at most 3 hours ago"));
}

fn status_at(version: &str, now: Timestamp) -> Explanation<Standing> {
    let policy = Policy::default();
    let seen = instance("edge-1", version).beat(Some(now));
    let view = view_at(group("edge"), vec![seen], &policy, now);
    explain::version_status(&view.members[0], &ground_at(&policy, now))
}

#[test]
fn a_status_is_explained_at_every_boundary_of_its_anchor() {
    let expires = at("2026-11-30 23:59:59");
    let window = expires.plus(-28 * DAY);
    for (now, outcome, word, due) in [
        (window.plus(-SECOND), Standing::Unsupported, "Unsupported", Some(window)),
        (window, Standing::NearExpiry, "Near expiry", Some(expires.plus(1))),
        (expires, Standing::NearExpiry, "Near expiry", Some(expires.plus(1))),
        (expires.plus(SECOND), Standing::Expired, "Expired", None),
    ] {
        let explained = status_at("26.06.89208", now);
        assert_eq!((explained.outcome, decided(&explained)), (outcome, vec![word]));
        assert_eq!(explained.value("Expired after"), Some(&Value::At(expires)));
        assert_eq!(explained.value("Near expiry from"), Some(&Value::At(window)));
        assert_eq!(explained.due_at(), due, "{word}");
    }
    let told = status_at("26.06.89208", expires.plus(SECOND));
    assert_eq!(told.because, "The end of support of its version, 2026-11-30, is over.");
    assert!(told.notes[0].contains("stops nothing"), "expired is no cause of failures");
}

#[test]
fn the_other_anchor_is_named_where_it_is_in_force() {
    let policy = Policy { anchor: Anchor::Eol, ..Policy::default() };
    let view = view_at(group("edge"), vec![instance("edge-1", "26.06.89208")], &policy, now());
    let told = explain::version_status(&view.members[0], &ground_at(&policy, now()));
    assert!(told.rule[0].starts_with("The countdown runs to the end of life"), "{:?}", told.rule);
    assert_eq!(told.value("Expired after"), Some(&Value::At(at("2027-01-31 23:59:59"))));
}

#[test]
fn it_is_told_where_the_latest_version_comes_from() {
    let catalog = catalog();
    let origin = |pinned: Option<&str>, ring: Option<&str>| {
        let pinned = pinned.map(Version::parse);
        catalog.latest_with_origins(pinned.as_ref(), ring, now()).1
    };
    assert_eq!(origin(None, None).of(Line::Classic), Origin::Catalog);
    assert_eq!(origin(Some("26.09.89620"), None).of(Line::Classic), Origin::Setting);
    assert_eq!(
        origin(Some("3.0.0"), None).of(Line::Classic),
        Origin::Catalog,
        "a pin speaks for its own line"
    );
    assert_eq!(origin(None, None).of(Line::Custom), Origin::Nowhere);
    let ring = catalog.rings.keys().next().unwrap().clone();
    assert_eq!(origin(None, Some(&ring)).of(Line::Classic), Origin::Ring);
    assert_eq!(
        origin(Some("26.09.89620"), Some(&ring)).of(Line::Classic),
        Origin::Setting,
        "the setting wins"
    );

    let mut ground = Ground { origins: origin(Some("26.09.89620"), None), ..Ground::default() };
    ground.pinned_at = Some(scope("acme/payments"));
    assert_eq!(ground.origin_text(Line::Classic), "the setting versions.latest of acme/payments");
    ground.origins = Origins { classic: Origin::Ring, ..Origins::default() };
    ground.ring = Some("2".to_owned());
    assert_eq!(ground.origin_text(Line::Classic), "ring 2 of the account");
}

#[test]
fn versions_that_are_not_shown_say_why() {
    let policy = Policy::default();
    let told = |seen: Seen| {
        let view = view_at(group("edge"), vec![seen], &policy, now());
        let ground = ground_at(&policy, now());
        let (one, all) =
            (explain::version(&view.members[0], &ground), explain::group_version(&view, &ground));
        assert_eq!(one.outcome, all.outcome);
        one
    };
    let lost = told(instance("edge-1", "26.11.90604").silent());
    assert_eq!(lost.outcome, "N/A");
    assert_eq!(
        lost.value("Last reported"),
        Some(&Value::Text("26.11.90604".to_owned())),
        "it is known all the same"
    );
    let mute = told(instance("edge-1", "").with(|facts| facts.family = Family::Go));
    assert_eq!(mute.outcome, "not reported");
    assert!(mute.because.contains("never tells its version"));
    assert_eq!(told(instance("edge-1", "26.11.90604")).outcome, "26.11.90604");
}

fn upgrade(change: impl FnOnce(&mut GroupFacts), version: &str) -> Explanation<fleet::upgrade::AutoUpgrade> {
    let policy = Policy::default();
    let mut facts = group("edge");
    change(&mut facts);
    let view = view_at(facts, vec![instance("edge-1", version)], &policy, now());
    explain::auto_upgrade(&view, &ground_at(&policy, now()))
}

#[test]
fn auto_upgrade_is_explained_at_90_minutes_and_one_second_later() {
    let seen = |millis: i64| upgrade(move |facts| facts.upgrader_seen = Some(ago(millis)), "26.11.90604");
    let on = seen(90 * MINUTE);
    assert_eq!(on.outcome.state, State::On);
    assert_eq!(on.because, "The upgrader called 5400 s ago, not more than 90 minutes.");
    assert_eq!(on.due_at(), Some(now().plus(1)));
    let off = seen(90 * MINUTE + SECOND);
    assert_eq!(off.outcome.state, State::Off);
    assert_eq!(off.because, "The upgrader called last 5401 s ago, more than 90 minutes.");
    assert_eq!(off.due_at(), None);
    assert!(
        off.notes.iter().any(|note| note.contains("A schedule of more than 90 minutes flips")),
        "{:?}",
        off.notes
    );
    let fresh =
        upgrade(|facts| (facts.upgrader_seen, facts.first_seen) = (None, ago(90 * MINUTE)), "26.11.90604");
    assert_eq!((fresh.outcome.state, fresh.due_at()), (State::Detecting, Some(now().plus(1))));
    let never = upgrade(
        |facts| (facts.upgrader_seen, facts.first_seen) = (None, ago(90 * MINUTE + 1)),
        "26.11.90604",
    );
    assert_eq!(never.outcome.state, State::Off);
    assert_eq!(never.value("Last upgrader call"), Some(&Value::Text("never".to_owned())));
}

#[test]
fn every_reason_for_off_is_told_apart() {
    type Case = (fn(&mut GroupFacts), &'static str, &'static str);
    let cases: [Case; 5] = [
        (|facts| facts.family = Family::Runner, "3.0.0", "Delegate 3.x has no upgrader."),
        (|facts| facts.kind = DelegateType::Ecs, "26.11.90604", "There is no upgrader on ECS and Fargate."),
        (
            |facts| facts.tags = texts(&["platform:fargate"]),
            "26.11.90604",
            "There is no upgrader on ECS and Fargate.",
        ),
        (
            |facts| facts.family = Family::Go,
            "",
            "The embedded client of virtual-machine runners has no upgrader; its host program updates it.",
        ),
        (
            |_| (),
            "22.09.76299",
            "The image is older than build 76300, the first that works with an upgrader.",
        ),
    ];
    for (change, version, because) in cases {
        let told = upgrade(change, version);
        assert_eq!((told.outcome.state, &*told.because), (State::Off, because));
    }
    let watched = upgrade(|_| (), "1.0.82007");
    assert_eq!(watched.outcome.state, State::On);
    let by_hand = upgrade(|facts| (facts.by_choice, facts.upgrader_seen) = (true, None), "26.06.89208");
    assert!(by_hand.notes.iter().any(|note| note.contains("on purpose")));
    assert!(
        by_hand.notes.iter().any(|note| note.contains("months old; update by hand every 3 to 6 months.")),
        "{:?}",
        by_hand.notes
    );
}

#[test]
fn on_yet_behind_is_told_with_its_cause() {
    let rolling = upgrade(|_| (), "26.09.89620");
    assert_eq!(rolling.outcome.state, State::On);
    assert!(
        rolling.notes[0].starts_with("On, yet behind 26.11.90604: the upgrader rolls it out"),
        "{:?}",
        rolling.notes
    );

    let (catalog, policy) = (catalog(), Policy::default());
    let pin = Version::parse("26.09.89620");
    let (latest, origins) = catalog.latest_with_origins(Some(&pin), None, now());
    let mut judge = Judge::new(&catalog, latest, &policy, now());
    let view = view_by(&mut judge, group("edge"), vec![instance("edge-1", "26.09.89620")]).unwrap();
    let ground = Ground { origins, pinned_at: Some(scope("acme")), ..ground_at(&policy, now()) };
    let held = explain::auto_upgrade(&view, &ground);
    assert_eq!(
        held.notes,
        [
            "On, yet behind 26.11.90604, the newest public image, on purpose: the setting versions.latest of acme says \
          26.09.89620."
        ]
    );
}

const VERSIONS: [&str; 8] =
    ["", "nightly", "latest", "3.0.0", "22.09.76299", "26.06.89208", "26.10.90212", "26.11.90604.minimal"];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn explanations_agree_with_the_rules(
        version in prop::sample::select(&VERSIONS[..]),
        age in prop::sample::select(vec![0, 179_999, 180_000, 300_000, 300_001, 5 * HOUR]),
        days in -60_i64..200,
        millis in -2_i64..3,
        upgrader in prop::option::of(prop::sample::select(vec![0, 90 * MINUTE, 90 * MINUTE + 1])),
        first_seen in prop::sample::select(vec![90 * MINUTE, 90 * MINUTE + 1]),
    ) {
        let now = at("2026-11-30 23:59:59").plus(days * DAY + millis);
        let policy = Policy::default();
        let mut facts = group("edge");
        facts.first_seen = now.plus(-first_seen);
        facts.upgrader_seen = upgrader.map(|age| now.plus(-age));
        facts.last_active = now;
        let seen = instance("edge-1", version).beat(Some(now.plus(-age)));
        let view = view_at(facts.clone(), vec![seen], &policy, now);
        let (ground, member) = (ground_at(&policy, now), &view.members[0]);
        let (line, status) = (explain::connectivity(member, &ground), explain::version_status(member, &ground));
        let upgrade = explain::auto_upgrade(&view, &ground);

        // The outcome is that of the rules, and what decided is the one condition of that outcome.
        prop_assert_eq!(line.outcome, member.assessment.connectivity);
        prop_assert_eq!(status.outcome, member.assessment.standing);
        prop_assert_eq!(upgrade.outcome, view.rollup.auto_upgrade);
        prop_assert_eq!(decided(&line).len(), 1);
        prop_assert_eq!(decided(&status).len(), usize::from(status.outcome.status().is_some()));

        // The instants on screen, compared by hand, give the same.
        if let (Some(Value::At(expires)), Some(Value::At(near))) = (status.value("Expired after"), status.value("Near expiry from"))
            && status.outcome.status().is_some() {
                prop_assert_eq!(status.outcome == Standing::Expired, now > *expires);
                prop_assert_eq!(status.outcome == Standing::NearExpiry, now >= *near && now <= *expires);
            }
        let connected = age <= policy.timeout;
        prop_assert_eq!(line.outcome.is_connected(), connected);

        // Time alone changes a state exactly at the instant that is told.
        let dues = line.due_at().into_iter().chain(status.due_at()).min();
        prop_assert_eq!(dues, member.assessment.due_at);
        if let Some(due) = upgrade.due_at() {
            let lowest = view.rollup.version.as_deref();
            let state = |at| fleet::upgrade::auto_upgrade(&facts, lowest, &policy, at).state;
            prop_assert_eq!(state(due.plus(-1)), upgrade.outcome.state);
            prop_assert_ne!(state(due), upgrade.outcome.state);
        }
    }
}

#[test]
fn a_group_speaks_of_its_worst_instance() {
    let policy = Policy::default();
    let members = vec![instance("edge-1", "26.11.90604"), instance("edge-2", "26.04.88805")];
    let view = view_at(group("edge"), members, &policy, now());
    let told = explain::group_status(&view, &ground_at(&policy, now()));
    assert_eq!(told.outcome, Standing::Expired);
    assert_eq!(told.value("Decided by"), Some(&Value::Text("edge-2".to_owned())));
    let all = explain::group_connectivity(&view, &ground_at(&policy, now()));
    assert_eq!(all.because, "2 of 2 listed instances are connected: all of them.");
    let none = view_at(group("edge"), vec![instance("edge-1", "26.11.90604").silent()], &policy, now());
    let told = explain::group_connectivity(&none, &ground_at(&policy, now()));
    assert!(told.notes.iter().any(|note| note.contains("Expired is not why")));
    assert!(told.notes.iter().any(|note| note.contains("\"Show hidden\" lists them")));
    let silent = explain::group_status(&none, &ground_at(&policy, now()));
    assert_eq!((silent.outcome, silent.checks.len()), (Standing::Unreachable, 0));
}
