//! What people could do to each other, and cannot.

use std::time::Duration;

use axum::http::{Method, StatusCode};
use fleet::access::Permission;
use server::deeds::Actor;
use server::deeds::people::{set_disabled, set_password};
use server::store::access::{Change, LinkRow, Purpose};

use crate::support::{Caller, NOON, Server};

const PATH: &str = "/a/acme/o/payments";

fn id_of(server: &Server, email: &str) -> String {
    server.parts.state.auth.directory.tables().by_email(email).expect("user").id.to_string()
}

#[tokio::test]
async fn who_is_shut_out_while_changing_a_password_stays_out() {
    let server = Server::new().await;
    server.person("leaver@acme.example", "viewer", "acme").await;
    let tables = server.parts.state.auth.directory.tables();
    let user = tables.by_email("leaver@acme.example").expect("user");
    let change = set_password(&Actor::command_line(), None, user, "$argon2id$x".into(), "", NOON);
    let out = set_disabled(&tables, &Actor::command_line(), None, &user.id, true, NOON).expect("deed");
    server.parts.state.change_access(&out).await.expect("out");
    assert!(server.parts.state.change_access(&change).await.is_err(), "the later password changes nothing");
    let tables = server.parts.state.auth.directory.tables();
    assert!(tables.by_email("leaver@acme.example").expect("user").disabled);
}

#[tokio::test]
async fn of_two_admins_that_remove_each_other_one_stays() {
    let server = Server::new().await;
    let one = server.person("one@acme.example", "admin", "acme/payments").await;
    let two = server.person("two@acme.example", "admin", "acme/payments").await;
    let role_of = |email: &str| {
        let tables = server.parts.state.auth.directory.tables();
        let id = tables.by_email(email).expect("user").id.clone();
        tables.assignments_of(&id).next().expect("role").id.to_string()
    };
    let path =
        |email: &str| format!("{PATH}/users/{}/assignments/{}/remove", id_of(&server, email), role_of(email));
    let (first, second) = (path("two@acme.example"), path("one@acme.example"));
    let (a, b) = tokio::join!(server.post_as(&one, &first, &[]), server.post_as(&two, &second, &[]));
    let done = [a.status, b.status].iter().filter(|status| **status == StatusCode::SEE_OTHER).count();
    assert_eq!(done, 1, "{} {}", a.status, b.status);
}

#[tokio::test]
async fn people_of_another_account_are_not_brought_in_by_a_project() {
    let server = Server::new().await;
    server.create_scope("beta").await;
    let admin = server.person("admin@acme.example", "admin", "acme/payments").await;
    server.person("boss@beta.example", "admin", "beta").await;
    let fields = [("email", "boss@beta.example"), ("role", "viewer")];
    let refused = server.post_as(&admin, &format!("{PATH}/users"), &fields).await;
    assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
    let done = server.post_as(&server.root, &format!("{PATH}/users"), &fields).await;
    assert_eq!(done.status, StatusCode::SEE_OTHER, "an admin of the whole server may");
}

#[tokio::test]
async fn who_holds_less_does_nothing_to_who_holds_more() {
    let server = Server::new().await;
    server.person("admin@acme.example", "admin", "acme/payments").await;
    let role = [("name", "People only"), ("permission", "core_user_manage")];
    server.post_as(&server.root, &format!("{PATH}/roles"), &role).await;
    let hr = server.person("hr@acme.example", "people-only@acme/payments", "acme/payments").await;
    for deed in ["disable", "sign-out"] {
        let path = format!("{PATH}/users/{}/{deed}", id_of(&server, "admin@acme.example"));
        assert_eq!(server.post_as(&hr, &path, &[]).await.status, StatusCode::CONFLICT, "{deed}");
    }
}

