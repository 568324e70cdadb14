//! People, roles, keys, sessions, links and the audit log.

use std::collections::BTreeSet;
use std::sync::Arc;

use fleet::access::{Permission, Reach, Resources};
use fleet::delegate::Approval;
use server::store::access::{
    ApiKeyRow, AssignmentRow, Change, EmbedKeyRow, LinkRow, Purpose, RoleRow, SessionRow, UserKind, UserRow,
};
use server::store::{Batch, StoreError, TokenStatus, Tombstone};

use crate::audit::{commit, line, summaries, wanted};
use crate::fixture::{Fixture, at, group, new_scope, scope, token};

pub(crate) fn user(id: &str) -> UserRow {
    UserRow {
        id: id.into(),
        email: format!("{id}@acme.example").into(),
        name: "Ä name with 'quotes'".into(),
        kind: UserKind::Person,
        password: Some("$argon2id$hash".into()),
        external_id: None,
        disabled: false,
        created_at: at(1),
        created_by: None,
        last_sign_in: None,
    }
}

fn session(hash: &str, user: &str) -> SessionRow {
    SessionRow {
        hash: hash.into(),
        user: user.into(),
        created_at: at(1),
        last_seen: at(2),
        agent: "a browser".into(),
        address: "192.0.2.1".into(),
    }
}

pub(crate) async fn people_and_what_they_have_come_back(fixture: Fixture) {
    let full = UserRow {
        external_id: Some("https://issuer subject".into()),
        disabled: true,
        created_by: Some("root@acme.example".into()),
        last_sign_in: Some(at(9)),
        ..user("u1")
    };
    let service = UserRow { kind: UserKind::Service, password: None, email: "robot".into(), ..user("u2") };
    let role = RoleRow {
        scope: scope("acme/payments"),
        id: "night".into(),
        name: "Night shift".into(),
        permissions: [Permission::DelegateView, Permission::AuditView].into_iter().collect(),
        created_at: at(3),
    };
    let named: BTreeSet<Arc<str>> = ["_a".into(), "_b".into()].into();
    let assignment = AssignmentRow {
        id: "a1".into(),
        user: "u1".into(),
        reach: Reach::Scope(scope("acme/payments")),
        role: "night@acme/payments".into(),
        resources: Resources::Named(named),
        external: true,
        created_at: at(4),
        created_by: Some("root@acme.example".into()),
    };
    let server = AssignmentRow {
        id: "a2".into(),
        reach: Reach::Server,
        resources: Resources::All,
        external: false,
        created_by: None,
        ..assignment.clone()
    };
    let key = ApiKeyRow {
        id: "k1".into(),
        user: "u2".into(),
        scope: scope("acme"),
        name: "nightly".into(),
        hash: "ab".into(),
        created_at: at(5),
        created_by: None,
        expires_at: Some(at(6)),
        revoked_at: None,
        last_used: None,
    };
    let embed = EmbedKeyRow {
        id: "e1".into(),
        scope: scope("acme"),
        name: "wiki".into(),
        hash: "cd".into(),
        filter: "health=expired".into(),
        origins: vec!["https://wiki.example".to_owned()],
        created_at: at(7),
        created_by: "root@acme.example".into(),
        expires_at: None,
        revoked_at: None,
    };
    commit(
        &fixture,
        &[
            Change::InsertUser(full.clone()),
            Change::InsertUser(service.clone()),
            Change::InsertRole(role.clone()),
            Change::PutAssignment(assignment.clone()),
            Change::PutAssignment(server.clone()),
            Change::InsertApiKey(key.clone()),
            Change::InsertEmbedKey(embed.clone()),
            Change::NoteSignIn { user: "u2".into(), at: at(8) },
            Change::TouchApiKey { id: "k1".into(), at: at(9) },
        ],
    )
    .await;
    let told = fixture.again().await.access().await.unwrap();
    let service = UserRow { last_sign_in: Some(at(8)), ..service };
    assert_eq!(told.users, [service, full]);
    assert_eq!(told.roles, [role]);
    assert_eq!(told.assignments, [assignment, server]);
    assert_eq!(told.api_keys, [ApiKeyRow { last_used: Some(at(9)), ..key }]);
    assert_eq!(told.embed_keys, [embed]);
}

pub(crate) async fn an_email_belongs_to_one(fixture: Fixture) {
    commit(&fixture, &[Change::InsertUser(user("u1"))]).await;
    let rival = UserRow { email: user("u1").email, ..user("u2") };
    let before = fixture.store.revisions().await.unwrap();
    let refused = fixture.store.commit(&[Change::InsertUser(user("u3")), Change::InsertUser(rival)]).await;
    assert!(matches!(refused, Err(StoreError::Exists(_))), "{refused:?}");
    assert_eq!(fixture.store.access().await.unwrap().users.len(), 1, "nothing of a refused commit stays");
    assert_eq!(fixture.store.revisions().await.unwrap(), before);
}

