//! What people do with forms, what delegates notice of it, and what is left in the audit log and the database.

use axum::http::StatusCode;
use fleet::time::{MINUTE, SECOND};
use server::store::access::{AuditWanted, Change};

use crate::support::{Answer, Caller, Server};

const PATH: &str = "/a/acme/o/payments";
const LIST: &str = "/api/v1/accounts/acme/orgs/payments/delegates";

async fn names(server: &Server) -> Vec<String> {
    let answer = server.get(LIST).await.json();
    let entries = answer["delegates"].as_array().expect("delegates").clone();
    entries.iter().filter_map(|entry| entry["name"].as_str().map(ToOwned::to_owned)).collect()
}

fn group_id(server: &Server, identifier: &str) -> String {
    let scope = "acme/payments".parse().expect("scope");
    server.parts.roster.group_id(&scope, identifier).expect("group").to_string()
}

/// Silent for long enough to be deleted without a word about heartbeats.
async fn with_silent(server: &Server, name: &str) {
    server.register("acme/payments", name, &format!("{name}-1"), Some("26.11.90604")).await;
    server.clock.advance(301 * SECOND);
}

async fn set(server: &Server, scope: &str, key: &str, value: &str) {
    let change = Change::PutSetting {
        scope: Some(scope.parse().expect("scope")),
        key: key.to_owned(),
        value: Some(value.to_owned()),
        at: server.clock.now(),
    };
    server.parts.store.commit(&[change]).await.expect("setting");
    let mut reference = (*server.parts.roster.reference()).clone();
    server::settings::apply(&server.parts.store.settings().await.expect("settings"), &mut reference);
    server.parts.roster.set_reference(reference);
}

fn ok(answer: &Answer) {
    assert_eq!(answer.status, StatusCode::SEE_OTHER, "{}", answer.body);
}