#[tokio::test]
async fn nobody_removes_the_role_that_they_hold_themselves() {
    let server = Server::new().await;
    let role = [("name", "Keeper"), ("permission", "core_role_manage")];
    server.post_as(&server.root, &format!("{PATH}/roles"), &role).await;
    let keeper = server.person("keeper@acme.example", "keeper@acme/payments", "acme/payments").await;
    let refused = server.post_as(&keeper, &format!("{PATH}/roles/keeper/delete"), &[]).await;
    assert_eq!(refused.status, StatusCode::CONFLICT);
    assert_eq!(server.get_as(&keeper, &format!("{PATH}/roles")).await.status, StatusCode::OK);
}

#[tokio::test]
async fn people_without_a_role_belong_to_the_admins_of_the_server() {
    let server = Server::new().await;
    let admin = server.person("admin@acme.example", "admin", "acme").await;
    server.person("gone@acme.example", "viewer", "acme").await;
    let tables = server.parts.state.auth.directory.tables();
    let gone = tables.by_email("gone@acme.example").expect("user").id.clone();
    let row = tables.assignments_of(&gone).next().expect("role").id.clone();
    server.parts.state.change_access(&[Change::RemoveAssignment(row)]).await.expect("removed");
    let path = format!("/a/acme/users/{gone}/disable");
    assert_eq!(server.post_as(&admin, &path, &[]).await.status, StatusCode::FORBIDDEN);
    assert_eq!(server.post_as(&server.root, &path, &[]).await.status, StatusCode::SEE_OTHER);
}

#[tokio::test]
async fn nothing_is_made_in_a_scope_that_does_not_exist() {
    let server = Server::new().await;
    for (page, fields) in [
        ("users", [("email", "a@b.example"), ("role", "viewer")]),
        ("roles", [("name", "x"), ("permission", "core_audit_view")]),
        ("settings", [("key", "approval.required"), ("value", "true")]),
        ("embeds", [("name", "x"), ("origins", "https://wiki.example")]),
        ("tokens", [("name", "x"), ("days", "")]),
    ] {
        let answer = server.post_as(&server.root, &format!("/a/acme/o/ghost/{page}"), &fields).await;
        assert_eq!(answer.status, StatusCode::NOT_FOUND, "{page}");
    }
    let tables = server.parts.state.auth.directory.tables();
    assert!(tables.roles.is_empty() && tables.embed_keys.is_empty());
    assert!(server.parts.store.settings().await.expect("settings").is_empty());
}

#[tokio::test]
async fn a_key_reaches_neither_other_keys_nor_the_page_of_its_owner() {
    let server = Server::new().await;
    let wide = server.key("root@acme.example", "acme").await;
    let narrow = Caller::Key(server.key("root@acme.example", "acme/payments/checkout").await);
    let id = wide.rsplit('.').nth(1).expect("id").to_owned();
    let refused = server.post_as(&narrow, &format!("/me/keys/{id}/revoke"), &[]).await;
    assert_eq!(refused.status, StatusCode::CONFLICT, "{}", refused.body);
    assert_eq!(server.get_as(&narrow, "/me").await.status, StatusCode::FORBIDDEN);
    let answer = server.get_as(&Caller::Key(wide), "/api/v1/accounts/acme/delegates").await;
    assert_eq!(answer.status, StatusCode::OK);
}

#[tokio::test]
async fn a_link_is_used_up_by_a_person_who_opens_it_and_nobody_else() {
    let server = Server::new().await;
    let link = |code: &str| LinkRow {
        hash: server::auth::secret::hash(code).into(),
        purpose: Purpose::SignIn,
        user: id_of(&server, "root@acme.example").into(),
        expires_at: NOON.plus(1),
    };
    server.parts.store.commit(&[Change::PutLink(link("code"), NOON)]).await.expect("link");
    let path = "/sign-in/link/code?next=%2Fa%2Facme%2Ftokens";
    let head = server.head_of(&Caller::Stranger, Method::HEAD, path).await;
    assert_eq!((head.status, head.header("set-cookie")), (StatusCode::NO_CONTENT, ""));
    for (name, value) in [("sec-purpose", "prefetch"), ("sec-fetch-dest", "image")] {
        let request = server.request(&Caller::Stranger, Method::GET, path).await.header(name, value);
        let answer = server.send(request.body(axum::body::Body::empty()).expect("request")).await;
        assert_eq!(answer.header("set-cookie"), "", "{name}: {value}");
    }
    let opened = server.get_as(&Caller::Stranger, path).await;
    assert_eq!((opened.status, opened.header("location")), (StatusCode::SEE_OTHER, "/a/acme/tokens"));
    assert_eq!(server.get_as(&Caller::Stranger, path).await.status, StatusCode::GONE);
}

