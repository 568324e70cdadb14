//! `POST /api/agent/delegates/heartbeat-with-polling` (`agent-protocol 2.3`): the path of nearly all requests.

use axum::extract::{Request, State};
use axum::response::Response;

use super::error::AgentError;
use super::metrics::Endpoint;
use super::request::{harmless, whole};
use super::{AgentState, answer, wire};
use crate::roster::AgentStatus;

pub(super) async fn heartbeat(State(agent): State<AgentState>, request: Request) -> Response {
    let result = beat(&agent, request).await;
    agent.answer(Endpoint::Heartbeat, result)
}

async fn beat(agent: &AgentState, request: Request) -> Result<Response, AgentError> {
    let (parts, body) = request.into_parts();
    let caller = agent.caller(&parts)?;
    let body = whole(body).await?;
    let (report, dropped) = wire::report(&body, &caller.account)?;
    agent.metrics.dropped(dropped);
    harmless(&report)?;
    let now = agent.clock.now();
    let admitted = if let Some(admitted) = agent.roster.beat(&caller, &report, now) {
        admitted
    } else {
        agent.admit_from(&caller, agent.source(&parts))?;
        let restored = agent.roster.upsert(&caller, &report, now).await?;
        if matches!(restored.status, AgentStatus::Enabled | AgentStatus::WaitingForApproval) {
            tracing::info!(
                account = &*caller.account,
                id = &*restored.id,
                "delegate restored by its heartbeat"
            );
        }
        restored
    };
    tracing::debug!(account = &*caller.account, id = &*admitted.id, "heartbeat");
    Ok(answer::json(answer::heartbeat(&admitted.id, admitted.status)))
}
