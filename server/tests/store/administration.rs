//! Scopes, tokens, settings, catalog and their change counters.

use fleet::scope::Scope;
use server::store::{NewScope, Revisions, StoreError, TokenRow, TokenStatus};

use crate::fixture::{Fixture, at, new_scope, scope, token};
use crate::shortcuts::Shortcuts as _;
use crate::token_shortcuts::TokenShortcuts as _;

async fn create(fixture: &Fixture, scopes: &[&str]) -> Vec<Scope> {
    let missing: Vec<NewScope> = scopes.iter().copied().map(new_scope).collect();
    fixture.store.create_scopes(&missing).await.unwrap()
}

pub(crate) async fn scopes_are_created_once_with_their_token(fixture: Fixture) {
    assert_eq!(create(&fixture, &["acme"]).await, [scope("acme")]);
    let created = create(&fixture, &["acme", "acme/payments", "acme/payments/checkout"]).await;
    assert_eq!(created, [scope("acme/payments"), scope("acme/payments/checkout")]);
    let revisions = fixture.store.revisions().await.unwrap();
    assert_eq!(create(&fixture, &["acme", "acme/payments"]).await, []);
    assert_eq!(fixture.store.revisions().await.unwrap(), revisions);
    let owners: Vec<_> = fixture.store.tokens().await.unwrap().iter().map(|t| t.scope.to_string()).collect();
    assert_eq!(owners, ["acme", "acme/payments", "acme/payments/checkout"]);
}

pub(crate) async fn scopes_are_listed_outermost_first(fixture: Fixture) {
    // Capital letters, '-' and '_' are where the orders of databases differ.
    let sorted = ["Zeta", "acme", "acme/a-b", "acme/a_b", "acme/ab", "acme/ab/c", "acme-2", "beta"];
    let mut shuffled = sorted;
    shuffled.reverse();
    create(&fixture, &shuffled).await;
    let told: Vec<_> = fixture.store.scopes().await.unwrap().iter().map(ToString::to_string).collect();
    assert_eq!(told, sorted);
}

pub(crate) async fn a_scope_created_by_two_at_once_exists_once(fixture: Fixture) {
    let other = fixture.again().await;
    let missing = [new_scope("acme"), new_scope("acme/payments")];
    let mut rival = missing.clone();
    for new in &mut rival {
        new.token.id = format!("rival {}", new.token.id).into();
    }
    let (one, two) = tokio::join!(fixture.store.create_scopes(&missing), other.create_scopes(&rival));
    let created = [one.unwrap(), two.unwrap()].concat();
    assert_eq!(created.len(), 2, "{created:?}");
    assert_eq!(fixture.store.scopes().await.unwrap().len(), 2);
    assert_eq!(fixture.store.tokens().await.unwrap().len(), 2);
}

pub(crate) async fn a_token_comes_back_with_all_fields(fixture: Fixture) {
    create(&fixture, &["acme"]).await;
    let full = TokenRow {
        sealed: (0..=255).collect(),
        created_at: at(1),
        created_by: Some("someone@example.test".into()),
        revoke_after: Some(at(2)),
        last_used: Some(at(3)),
        ..token("acme", "edge 'token' ü")
    };
    fixture.store.insert_token(&full).await.unwrap();
    assert_eq!(fixture.store.tokens().await.unwrap(), [token("acme", "default_token"), full]);
}

pub(crate) async fn a_token_needs_its_scope_and_a_free_name(fixture: Fixture) {
    create(&fixture, &["acme", "acme/payments"]).await;
    fixture.store.insert_token(&token("acme", "edge")).await.unwrap();
    fixture.store.insert_token(&token("acme/payments", "edge")).await.unwrap();
    let twin = TokenRow { id: "another id".into(), ..token("acme", "edge") };
    let taken = fixture.store.insert_token(&twin).await.unwrap_err();
    assert_eq!(taken.to_string(), "a token edge of acme already exists");
    assert!(matches!(taken, StoreError::Exists(_)));
    for nowhere in ["beta", "acme/other", "acme/payments/other"] {
        let missing = fixture.store.insert_token(&token(nowhere, "edge")).await.unwrap_err();
        assert_eq!(missing.to_string(), format!("the scope {nowhere} does not exist"));
        assert!(matches!(missing, StoreError::Missing(_)));
    }
    assert_eq!(fixture.store.tokens().await.unwrap().len(), 4);
}

pub(crate) async fn a_revoked_token_keeps_its_name(fixture: Fixture) {
    create(&fixture, &["acme"]).await;
    let edge = TokenRow { revoke_after: Some(at(90)), ..token("acme", "edge") };
    fixture.store.insert_token(&edge).await.unwrap();
    let revoked = fixture.store.revoke_token(&scope("acme"), "edge", at(50)).await.unwrap();
    let expected = TokenRow { status: TokenStatus::Revoked, revoked_at: Some(at(50)), ..edge.clone() };
    assert_eq!(revoked, expected);
    assert_eq!(fixture.store.tokens().await.unwrap(), [token("acme", "default_token"), expected]);
    let twin = TokenRow { id: "another id".into(), ..edge };
    assert!(matches!(fixture.store.insert_token(&twin).await, Err(StoreError::Exists(_))));
}

