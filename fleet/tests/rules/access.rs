//! Who may do what where (product 2.3, 2.4, 2.5).

use std::sync::Arc;

use fleet::access::{BuiltIn, Grant, Grants, Permission, PermissionSet, Reach, Reason, Resources};
use fleet::scope::Scope;
use proptest::prelude::*;

use crate::support::scope;

fn reach(text: &str) -> Reach {
    if text.is_empty() { Reach::Server } else { Reach::Scope(scope(text)) }
}

fn grant(role: BuiltIn, at: &str) -> Grant {
    Grant { reach: reach(at), permissions: role.permissions(), resources: Resources::All }
}

fn named(role: BuiltIn, at: &str, delegates: &[&str]) -> Grant {
    let names = delegates.iter().map(|&name| Arc::from(name)).collect();
    Grant { resources: Resources::Named(names), ..grant(role, at) }
}

fn grants(all: impl IntoIterator<Item = Grant>) -> Grants {
    all.into_iter().collect()
}

/// What each built-in role allows, in the order of [`Permission::ALL`], written out.
const TABLE: [(Permission, [bool; 3]); 11] = [
    (Permission::DelegateView, [true, true, true]),
    (Permission::DelegateEdit, [true, true, false]),
    (Permission::DelegateDelete, [true, true, false]),
    (Permission::ConfigurationView, [true, true, true]),
    (Permission::ConfigurationEdit, [true, true, false]),
    (Permission::ConfigurationDelete, [true, true, false]),
    (Permission::UserManage, [true, false, false]),
    (Permission::RoleManage, [true, false, false]),
    (Permission::SettingManage, [true, false, false]),
    (Permission::AuditView, [true, true, false]),
    (Permission::EmbedManage, [true, true, false]),
];

#[test]
fn every_built_in_role_holds_in_its_scope_and_below_and_nowhere_else() {
    for (place, role) in BuiltIn::ALL.into_iter().enumerate() {
        let held = grants([grant(role, "acme/payments")]);
        for (permission, expected) in TABLE {
            for (at, inside) in [
                ("acme/payments", true),
                ("acme/payments/checkout", true),
                ("acme", false),
                ("acme/growth", false),
                ("acme/growth/checkout", false),
                ("beta/payments", false),
            ] {
                for delegate in [None, Some("_edge")] {
                    let allowed = held.allow(permission, &scope(at), delegate);
                    assert_eq!(allowed, inside && expected[place], "{role:?} {permission} {at} {delegate:?}");
                }
            }
            assert!(held.decide_for_server(permission).is_err(), "{role:?} {permission}");
        }
    }
}

#[test]
fn a_role_on_the_server_holds_everywhere() {
    for (place, role) in BuiltIn::ALL.into_iter().enumerate() {
        let held = grants([grant(role, "")]);
        for (permission, expected) in TABLE {
            assert_eq!(held.allow(permission, &scope("acme/payments"), None), expected[place]);
            assert_eq!(held.decide_for_server(permission).is_ok(), expected[place]);
        }
    }
}

#[test]
fn nobody_may_do_anything_without_a_role() {
    let nobody = Grants::default();
    assert!(nobody.is_empty());
    for permission in Permission::ALL {
        assert!(!nobody.allow(permission, &scope("acme"), None));
        assert!(nobody.decide_for_server(permission).is_err());
    }
    assert!(!nobody.touch(&scope("acme")) && !nobody.see_all(&scope("acme")));
}

#[test]
fn view_is_held_by_every_member_even_under_an_empty_role() {
    let empty = Grant { permissions: PermissionSet::default(), ..grant(BuiltIn::Viewer, "acme") };
    let held = grants([empty]);
    assert!(held.allow(Permission::DelegateView, &scope("acme/payments"), Some("_edge")));
    assert!(!held.allow(Permission::DelegateEdit, &scope("acme"), None));
}

#[test]
fn a_role_on_named_delegates_reaches_no_other_one() {
    let held = grants([named(BuiltIn::Operator, "acme", &["_edge"])]);
    let (at, below) = (scope("acme"), scope("acme/payments"));
    for permission in [Permission::DelegateView, Permission::DelegateEdit, Permission::DelegateDelete] {
        assert!(held.allow(permission, &at, Some("_edge")) && held.allow(permission, &below, Some("_edge")));
        assert!(!held.allow(permission, &at, Some("_other")));
        assert!(held.allow(permission, &at, None), "there is one for which it is held");
    }
    assert!(!held.allow(Permission::AuditView, &at, None), "what does not concern delegates is not narrowed");
    assert!(!held.see_all(&at) && held.see(&at, "_edge") && !held.see(&at, "_other"));
    let server = grants([named(BuiltIn::Admin, "", &["_edge"])]);
    assert!(server.decide_for_server(Permission::UserManage).is_err());
}

