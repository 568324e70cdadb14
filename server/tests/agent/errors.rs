//! What agents read when something is wrong (agent-protocol 4.6, 4.7).

use axum::body::Body;
use axum::http::Request;
use server::agent::error::{DANGEROUS_WORDS, is_dangerous};

use crate::world::{Answer, HEARTBEAT, REGISTER, UNREGISTER, V2, World, request};

/// Looks like a dangerous word and is easy to find again.
const MARKER: &str = "INVALID_TOKEN-by-name";

/// Every kind of bad request, each with the marker wherever a client can put text.
fn bad_requests() -> Vec<Request<Body>> {
    let marked = format!(r#"{{"accountId":"{MARKER}","delegateName":"{MARKER}"}}"#);
    let bodies = [
        MARKER.to_owned(),
        format!("\"{MARKER}\""),
        format!(r#"{{"{MARKER}":"#),
        format!(r#"{{"hostName":["{MARKER}"]}}"#),
        format!(r#"{{"delegateId":{{"{MARKER}":1}}}}"#),
        format!(r#"{{"delegateId":"{MARKER}"}}"#),
        format!(r#"{{"delegateId":"{MARKER} /"}}"#),
        marked.clone(),
    ];
    let mut requests = Vec::new();
    for uri in [REGISTER, HEARTBEAT, UNREGISTER] {
        requests.extend(bodies.iter().map(|body| request("POST", uri, V2, body)));
        requests.push(request("POST", uri, MARKER, &marked));
        requests.push(request("POST", uri, &format!("{MARKER}.{MARKER}...."), &marked));
        requests.push(request("POST", uri, V2, &format!(r#"{{"x":"{}{MARKER}"}}"#, "x".repeat(1 << 20))));
        requests.push(request("POST", &format!("{uri}&x={MARKER}").replace("accountId", MARKER), V2, "{}"));
        requests.push(request("GET", uri, V2, ""));
    }
    for uri in [
        format!("/api/{MARKER}"),
        format!("/api/agent/{MARKER}?{MARKER}={MARKER}"),
        format!("/stream/{MARKER}"),
        format!("/stream/delegate/{MARKER}?token="),
        format!("/stream/delegate/%ff{MARKER}"),
        format!("/api/agent/delegates//task-events?accountId=ACC&x={MARKER}"),
        format!("/api/upgrade-check/delegate?accountId=ACC&x={MARKER}"),
        format!("/api/upgrade-check/delegate?accountId=ACC&currentDelegateImageTag={MARKER}"),
        format!("/api/upgrade-check/delegate-v2?accountId=ACC&currentDelegateImageTag={}", "x".repeat(2000)),
        format!("/api/upgrade-check/upgrader?accountId=ACC&currentUpgraderImageTag={MARKER}"),
    ] {
        requests.push(request("GET", &uri, V2, ""));
    }
    let capacity = format!("/api/agent/delegates/register-delegate-capacity/%ff{MARKER}?accountId=ACC");
    requests.push(request("POST", &capacity, V2, "{}"));
    let mut odd = request("GET", REGISTER, V2, "");
    odd.headers_mut().insert("authorization", axum::http::HeaderValue::from_bytes(b"Delegate \xff").unwrap());
    requests.push(odd);
    requests
}

fn text(answer: &Answer) -> String {
    format!("{:?} {}", answer.headers, answer.body)
}

#[tokio::test]
async fn t3_t4_no_bad_request_gets_a_dangerous_word_or_its_own_text_back() {
    let world = World::new().await;
    for request in bad_requests() {
        let shown = format!("{} {}", request.method(), request.uri());
        let answer = world.send(request).await;
        // A goodbye of an unknown id is no bad request; its answer must be as clean.
        let goodbye = shown.ends_with(UNREGISTER) && answer.status == 200;
        assert!(answer.status.is_client_error() || goodbye, "{shown}: {}", answer.status);
        let text = text(&answer);
        assert!(!is_dangerous(&text) && !text.contains(MARKER), "{shown}: {text}");
    }
}

#[tokio::test]
async fn t3_neither_does_a_server_that_is_not_ready() {
    let world = World::unready(server::agent::AgentSettings::default()).await;
    for request in bad_requests() {
        let answer = world.send(request).await;
        assert!(!answer.status.is_success());
        assert!(!is_dangerous(&text(&answer)));
    }
}

#[tokio::test]
async fn t4_a_delegate_with_a_dangerous_name_registers_and_harms_nobody() {
    let world = World::new().await;
    for word in DANGEROUS_WORDS {
        let body = crate::world::body(word, word, &format!(r#""tags":["{word}"],"version":"{word}""#));
        let answer = world.register(&body).await;
        assert!(answer.status.is_success() && !is_dangerous(&text(&answer)));
    }
    assert_eq!(world.instances().await.len(), DANGEROUS_WORDS.len());
}