pub(crate) async fn what_is_not_there_cannot_be_changed(fixture: Fixture) {
    commit(&fixture, &[Change::InsertUser(user("u1"))]).await;
    for change in [
        Change::RemoveAssignment("nothing".into()),
        Change::RemoveRole { scope: scope("acme"), id: "nothing".into() },
        Change::TakeLink { hash: "nothing".into(), at: at(1) },
        Change::RevokeToken { id: "nothing".into(), at: at(1) },
        Change::RemoveToken("nothing".into()),
        Change::SetApproval {
            account: "acme".into(),
            group: "nothing".into(),
            from: Approval::Pending,
            to: Approval::Approved,
        },
    ] {
        let refused = fixture.store.commit(&[Change::Audit(line(1, "x", None)), change.clone()]).await;
        assert!(matches!(refused, Err(StoreError::Missing(_))), "{change:?}: {refused:?}");
    }
    assert!(summaries(&fixture, &wanted(None)).await.is_empty(), "a deed that was not done leaves no line");
}

pub(crate) async fn a_removed_role_goes_with_its_assignments(fixture: Fixture) {
    let role = |id: &str| RoleRow {
        scope: scope("acme"),
        id: id.into(),
        name: id.into(),
        permissions: [Permission::DelegateView].into_iter().collect(),
        created_at: at(1),
    };
    let assignment = |id: &str, role: &str| AssignmentRow {
        id: id.into(),
        user: "u1".into(),
        reach: Reach::Scope(scope("acme")),
        role: role.into(),
        resources: Resources::All,
        external: false,
        created_at: at(1),
        created_by: None,
    };
    commit(
        &fixture,
        &[
            Change::InsertUser(user("u1")),
            Change::InsertRole(role("a")),
            Change::InsertRole(role("b")),
            Change::PutAssignment(assignment("1", "a@acme")),
            Change::PutAssignment(assignment("2", "b@acme")),
            Change::RemoveRole { scope: scope("acme"), id: "a".into() },
        ],
    )
    .await;
    let told = fixture.store.access().await.unwrap();
    assert_eq!(told.roles, [role("b")]);
    assert_eq!(told.assignments, [assignment("2", "b@acme")]);
}

pub(crate) async fn sessions_are_found_touched_and_ended(fixture: Fixture) {
    commit(
        &fixture,
        &[
            Change::InsertUser(user("u1")),
            Change::InsertUser(user("u2")),
            Change::PutSession(session("a", "u1")),
            Change::PutSession(session("b", "u1")),
            Change::PutSession(session("c", "u2")),
            Change::TouchSession { hash: "a".into(), at: at(5) },
            Change::TouchSession { hash: "a".into(), at: at(4) },
            Change::TouchSession { hash: "gone".into(), at: at(4) },
        ],
    )
    .await;
    let seen = fixture.store.session("a").await.unwrap();
    assert_eq!(seen, Some(SessionRow { last_seen: at(5), ..session("a", "u1") }));
    assert_eq!(fixture.store.session("nothing").await.unwrap(), None);
    assert_eq!(fixture.store.sessions_of("u1").await.unwrap().len(), 2);
    commit(&fixture, &[Change::RemoveSessions { user: "u1".into(), except: "b".into() }]).await;
    assert_eq!(fixture.store.sessions_of("u1").await.unwrap(), [session("b", "u1")]);
    commit(&fixture, &[Change::ExpireSessions { created_before: at(0), seen_before: at(2) }]).await;
    assert!(fixture.store.session("b").await.unwrap().is_some(), "seen at the limit");
    commit(&fixture, &[Change::ExpireSessions { created_before: at(0), seen_before: at(3) }]).await;
    assert_eq!(fixture.store.session("b").await.unwrap(), None);
    assert_eq!(fixture.store.session("c").await.unwrap(), None);
}

pub(crate) async fn a_link_works_once_and_in_its_time(fixture: Fixture) {
    let link = |hash: &str, end| LinkRow {
        hash: hash.into(),
        purpose: Purpose::SignIn,
        user: "u1".into(),
        expires_at: at(end),
    };
    commit(&fixture, &[Change::PutLink(link("a", 10), at(1)), Change::PutLink(link("b", 20), at(1))]).await;
    assert_eq!(fixture.store.link("a").await.unwrap(), Some(link("a", 10)));
    let take = |hash: &str, now| Change::TakeLink { hash: hash.into(), at: at(now) };
    assert!(fixture.store.commit(&[take("a", 10)]).await.is_err(), "out of date");
    commit(&fixture, &[take("a", 9)]).await;
    assert!(fixture.store.commit(&[take("a", 9)]).await.is_err(), "used up");
    commit(&fixture, &[Change::PutLink(link("c", 99), at(20))]).await;
    assert_eq!(fixture.store.link("b").await.unwrap(), None, "old ones go when a new one comes");
}

