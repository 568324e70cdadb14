//! Account, organization, project: what contains what, and what can be used from where (product 1.3, 2).

use fleet::scope::{Level, Scope, ScopeError};

use crate::support::scope;

#[test]
fn alex_can_use_d1_d2_d4_and_uri_d1_d3_d5() {
    // Alex works in acme/alex/one, Uri in acme/uri/two.
    let delegates = [
        ("D1", "acme"),
        ("D2", "acme/alex"),
        ("D3", "acme/uri"),
        ("D4", "acme/alex/one"),
        ("D5", "acme/uri/two"),
    ];
    let usable_from = |here: &str| -> Vec<&str> {
        let usable = delegates.iter().filter(|(_, owner)| scope(here).can_use(&scope(owner)));
        usable.map(|(name, _)| *name).collect()
    };
    assert_eq!(usable_from("acme/alex/one"), ["D1", "D2", "D4"]);
    assert_eq!(usable_from("acme/uri/two"), ["D1", "D3", "D5"]);
    assert_eq!(usable_from("acme/alex"), ["D1", "D2"]);
    assert_eq!(usable_from("acme"), ["D1"]);
    assert_eq!(usable_from("other/alex/one"), [""; 0]);
}

#[test]
fn a_scope_contains_itself_and_what_lies_below() {
    let contains = |a: &str, b: &str| scope(a).contains(&scope(b));
    assert!(contains("acme", "acme"));
    assert!(contains("acme", "acme/payments/checkout"));
    assert!(contains("acme/payments", "acme/payments/checkout"));
    assert!(!contains("acme/payments", "acme"));
    assert!(!contains("acme/payments", "acme/payments2/checkout"));
    assert!(!contains("acme/payments/checkout", "acme/payments/other"));
    assert!(!contains("acme", "acme2"));
}

#[test]
fn scopes_above_are_found_nearest_first() {
    let above: Vec<String> =
        scope("acme/payments/checkout").ancestors().map(|scope| scope.to_string()).collect();
    assert_eq!(above, ["acme/payments/checkout", "acme/payments", "acme"]);
    assert_eq!(scope("acme").parent(), None);
}

#[test]
fn a_scope_knows_its_level_its_name_and_its_addresses() {
    let project = scope("acme/payments/checkout");
    assert_eq!((project.level(), project.name()), (Level::Project, "checkout"));
    assert_eq!(project.path(), "/a/acme/o/payments/p/checkout");
    assert_eq!(project.api_path(), "/accounts/acme/orgs/payments/projects/checkout");
    let organization = scope("acme/payments");
    assert_eq!((organization.level(), organization.name()), (Level::Organization, "payments"));
    assert_eq!(organization.path(), "/a/acme/o/payments");
    assert_eq!(scope("acme").level(), Level::Account);
    assert_eq!(scope("acme").api_path(), "/accounts/acme");
}

#[test]
fn what_is_no_scope_is_refused() {
    assert_eq!("a/b/c/d".parse::<Scope>(), Err(ScopeError::TooDeep));
    assert_eq!(Scope::new("a", None, Some("p")), Err(ScopeError::ProjectWithoutOrganization));
    for (text, part) in
        [("", "account"), ("a//c", "organization"), ("a/b/", "project"), ("a/..", "organization")]
    {
        assert_eq!(text.parse::<Scope>(), Err(ScopeError::Identifier { part }), "{text}");
    }
    assert!("a".repeat(128).parse::<Scope>().is_ok());
    assert!("a".repeat(129).parse::<Scope>().is_err());
    assert!("a b".parse::<Scope>().is_err());
}

#[test]
fn a_scope_survives_being_written() {
    for text in ["acme", "acme/payments", "kmp-Y_1$/a.b/c"] {
        assert_eq!(scope(text).to_string(), text);
        let json = serde_json::to_string(&scope(text)).unwrap();
        assert_eq!(serde_json::from_str::<Scope>(&json).unwrap(), scope(text));
    }
}
