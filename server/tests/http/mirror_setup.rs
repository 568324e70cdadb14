//! Setting up mirrors on their page (`management-api 7.1`).

use axum::http::StatusCode;
use server::deeds::Actor;
use server::deeds::mirrors::{NewMirror, add};

use crate::mirror::{Script, Source, two};
use crate::support::{NOON, Server};

#[tokio::test]
async fn a_mirror_is_set_up_on_its_page_by_those_who_may() {
    let (server, script) = (Server::new().await, Script::default());
    script.then(two);
    let source = Source::serve(script.router()).await;
    let viewer = server.person("viewer@acme.example", "viewer", "acme").await;
    assert_eq!(server.get_as(&viewer, "/a/acme/mirrors").await.status, StatusCode::FORBIDDEN);
    let root = server.root.clone();
    let wrong = [("url", "ftp://x"), ("api_key", "k"), ("name", "vendor"), ("scopes", "there")];
    let answer = server.post_as(&root, "/a/acme/mirrors", &wrong).await;
    assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(answer.body.contains("is not the address of a server"), "{}", answer.body);
    assert!(!answer.body.contains("value=\"k\""), "a key does not come back");
    let fields =
        [("url", &*source.url), ("api_key", "top-secret-key"), ("name", "vendor"), ("scopes", "there")];
    assert_eq!(server.post_as(&viewer, "/a/acme/mirrors", &fields).await.status, StatusCode::FORBIDDEN);
    assert_eq!(server.post_as(&root, "/a/acme/mirrors", &fields).await.status, StatusCode::SEE_OTHER);
    let again = server.post_as(&root, "/a/acme/mirrors", &fields).await;
    assert!(again.body.contains("already exists"), "{}", again.body);
    let row = server.looked("vendor").await;
    assert!(!row.sealed.windows(14).any(|bytes| bytes == b"top-secret-key"), "sealed");
    let page = server.get("/a/acme/mirrors").await.body;
    assert!(
        page.contains("vendor") && page.contains("Up to date") && !page.contains("top-secret-key"),
        "{page}"
    );
    let path = format!("/a/acme/mirrors/{}/remove", row.id);
    assert_eq!(server.post_as(&viewer, &path, &[]).await.status, StatusCode::FORBIDDEN);
    assert_eq!(server.post_as(&root, &path, &[]).await.status, StatusCode::SEE_OTHER);
    for node in server.nodes() {
        node.mirrors.catch_up().await.expect("followed");
    }
    assert_eq!(server.listed("acme").await["counts"]["groups"], 0);
    let deeds: Vec<_> = server.audit().await.into_iter().map(|(_, action, _)| action).collect();
    assert!(deeds.contains(&"mirror.add".to_owned()) && deeds.contains(&"mirror.remove".to_owned()));
}

#[tokio::test]
async fn several_accounts_stand_side_by_side() {
    let (server, script) = (Server::new().await, Script::default());
    script.then(two);
    let source = Source::serve(script.router()).await;
    for account in ["first", "second"] {
        let scope = account.parse().expect("a scope");
        let key = format!("pat.{account}.id.secret");
        let new = NewMirror { name: "vendor", url: &source.url, scopes: "", key: &key };
        let (store, vault) = (&server.parts.store, &server.parts.state.vault);
        add(store, vault, &Actor::command_line(), &scope, &new, NOON).await.expect("a mirror");
    }
    server.looked("vendor").await;
    for node in server.nodes() {
        node.mirrors.catch_up().await.expect("followed");
    }
    for account in ["first", "second"] {
        assert_eq!(server.listed(account).await["counts"]["groups"], 2, "{account}");
        let page = server.get(&format!("/a/{account}/o/payments/delegates")).await;
        assert!(page.status == StatusCode::OK && page.body.contains("two"), "{}", page.body);
    }
    assert_eq!(server.listed("acme").await["counts"]["groups"], 0);
    let outsider = server.person("sre@acme.example", "viewer", "acme").await;
    assert_eq!(server.get_as(&outsider, "/a/first/delegates").await.status, StatusCode::FORBIDDEN);
}