pub(crate) async fn tokens_are_revoked_and_removed_in_this_order(fixture: Fixture) {
    fixture.store.create_scopes(&[new_scope("acme")]).await.unwrap();
    let edge = token("acme", "edge");
    commit(&fixture, &[Change::InsertToken(edge.clone())]).await;
    let again = fixture.store.commit(&[Change::InsertToken(token("acme", "edge"))]).await;
    assert!(matches!(again, Err(StoreError::Exists(_))), "{again:?}");
    let nowhere = fixture.store.commit(&[Change::InsertToken(token("nowhere", "edge"))]).await;
    assert!(matches!(nowhere, Err(StoreError::Missing(_))), "{nowhere:?}");
    let early = fixture.store.commit(&[Change::RemoveToken(Arc::clone(&edge.id))]).await;
    assert!(matches!(early, Err(StoreError::Missing(_))), "{early:?}");
    let before = fixture.store.revisions().await.unwrap().tokens;
    commit(&fixture, &[Change::RevokeToken { id: Arc::clone(&edge.id), at: at(5) }]).await;
    let tokens = fixture.store.tokens().await.unwrap();
    let row = tokens.iter().find(|row| row.id == edge.id).unwrap();
    assert_eq!((row.status, row.revoked_at), (TokenStatus::Revoked, Some(at(5))));
    commit(&fixture, &[Change::RemoveToken(Arc::clone(&edge.id))]).await;
    assert_eq!(fixture.store.tokens().await.unwrap().len(), 1);
    assert_eq!(fixture.store.revisions().await.unwrap().tokens, before + 2);
}

pub(crate) async fn settings_catalog_tombstones_and_approval_go_with_their_line(fixture: Fixture) {
    let facts = Arc::new(group("acme", "edge"));
    let batch = Batch { groups: vec![Arc::clone(&facts)], ..Batch::default() };
    fixture.store.write(&batch).await.unwrap();
    let tombstone = Tombstone {
        account: "acme".into(),
        group: Arc::clone(&facts.id),
        instance: "".into(),
        at: at(3),
        by: "alex@acme.example".into(),
        lifted_at: None,
    };
    commit(
        &fixture,
        &[
            Change::PutSetting { scope: None, key: "a".to_owned(), value: Some("1".to_owned()), at: at(1) },
            Change::PutCatalog { document: "{}".to_owned(), at: at(1) },
            Change::Bury(tombstone),
            Change::SetApproval {
                account: "acme".into(),
                group: Arc::clone(&facts.id),
                from: Approval::Approved,
                to: Approval::Pending,
            },
            Change::Audit(line(4, "delegate.delete", Some("acme"))),
        ],
    )
    .await;
    assert_eq!(fixture.store.settings().await.unwrap()[&(None, "a".to_owned())], "1");
    assert_eq!(fixture.store.catalog().await.unwrap().as_deref(), Some("{}"));
    assert_eq!(summaries(&fixture, &wanted(Some("acme"))).await, ["line 4"]);
    let revisions = fixture.store.revisions().await.unwrap();
    assert_eq!((revisions.settings, revisions.catalog), (1, 1));
}

pub(crate) async fn what_was_done_already_is_not_done_again(fixture: Fixture) {
    let facts = Arc::new(group("acme", "edge"));
    fixture.store.write(&Batch { groups: vec![Arc::clone(&facts)], ..Batch::default() }).await.unwrap();
    let stone = Tombstone {
        account: "acme".into(),
        group: Arc::clone(&facts.id),
        instance: "".into(),
        at: at(3),
        by: "alex@acme.example".into(),
        lifted_at: None,
    };
    let lifted = Tombstone { lifted_at: Some(at(4)), ..stone.clone() };
    let approval =
        |from, to| Change::SetApproval { account: "acme".into(), group: Arc::clone(&facts.id), from, to };
    let role = RoleRow {
        scope: scope("acme"),
        id: "night".into(),
        name: "Night".into(),
        permissions: [Permission::DelegateView].into_iter().collect(),
        created_at: at(1),
    };
    commit(&fixture, &[Change::InsertUser(user("u1"))]).await;
    for change in [
        Change::Bury(stone),
        Change::Lift(lifted),
        approval(Approval::Approved, Approval::Pending),
        Change::SetDisabled { user: "u1".into(), disabled: true },
        Change::InsertRole(role),
    ] {
        commit(&fixture, std::slice::from_ref(&change)).await;
        let again = fixture.store.commit(std::slice::from_ref(&change)).await;
        assert!(
            matches!(again, Err(StoreError::Missing(_) | StoreError::Exists(_))),
            "{change:?}: {again:?}"
        );
    }
    let late = Change::SetPassword { user: "u1".into(), hash: "$argon2id$other".into() };
    assert!(fixture.store.commit(&[late]).await.is_err(), "who is shut out gets no new password");
    let told = fixture.store.access().await.unwrap().users.remove(0);
    assert!(told.disabled && told.password == user("u1").password);
}

pub(crate) async fn a_role_that_is_gone_cannot_be_given(fixture: Fixture) {
    let assignment = AssignmentRow {
        id: "a1".into(),
        user: "u1".into(),
        reach: Reach::Scope(scope("acme")),
        role: "night@acme/payments".into(),
        resources: Resources::All,
        external: false,
        created_at: at(1),
        created_by: None,
    };
    let given =
        fixture.store.commit(&[Change::InsertUser(user("u1")), Change::PutAssignment(assignment)]).await;
    assert!(matches!(given, Err(StoreError::Missing(_))), "{given:?}");
    assert!(fixture.store.access().await.unwrap().users.is_empty());
}