#[tokio::test]
async fn a_delegate_is_deleted_by_its_typed_name_and_can_be_brought_back_for_ten_minutes() {
    let server = Server::new().await;
    with_silent(&server, "edge").await;
    let operator = server.person("op@acme.example", "operator", "acme/payments").await;
    let page = server.get_as(&operator, &format!("{PATH}/delegates/_edge/delete")).await;
    assert_eq!(page.status, StatusCode::OK);
    assert!(page.body.contains("uninstall"), "says that nothing is uninstalled");
    let wrong =
        server.post_as(&operator, &format!("{PATH}/delegates/_edge/delete"), &[("name", "Edge")]).await;
    assert_eq!(wrong.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert_eq!(names(&server).await, ["edge"]);

    ok(&server.post_as(&operator, &format!("{PATH}/delegates/_edge/delete"), &[("name", "edge")]).await);
    assert!(names(&server).await.is_empty());
    let page = server.get_as(&operator, &format!("{PATH}/delegates")).await;
    assert!(page.body.contains("Undo"), "offers the way back");

    server.clock.advance(10 * MINUTE);
    let id = group_id(&server, "_edge");
    ok(&server.post_as(&operator, &format!("{PATH}/undo"), &[("group", &id), ("instance", "")]).await);
    assert_eq!(names(&server).await, ["edge"]);

    ok(&server.post_as(&operator, &format!("{PATH}/delegates/_edge/delete"), &[("name", "edge")]).await);
    server.clock.advance(10 * MINUTE + SECOND);
    let late = server.post_as(&operator, &format!("{PATH}/undo"), &[("group", &id), ("instance", "")]).await;
    assert_eq!(late.status, StatusCode::CONFLICT);
    let said: Vec<_> = server.audit().await.into_iter().map(|(actor, action, _)| (actor, action)).collect();
    for action in ["delegate.delete", "delegate.undo_delete"] {
        assert!(said.contains(&("op@acme.example".to_owned(), action.to_owned())), "{action} in {said:?}");
    }
}

#[tokio::test]
async fn a_connected_delegate_stays_unless_the_setting_allows() {
    let server = Server::new().await;
    server.register("acme/payments", "edge", "edge-1", None).await;
    let refused =
        server.post_as(&server.root, &format!("{PATH}/delegates/_edge/delete"), &[("name", "edge")]).await;
    assert_eq!(refused.status, StatusCode::CONFLICT);
    assert_eq!(names(&server).await, ["edge"]);
    set(&server, "acme", "delegates.delete_connected", "true").await;
    ok(&server.post_as(&server.root, &format!("{PATH}/delegates/_edge/delete"), &[("name", "edge")]).await);
    assert!(names(&server).await.is_empty());
}

#[tokio::test]
async fn a_deleted_delegate_that_calls_again_returns_with_a_mark_or_is_refused() {
    let server = Server::new().await;
    for (policy, listed) in [("reappear", true), ("refuse", false)] {
        set(&server, "acme", "delegates.deleted_policy", policy).await;
        with_silent(&server, policy).await;
        let path = format!("{PATH}/delegates/_{policy}/delete");
        ok(&server.post_as(&server.root, &path, &[("name", policy)]).await);
        server.register("acme/payments", policy, &format!("{policy}-1"), None).await;
        assert_eq!(names(&server).await.contains(&policy.to_owned()), listed, "{policy}");
        let page = server.get(&format!("{PATH}/delegates")).await.body;
        let words = if listed { "Returned after delete" } else { "keeps calling" };
        assert!(page.contains(words), "{policy}: {words}");
    }
    let id = group_id(&server, "_refuse");
    ok(&server.post_as(&server.root, &format!("{PATH}/allow"), &[("group", &id)]).await);
    server.register("acme/payments", "refuse", "refuse-1", None).await;
    assert!(names(&server).await.contains(&"refuse".to_owned()));
}

#[tokio::test]
async fn a_selection_is_deleted_by_its_typed_number() {
    let server = Server::new().await;
    for name in ["a", "b", "c"] {
        with_silent(&server, name).await;
    }
    let (a, b) = (group_id(&server, "_a"), group_id(&server, "_b"));
    let page = server.get(&format!("{PATH}/delete?id={a}&id={b}")).await;
    assert_eq!(page.status, StatusCode::OK);
    let send = |count: &'static str| [("id", a.clone()), ("id", b.clone()), ("count", count.to_owned())];
    for (count, status) in [("3", StatusCode::UNPROCESSABLE_ENTITY), ("2", StatusCode::SEE_OTHER)] {
        let fields = send(count);
        let fields: Vec<(&str, &str)> = fields.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let answer = server.post_as(&server.root, &format!("{PATH}/delete"), &fields).await;
        assert_eq!(answer.status, status, "{count}: {}", answer.body);
    }
    assert_eq!(names(&server).await, ["c"]);
}

#[tokio::test]
async fn a_single_instance_is_deleted_by_its_host_name() {
    let server = Server::new().await;
    let id = server.register("acme/payments", "edge", "edge-1", None).await;
    server.clock.advance(301 * SECOND);
    server.register("acme/payments", "edge", "edge-2", None).await;
    let path = format!("{PATH}/delegates/_edge/instances/{id}/delete");
    assert_eq!(server.get(&path).await.status, StatusCode::OK);
    ok(&server.post_as(&server.root, &path, &[("name", "edge-1")]).await);
    let counts = server.get(LIST).await.json()["counts"].clone();
    assert_eq!((&counts["groups"], &counts["instances"]), (&1.into(), &1.into()));
}

#[tokio::test]
async fn a_new_delegate_waits_until_somebody_approves_or_rejects_it() {
    let server = Server::new().await;
    set(&server, "acme/payments", "approval.required", "true").await;
    for name in ["good", "bad"] {
        server.register("acme/payments", name, &format!("{name}-1"), None).await;
    }
    let page = server.get(&format!("{PATH}/delegates")).await.body;
    assert!(page.contains("Pending approval") && page.contains("Approve") && page.contains("Reject"));
    ok(&server.post_as(&server.root, &format!("{PATH}/delegates/_good/approve"), &[]).await);
    ok(&server.post_as(&server.root, &format!("{PATH}/delegates/_bad/reject"), &[]).await);
    assert_eq!(names(&server).await, ["good"]);
    let twice = server.post_as(&server.root, &format!("{PATH}/delegates/_good/approve"), &[]).await;
    assert_eq!(twice.status, StatusCode::CONFLICT);
}

#[tokio::test]
async fn a_token_is_shown_once_revoked_by_its_name_and_blocks_it_until_it_is_deleted() {
    let server = Server::new().await;
    let made =
        server.post_as(&server.root, &format!("{PATH}/tokens"), &[("name", "edge"), ("days", "")]).await;
    assert_eq!(made.status, StatusCode::OK, "{}", made.body);
    let value = shown_token(&made.body);
    let list = server.get(&format!("{PATH}/tokens")).await.body;
    assert!(list.contains("edge") && !list.contains(&value), "shown once");
    let again = server.post_as(&server.root, &format!("{PATH}/tokens"), &[("name", "edge")]).await;
    assert_eq!(again.status, StatusCode::UNPROCESSABLE_ENTITY);

    let tokens = server.parts.store.tokens().await.expect("tokens");
    let id = tokens.iter().find(|token| &*token.name == "edge").expect("edge").id.clone();
    let early = server.post_as(&server.root, &format!("{PATH}/tokens/{id}/delete"), &[]).await;
    assert_eq!(early.status, StatusCode::CONFLICT, "an active one cannot be deleted");
    let revoke = format!("{PATH}/tokens/{id}/revoke");
    let wrong = server.post_as(&server.root, &revoke, &[("name", "egde")]).await;
    assert_eq!(wrong.status, StatusCode::UNPROCESSABLE_ENTITY);
    ok(&server.post_as(&server.root, &revoke, &[("name", "edge")]).await);
    let again = server.post_as(&server.root, &format!("{PATH}/tokens"), &[("name", "edge")]).await;
    assert_eq!(again.status, StatusCode::UNPROCESSABLE_ENTITY, "the name stays taken");
    ok(&server.post_as(&server.root, &format!("{PATH}/tokens/{id}/delete"), &[]).await);
    let again = server.post_as(&server.root, &format!("{PATH}/tokens"), &[("name", "edge")]).await;
    assert_eq!(again.status, StatusCode::OK);
}

fn shown_token(page: &str) -> String {
    // The outer form: base64 of 32 hexadecimal characters.
    let is_token = |word: &&str| word.len() == 44 && word.ends_with('=');
    let words = page.split(|c: char| !(c.is_ascii_alphanumeric() || "+/=".contains(c)));
    let mut found = words.filter(|word| is_token(&word.trim_matches('/')));
    found.next().expect("the value is shown").to_owned()
}

#[tokio::test]
async fn nobody_gives_more_than_they_have() {
    let server = Server::new().await;
    let admin = server.person("admin@acme.example", "admin", "acme/payments").await;
    let fields = |role: &'static str| {
        [("email", "new@acme.example"), ("name", ""), ("password", ""), ("role", role), ("resources", "")]
    };
    let above = server.post_as(&admin, "/a/acme/users", &fields("viewer")).await;
    assert_eq!(above.status, StatusCode::FORBIDDEN, "not in the scope above");
    ok(&server.post_as(&admin, &format!("{PATH}/users"), &fields("operator")).await);
    let manager = [("name", "People only"), ("permission", "core_user_manage")];
    ok(&server.post_as(&admin, &format!("{PATH}/roles"), &manager).await);
    let role = [("email", "hr@acme.example"), ("role", "people-only@acme/payments")];
    ok(&server.post_as(&admin, &format!("{PATH}/users"), &role).await);
    let hr = Caller::Browser("hr@acme.example".to_owned());
    let up = [("email", "hr2@acme.example"), ("role", "admin")];
    let refused = server.post_as(&hr, &format!("{PATH}/users"), &up).await;
    assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY, "{}", refused.body);
}

