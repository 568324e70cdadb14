//! The settings of product 20.

use fleet::policy::{Anchor, Policy};

#[test]
fn defaults_are_those_of_the_product() {
    let policy = Policy::default();
    assert_eq!(policy.timeout, 300_000);
    assert_eq!(policy.late, 180_000);
    assert_eq!(policy.start_hold, 300_000);
    assert_eq!((policy.flap_count, policy.flap_window), (3, 3_600_000));
    assert_eq!(policy.instance_retention, 21_600_000);
    assert_eq!(policy.group_retention, 604_800_000);
    assert_eq!(policy.anchor, Anchor::Eos);
    assert_eq!(policy.near_expiry, 28 * 86_400_000);
    assert_eq!(policy.upgrader_seen, 5_400_000);
    assert_eq!(policy.skew, 1_800_000);
}

#[test]
fn settings_survive_being_stored() {
    let policy = Policy { anchor: Anchor::Eol, late: 1, ..Policy::default() };
    let stored = serde_json::to_string(&policy).unwrap();
    assert!(stored.contains(r#""anchor":"eol""#));
    assert_eq!(serde_json::from_str::<Policy>(&stored).unwrap(), policy);
}

#[test]
fn what_is_not_stored_has_its_default_and_unknown_settings_are_refused() {
    assert_eq!(serde_json::from_str::<Policy>("{}").unwrap(), Policy::default());
    assert!(serde_json::from_str::<Policy>(r#"{"tiemout":1}"#).is_err());
}
