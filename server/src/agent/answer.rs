//! What agents are told when all is well: exactly the keys of `agent-protocol 4`, nulls included.

use axum::body::Body;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse as _, Response};

use crate::roster::AgentStatus;

/// The envelope around nothing: unregister, properties.
pub const NULL_RESOURCE: &str = r#"{"metaData":{},"resource":null,"responseMessages":[]}"#;
/// The account is active, whoever asks for whichever (A8).
pub const ACCOUNT_ACTIVE: &str = r#"{"metaData":{},"resource":"ACTIVE","responseMessages":[]}"#;
/// No work; not wrapped in the envelope (`agent-protocol 2.5`).
pub const NO_TASK_EVENTS: &str = r#"{"delegateTaskEvents":[]}"#;
/// No work for a runner (`agent-protocol 2.7`).
pub const NO_RUNNER_EVENTS: &str = r#"{"delegateRunnerEvents":[]}"#;
/// Nothing to start or stop (`agent-protocol 2.7`).
pub const NO_DAEMONS: &str = r#"{"data":[]}"#;
/// No requests (`agent-protocol 2.7`).
pub const NO_REQUESTS: &str = r#"{"requests":[]}"#;

const BEFORE_RESOURCE: &str = r#"{"metaData":{},"resource":"#;
const AFTER_RESOURCE: &str = r#","responseMessages":[]}"#;

/// 200 with this JSON.
pub fn json(body: impl Into<Body>) -> Response {
    let mut response = Response::new(body.into());
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

/// 200 without a body.
#[must_use]
pub fn empty() -> Response {
    StatusCode::OK.into_response()
}

/// The envelope of 4.1 around a resource, which is JSON.
#[must_use]
pub fn envelope(resource: &str) -> String {
    [BEFORE_RESOURCE, resource, AFTER_RESOURCE].concat()
}

/// The body of 4.2.
#[must_use]
pub fn registered(id: &str) -> String {
    const TAIL: &str = r#","action":null,"migrateUrl":null,"sequenceNum":null,"delegateRandomToken":null},"responseMessages":[]}"#;
    with_id(id, &[TAIL])
}

/// The body of 4.3.
#[must_use]
pub fn heartbeat(id: &str, status: AgentStatus) -> String {
    const TAIL: &str = r#"","useCdn":false,"jreVersion":null,"delegateRandomToken":null,"sequenceNumber":null},"responseMessages":[]}"#;
    with_id(id, &[r#","status":""#, word(status), TAIL])
}

/// A text as JSON.
#[must_use]
pub fn quoted(text: &str) -> String {
    // A text always has a JSON form.
    serde_json::to_string(text).unwrap_or_default()
}

/// The word for a status; any other makes a Java delegate fail (A10).
const fn word(status: AgentStatus) -> &'static str {
    match status {
        AgentStatus::Enabled => "ENABLED",
        AgentStatus::WaitingForApproval => "WAITING_FOR_APPROVAL",
        AgentStatus::Disabled => "DISABLED",
        AgentStatus::Deleted => "DELETED",
    }
}

/// An envelope whose resource begins with the id, in one allocation.
fn with_id(id: &str, rest: &[&str]) -> String {
    const HEAD: &str = r#"{"delegateId":"#;
    let rest_len: usize = rest.iter().map(|part| part.len()).sum();
    let mut body = String::with_capacity(BEFORE_RESOURCE.len() + HEAD.len() + id.len() + 2 + rest_len);
    body.push_str(BEFORE_RESOURCE);
    body.push_str(HEAD);
    if fleet::delegate::is_delegate_id(id) {
        body.push('"');
        body.push_str(id);
        body.push('"');
    } else {
        body.push_str(&quoted(id));
    }
    for part in rest {
        body.push_str(part);
    }
    body
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn t2_the_answers_are_those_of_the_fixtures() {
        let register = include_str!("../../../fixtures/agent/register-response.json");
        assert_eq!(registered("d-java-0001"), register.trim_end());
        let beat = include_str!("../../../fixtures/agent/heartbeat-response.json");
        assert_eq!(heartbeat("d-java-0001", AgentStatus::Enabled), beat.trim_end());
        let events = include_str!("../../../fixtures/agent/task-events-empty.json");
        assert_eq!(NO_TASK_EVENTS, events.trim_end());
    }

    #[test]
    fn t13_the_status_is_always_one_of_the_four_words() {
        for (status, word) in [
            (AgentStatus::Enabled, "ENABLED"),
            (AgentStatus::WaitingForApproval, "WAITING_FOR_APPROVAL"),
            (AgentStatus::Disabled, "DISABLED"),
            (AgentStatus::Deleted, "DELETED"),
        ] {
            let body: serde_json::Value = serde_json::from_str(&heartbeat("d", status)).unwrap();
            assert_eq!(body["resource"]["status"], word);
        }
    }

    #[test]
    fn odd_ids_are_escaped() {
        let body: serde_json::Value = serde_json::from_str(&registered("a\"b\\")).unwrap();
        assert_eq!(body["resource"]["delegateId"], "a\"b\\");
    }

    #[test]
    fn an_envelope_has_exactly_three_keys() {
        assert_eq!(envelope("null"), NULL_RESOURCE);
        assert_eq!(envelope(&quoted("ACTIVE")), ACCOUNT_ACTIVE);
    }
}