#[tokio::test]
async fn an_embed_key_is_shown_once_and_kept_as_a_hash() {
    let server = Server::new().await;
    let fields =
        [("name", "wiki"), ("origins", "https://wiki.example"), ("filter", "health=expired"), ("days", "30")];
    let made = server.post_as(&server.root, &format!("{PATH}/embeds"), &fields).await;
    assert_eq!(made.status, StatusCode::OK, "{}", made.body);
    let key = server.parts.state.auth.directory.tables().embed_keys[0].clone();
    assert!(made.body.contains(&format!("{}.", key.id)));
    ok(&server.post_as(&server.root, &format!("{PATH}/embeds/{}/revoke", key.id), &[]).await);
    let bad = [("name", "wiki"), ("origins", "https://wiki.example/path"), ("filter", "")];
    let refused = server.post_as(&server.root, &format!("{PATH}/embeds"), &bad).await;
    assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
}

#[tokio::test]
async fn the_audit_log_tells_who_did_what_and_never_a_secret() {
    let server = Server::new().await;
    let made = server.post_as(&server.root, &format!("{PATH}/tokens"), &[("name", "edge")]).await;
    let value = shown_token(&made.body);
    server.register("acme/payments", "edge", "edge-1", None).await;
    let page = server.get(&format!("{PATH}/audit")).await;
    assert_eq!(page.status, StatusCode::OK);
    for text in ["token.create", "root@acme.example", "SYSTEM", "delegate.register"] {
        assert!(page.body.contains(text), "{text}");
    }
    for format in ["json", "ndjson", "csv"] {
        let path = format!("/api/v1/accounts/acme/orgs/payments/audit?format={format}");
        let export = server.get(&path).await;
        assert_eq!(export.status, StatusCode::OK);
        assert!(export.body.contains("token.create") && !export.body.contains(&value), "{format}");
    }
    assert!(!page.body.contains(&value));
    let account = server.get("/a/acme/audit").await.body;
    assert!(!account.contains("Token edge was created"), "events of an organization are its own");
    assert!(server.get("/a/acme/audit?all=true").await.body.contains("Token edge was created"));
    for (query, field) in [("from=yesterday", "from"), ("before=x", "before")] {
        let bad = server.get(&format!("/api/v1/accounts/acme/audit?{query}")).await;
        assert_eq!(
            (bad.status, &bad.json()["errors"][0]["fieldId"]),
            (StatusCode::BAD_REQUEST, &field.into())
        );
    }
}

