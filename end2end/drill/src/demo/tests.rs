use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use chrono::NaiveDate;
use fleet::catalog::Catalog;
use fleet::delegate::{DelegateType, Family, GroupFacts, is_regular_name};
use fleet::health::{Judge, Standing, Status};
use fleet::policy::Policy;
use fleet::time::{HOUR, MINUTE, SECOND, Timestamp};
use fleet::upgrade::{State, auto_upgrade};
use fleet::version::{Line, Version, reported};

use super::*;
use crate::client::Kind;

const FIXTURE: &str = include_str!("../../../../fixtures/catalog.json");

fn day(text: &str) -> NaiveDate {
    text.parse().unwrap()
}

fn fixture() -> (Catalog, NaiveDate) {
    (Catalog::import(FIXTURE).unwrap(), day("2026-11-20"))
}

fn demo(catalog: &Catalog, today: NaiveDate) -> Scenario {
    scenario("acme", 1, &Picks::choose(catalog, today).unwrap()).unwrap()
}

const fn family(client: Kind) -> Family {
    match client {
        Kind::Go => Family::Go,
        Kind::Runner => Family::Runner,
        Kind::JavaStream | Kind::JavaRest => Family::Java,
    }
}

/// How many instances of the demo stand where, a minute after their start.
fn standings(catalog: &Catalog, today: NaiveDate) -> BTreeMap<Standing, u32> {
    let now = Timestamp::start_of_day(today).plus(12 * HOUR);
    let policy = Policy::default();
    let mut judge = Judge::new(catalog, catalog.latest(None, None, now), &policy, now);
    let mut counts = BTreeMap::new();
    for (_, group) in demo(catalog, today).groups() {
        for replica in 0..group.replicas {
            let version = reported(group.version(replica), family(group.client)).map(Arc::new);
            let standing = judge.assess(Some(now.plus(-10 * SECOND)), version.as_ref()).standing;
            *counts.entry(standing).or_default() += 1;
        }
    }
    counts
}

#[test]
fn the_demo_is_large_and_spread_over_the_scopes() {
    let (catalog, today) = fixture();
    let demo = demo(&catalog, today);
    let groups: Vec<_> = demo.groups().collect();
    assert!(groups.len() >= 70 && demo.instances() >= 350, "{} {}", groups.len(), demo.instances());
    let organizations: BTreeSet<_> = groups.iter().filter_map(|(scope, _)| scope.organization()).collect();
    assert!(organizations.len() >= 4);
    for organization in organizations {
        let projects: BTreeSet<_> = groups
            .iter()
            .filter(|(scope, _)| scope.organization() == Some(organization))
            .filter_map(|(scope, _)| scope.project())
            .collect();
        assert!((2..=3).contains(&projects.len()), "{organization}");
    }
    assert!(groups.iter().any(|(scope, _)| scope.organization().is_none()));
}

#[test]
fn every_lifecycle_state_is_shown_many_times() {
    let (catalog, today) = fixture();
    let standings = standings(&catalog, today);
    for standing in
        [Standing::Expired, Standing::NearExpiry, Standing::Unsupported, Standing::Active, Standing::Unknown]
    {
        assert!(standings.get(&standing).copied().unwrap_or_default() >= 10, "{standing:?}: {standings:?}");
    }
}

#[test]
fn a_generated_catalog_keeps_all_states_years_later() {
    for today in ["2026-12-01", "2027-02-28", "2029-07-03", "2031-01-31"].map(day) {
        let catalog = Catalog::import(&crate::calendar::catalog(today).unwrap()).unwrap();
        assert_eq!(Picks::choose(&catalog, today).unwrap().missing, [], "{today}");
        let standings = standings(&catalog, today);
        assert_eq!(standings.len(), 5, "{today}: {standings:?}");
    }
}

#[test]
fn a_catalog_that_lacks_a_state_says_so() {
    let (catalog, _) = fixture();
    // By then everything but the latest has expired; the latest has, too.
    let picks = Picks::choose(&catalog, day("2028-06-20")).unwrap();
    assert_eq!(picks.missing, [Status::Unsupported]);
    assert_eq!(Picks::choose(&Catalog::default(), day("2026-11-20")), Err(PicksError));
}

#[test]
fn every_family_type_and_version_form_takes_part() {
    let (catalog, today) = fixture();
    let demo = demo(&catalog, today);
    let clients: HashSet<_> = demo.groups().map(|(_, group)| group.client).collect();
    assert_eq!(clients.len(), 4);
    let kinds: BTreeSet<_> = demo.groups().map(|(_, group)| group.kind().to_owned()).collect();
    assert_eq!(Vec::from_iter(kinds), ["DOCKER", "ECS", "HELM_DELEGATE", "KUBERNETES", "SHELL_SCRIPT"]);
    let versions: Vec<Version> = demo
        .groups()
        .flat_map(|(_, group)| (0..group.replicas).filter_map(|replica| group.version(replica)))
        .map(Version::parse)
        .collect();
    for line in [Line::Classic, Line::Legacy, Line::Runner, Line::Custom] {
        assert!(versions.iter().any(|version| version.line() == line), "{line:?}");
    }
    assert!(versions.iter().any(Version::is_minimal));
    assert!(versions.iter().any(|version| version.variant() == Some("own-tools")));
    for client in [Kind::Go, Kind::Runner, Kind::JavaStream] {
        let unreported = demo.groups().any(|(_, group)| group.client == client && group.version(0).is_none());
        assert!(unreported, "{client:?} without a version");
    }
}

