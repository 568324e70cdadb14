use fleet::time::Timestamp;

use super::*;
use crate::roster::Keep;

fn scope(text: &str) -> Scope {
    text.parse().expect("scope")
}

fn applied(at: Option<&str>, key: &str, value: &str) -> (Reference, Vec<BadSetting>) {
    let mut reference = Reference::default();
    let bad = apply(&Settings::from([((at.map(scope), key.to_owned()), value.to_owned())]), &mut reference);
    (reference, bad)
}

/// A value that is not the default.
fn other_value(key: &Key) -> &'static str {
    match key.name {
        "versions.latest" => "26.10.90212",
        "registration.allowlist" => "10.0.0.0/8",
        "mirror.interval_seconds" => "90",
        _ => key.choices.iter().find(|choice| **choice != key.default).copied().unwrap_or("12"),
    }
}

#[test]
fn a_stored_threshold_replaces_the_default() {
    let (reference, bad) = applied(None, "connectivity.timeout_seconds", "120");
    assert_eq!((reference.policy.timeout, bad.len()), (120_000, 0));
    let (reference, _) = applied(None, "lifecycle.near_expiry_days", "7");
    assert_eq!(reference.policy.near_expiry, 7 * DAY);
    let (reference, _) = applied(None, "lifecycle.anchor", "eol");
    assert_eq!(reference.policy.anchor, Anchor::Eol);
    let (reference, _) = applied(None, "flap.window_minutes", "5");
    assert_eq!(reference.policy.flap_window, 5 * MINUTE);
    let (reference, _) = applied(None, "tokens.purge_days", "1");
    assert_eq!(reference.keep.revoked_tokens, DAY);
}

#[test]
fn a_value_that_cannot_be_is_named_and_the_default_stays() {
    for (key, value) in [
        ("connectivity.timeout_seconds", "soon"),
        ("connectivity.timeout_seconds", "-1"),
        ("lifecycle.near_expiry_days", "8"),
        ("lifecycle.anchor", "eow"),
        ("mirror.interval_seconds", "59"),
        ("flap.count", "1"),
        ("audit.keep_days", "0"),
        ("api.rate_per_minute", "-1"),
        ("delegates.deleted_policy", "forget"),
    ] {
        let (reference, bad) = applied(None, key, value);
        assert_eq!(
            (&reference.policy, &reference.keep),
            (&Policy::default(), &Keep::default()),
            "{key}={value}"
        );
        assert_eq!(bad[0].key, key);
    }
}

#[test]
fn every_known_key_can_be_set_in_its_place_and_nowhere_else() {
    let (account, project) = (scope("acme"), scope("acme/payments/checkout"));
    for key in KEYS {
        let value = other_value(key);
        let places = [None, Some(&account), Some(&project)];
        let allowed = places.map(|place| check(place, key.name, value).is_ok());
        let expected = match key.place {
            Place::Global => [true, false, false],
            Place::Scoped => [false, true, true],
            Place::Account => [false, true, false],
            Place::Both => [true, true, true],
        };
        assert_eq!(allowed, expected, "{}", key.name);
        if key.name != "versions.ring" {
            assert!(places.iter().all(|place| check(*place, key.name, "never").is_err()), "{}", key.name);
        }
    }
    assert!(check(None, "connectivity.timeout", "300").is_err());
}

#[test]
fn every_default_and_every_choice_is_allowed() {
    let account = scope("acme");
    for key in KEYS {
        let place = key.place.admits(None).is_err().then_some(&account);
        for value in key.choices.iter().chain([&key.default]).filter(|value| !value.is_empty()) {
            assert_eq!(check(place, key.name, value), Ok(()), "{}={value}", key.name);
        }
    }
}

#[test]
fn the_defaults_that_are_shown_are_those_in_force() {
    let global = KEYS.iter().filter(|key| key.place == Place::Global);
    let shown: Settings = global.map(|key| ((None, key.name.to_owned()), key.default.to_owned())).collect();
    let mut reference = Reference::default();
    assert_eq!(apply(&shown, &mut reference), []);
    assert_eq!((reference.policy, reference.keep), (Policy::default(), Keep::default()));
    let bare = Reference::default();
    assert_eq!(bare.deleted_policy(&scope("acme")), DeletedPolicy::Reappear);
    assert!(!bare.delete_connected(&scope("acme")) && !bare.approval_required(&scope("acme")));
}