#[tokio::test]
async fn the_audit_log_is_read_page_by_page_without_gap_or_repetition() {
    let server = Server::new().await;
    for number in 0..25 {
        server.register("acme", "edge", &format!("edge-{number}"), None).await;
    }
    let mut wanted = AuditWanted {
        scope: Some("acme".parse().expect("scope")),
        below: true,
        server: false,
        actor: "sys".to_owned(),
        action: "delegate.register".to_owned(),
        resource: String::new(),
        from: server.clock.now().plus(-1),
        to: server.clock.now().plus(1),
        behind: None,
        limit: 10,
    };
    let mut seen = Vec::new();
    loop {
        let found = server.parts.store.audit(&wanted).await.expect("audit");
        let Some(last) = found.last() else { break };
        wanted.behind = Some((last.at, last.id.clone()));
        seen.extend(found.into_iter().map(|line| line.id));
    }
    let all = seen.len();
    seen.sort_unstable();
    seen.dedup();
    assert_eq!((all, seen.len()), (25, 25));
}

#[tokio::test]
async fn the_database_and_its_backup_hold_no_secret_in_clear() {
    let server = Server::on_a_file().await;
    let session = server.session("root@acme.example").await;
    let key = server.key("root@acme.example", "acme").await;
    let made = server.post_as(&server.root, &format!("{PATH}/tokens"), &[("name", "edge")]).await;
    let token = shown_token(&made.body);
    let person = [("email", "new@acme.example"), ("password", "a password of length"), ("role", "viewer")];
    ok(&server.post_as(&server.root, "/a/acme/users", &person).await);
    let backup = server.folder().join("backup.db");
    let url = format!("sqlite://{}", server.folder().join("rollcall.db").display());
    server.parts.store.ping().await.expect("alive");
    let mut connection = sqlx_backup(&url).await;
    sqlx::query(sqlx::AssertSqlSafe(format!("VACUUM INTO '{}'", backup.display())))
        .execute(&mut connection)
        .await
        .expect("backup");
    let inner = String::from_utf8(base64_decode(&token)).expect("hexadecimal");
    let secret = key.rsplit('.').next().expect("secret").to_owned();
    let secrets =
        [&session, &key, &secret, &token, &inner, &"a password of length".to_owned()].map(Clone::clone);
    let mut read = 0;
    for entry in std::fs::read_dir(server.folder()).expect("folder") {
        let path = entry.expect("entry").path();
        let bytes = std::fs::read(&path).expect("file");
        read += 1;
        for secret in &secrets {
            let found = bytes.windows(secret.len()).any(|window| window == secret.as_bytes());
            assert!(!found, "{} holds a secret in clear", path.display());
        }
        let key_bytes = hex_decode(&inner);
        assert!(!bytes.windows(16).any(|window| window == key_bytes), "{} holds a key", path.display());
    }
    assert!(read >= 2, "database and backup");
}

async fn sqlx_backup(url: &str) -> sqlx::SqliteConnection {
    use sqlx::Connection as _;
    sqlx::SqliteConnection::connect(url).await.expect("connect")
}

fn base64_decode(text: &str) -> Vec<u8> {
    use base64::Engine as _;
    base64::engine::general_purpose::STANDARD.decode(text).expect("base64")
}

fn hex_decode(text: &str) -> Vec<u8> {
    (0..text.len()).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16).expect("hex")).collect()
}

#[tokio::test]
async fn a_setting_that_is_refused_comes_back_as_it_was_typed() {
    let server = Server::new().await;
    let fields = [("key", "registration.allowlist"), ("value", "10.0.0.0/8, somewhere")];
    let page = server.post_as(&server.root, "/a/acme/settings", &fields).await;
    assert_eq!(page.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(page.body.contains("10.0.0.0/8, somewhere"), "{}", page.body);
}

#[tokio::test]
async fn a_setting_holds_on_every_node_when_it_is_answered() {
    let server = Server::new().await;
    let scope = "acme".parse().expect("scope");
    for wanted in [true, false, true, false] {
        let fields =
            [("key", "delegates.delete_connected"), ("value", if wanted { "true" } else { "false" })];
        ok(&server.post_as(&server.root, "/a/acme/settings", &fields).await);
        for node in server.nodes() {
            assert_eq!(node.roster.reference().delete_connected(&scope), wanted);
        }
    }
}
