//! `POST /api/agent/delegates/register` (`agent-protocol 2.2`).

use axum::extract::{Request, State};
use axum::response::Response;

use super::error::AgentError;
use super::metrics::Endpoint;
use super::request::{harmless, whole};
use super::{AgentState, answer, wire};
use crate::roster::AgentStatus;

pub(super) async fn register(State(agent): State<AgentState>, request: Request) -> Response {
    let result = admit(&agent, request).await;
    agent.answer(Endpoint::Register, result)
}

async fn admit(agent: &AgentState, request: Request) -> Result<Response, AgentError> {
    let (parts, body) = request.into_parts();
    let caller = agent.caller(&parts)?;
    agent.admit_from(&caller, agent.source(&parts))?;
    let body = whole(body).await?;
    let (report, dropped) = wire::report(&body, &caller.account)?;
    agent.metrics.dropped(dropped);
    harmless(&report)?;
    let admitted = agent.roster.register(&caller, &report, agent.clock.now()).await?;
    // A Go client would take an empty id for its own and never ask again.
    if admitted.id.is_empty() {
        return Err(AgentError::Internal);
    }
    match admitted.status {
        AgentStatus::Disabled | AgentStatus::Deleted => {
            tracing::info!(
                account = &*caller.account,
                "a deleted or rejected delegate registers; it is turned away"
            );
        }
        AgentStatus::Enabled | AgentStatus::WaitingForApproval => {
            tracing::info!(account = &*caller.account, id = &*admitted.id, "delegate registered");
        }
    }
    Ok(answer::json(answer::registered(&admitted.id)))
}
