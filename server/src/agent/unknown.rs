//! Paths that are not known or not served (`agent-protocol 2.10`).

use axum::extract::{Request, State};
use axum::response::Response;

use super::AgentState;
use super::error::AgentError;
use super::metrics::Endpoint;

/// The neutral 404; counted by path template.
pub async fn not_found(State(agent): State<AgentState>, request: Request) -> Response {
    agent.metrics.unknown_path(request.uri().path());
    agent.answer(Endpoint::Unknown, Err(AgentError::NotFound))
}
