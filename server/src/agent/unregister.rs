//! `POST /api/agent/delegates/unregister` (`agent-protocol 2.4`).

use axum::extract::{Request, State};
use axum::response::Response;

use super::error::AgentError;
use super::metrics::Endpoint;
use super::{AgentState, answer, wire};

pub(super) async fn unregister(State(agent): State<AgentState>, request: Request) -> Response {
    let result = leave(&agent, request).await;
    agent.answer(Endpoint::Unregister, result)
}

async fn leave(agent: &AgentState, request: Request) -> Result<Response, AgentError> {
    let (caller, body) = agent.open(request).await?;
    let (goodbye, dropped) = wire::goodbye(&body, &caller.account)?;
    agent.metrics.dropped(dropped);
    if let Some(id) = agent.roster.unregister(&caller, &goodbye, agent.clock.now()).await? {
        tracing::info!(account = &*caller.account, id = &*id, "delegate said goodbye");
    }
    Ok(answer::json(answer::NULL_RESOURCE))
}
