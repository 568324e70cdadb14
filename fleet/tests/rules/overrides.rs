//! Which override counts for a group, and until when (management-api 2.7).

use std::collections::BTreeMap;
use std::sync::Arc;

use fleet::explain::{Ground, Value, auto_upgrade};
use fleet::health::Judge;
use fleet::overrides::{OfScope, Override, choose, in_force, is_image_tag};
use fleet::policy::Policy;
use fleet::scope::Scope;
use fleet::time::{DAY, Timestamp};

use crate::support::{catalog, group, instance, now, scope, view_by};

fn of(image: &str, tags: &[&str]) -> Override {
    Override::new(image, tags.iter().map(|&tag| tag.to_owned()).collect(), 180, now())
}

fn all() -> BTreeMap<Scope, OfScope> {
    let both = |name: &str| OfScope {
        tagged: Some(of(&format!("{name}-eu-linux"), &["linux", "eu"])),
        plain: Some(of(name, &[])),
    };
    BTreeMap::from([
        (scope("acme"), both("account")),
        (scope("acme/payments"), OfScope { plain: None, ..both("organization") }),
        (scope("acme/payments/web"), OfScope { tagged: None, ..both("project") }),
    ])
}

fn chosen(at: &str, tags: &[&str], when: Timestamp) -> Option<String> {
    let found = in_force(&all(), &scope(at), |_| None, when);
    choose(&found, tags).map(|(_, one)| one.image_tag.to_string())
}

#[test]
fn the_own_scope_comes_first_and_in_each_scope_the_one_with_tags() {
    assert_eq!(chosen("acme", &["edge"], now()).unwrap(), "account");
    assert_eq!(chosen("acme", &["edge", "eu", "linux"], now()).unwrap(), "account-eu-linux");
    assert_eq!(chosen("acme/payments", &["edge", "eu", "linux"], now()).unwrap(), "organization-eu-linux");
    assert_eq!(
        chosen("acme/payments", &["edge"], now()).unwrap(),
        "account",
        "that of the organization has tags"
    );
    assert_eq!(chosen("acme/payments/web", &["eu", "linux"], now()).unwrap(), "project");
    assert_eq!(chosen("acme/other", &[], now()).unwrap(), "account");
    assert_eq!(chosen("globex", &[], now()), None);
}

#[test]
fn all_of_its_tags_must_be_there() {
    assert_eq!(chosen("acme", &["eu"], now()).unwrap(), "account");
    assert_eq!(chosen("acme", &["linux", "eu", "more"], now()).unwrap(), "account-eu-linux");
}

#[test]
fn it_holds_for_its_days_and_no_millisecond_longer() {
    let end = now().plus(180 * DAY);
    assert!(chosen("acme", &[], end).is_some());
    assert_eq!(chosen("acme", &[], end.plus(1)), None);
    assert_eq!(Override::new("a", Vec::new(), 500, now()).valid_until, end, "180 days at most");
    assert_eq!(Override::new("a", Vec::new(), 1, now()).valid_until, now().plus(DAY));
}

#[test]
fn until_the_next_release_is_as_long_as_the_latest_stays_what_it_was() {
    let until_next = Override { as_long_as_latest: Some("26.11.90604".into()), ..of("26.10.90107", &[]) };
    let all = BTreeMap::from([(scope("acme"), OfScope { plain: Some(until_next), tagged: None })]);
    let latest = |text: Option<&str>| {
        let text: Option<Arc<str>> = text.map(Into::into);
        in_force(&all, &scope("acme/payments"), |_| text.clone(), now()).len()
    };
    assert_eq!(latest(Some("26.11.90604")), 1);
    assert_eq!(latest(Some("26.12.90900")), 0);
    assert_eq!(latest(None), 0);
}

#[test]
fn tags_are_a_set() {
    assert_eq!(of("a", &["b", "a", "b"]).tags, ["a", "b"]);
}

#[test]
fn an_image_tag_is_one_by_the_rules_of_registries() {
    for good in ["26.10.90107", "26.10.90107.minimal", "_x", "A-1", &"a".repeat(128)] {
        assert!(is_image_tag(good), "{good}");
    }
    for bad in ["", ".1", "-1", "a b", "a/b", "repository:tag", "ü", &"a".repeat(129)] {
        assert!(!is_image_tag(bad), "{bad}");
    }
}

#[test]
fn an_override_is_named_where_it_holds_a_group_back() {
    let policy = Policy::default();
    let (catalog, latest) = (catalog(), catalog().latest(None, None, now()));
    let public = latest.classic.clone();
    let mut judge = Judge::new(&catalog, latest, &policy, now());
    let view = view_by(&mut judge, group("edge"), vec![instance("edge-1", "26.09.89620")]).unwrap();
    let chosen = Override::new("26.09.89620", vec!["edge".to_owned()], 1, now());
    let overrides = vec![(scope("acme"), chosen)];
    let ground = Ground { policy: policy.clone(), now: now(), public, overrides, ..Ground::default() };
    let held = auto_upgrade(&view, &ground);
    assert_eq!(
        held.notes,
        [
            "On, yet behind 26.11.90604, the newest public image, on purpose: a version override of acme, until 2026-11-21 \
          12:00 UTC says 26.09.89620."
        ]
    );
    let fact =
        |label: &str| held.facts.iter().find(|fact| fact.label == label).map(|fact| fact.value.clone());
    assert_eq!(fact("Upgrades lead to"), Some(Value::from("26.09.89620")));
    assert_eq!(fact("Set by"), Some(Value::from("a version override of acme, until 2026-11-21 12:00 UTC")));
}
