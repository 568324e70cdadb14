//! `GET /stream/delegate/{account}`: the WebSocket of Java delegates (`agent-protocol 7`).

mod frames;
mod session;

use axum::extract::{FromRequestParts as _, Path, Request, State, WebSocketUpgrade};
use axum::http::StatusCode;
use axum::response::Response;
use fleet::delegate::is_delegate_id;
use prometheus::IntGauge;
use tokio::sync::OwnedSemaphorePermit;

use super::error::{AgentError, is_dangerous};
use super::metrics::Endpoint;
use super::{AgentState, query};
use session::{Peer, Session};

/// The longest frame that counts, in bytes (`agent-protocol 7.3`).
const MAX_FRAME: usize = 256 * 1024;
/// The longest frame that is received at all; a longer one ends the connection.
const MAX_RECEIVED: usize = 2 * MAX_FRAME;
/// Room for one usual frame. It is held as long as the connection is open, so it decides how many fit in memory.
const READ_BUFFER: usize = 2 * 1024;
/// What may wait for a client that does not read.
const MAX_UNSENT: usize = 64 * 1024;

/// A refused handshake has no body where a Java delegate might read one (A11).
pub(super) async fn stream(State(agent): State<AgentState>, request: Request) -> Response {
    let response = match open(&agent, request).await {
        Err(error) if error.status() == StatusCode::UNAUTHORIZED => Ok(error.empty()),
        other => other,
    };
    agent.answer(Endpoint::Stream, response)
}

async fn open(agent: &AgentState, request: Request) -> Result<Response, AgentError> {
    let (mut parts, _) = request.into_parts();
    let account = Path::<String>::from_request_parts(&mut parts, &()).await;
    let Path(account) = account.map_err(|_| AgentError::InvalidRequest)?;
    let upgrade = WebSocketUpgrade::from_request_parts(&mut parts, &()).await;
    let upgrade = upgrade.map_err(|_| AgentError::InvalidRequest)?;
    let value = |name| query::value(parts.uri.query(), name).filter(|value| !value.is_empty());
    let caller = match value("token") {
        Some(token) => Some(agent.verify(&account, &token, &parts.headers, || agent.source(&parts))?),
        None if agent.tokens.is_ready() => None,
        None => return Err(AgentError::Unavailable),
    };
    let seat = Seat::take(agent).ok_or(AgentError::Unavailable)?;
    let id = value("delegateId").filter(|id| usable(id)).map(Into::into);
    tracing::debug!(account = &*account, id = id.as_deref().unwrap_or_default(), "WebSocket opens");
    let peer = Peer { account: account.into(), source: agent.source(&parts) };
    let session = Session::new(agent.clone(), peer, caller, id, seat);
    let upgrade = upgrade
        .read_buffer_size(READ_BUFFER)
        .write_buffer_size(0)
        .max_write_buffer_size(MAX_UNSENT)
        .max_frame_size(MAX_RECEIVED)
        .max_message_size(MAX_RECEIVED);
    Ok(upgrade.on_upgrade(|socket| session.run(socket)))
}

/// Whether an id may be put into frames.
fn usable(id: &str) -> bool {
    is_delegate_id(id) && !is_dangerous(id)
}

/// One of the connections that may be open at once; counted while it is held.
struct Seat {
    gauge: IntGauge,
    _permit: OwnedSemaphorePermit,
}

impl Seat {
    fn take(agent: &AgentState) -> Option<Self> {
        let permit = agent.0.seats.clone().try_acquire_owned().ok()?;
        let gauge = agent.metrics.connections().clone();
        gauge.inc();
        Some(Self { gauge, _permit: permit })
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.gauge.dec();
    }
}