#[test]
fn every_behaviour_and_badge_takes_part() {
    let (catalog, today) = fixture();
    let demo = demo(&catalog, today);
    let groups: Vec<&Group> = demo.groups().map(|(_, group)| group).collect();
    let any = |what: &str, test: &dyn Fn(&Group) -> bool| {
        assert!(groups.iter().filter(|group| test(group)).count() >= 2, "{what}");
    };
    any("partly connected", &|group| {
        matches!(group.behaviour, Behaviour::Silent { .. })
            && group.behaving.is_some_and(|n| n < group.replicas)
    });
    any("not connected", &|group| {
        matches!(group.behaviour, Behaviour::Silent { .. }) && group.behaving.is_none()
    });
    any("gone", &|group| matches!(group.behaviour, Behaviour::Goodbye { .. }) && group.behaving.is_none());
    any("partly gone", &|group| {
        matches!(group.behaviour, Behaviour::Goodbye { .. }) && group.behaving.is_some()
    });
    any("returning", &|group| matches!(group.behaviour, Behaviour::Flapping { .. }));
    any("churning", &|group| matches!(group.behaviour, Behaviour::Churn { .. }));
    any("rolling out", &|group| matches!(group.behaviour, Behaviour::Rollout { .. }));
    any("late", &|group| matches!(group.behaviour, Behaviour::Late { .. }));
    any("first generation", &|group| group.behaviour == Behaviour::Old);
    any("single instance", &|group| group.replicas == 1);
    any("two clusters", &|group| group.member_tags.len() == 2 && group.replicas >= 4);
    any("drifted apart", &|group| group.versions.len() == 3);
    any("fargate", &|group| group.tags(0).any(|tag| tag == "platform:fargate"));
}

#[test]
fn auto_upgrade_is_on_off_and_detecting() {
    let (catalog, today) = fixture();
    let now = Timestamp::start_of_day(today).plus(12 * HOUR);
    let demo = demo(&catalog, today);
    let mut states: BTreeMap<String, u32> = BTreeMap::new();
    for (scope, group) in demo.groups() {
        let facts = GroupFacts {
            id: "g".into(),
            scope: Arc::new(scope.clone()),
            name: group.name.as_str().into(),
            identifier: "_g".into(),
            kind: DelegateType::from(group.kind()),
            family: family(group.client),
            description: "".into(),
            tags: group.tags(0).map(Arc::from).collect(),
            first_seen: now.plus(-MINUTE),
            last_active: now,
            upgrader_seen: group.upgrader.then_some(now.plus(-MINUTE)),
            by_choice: false,
            approval: fleet::delegate::Approval::Approved,
            returned_at: None,
            token_name: "t".into(),
        };
        let version = group.version(0).map(Version::parse);
        let state = auto_upgrade(&facts, version.as_ref(), &Policy::default(), now).state;
        *states.entry(format!("{state:?}")).or_default() += 1;
    }
    for state in [State::On, State::Off, State::Detecting] {
        assert!(states.get(&format!("{state:?}")).copied().unwrap_or_default() >= 10, "{states:?}");
    }
}

#[test]
fn names_are_regular_and_unique_in_their_scope() {
    let (catalog, today) = fixture();
    for plan in demo(&catalog, today).scopes {
        let names: HashSet<_> = plan.groups.iter().map(|group| group.name.as_str()).collect();
        assert_eq!(names.len(), plan.groups.len(), "{}", plan.path);
        assert!(names.iter().all(|name| is_regular_name(name)), "{names:?}");
    }
}

#[test]
fn the_same_seed_gives_the_same_fleet_and_another_seed_another() {
    let (catalog, today) = fixture();
    let picks = Picks::choose(&catalog, today).unwrap();
    let fleet = |seed| scenario("acme", seed, &picks).unwrap();
    assert_eq!(fleet(1), fleet(1));
    assert_ne!(fleet(1).scopes, fleet(2).scopes);
}

#[test]
fn every_scope_is_listed_after_its_parent() {
    let scopes = scopes("acme").unwrap();
    for (at, scope) in scopes.iter().enumerate() {
        assert!(scope.parent().is_none_or(|parent| scopes[..at].contains(&parent)), "{scope}");
    }
    let (catalog, today) = fixture();
    let used: Vec<Scope> = demo(&catalog, today).scopes.into_iter().map(|plan| plan.path).collect();
    assert_eq!(used, scopes);
}

#[test]
fn every_group_of_the_demo_can_be_played() {
    let (catalog, today) = fixture();
    demo(&catalog, today).check().unwrap();
}