#[test]
fn assignments_add_up() {
    let held =
        grants([grant(BuiltIn::Viewer, "acme"), named(BuiltIn::Operator, "acme/payments", &["_edge"])]);
    assert!(held.allow(Permission::DelegateDelete, &scope("acme/payments"), Some("_edge")));
    assert!(!held.allow(Permission::DelegateDelete, &scope("acme"), Some("_edge")));
    assert!(held.see_all(&scope("acme/payments")), "the viewer role is not narrowed");
}

#[test]
fn a_scope_is_touched_from_above_and_from_below() {
    let held = grants([grant(BuiltIn::Viewer, "acme/payments")]);
    for (at, touched) in [
        ("acme", true),
        ("acme/payments", true),
        ("acme/payments/checkout", true),
        ("acme/growth", false),
        ("beta", false),
    ] {
        assert_eq!(held.touch(&scope(at)), touched, "{at}");
    }
}

#[test]
fn a_refusal_says_what_is_missing_where_and_why() {
    let refusal = |all: Vec<Grant>, delegate| {
        let denial =
            grants(all).decide(Permission::DelegateDelete, &scope("acme/payments/checkout"), delegate);
        let denial = denial.unwrap_err();
        (denial.reason, denial.to_string())
    };
    let needs = "Needs core_delegate_delete in project checkout: ";
    assert_eq!(refusal(vec![], None), (Reason::NoRole, format!("{needs}you have no role there")));
    assert_eq!(
        refusal(vec![grant(BuiltIn::Viewer, "acme")], None),
        (Reason::NotInRole, format!("{needs}your roles there do not hold it"))
    );
    let narrow = vec![grant(BuiltIn::Viewer, "acme"), named(BuiltIn::Operator, "acme", &["_edge"])];
    assert_eq!(
        refusal(narrow, Some("_other")),
        (Reason::OtherDelegates, format!("{needs}your roles hold it for other delegates only"))
    );
    let text = |at: &str| {
        let denial = Grants::default().decide(Permission::DelegateEdit, &scope(at), None).unwrap_err();
        denial.to_string()
    };
    assert_eq!(text("acme"), "Needs core_delegate_edit in account acme: you have no role there");
    assert_eq!(text("acme/a"), "Needs core_delegate_edit in organization a: you have no role there");
    let server = Grants::default().decide_for_server(Permission::UserManage).unwrap_err();
    assert_eq!(server.to_string(), "Needs core_user_manage in the whole server: you have no role there");
}

#[test]
fn what_is_lent_to_a_key_ends_at_its_scope() {
    let held =
        grants([grant(BuiltIn::Admin, "acme"), grant(BuiltIn::Viewer, ""), grant(BuiltIn::Admin, "beta")]);
    let lent = held.within(&scope("acme/payments"));
    assert!(lent.allow(Permission::DelegateDelete, &scope("acme/payments/checkout"), None));
    for outside in ["acme", "acme/growth", "beta"] {
        assert!(!lent.allow(Permission::DelegateView, &scope(outside), None), "{outside}");
    }
    assert!(lent.decide_for_server(Permission::DelegateView).is_err());
    let narrower = grants([grant(BuiltIn::Admin, "acme/payments/checkout")]).within(&scope("acme/payments"));
    assert!(narrower.allow(Permission::DelegateEdit, &scope("acme/payments/checkout"), None));
    assert!(!narrower.allow(Permission::DelegateView, &scope("acme/payments"), None));
    let few = grants([named(BuiltIn::Operator, "acme", &["_edge"])]).within(&scope("acme/payments"));
    assert!(!few.see(&scope("acme/payments"), "_other") && few.see(&scope("acme/payments"), "_edge"));
}

#[test]
fn nobody_hands_out_more_than_they_have() {
    let admin = grants([grant(BuiltIn::Admin, "acme/payments")]);
    for role in BuiltIn::ALL {
        assert!(
            admin.cover(&grant(role, "acme/payments")) && admin.cover(&grant(role, "acme/payments/checkout"))
        );
        for wider in ["", "acme", "acme/growth"] {
            assert!(!admin.cover(&grant(role, wider)), "{role:?} {wider}");
        }
        assert!(admin.cover(&named(role, "acme/payments", &["_edge"])));
    }
    let operator = grants([grant(BuiltIn::Operator, "acme")]);
    assert!(
        operator.cover(&grant(BuiltIn::Viewer, "acme")) && !operator.cover(&grant(BuiltIn::Admin, "acme"))
    );
    let few = grants([named(BuiltIn::Admin, "acme", &["_a", "_b"])]);
    assert!(few.cover(&named(BuiltIn::Admin, "acme/x", &["_a"])));
    assert!(!few.cover(&named(BuiltIn::Viewer, "acme", &["_a", "_c"])));
    assert!(!few.cover(&grant(BuiltIn::Viewer, "acme")));
    assert!(grants([grant(BuiltIn::Admin, "")]).cover(&grant(BuiltIn::Admin, "")));
    let together = grants([
        grant(BuiltIn::Operator, "acme"),
        Grant {
            permissions: BuiltIn::Admin.permissions().without(BuiltIn::Operator.permissions()),
            ..grant(BuiltIn::Viewer, "")
        },
    ]);
    assert!(together.cover(&grant(BuiltIn::Admin, "acme/payments")), "several assignments add up");
}

