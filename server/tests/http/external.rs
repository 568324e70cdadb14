//! People who come through the identity provider: their roles follow their groups.

use fleet::access::{Permission, Reach};
use fleet::scope::Scope;
use server::deeds::DeedError;
use server::deeds::external::{Stranger, follow};
use server::store::access::UserRow;

use crate::support::{NOON, Server};

fn ana() -> Stranger<'static> {
    Stranger { issuer: "https://id.example", subject: "1", email: "Ana@acme.example", name: Some("Ana") }
}

fn role(scope: &str, role: &str) -> (Reach, String) {
    (Reach::Scope(scope.parse().expect("scope")), role.to_owned())
}

async fn comes(
    server: &Server,
    stranger: &Stranger<'_>,
    roles: &[(Reach, String)],
) -> Result<Option<UserRow>, DeedError> {
    let tables = server.parts.state.auth.directory.tables();
    let Some((user, changes)) = follow(&tables, stranger, roles, NOON)? else { return Ok(None) };
    server.parts.state.change_access(&changes).await?;
    Ok(Some(user))
}

fn may(server: &Server, user: &UserRow, permission: Permission, scope: &str) -> bool {
    let scope: Scope = scope.parse().expect("scope");
    server.parts.state.auth.directory.tables().grants(&user.id).allow(permission, &scope, None)
}

#[tokio::test]
async fn a_newcomer_gets_what_their_groups_give_and_loses_it_with_them() {
    let server = Server::new().await;
    let user = comes(&server, &ana(), &[role("acme/payments", "operator")]).await.unwrap().expect("known");
    assert_eq!((&*user.email, &*user.name), ("ana@acme.example", "Ana"));
    assert!(may(&server, &user, Permission::DelegateDelete, "acme/payments"));
    assert!(!may(&server, &user, Permission::DelegateView, "acme"));

    let again = comes(&server, &ana(), &[role("acme", "viewer")]).await.unwrap().expect("known");
    assert_eq!(again.id, user.id);
    assert!(may(&server, &user, Permission::DelegateView, "acme"));
    assert!(!may(&server, &user, Permission::DelegateDelete, "acme/payments"));

    comes(&server, &ana(), &[]).await.unwrap();
    assert!(server.parts.state.auth.directory.tables().grants(&user.id).is_empty());
}

#[tokio::test]
async fn somebody_in_no_known_group_is_not_created() {
    let server = Server::new().await;
    let nothing = role("acme", "no-such-role@acme");
    for roles in [vec![], vec![nothing]] {
        assert!(comes(&server, &ana(), &roles).await.unwrap().is_none());
    }
    assert!(server.parts.state.auth.directory.tables().by_email("ana@acme.example").is_none());
}

#[tokio::test]
async fn who_was_invited_by_e_mail_keeps_the_roles_given_by_hand() {
    let server = Server::new().await;
    server.person("ana@acme.example", "viewer", "acme").await;
    let user = comes(&server, &ana(), &[]).await.unwrap().expect("invited");
    assert!(may(&server, &user, Permission::DelegateView, "acme"));
    comes(&server, &ana(), &[role("acme/payments", "admin")]).await.unwrap();
    comes(&server, &ana(), &[]).await.unwrap();
    assert!(may(&server, &user, Permission::DelegateView, "acme"));
    assert!(!may(&server, &user, Permission::UserManage, "acme/payments"));
}

#[tokio::test]
async fn the_subject_counts_and_not_an_e_mail_that_somebody_else_has() {
    let server = Server::new().await;
    comes(&server, &ana(), &[role("acme", "admin")]).await.unwrap();
    let rival = Stranger { subject: "2", ..ana() };
    let refused = comes(&server, &rival, &[role("acme", "viewer")]).await;
    assert!(matches!(refused, Err(DeedError::Refused(_))), "{refused:?}");
    let moved = Stranger { email: "ana.new@acme.example", ..ana() };
    let same = comes(&server, &moved, &[role("acme", "admin")]).await.unwrap().expect("known");
    assert_eq!(&*same.email, "ana@acme.example");
}

#[tokio::test]
async fn who_is_shut_out_stays_out() {
    let server = Server::new().await;
    let user = comes(&server, &ana(), &[role("acme", "viewer")]).await.unwrap().expect("known");
    server.post_as(&server.root, &format!("/a/acme/users/{}/disable", user.id), &[]).await;
    let refused = comes(&server, &ana(), &[role("acme", "viewer")]).await;
    assert!(matches!(refused, Err(DeedError::Refused(_))), "{refused:?}");
}
