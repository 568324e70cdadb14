//! `/livez`, `/readyz`, `/metrics` (`product 13.2`).

use std::collections::BTreeSet;

use axum::body::Body;
use axum::http::{Request, StatusCode};
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
    let server = Server::alone().await;
    let signed_in = Caller::Cookie(server.session("root@acme.example").await);
    // People were created a moment ago; once the server has looked at that, it asks for sessions anew.
    for _ in 0..10 {
        assert_eq!(server.get_as(&signed_in, "/a/acme/delegates").await.status, StatusCode::OK);
        tokio::time::sleep(std::time::Duration::from_millis(250)).await;
    }
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

#[tokio::test]
async fn metrics_tell_how_long_answers_and_commits_took() {
    let server = Server::alone().await;
    server.register_one_of_each().await;
    for path in ["/a/acme/delegates", "/a/acme/o/payments/delegates", "/a/acme/delegates/_none"] {
        server.get(path).await;
    }
    let text = server.get("/metrics").await.body;
    for line in [
        "rollcall_http_request_seconds_count{code=\"2xx\",route=\"/a/{account}/delegates\"} 2",
        "rollcall_http_request_seconds_count{code=\"4xx\",route=\"/a/{account}/delegates/{group}\"} 1",
        "rollcall_write_queue 0",
    ] {
        assert!(text.lines().any(|found| found == line), "{line} in\n{text}");
    }
    let commits =
        text.lines().find_map(|line| line.strip_prefix("rollcall_commit_seconds_count ")).expect("commits");
    assert!(commits.parse::<u64>().expect("a number") > 0);
    assert!(!text.contains("_none"), "no path is told");
}

#[tokio::test]
async fn every_series_of_the_dashboard_and_the_alerts_is_told() {
    let server = Server::alone().await;
    server.register_one_of_each().await;
    let stranger = Request::post("/api/agent/delegates/register?accountId=acme").body(Body::from("{}"));
    server.send(stranger.expect("request")).await;
    let text = server.get("/metrics").await.body;
    let text = text + &server.get("/metrics").await.body;
    for document in [
        include_str!("../../../docs/monitoring/alerts.yml"),
        include_str!("../../../docs/monitoring/grafana.json"),
        include_str!("../../../docs/operations.md"),
    ] {
        let names = document.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        let names: BTreeSet<&str> = names.filter(|name| name.starts_with("rollcall_")).collect();
        assert!(!names.is_empty());
        for name in names {
            let told = |line: &str| {
                let series = line.strip_prefix("# TYPE ").unwrap_or(line);
                series.strip_prefix(name).is_some_and(|rest| rest.starts_with(['{', ' ']))
            };
            assert!(text.lines().any(told), "{name} in\n{text}");
        }
    }
}
