//! `/livez`, `/readyz`, `/metrics` (`product 13.2`).

use axum::http::StatusCode;
use fleet::time::SECOND;

use crate::support::{Caller, Server};

#[tokio::test]
async fn a_server_that_answers_is_alive_and_ready() {
    let server = Server::new().await;
    assert_eq!(server.get("/livez").await.status, StatusCode::OK);
    assert_eq!(server.get("/readyz").await.status, StatusCode::OK);
}

#[tokio::test]
async fn without_its_database_it_is_alive_and_not_ready() {
    let server = Server::new().await;
    let signed_in = Caller::Cookie(server.session("root@acme.example").await);
    assert_eq!(server.get_as(&signed_in, "/a/acme/delegates").await.status, StatusCode::OK);
    server.parts.store.close().await;
    assert_eq!(server.get_as(&Caller::Stranger, "/livez").await.status, StatusCode::OK);
    assert_eq!(server.get_as(&Caller::Stranger, "/readyz").await.status, StatusCode::SERVICE_UNAVAILABLE);
    let page = server.get_as(&signed_in, "/a/acme/delegates").await;
    assert_eq!(page.status, StatusCode::OK, "pages come from memory");
    let unknown = Caller::Cookie("unknown".to_owned());
    let page = server.get_as(&unknown, "/a/acme/delegates").await;
    assert_eq!(page.status, StatusCode::SERVICE_UNAVAILABLE, "nobody is let in on trust");
}

#[tokio::test]
async fn metrics_tell_what_the_cards_tell() {
    let server = Server::new().await;
    server.register_one_of_each().await;
    server.clock.advance(30 * SECOND);
    let text = server.get("/metrics").await.body;
    for line in [
        "rollcall_delegate_instances{account=\"acme\",status=\"expired\"} 1",
        "rollcall_delegate_instances{account=\"acme\",status=\"near_expiry\"} 1",
        "rollcall_delegate_instances{account=\"acme\",status=\"unsupported\"} 1",
        "rollcall_delegate_instances{account=\"acme\",status=\"active\"} 1",
        "rollcall_delegate_instances{account=\"acme\",status=\"unknown\"} 1",
        "rollcall_delegate_instances{account=\"acme\",status=\"unreachable\"} 0",
        "rollcall_delegate_connected{group=\"old\",scope=\"acme/payments\"} 1",
        "rollcall_delegate_last_heartbeat_age_seconds{group=\"old\",scope=\"acme/payments\"} 30",
        "rollcall_auto_upgrade_state{group=\"old\",scope=\"acme/payments\",state=\"detecting\"} 1",
        "rollcall_roster_instances 5",
    ] {
        assert!(text.lines().any(|found| found == line), "{line} in\n{text}");
    }
    let expired = text
        .lines()
        .find(|line| line.starts_with("rollcall_delegate_expiry_seconds{group=\"old\""))
        .expect("old");
    assert!(expired.rsplit(' ').next().is_some_and(|value| value.starts_with('-')), "{expired}");
}
