//! Idle answers for 3.x runners (`agent-protocol 2.7`). What they send is not looked at.

use axum::extract::{Request, State};
use axum::response::Response;

use super::metrics::Endpoint;
use super::{AgentState, answer};

/// `GET /api/executions/{id}/runner-events`.
pub(super) async fn events(agent: State<AgentState>, request: Request) -> Response {
    idle(&agent, request, answer::NO_RUNNER_EVENTS).await
}

/// `POST /api/daemons/{id}/reconcile`: no daemon to start or stop.
pub(super) async fn reconcile(agent: State<AgentState>, request: Request) -> Response {
    idle(&agent, request, answer::NO_DAEMONS).await
}

/// `POST /api/daemons/{id}/tasks` and `GET /api/executions/{task}/request`.
pub(super) async fn requests(agent: State<AgentState>, request: Request) -> Response {
    idle(&agent, request, answer::NO_REQUESTS).await
}

async fn idle(agent: &AgentState, request: Request, body: &'static str) -> Response {
    let result = agent.admit(request).await.map(|_| answer::json(body));
    agent.answer(Endpoint::Runner, result)
}