pub(crate) async fn revoking_twice_or_elsewhere_finds_nothing(fixture: Fixture) {
    create(&fixture, &["acme", "acme/payments"]).await;
    fixture.store.insert_token(&token("acme", "edge")).await.unwrap();
    let revoke = async |owner: &str, name: &str| {
        fixture.store.revoke_token(&scope(owner), name, at(50)).await.map(|token| token.name)
    };
    for (owner, name) in [("acme", "Edge"), ("acme/payments", "edge"), ("beta", "edge")] {
        assert!(matches!(revoke(owner, name).await, Err(StoreError::Missing(_))), "{owner} {name}");
    }
    assert_eq!(&*revoke("acme", "edge").await.unwrap(), "edge");
    let twice = revoke("acme", "edge").await;
    assert!(matches!(twice, Err(StoreError::Missing(_))), "{twice:?}");
}

pub(crate) async fn a_setting_is_set_replaced_and_removed(fixture: Fixture) {
    let acme = scope("acme");
    let deep = scope("acme/payments/checkout");
    let put = async |scope: Option<&Scope>, key: &str, value: Option<&str>| {
        fixture.store.put_setting(scope, key, value, at(1)).await.unwrap();
    };
    put(None, "retention.instance_hours", Some("6")).await;
    put(Some(&acme), "retention.instance_hours", Some("12")).await;
    put(Some(&deep), "retention.instance_hours", Some("")).await;
    put(Some(&acme), "note", Some("\"ü\" 'x'")).await;
    put(Some(&acme), "retention.instance_hours", Some("24")).await;
    put(Some(&acme), "note", None).await;
    put(Some(&acme), "never.set", None).await;
    let key = |scope: Option<&Scope>| (scope.cloned(), "retention.instance_hours".to_owned());
    let expected =
        [(key(None), "6".to_owned()), (key(Some(&acme)), "24".to_owned()), (key(Some(&deep)), String::new())];
    assert_eq!(fixture.store.settings().await.unwrap(), expected.into_iter().collect());
}

pub(crate) async fn the_catalog_put_last_is_current(fixture: Fixture) {
    assert_eq!(fixture.store.catalog().await.unwrap(), None);
    let large = format!("{{\"releases\":[\"{}\"]}}", "ü".repeat(100_000));
    // Whatever the clock says: it may be set back.
    for (document, seconds) in [("{}", 50), (&*large, 60), ("{\"releases\":[]}", 10)] {
        fixture.store.put_catalog(document, at(seconds)).await.unwrap();
        assert_eq!(fixture.store.catalog().await.unwrap().as_deref(), Some(document));
    }
}

pub(crate) async fn revisions_tell_what_changed(fixture: Fixture) {
    // Changes of the fleet are counted for nodes, which only one of the databases can have.
    let revisions = async || Revisions { fleet: 0, ..fixture.store.revisions().await.unwrap() };
    assert_eq!(revisions().await, Revisions::default());
    create(&fixture, &["acme", "beta"]).await;
    assert_eq!(
        revisions().await,
        Revisions { scopes: 1, tokens: 1, catalog: 0, settings: 0, ..Revisions::default() }
    );
    fixture.store.insert_token(&token("acme", "edge")).await.unwrap();
    fixture.store.revoke_token(&scope("acme"), "edge", at(1)).await.unwrap();
    assert_eq!(
        revisions().await,
        Revisions { scopes: 1, tokens: 3, catalog: 0, settings: 0, ..Revisions::default() }
    );
    fixture.store.put_catalog("{}", at(1)).await.unwrap();
    fixture.store.put_setting(None, "a", Some("b"), at(1)).await.unwrap();
    fixture.store.put_setting(None, "a", None, at(1)).await.unwrap();
    assert_eq!(
        revisions().await,
        Revisions { scopes: 1, tokens: 3, catalog: 1, settings: 2, ..Revisions::default() }
    );
    let (own, others) = (fixture.store.revisions().await, fixture.again().await.revisions().await);
    assert_eq!(own.unwrap(), others.unwrap(), "others see the same");
}

pub(crate) async fn a_failed_change_counts_nothing(fixture: Fixture) {
    create(&fixture, &["acme"]).await;
    let before = fixture.store.revisions().await.unwrap();
    fixture.store.insert_token(&token("acme", "default_token")).await.unwrap_err();
    fixture.store.insert_token(&token("beta", "edge")).await.unwrap_err();
    fixture.store.revoke_token(&scope("acme"), "never", at(1)).await.unwrap_err();
    // The second scope brings a token whose id is taken: the first one is not created either.
    let clash = NewScope {
        token: TokenRow { id: token("acme", "default_token").id, ..token("beta/x", "t") },
        ..new_scope("beta/x")
    };
    fixture.store.create_scopes(&[new_scope("beta"), clash]).await.unwrap_err();
    assert_eq!(fixture.store.revisions().await.unwrap(), before);
    assert_eq!(fixture.store.scopes().await.unwrap(), [scope("acme")]);
}
