//! Work that is never there: task events, and calls about tasks (`agent-protocol 2.5`, `2.8`).

use axum::extract::{Request, State};
use axum::response::Response;

use super::error::AgentError;
use super::metrics::Endpoint;
use super::{AgentState, answer};

/// `GET /api/agent/delegates/{id}/task-events`: always an empty list, also for unknown ids.
pub(super) async fn events(State(agent): State<AgentState>, request: Request) -> Response {
    let (parts, _) = request.into_parts();
    let result = agent.caller(&parts).map(|_| answer::json(answer::NO_TASK_EVENTS));
    agent.answer(Endpoint::TaskEvents, result)
}

/// `PUT /api/agent/v2/delegates/{id}/tasks/{task}/acquire`: there is no such task.
pub(super) async fn acquire(State(agent): State<AgentState>, request: Request) -> Response {
    let result = agent.admit(request).await.and(Err(AgentError::NotFound));
    agent.answer(Endpoint::Tasks, result)
}

/// What became of a task: taken and forgotten, because a refusal would be repeated.
pub(super) async fn response(State(agent): State<AgentState>, request: Request) -> Response {
    let result = agent.admit(request).await.map(|_| answer::empty());
    agent.answer(Endpoint::Tasks, result)
}