#[test]
fn words_of_permissions_and_roles_are_read_back() {
    for permission in Permission::ALL {
        assert_eq!(permission.as_str().parse(), Ok(permission));
    }
    let unknown = "core_delegate_fly".parse::<Permission>().unwrap_err();
    assert_eq!(unknown.to_string(), "there is no permission \"core_delegate_fly\"");
    for role in BuiltIn::ALL {
        assert_eq!(BuiltIn::parse(role.as_str()), Some(role));
    }
    assert_eq!(BuiltIn::parse("Admin"), None);
}

const SCOPES: [&str; 6] = ["acme", "acme/a", "acme/a/x", "acme/a/y", "acme/b", "beta"];

fn any_scope() -> impl Strategy<Value = Scope> {
    prop::sample::select(&SCOPES[..]).prop_map(scope)
}

fn any_grant() -> impl Strategy<Value = Grant> {
    let reach = prop_oneof![Just(Reach::Server), any_scope().prop_map(Reach::Scope)];
    let permissions = prop::sample::subsequence(Permission::ALL.to_vec(), 0..=11);
    let names =
        prop::collection::btree_set(prop::sample::select(&["_a", "_b"][..]).prop_map(Arc::from), 0..=2);
    let resources = prop_oneof![Just(Resources::All), names.prop_map(Resources::Named)];
    (reach, permissions, resources).prop_map(|(reach, permissions, resources)| Grant {
        reach,
        permissions: permissions.into_iter().collect(),
        resources,
    })
}

fn any_grants() -> impl Strategy<Value = Vec<Grant>> {
    prop::collection::vec(any_grant(), 0..5)
}

fn any_question() -> impl Strategy<Value = (Permission, Scope, Option<&'static str>)> {
    let delegate = prop::option::of(prop::sample::select(&["_a", "_b", "_c"][..]));
    (prop::sample::select(&Permission::ALL[..]), any_scope(), delegate)
}

proptest! {
    #[test]
    fn more_assignments_never_allow_less(few in any_grants(), more in any_grants(), asked in any_question()) {
        let (permission, at, delegate) = asked;
        let (before, after) = (grants(few.clone()), grants(few.into_iter().chain(more)));
        prop_assert!(!before.allow(permission, &at, delegate) || after.allow(permission, &at, delegate));
        prop_assert!(before.decide_for_server(permission).is_err() || after.decide_for_server(permission).is_ok());
        prop_assert!(!before.see_all(&at) || after.see_all(&at));
        prop_assert!(!before.touch(&at) || after.touch(&at));
    }

    #[test]
    fn whoever_holds_it_in_a_scope_holds_it_below(all in any_grants(), asked in any_question()) {
        let (permission, at, delegate) = asked;
        let held = grants(all);
        for below in SCOPES.map(scope).iter().filter(|below| at.contains(below)) {
            prop_assert!(!held.allow(permission, &at, delegate) || held.allow(permission, below, delegate));
        }
    }

    #[test]
    fn a_key_can_do_nothing_that_its_owner_cannot(all in any_grants(), bound in any_scope(), asked in any_question()) {
        let (permission, at, delegate) = asked;
        let owner = grants(all);
        let key = owner.within(&bound);
        prop_assert!(!key.allow(permission, &at, delegate) || owner.allow(permission, &at, delegate) && bound.contains(&at));
        prop_assert!(key.decide_for_server(permission).is_err());
        prop_assert_eq!(key.allow(permission, &at, delegate), bound.contains(&at) && owner.allow(permission, &at, delegate));
    }

    #[test]
    fn what_is_covered_allows_nothing_new(all in any_grants(), given in any_grant(), asked in any_question()) {
        let (permission, at, delegate) = asked;
        let own = grants(all);
        if own.cover(&given) && permission != Permission::DelegateView {
            let after = grants([given]);
            prop_assert!(!after.allow(permission, &at, delegate) || own.allow(permission, &at, delegate));
        }
    }
}

#[test]
fn a_token_needs_the_permission_on_every_delegate() {
    let scope: Scope = "acme".parse().unwrap();
    let permissions = BuiltIn::Operator.permissions();
    let grant = |resources| Grant { reach: Reach::Scope("acme".parse().unwrap()), permissions, resources };
    let named = Grants::from_iter([grant(Resources::Named(["_edge".into()].into()))]);
    assert!(named.decide(Permission::DelegateEdit, &scope, None).is_ok());
    let denial = named.decide_on_all(Permission::DelegateEdit, &scope).unwrap_err();
    assert_eq!(denial.reason, Reason::OtherDelegates);
    assert!(
        Grants::from_iter([grant(Resources::All)]).decide_on_all(Permission::DelegateEdit, &scope).is_ok()
    );
    assert!(Grants::default().decide_on_all(Permission::DelegateView, &scope).is_err());
}