#[tokio::test]
async fn a_role_on_a_named_delegate_shows_no_other_among_those_that_are_usable() {
    let server = Server::new().await;
    server.register("acme", "mine", "mine-1", None).await;
    server.register("acme", "other", "other-1", None).await;
    let narrow = server.narrowed_person("sam@acme.example", "viewer", "acme", "_mine").await;
    let path = "/api/v1/accounts/acme/orgs/payments/delegates?usable=true";
    let answer = server.get_as(&narrow, path).await;
    assert!(answer.body.contains("\"mine\"") && !answer.body.contains("other"), "{}", answer.body);
}

#[tokio::test]
async fn a_token_is_nothing_for_who_sees_some_delegates_only() {
    let server = Server::new().await;
    server.register("acme/payments", "mine", "mine-1", None).await;
    let narrow = server.narrowed_person("sam@acme.example", "operator", "acme/payments", "_mine").await;
    let grants = server.parts.state.auth.directory.tables().grants(&id_of(&server, "sam@acme.example"));
    assert!(grants.allow(Permission::DelegateEdit, &"acme/payments".parse().expect("scope"), Some("_mine")));
    let made = server.post_as(&narrow, &format!("{PATH}/tokens"), &[("name", "x")]).await;
    assert_eq!(made.status, StatusCode::FORBIDDEN);
}

#[tokio::test]
async fn a_name_that_everybody_tries_still_hears_an_address_that_has_not_failed() {
    use server::auth::session::{Origin, SignInError};
    use zeroize::Zeroizing;
    let server = Server::new().await;
    let from = |address: &str| Origin { address: address.to_owned(), agent: String::new() };
    let auth = &server.parts.state.auth;
    let tried = async |address: &str| {
        let guess = Zeroizing::new("guess".to_owned());
        auth.check_password("root@acme.example", guess, &from(address)).await
    };
    for number in 0..60 {
        let _ = tried(&format!("192.0.2.{number}")).await;
    }
    assert!(matches!(tried("192.0.2.1").await, Err(SignInError::TooMany(_))), "failed before");
    assert!(matches!(tried("198.51.100.7").await, Err(SignInError::Wrong)), "is heard");
    for number in 0..5 {
        let _ = tried(&format!("2001:db8::{number}")).await;
    }
    assert!(matches!(tried("2001:db8::ffff").await, Err(SignInError::TooMany(_))), "one /64 is one address");
}

#[tokio::test]
async fn too_much_load_turns_readers_away_and_serves_delegates() {
    let server = Server::new().await;
    server.register("acme", "edge", "edge-1", None).await;
    for node in server.nodes() {
        for _ in 0..8 {
            node.state.load.note(Duration::from_hours(1));
        }
    }
    for path in ["/a/acme/delegates", "/api/v1/accounts/acme/delegates"] {
        let answer = server.get(path).await;
        assert_eq!(answer.status, StatusCode::SERVICE_UNAVAILABLE, "{path}");
        assert_eq!((answer.header("retry-after"), &answer.json()["code"]), ("2", &"UNAVAILABLE".into()));
    }
    assert_eq!(server.get("/metrics").await.status, StatusCode::OK, "who watches must see it");
    let agent = server.get_as(&Caller::Stranger, "/api/agent/delegates/d/task-events?accountId=acme").await;
    assert_eq!(agent.status, StatusCode::UNAUTHORIZED, "delegates are answered as always");
    let text = server.get("/metrics").await.body;
    assert!(
        text.contains("rollcall_scheduling_lag_seconds") && text.contains("rollcall_pages_turned_away_total")
    );
}
