//! `POST /api/agent/delegates/register-delegate-capacity/{id}` (`agent-protocol 2.6`).

use axum::extract::rejection::PathRejection;
use axum::extract::{Path, Request, State};
use axum::response::Response;

use super::error::AgentError;
use super::metrics::Endpoint;
use super::{AgentState, answer, wire};

pub(super) async fn capacity(
    State(agent): State<AgentState>,
    id: Result<Path<String>, PathRejection>,
    request: Request,
) -> Response {
    let result = store(&agent, id, request).await;
    agent.answer(Endpoint::Capacity, result)
}

async fn store(
    agent: &AgentState,
    id: Result<Path<String>, PathRejection>,
    request: Request,
) -> Result<Response, AgentError> {
    let (caller, body) = agent.open(request).await?;
    let Path(id) = id.map_err(|_| AgentError::InvalidRequest)?;
    let (builds, dropped) = wire::capacity(&body)?;
    agent.metrics.dropped(dropped);
    if let Some(builds) = builds {
        agent.roster.capacity(&caller, &id, builds, agent.clock.now()).await;
    }
    Ok(answer::empty())
}