#[test]
fn the_nearest_pinned_version_upward_is_latest() {
    let (reference, bad) = applied(Some("acme/payments"), "versions.latest", "26.09.89620");
    assert!(bad.is_empty());
    let now = Timestamp::from_millis(1_795_176_000_000);
    let classic = |at: &str| reference.latest(&scope(at), now).classic;
    assert_eq!(classic("acme/payments/checkout").as_deref().map(Version::as_str), Some("26.09.89620"));
    assert_eq!(classic("acme"), None);
}

#[test]
fn the_nearest_value_upward_counts_and_the_server_last() {
    let set = |at: Option<&str>, value: &str| {
        ((at.map(scope), "delegates.deleted_policy".to_owned()), value.to_owned())
    };
    let settings = Settings::from([
        set(None, "refuse"),
        set(Some("acme/a"), "reappear"),
        set(Some("acme/a/b"), "refuse"),
    ]);
    let mut reference = Reference::default();
    assert_eq!(apply(&settings, &mut reference), []);
    for (at, policy) in [
        ("beta", DeletedPolicy::Refuse),
        ("acme", DeletedPolicy::Refuse),
        ("acme/a", DeletedPolicy::Reappear),
        ("acme/a/c", DeletedPolicy::Reappear),
        ("acme/a/b", DeletedPolicy::Refuse),
    ] {
        assert_eq!(reference.deleted_policy(&scope(at)), policy, "{at}");
    }
    let (reference, _) = applied(Some("acme/a"), "approval.required", "true");
    assert!(reference.approval_required(&scope("acme/a/b")) && !reference.approval_required(&scope("acme")));
}

#[test]
fn an_allowlist_takes_addresses_and_networks_of_both_families() {
    let (reference, bad) =
        applied(Some("acme"), "registration.allowlist", "192.0.2.7, 10.0.0.0/8,2001:db8::/32");
    assert_eq!(bad, []);
    let admits = |address: &str| reference.admits("acme", Some(address.parse().expect("address")));
    for inside in ["192.0.2.7", "10.255.255.255", "2001:db8::1", "::ffff:10.1.2.3"] {
        assert!(admits(inside), "{inside}");
    }
    for outside in ["192.0.2.8", "11.0.0.0", "9.255.255.255", "2001:db9::", "::1", "::ffff:192.0.2.8"] {
        assert!(!admits(outside), "{outside}");
    }
    assert!(!reference.admits("acme", None), "an address that nobody knows is on no list");
    assert!(reference.admits("beta", None), "an account without a list takes everybody");
    for bad in ["", ",", "10.0.0.0/33", "example.com", "10.0.0.1-10.0.0.9"] {
        assert!(check(Some(&scope("acme")), "registration.allowlist", bad).is_err(), "{bad}");
    }
}

#[test]
fn a_page_is_told_the_value_in_force_and_where_it_comes_from() {
    let set = |at: Option<&str>, key: &str, value: &str| ((at.map(scope), key.to_owned()), value.to_owned());
    let settings = Settings::from([
        set(None, "delegates.deleted_policy", "refuse"),
        set(Some("acme"), "approval.required", "true"),
        set(Some("acme/payments"), "delegates.deleted_policy", "reappear"),
        set(Some("acme/payments"), "flap.count", "9"),
    ]);
    let told = |at: &str, key: &str| in_force(&settings, known(key).expect("key"), &scope(at));
    let line = |value: &str, source| (value.to_owned(), source);
    assert_eq!(told("beta", "approval.required"), line("false", SettingSource::Default));
    assert_eq!(told("acme", "approval.required"), line("true", SettingSource::Here));
    let above = SettingSource::Above(scope("acme"));
    assert_eq!(told("acme/payments/checkout", "approval.required"), line("true", above));
    assert_eq!(told("acme", "delegates.deleted_policy"), line("refuse", SettingSource::Server));
    assert_eq!(told("acme/payments", "delegates.deleted_policy"), line("reappear", SettingSource::Here));
    assert_eq!(
        told("acme/payments", "flap.count"),
        line("3", SettingSource::Default),
        "it has no place there"
    );
}
