//! The number beside each choice of the filter page (product 11.4).

use std::sync::Arc;

use fleet::delegate::DelegateType;
use fleet::query::{Choice, Facets, Filter, Health, MAX_CHOICES, Query, facets, select};
use fleet::view::Snapshot;
use proptest::prelude::*;

use crate::filters::CONDITIONS;
use crate::properties::any_fleet;
use crate::support::{group, instance, scope, snapshot, texts, view};

fn fleet() -> Snapshot {
    let mut edge = group("edge");
    edge.tags = texts(&["Linux", "eu"]);
    let edge = view(edge, vec![instance("edge-1", "26.05.89004"), instance("edge-2", "26.11.90604.minimal")]);
    let mut farm = group("farm");
    (farm.tags, farm.kind) = (texts(&["linux"]), DelegateType::Docker);
    let farm = view(farm, vec![instance("vm-1", "26.11.90604"), instance("vm-2", "").silent()]);
    let mut named = group("linux");
    named.scope = Arc::new(scope("acme/payments"));
    snapshot(vec![edge, farm, view(named, vec![instance("l-1", "")])])
}

fn of(url: &str) -> Facets {
    facets(&fleet(), &Query::parse(url).unwrap())
}

/// `value groups`, with a star where chosen.
fn shown<T: std::fmt::Display>(choices: &[Choice<T>]) -> Vec<String> {
    let star = |choice: &Choice<T>| if choice.chosen { "*" } else { "" };
    choices.iter().map(|choice| format!("{} {}{}", choice.value, choice.groups, star(choice))).collect()
}

#[test]
fn each_choice_says_how_many_groups_it_would_list() {
    let all = of("");
    assert_eq!(shown(&all.types), ["KUBERNETES 2", "DOCKER 1"]);
    assert_eq!(shown(&all.scopes), ["acme 2", "acme/payments 1"]);
    assert_eq!(shown(&all.tokens), ["default_token 3"]);
    let connectivity: Vec<_> = all.connectivity.iter().map(|choice| choice.groups).collect();
    assert_eq!(connectivity, [2, 1, 0]);
}

#[test]
fn a_choice_leaves_its_own_condition_out_and_keeps_the_others() {
    let docker = of("type=DOCKER&connectivity=partial");
    assert_eq!(shown(&docker.types), ["DOCKER 1*"]);
    let connected = of("type=DOCKER&connectivity=connected");
    assert_eq!(shown(&connected.types), ["KUBERNETES 2", "DOCKER 0*"]);
    let partial = connected.connectivity.iter().map(|choice| choice.groups).collect::<Vec<_>>();
    assert_eq!(partial, [0, 1, 0]);
}

#[test]
fn a_tag_counts_in_any_case_and_as_a_name_and_is_added_to_the_others() {
    assert_eq!(shown(&of("").tags), ["Linux 3", "eu 1"]);
    assert_eq!(shown(&of("delegateTags=LINUX").tags), ["LINUX 3*", "eu 1"]);
    assert_eq!(shown(&of("delegateTags=eu").tags), ["Linux 1", "eu 1*"]);
    assert_eq!(shown(&of("delegateTags=edge").tags), ["Linux 1", "eu 1", "edge 1*"]);
}

#[test]
fn a_version_counts_its_variants_too_and_lost_instances_have_none() {
    assert_eq!(
        shown(&of("").versions),
        ["26.11.90604 2", "26.05.89004 1", "26.11.90604.minimal 1", "none 1"]
    );
    let month = of("version=26.11").versions;
    assert_eq!(shown(&month)[0], "26.11 2*", "a part is there because it is chosen");
}

#[test]
fn health_counts_groups_with_such_an_instance_and_the_fourth_card_groups() {
    let health = of("type=KUBERNETES").health;
    let groups = |wanted: &str| {
        let wanted: Health = wanted.parse().unwrap();
        health.iter().find(|choice| choice.value == wanted).unwrap().groups
    };
    let counts = ["expired", "active", "connected", "unknown", "unreachable", "autoUpgradeOff"].map(groups);
    assert_eq!(counts, [1, 1, 2, 1, 0, 0]);
}

#[test]
fn the_most_frequent_fifty_are_offered_and_whatever_is_chosen() {
    let groups = (0..60).map(|at| {
        let mut facts = group(&format!("g{at:02}"));
        facts.tags = texts(&[&format!("t{at:02}"), "common"]);
        view(facts, vec![instance("a", "")])
    });
    let fleet = snapshot(groups.collect());
    let tags = facets(&fleet, &Query::parse("").unwrap()).tags;
    assert_eq!((tags.len(), &*tags[0].value), (MAX_CHOICES, "common"));
    let tags = facets(&fleet, &Query::parse("delegateTags=t59").unwrap()).tags;
    assert!(tags.iter().any(|choice| choice.value == "t59" && choice.chosen));
}

/// Every choice with the filter in which it is the only value of its condition.
fn narrowed(facets: &Facets, filter: &Filter) -> Vec<(String, u64, Filter)> {
    let mut all = Vec::new();
    macro_rules! add {
        ($($field:ident as $set:expr;)+) => {$(
            for Choice { value, groups, .. } in &facets.$field {
                let mut filter = filter.clone();
                let set: fn(&mut Filter, _) = $set;
                set(&mut filter, value.clone());
                all.push((format!("{}: {value:?}", stringify!($field)), *groups, filter));
            }
        )+};
    }
    add! {
        health as |filter, value| filter.health = Some(value);
        connectivity as |filter, value| filter.connectivity = vec![value];
        types as |filter, value| filter.types = vec![value];
        tags as |filter, value| filter.tags.push(value);
        versions as |filter, value| filter.versions = vec![value];
        auto_upgrade as |filter, value| filter.auto_upgrade = Some(value);
        tokens as |filter, value| filter.tokens = vec![value];
        scopes as |filter, value| filter.scopes = vec![value];
        redundancy as |filter, value| filter.redundancy = vec![value];
        marks as |filter, value| filter.marks = vec![value];
        generation as |filter, value| filter.generation = Some(value);
        source as |filter, value| filter.source = Some(value);
        transport as |filter, value| filter.transport = Some(value);
        availability as |filter, value| filter.availability = Some(value);
    }
    all
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn every_count_is_the_length_of_the_list_it_leads_to(
        fleet in any_fleet(),
        conditions in prop::sample::subsequence(&CONDITIONS[..], 0..=4),
    ) {
        let query = Query::parse(&conditions.join("&")).unwrap();
        let facets = facets(&fleet, &query);
        for (choice, groups, filter) in narrowed(&facets, &query.filter) {
            let listed = select(&fleet, &Query { filter, ..query.clone() }).groups as u64;
            prop_assert_eq!(groups, listed, "{} of {:?}", choice, conditions);
        }
    }

    #[test]
    fn every_value_of_a_listed_group_is_offered(fleet in any_fleet()) {
        let facets = facets(&fleet, &Query::default());
        for group in &fleet.groups {
            let tokens = &facets.tokens;
            let token = &*group.facts.token_name;
            prop_assert!(token.is_empty() || tokens.iter().any(|choice| choice.value == token && choice.groups > 0));
            prop_assert!(facets.scopes.iter().any(|choice| choice.value == *group.facts.scope));
        }
    }
}
