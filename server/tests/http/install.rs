//! The page for a new delegate: files on the page and as downloads, the token's value only on request and on record.

use axum::http::StatusCode;

use crate::support::{Answer, Caller, Server};

const PATH: &str = "/a/acme/o/payments";
const CHOICE: &str = "platform=docker&name=edge";

/// A token of the organization: its id and its value.
async fn token(server: &Server, name: &str) -> (String, String) {
    let made = server.post_as(&server.root, &format!("{PATH}/tokens"), &[("name", name)]).await;
    assert_eq!(made.status, StatusCode::OK, "{}", made.body);
    let (_, rest) = made.body.split_once("id=\"secret\">").expect("the value");
    let value = rest.split('<').next().expect("its end").to_owned();
    (id(server, name).await, value)
}

async fn id(server: &Server, name: &str) -> String {
    let rows = server.parts.store.tokens().await.expect("tokens");
    rows.into_iter().find(|row| &*row.name == name).expect("the token").id.to_string()
}

async fn operator(server: &Server) -> Caller {
    server.person("op@acme.example", "operator", "acme/payments").await
}

async fn show(server: &Server, caller: &Caller, token: &str) -> Answer {
    server.post_as(caller, &format!("{PATH}/new?{CHOICE}"), &[("token", token)]).await
}

async fn shows(server: &Server) -> usize {
    server.audit().await.iter().filter(|(_, action, _)| action == "token.show").count()
}

#[tokio::test]
async fn the_page_shows_the_token_only_when_asked_and_writes_that_down() {
    let server = Server::new().await;
    let (id, value) = token(&server, "edge").await;
    let operator = operator(&server).await;
    let page = server.get_as(&operator, &format!("{PATH}/new?{CHOICE}&token={id}")).await;
    assert_eq!(page.status, StatusCode::OK);
    assert!(!page.body.contains(&value) && page.body.contains("docker run"));
    assert!(page.body.contains("delegate:26.11.90604"), "the latest of the scope");
    assert!(page.body.contains("http://localhost:3000"), "the address of this server");
    assert_eq!(shows(&server).await, 0);

    let shown = show(&server, &operator, &id).await;
    assert_eq!(shown.status, StatusCode::OK);
    assert!(shown.body.contains(&format!("DELEGATE_TOKEN={value}")));
    assert_eq!(shown.header("cache-control"), "no-store");
    let line = server.audit().await.into_iter().next().expect("a line");
    assert_eq!(line, ("op@acme.example".to_owned(), "token.show".to_owned(), "edge".to_owned()));
    let log = server.get(&format!("{PATH}/audit")).await.body;
    assert!(log.contains("was shown in the files for delegate edge") && !log.contains(&value));
}

#[tokio::test]
async fn a_download_is_a_file_with_the_token() {
    let server = Server::new().await;
    let (id, value) = token(&server, "edge").await;
    let operator = operator(&server).await;
    let download = |choice: &'static str, file: &'static str| {
        let (server, operator, id) = (&server, &operator, &id);
        async move {
            let path = format!("{PATH}/new/download?{choice}");
            server.post_as(operator, &path, &[("token", id), ("file", file)]).await
        }
    };
    let script = download(CHOICE, "docker-run.sh").await;
    assert_eq!(script.status, StatusCode::OK);
    assert!(script.body.starts_with("#!/bin/sh") && script.body.contains(&value));
    assert_eq!(script.header("content-disposition"), "attachment; filename=\"docker-run.sh\"");
    assert_eq!(script.header("content-type"), "text/plain; charset=utf-8");
    assert_eq!(
        (script.header("cache-control"), script.header("x-content-type-options")),
        ("no-store", "nosniff")
    );
    assert_eq!(shows(&server).await, 1);

    let service = download("platform=fargate&name=edge", "service.json").await;
    assert!(service.json()["serviceName"] == "edge");
    assert_eq!(shows(&server).await, 1, "this file holds no token");
    assert_eq!(download(CHOICE, "main.tf").await.status, StatusCode::NOT_FOUND);
    let wrong = download("platform=docker&name=EDGE", "docker-run.sh").await;
    assert_eq!(wrong.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(wrong.body.contains("lower-case letters"), "{}", wrong.body);
    assert_eq!(shows(&server).await, 1);
}

#[tokio::test]
async fn only_an_active_token_of_this_very_scope_is_shown() {
    let server = Server::new().await;
    let (id, value) = token(&server, "edge").await;
    let operator = operator(&server).await;
    assert_eq!(show(&server, &operator, "unknown").await.status, StatusCode::NOT_FOUND);
    let above = server.post_as(&server.root, "/a/acme/tokens", &[("name", "wide")]).await;
    assert_eq!(above.status, StatusCode::OK);
    let wide = self::id(&server, "wide").await;
    let answer = show(&server, &server.root, &wide).await;
    assert_eq!(answer.status, StatusCode::NOT_FOUND, "a token of the account is none of the organization");

    let path = format!("{PATH}/tokens/{id}/revoke");
    let revoked = server.post_as(&server.root, &path, &[("name", "edge")]).await;
    assert_eq!(revoked.status, StatusCode::SEE_OTHER, "{}", revoked.body);
    let answer = show(&server, &operator, &id).await;
    assert_eq!(answer.status, StatusCode::NOT_FOUND);
    assert!(!answer.body.contains(&value));
    assert_eq!(shows(&server).await, 0);
}

#[tokio::test]
async fn a_choice_that_cannot_be_used_is_a_clear_400() {
    let server = Server::new().await;
    let bad = server.get(&format!("{PATH}/new?platform=docker&name=Edge")).await;
    assert_eq!(bad.status, StatusCode::BAD_REQUEST);
    assert!(bad.body.contains("id=\"new-name-error\""));
    let unknown = server.get(&format!("{PATH}/new?platform=amiga")).await;
    assert_eq!(unknown.status, StatusCode::BAD_REQUEST);
    assert_eq!(server.get(&format!("{PATH}/new")).await.status, StatusCode::OK);
}

#[tokio::test]
async fn the_first_heartbeat_shows_on_the_page() {
    let server = Server::new().await;
    let since = server.clock.now().millis();
    let path = format!("{PATH}/new?{CHOICE}&since={since}");
    assert!(server.get(&path).await.body.contains("Waiting for the first heartbeat of edge"));
    server.clock.advance(1_000);
    server.register("acme/payments", "edge", "edge-1", Some("26.11.90604")).await;
    let page = server.get(&path).await.body;
    assert!(page.contains("edge is connected") && page.contains("edge-1"));
    server.register("acme", "edge-b", "edge-b-1", None).await;
    let other = server.get(&format!("{PATH}/new?platform=docker&name=edge-b")).await.body;
    assert!(other.contains("Waiting for the first heartbeat of edge-b"), "it came to another scope");
}
