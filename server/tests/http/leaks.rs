//! A viewer of one project learns nothing of another: not from lists, counts, pages, exports, metrics or errors.

use axum::http::StatusCode;

use crate::support::{Answer, Caller, Server};

/// A name that is on no page by chance.
const SECRET: &str = "zebrafish";

/// `checkout` has a delegate, `refunds` has one whose every text is secret; sam sees `checkout` alone.
async fn world() -> (Server, Caller) {
    let server = Server::new().await;
    server.create_scope(&format!("acme/payments/{SECRET}-project")).await;
    server.create_scope(&format!("{SECRET}-account")).await;
    server.register("acme/payments/checkout", "mine", "mine-1", Some("26.11.90604")).await;
    let hidden = format!("acme/payments/{SECRET}-project");
    server.register(&hidden, &format!("{SECRET}-edge"), &format!("{SECRET}-1"), Some("25.12.87602")).await;
    server.register(&format!("{SECRET}-account"), SECRET, &format!("{SECRET}-2"), None).await;
    let sam = server.person("sam@acme.example", "viewer", "acme/payments/checkout").await;
    (server, sam)
}

fn silent(answer: &Answer, path: &str) {
    assert!(!answer.body.contains(SECRET), "{path} tells: {}", answer.body);
    for (name, value) in &answer.headers {
        assert!(!value.to_str().unwrap_or_default().contains(SECRET), "{path}: header {name}");
    }
}

#[tokio::test]
async fn no_answer_names_what_lies_elsewhere() {
    let (server, sam) = world().await;
    let key = Caller::Key(server.key("sam@acme.example", "acme/payments/checkout").await);
    let project = "/a/acme/o/payments/p/checkout";
    let pages = [
        "/",
        "/me",
        "/metrics",
        "/nowhere",
        "/a/acme/delegates",
        "/a/acme/o/payments/delegates?all=true",
        "/a/acme/o/payments/p/nothing/delegates",
        "/api/v1/accounts/acme/delegates?all=true",
        "/api/v1/accounts/acme/orgs/payments/delegates?all=true",
        "/api/v1/accounts/acme/orgs/payments/projects/checkout/delegates?all=true&search=z",
        "/api/v1/accounts/acme/orgs/payments/projects/checkout/delegates?usable=true",
        "/api/v1/accounts/acme/orgs/payments/projects/checkout/audit",
    ];
    let own = [
        "/delegates",
        "/delegates?all=true",
        "/delegates?usable=true",
        "/delegates?search=z",
        "/tokens",
        "/settings",
        "/users",
        "/roles",
        "/audit",
        "/embeds",
        "/delegates/_mine",
        "/delegates/_nothing",
    ];
    for path in pages.into_iter().map(ToOwned::to_owned).chain(own.map(|page| format!("{project}{page}"))) {
        for caller in [&sam, &key, &Caller::Stranger] {
            silent(&server.get_as(caller, &path).await, &path);
        }
    }
}

#[tokio::test]
async fn the_cards_of_a_project_count_that_project_alone() {
    let (server, sam) = world().await;
    let counts = |answer: &Answer| answer.json()["counts"].clone();
    let path = "/api/v1/accounts/acme/orgs/payments/projects/checkout/delegates";
    let seen = counts(&server.get_as(&sam, path).await);
    assert_eq!((&seen["groups"], &seen["expired"]), (&1.into(), &0.into()));
}

#[tokio::test]
async fn whether_a_scope_exists_cannot_be_told_from_a_refusal() {
    let (server, sam) = world().await;
    for format in
        ["/a/acme/o/payments/p/{}/delegates", "/api/v1/accounts/acme/orgs/payments/projects/{}/delegates"]
    {
        let (there, nowhere) = (format!("{SECRET}-project"), "no-such-project");
        let [a, b] = [&*there, nowhere].map(|name| format.replace("{}", name));
        let (a, b) = (server.get_as(&sam, &a).await, server.get_as(&sam, &b).await);
        assert_eq!((a.status, b.status), (StatusCode::FORBIDDEN, StatusCode::FORBIDDEN));
        let plain = |answer: &Answer, name: &str| {
            let id = answer.header("x-request-id").to_owned();
            let policy = answer.header("content-security-policy");
            let nonce =
                policy.split("'nonce-").nth(1).and_then(|rest| rest.split('\'').next()).unwrap_or("-");
            answer.body.replace(name, "NAME").replace(&id, "ID").replace(nonce, "NONCE")
        };
        assert_eq!(plain(&a, &there), plain(&b, nowhere), "{format}");
    }
}

#[tokio::test]
async fn a_role_on_named_delegates_shows_no_other() {
    let server = Server::new().await;
    server.register("acme", "mine", "mine-1", Some("26.11.90604")).await;
    server.register("acme", SECRET, &format!("{SECRET}-1"), Some("25.12.87602")).await;
    server.register("acme/payments", &format!("{SECRET}-2"), &format!("{SECRET}-2"), None).await;
    let sam = server.narrowed_person("sam@acme.example", "operator", "acme", "_mine").await;
    for path in [
        "/a/acme/delegates",
        "/a/acme/delegates?all=true",
        "/a/acme/delegates?health=expired",
        "/api/v1/accounts/acme/delegates?all=true",
        "/a/acme/tokens",
    ] {
        let answer = server.get_as(&sam, path).await;
        assert_eq!(answer.status, StatusCode::OK, "{path}");
        silent(&answer, path);
    }
    let counts =
        server.get_as(&sam, "/api/v1/accounts/acme/delegates?all=true").await.json()["counts"].clone();
    assert_eq!((&counts["groups"], &counts["expired"]), (&1.into(), &0.into()));
    let page = server.get_as(&sam, "/a/acme/delegates").await.body;
    assert!(!page.contains("Include scopes below"), "nothing below is theirs to see");
    for path in [format!("/a/acme/delegates/_{SECRET}"), format!("/a/acme/delegates/_{SECRET}/delete")] {
        assert_eq!(server.get_as(&sam, &path).await.status, StatusCode::NOT_FOUND, "{path}");
    }
}

#[tokio::test]
async fn a_key_reaches_no_further_than_its_scope() {
    let (server, _) = world().await;
    let key = Caller::Key(server.key("root@acme.example", "acme/payments/checkout").await);
    for (path, status) in [
        ("/api/v1/accounts/acme/orgs/payments/projects/checkout/delegates", StatusCode::OK),
        ("/api/v1/accounts/acme/orgs/payments/delegates", StatusCode::FORBIDDEN),
        ("/api/v1/accounts/zebrafish-account/delegates", StatusCode::FORBIDDEN),
    ] {
        assert_eq!(server.get_as(&key, path).await.status, status, "{path}");
    }
    let metrics = server.get_as(&key, "/metrics").await;
    silent(&metrics, "/metrics");
    assert!(!metrics.body.contains("acme"), "a project is no account");
}
