//! Side calls of Java delegates (`agent-protocol 2.9`).

use axum::extract::{Request, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse as _, Response};

use super::metrics::Endpoint;
use super::{AgentState, answer};

/// `GET /api/account/{account}/status`, without a credential: the same for every account, so that it tells nothing.
pub(super) async fn account_status(State(agent): State<AgentState>) -> Response {
    agent.answer(Endpoint::Side, Ok(answer::json(answer::ACCOUNT_ACTIVE)))
}

/// `POST /api/agent/delegates/connectionHeartbeat/{id}`: no heartbeat.
pub(super) async fn connection_heartbeat(State(agent): State<AgentState>, request: Request) -> Response {
    let result = agent.admit(request).await.map(|_| StatusCode::NO_CONTENT.into_response());
    agent.answer(Endpoint::Side, result)
}

/// `POST /api/agent/delegates/properties`: the binary body is ignored.
pub(super) async fn properties(State(agent): State<AgentState>, request: Request) -> Response {
    let result = agent.admit(request).await.map(|_| answer::json(answer::NULL_RESOURCE));
    agent.answer(Endpoint::Side, result)
}

/// `GET /api/agent/delegates/perpetual-task/list`: no bytes are an empty list in its binary form.
pub(super) async fn perpetual_tasks(State(agent): State<AgentState>, request: Request) -> Response {
    let result = agent.admit(request).await.map(|_| {
        let mut response = answer::empty();
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/x-protobuf"));
        response
    });
    agent.answer(Endpoint::Side, result)
}
