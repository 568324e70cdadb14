//! Every row of the endpoint table (agent-protocol 2.1), with its exact answer.

use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;

use crate::world::{V2, World, fixture, request};

const NULL_ENVELOPE: &str = r#"{"metaData":{},"resource":null,"responseMessages":[]}"#;
const NO_REQUESTS: &str = r#"{"requests":[]}"#;

/// Rows that are answered with 200 and a fixed body, for known and unknown ids alike.
const FIXED: [(&str, &str, &str, &str); 13] = [
    ("GET", "/api/agent/delegates/d/task-events?accountId=ACC", "", r#"{"delegateTaskEvents":[]}"#),
    (
        "GET",
        "/api/agent/delegates/d/task-events?accountId=ACC&syncOnly=true&x=1",
        "",
        r#"{"delegateTaskEvents":[]}"#,
    ),
    (
        "POST",
        "/api/agent/delegates/register-delegate-capacity/d?accountId=ACC",
        r#"{"maximumNumberOfBuilds":4}"#,
        "",
    ),
    ("GET", "/api/executions/d/runner-events?accountId=ACC", "", r#"{"delegateRunnerEvents":[]}"#),
    ("POST", "/api/daemons/d/reconcile?accountId=ACC", r#"{"data":[{"id":"x"}]}"#, r#"{"data":[]}"#),
    ("POST", "/api/daemons/d/tasks?accountId=ACC", r#"{"task_ids":["x"]}"#, NO_REQUESTS),
    ("GET", "/api/executions/t/request?delegateId=d&accountId=ACC", "", NO_REQUESTS),
    ("POST", "/api/executions/t/task-response?runnerId=d&accountId=ACC", r#"{"data":"AA=="}"#, ""),
    ("POST", "/api/executions/t/response?accountId=ACC&delegateId=d", "not json", ""),
    ("POST", "/api/agent/v2/tasks/t/delegates/d?accountId=ACC", r#"{"id":"t","code":"OK"}"#, ""),
    ("POST", "/api/agent/delegates/unregister?accountId=ACC", r#"{"delegateId":"d"}"#, NULL_ENVELOPE),
    ("POST", "/api/agent/delegates/properties?accountId=ACC", "\u{0}\u{1}binary", NULL_ENVELOPE),
    ("GET", "/api/agent/delegates/perpetual-task/list?delegateId=d&accountId=ACC", "", ""),
];

/// Rows that are not served.
const NOT_SERVED: [(&str, &str); 22] = [
    ("PUT", "/api/agent/v2/delegates/d/tasks/t/acquire?accountId=ACC&delegateInstanceId=d"),
    ("GET", "/api/agent/infra-download/delegate-auth/delegate/logging-token?accountId=ACC"),
    ("GET", "/api/agent/delegates/logging-token?accountId=ACC"),
    ("PUT", "/api/agent/delegates/d/tasks/t/acquire/v2?accountId=ACC"),
    ("POST", "/api/agent/delegates/d/tasks/t/report/v2?accountId=ACC"),
    ("POST", "/api/agent/tasks/t/delegates/d/v2?accountId=ACC"),
    ("GET", "/api/agent/delegates/configuration?accountId=ACC"),
    ("GET", "/api/agent/delegates/d/profile?accountId=ACC"),
    ("GET", "/api/agent/delegates/delegateScriptsNg?accountId=ACC"),
    ("GET", "/api/agent/delegates/jreVersion?accountId=ACC"),
    ("GET", "/api/version/watcher"),
    ("GET", "/api/agent/delegates/d/upgrade?accountId=ACC"),
    ("GET", "/api/agent/delegates//task-events?accountId=ACC"),
    ("GET", "/api/upgrade-check/other?accountId=ACC"),
    ("GET", "/api/nothing/of/this"),
    ("POST", "/stream/delegate"),
    ("GET", "/stream/delegate/ACC/more"),
    ("GET", "/stream/other"),
    // Known paths, other methods.
    ("GET", "/api/agent/delegates/register?accountId=ACC"),
    ("DELETE", "/api/agent/delegates/heartbeat-with-polling?accountId=ACC"),
    ("POST", "/api/account/ACC/status"),
    ("OPTIONS", "/api/agent/delegates/d/task-events?accountId=ACC"),
];

#[tokio::test]
async fn t2_t14_every_idle_call_has_its_exact_answer() {
    let world = World::new().await;
    for (method, uri, body, expected) in FIXED {
        let answer = world.call(method, uri, body).await;
        assert_eq!((answer.status, &*answer.body), (StatusCode::OK, expected), "{uri}");
        if !expected.is_empty() {
            assert_eq!(answer.headers[CONTENT_TYPE], "application/json");
        }
    }
    assert!(world.instances().await.is_empty(), "none of them makes a row");
}

#[tokio::test]
async fn every_idle_call_needs_a_credential() {
    let world = World::new().await;
    for (method, uri, body, _) in FIXED {
        let answer = world.send(request(method, uri, "", body)).await;
        assert_eq!(
            (answer.status, answer.code()),
            (StatusCode::UNAUTHORIZED, "NOT_AUTHENTICATED".to_owned()),
            "{uri}"
        );
    }
}

#[tokio::test]
async fn t15_what_is_not_served_is_a_neutral_404() {
    let world = World::new().await;
    for (method, uri) in NOT_SERVED {
        let answer = world.call(method, uri, "").await;
        assert_eq!(
            (answer.status, answer.code()),
            (StatusCode::NOT_FOUND, "NOT_FOUND".to_owned()),
            "{method} {uri}"
        );
    }
    let metrics = world.metrics();
    assert!(
        metrics
            .contains(r#"rollcall_agent_unknown_paths_total{template="/api/agent/delegates/{}/profile"} 1"#)
    );
    assert!(metrics.contains(r#"rollcall_agent_unknown_paths_total{template="/stream/delegate/{}/{}"} 1"#));
}

#[tokio::test]
async fn t21_no_call_is_redirected() {
    let world = World::new().await;
    let known = FIXED.iter().map(|&(method, uri, ..)| (method, uri));
    for (method, uri) in known.chain(NOT_SERVED) {
        let (path, query) = uri.split_once('?').unwrap_or((uri, ""));
        for uri in [format!("{path}/?{query}"), format!("/{path}?{query}"), uri.to_owned()] {
            let answer = world.call(method, &uri, "").await;
            assert!(!answer.status.is_redirection(), "{uri}");
            assert!(!answer.headers.contains_key("location"), "{uri}");
        }
    }
}

#[tokio::test]
async fn the_account_status_is_the_same_for_everyone() {
    let world = World::new().await;
    let mut answers = Vec::new();
    for account in ["ACC", "unknown", "%ff"] {
        let request = axum::http::Request::builder().uri(format!("/api/account/{account}/status"));
        let answer = world.send(request.body(axum::body::Body::empty()).unwrap()).await;
        answers.push((answer.status, answer.body));
    }
    let active = r#"{"metaData":{},"resource":"ACTIVE","responseMessages":[]}"#;
    assert!(answers.iter().all(|answer| *answer == (StatusCode::OK, active.to_owned())), "{answers:?}");
}

#[tokio::test]
async fn the_old_connection_heartbeat_is_answered_and_does_not_count() {
    let world = World::new().await;
    let id = world.registered(fixture!("go-register.json")).await;
    let before = world.instance().await.last_heartbeat;
    world.clock.advance(60_000);
    let uri = format!("/api/agent/delegates/connectionHeartbeat/{id}?accountId=ACC");
    let answer = world.call("POST", &uri, r#"{"version":"1"}"#).await;
    assert_eq!((answer.status, &*answer.body), (StatusCode::NO_CONTENT, ""));
    for (method, uri) in [
        ("GET", format!("/api/agent/delegates/{id}/task-events?accountId=ACC")),
        ("GET", format!("/api/executions/{id}/runner-events?accountId=ACC")),
        ("POST", format!("/api/agent/delegates/register-delegate-capacity/{id}?accountId=ACC")),
    ] {
        let body = if method == "POST" { r#"{"maximumNumberOfBuilds":4}"# } else { "" };
        assert_eq!(world.call(method, &uri, body).await.status, StatusCode::OK);
    }
    assert_eq!(world.instance().await.last_heartbeat, before, "only heartbeats are heartbeats");
}

#[tokio::test]
async fn the_list_of_perpetual_tasks_is_an_empty_binary() {
    let world = World::new().await;
    let answer =
        world.call("GET", "/api/agent/delegates/perpetual-task/list?delegateId=d&accountId=ACC", "").await;
    assert_eq!(answer.headers[CONTENT_TYPE], "application/x-protobuf");
}

#[tokio::test]
async fn capacity_is_stored_for_known_ids() {
    let world = World::new().await;
    let id = world.registered(fixture!("go-register.json")).await;
    let uri = format!("/api/agent/delegates/register-delegate-capacity/{id}?accountId=ACC");
    assert_eq!(world.call("POST", &uri, r#"{"maximumNumberOfBuilds":12}"#).await.body, "");
    assert_eq!(world.instance().await.facts.capacity, Some(12));
    assert_eq!(world.call("POST", &uri, r#"{"maximumNumberOfBuilds":"many"}"#).await.status, StatusCode::OK);
    assert_eq!(world.call("POST", &uri, "12").await.code(), "INVALID_REQUEST");
    assert_eq!(world.instance().await.facts.capacity, Some(12));
}

#[tokio::test]
async fn any_or_no_content_type_will_do() {
    let world = World::new().await;
    for kind in [None, Some("text/plain"), Some("application/json; charset=utf-8"), Some("\u{20}x")] {
        let mut request = request("POST", crate::world::REGISTER, V2, fixture!("go-register.json"));
        match kind {
            Some(kind) => drop(request.headers_mut().insert(CONTENT_TYPE, kind.parse().unwrap())),
            None => drop(request.headers_mut().remove(CONTENT_TYPE)),
        }
        assert_eq!(world.send(request).await.status, StatusCode::OK, "{kind:?}");
    }
}
