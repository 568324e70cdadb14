//! What delegates speak (`agent-protocol`): register, heartbeat, goodbye, idle answers, upgrade check, WebSocket.

pub mod answer;
mod capacity;
pub mod error;
mod heartbeat;
pub mod jwe;
pub mod metrics;
mod pace;
pub mod path;
pub mod query;
mod register;
mod request;
mod runner;
mod side;
mod source;
mod stream;
mod tasks;
mod unknown;
mod unregister;
mod upgrade;
pub mod wire;

use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::routing::{any, get, post, put};
use ipnet::IpNet;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use crate::clock::Clock;
use crate::roster::Roster;
use crate::tokens::book::TokenBook;
pub use metrics::AgentMetrics;
pub use source::Blocked;
pub use unknown::not_found;

/// Open WebSockets unless it is set otherwise.
pub const STREAM_LIMIT: usize = 200_000;
/// How long a WebSocket may stay open without a valid token (`agent-protocol 7.1`, A11).
pub const TOKEN_WAIT: Duration = Duration::from_secs(90);

/// What a WebSocket heartbeat with an unknown id leads to (`agent-protocol 7.5`, A13).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UnknownId {
    /// A placeholder row.
    #[default]
    Placeholder,
    /// `[SELF_DESTRUCT]<id>`, as the vendor does.
    SelfDestruct,
}

/// What an administrator may change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentSettings {
    /// `agent.ws_unknown_id`.
    pub unknown_id: UnknownId,
    /// WebSockets that may be open at once; more are answered with 503.
    pub stream_limit: usize,
    /// How long a WebSocket may stay open without a valid token.
    pub token_wait: Duration,
    /// Image repository of upgrade answers; that of the caller is kept without one.
    pub image_repository: Option<String>,
    /// The image that upgraders should run; they keep theirs without one.
    pub upgrader_image: Option<String>,
    /// Proxies whose word about the address of a caller counts.
    pub trusted_proxies: Vec<IpNet>,
}

impl Default for AgentSettings {
    fn default() -> Self {
        Self {
            unknown_id: UnknownId::default(),
            stream_limit: STREAM_LIMIT,
            token_wait: TOKEN_WAIT,
            image_repository: None,
            upgrader_image: None,
            trusted_proxies: Vec::new(),
        }
    }
}

/// What the protocol works with.
pub struct AgentParts {
    /// The live fleet.
    pub roster: Arc<Roster>,
    /// Every account's tokens.
    pub tokens: Arc<TokenBook>,
    /// The time.
    pub clock: Clock,
    /// Settings.
    pub settings: AgentSettings,
    /// Counters.
    pub metrics: AgentMetrics,
    /// Cancelled when the server stops; WebSockets then say goodbye.
    pub shutdown: CancellationToken,
}

/// [`AgentParts`], shared by all requests; a clone is one pointer.
#[derive(Clone)]
pub struct AgentState(Arc<Shared>);

struct Shared {
    parts: AgentParts,
    seats: Arc<Semaphore>,
    blocked: source::BlockedSources,
    pace: pace::Pace,
}

impl AgentState {
    /// The state around these parts.
    #[must_use]
    pub fn new(parts: AgentParts) -> Self {
        let seats = Arc::new(Semaphore::new(parts.settings.stream_limit.min(Semaphore::MAX_PERMITS)));
        Self(Arc::new(Shared {
            parts,
            seats,
            blocked: source::BlockedSources::default(),
            pace: pace::Pace::default(),
        }))
    }
}

impl Deref for AgentState {
    type Target = AgentParts;

    fn deref(&self) -> &AgentParts {
        &self.0.parts
    }
}

/// Every row of `agent-protocol 2.1`, and [`not_found`] for everything else below `/api/` and `/stream/`.
///
/// Other methods are answered in the same way: an agent never gets a body that this project did not write. More
/// special paths below `/api/` can be merged.
pub fn routes(state: AgentState) -> Router {
    Router::new()
        .route("/api/agent/delegates/register", post(register::register))
        .route("/api/agent/delegates/heartbeat-with-polling", post(heartbeat::heartbeat))
        .route("/api/agent/delegates/unregister", post(unregister::unregister))
        .route("/api/agent/delegates/{id}/task-events", get(tasks::events))
        .route("/api/agent/delegates/register-delegate-capacity/{id}", post(capacity::capacity))
        .route("/stream/delegate/{account}", get(stream::stream))
        .route("/api/executions/{id}/runner-events", get(runner::events))
        .route("/api/daemons/{id}/reconcile", post(runner::reconcile))
        .route("/api/daemons/{id}/tasks", post(runner::requests))
        .route("/api/executions/{id}/request", get(runner::requests))
        .route("/api/executions/{id}/task-response", post(tasks::response))
        .route("/api/executions/{id}/response", post(tasks::response))
        .route("/api/agent/v2/delegates/{id}/tasks/{task}/acquire", put(tasks::acquire))
        .route("/api/agent/v2/tasks/{task}/delegates/{id}", post(tasks::response))
        .route("/api/account/{account}/status", get(side::account_status))
        .route("/api/agent/delegates/connectionHeartbeat/{id}", post(side::connection_heartbeat))
        .route("/api/agent/delegates/properties", post(side::properties))
        .route("/api/agent/delegates/perpetual-task/list", get(side::perpetual_tasks))
        .route("/api/upgrade-check/delegate", get(upgrade::delegate))
        .route("/api/upgrade-check/delegate-v2", get(upgrade::delegate))
        .route("/api/upgrade-check/upgrader", get(upgrade::upgrader))
        // What a Go client asks for that was once told an empty id (agent-protocol 2.5).
        .route("/api/agent/delegates//task-events", any(not_found))
        .route("/api/", any(not_found))
        .route("/api/{*rest}", any(not_found))
        .route("/stream/", any(not_found))
        .route("/stream/{*rest}", any(not_found))
        .method_not_allowed_fallback(not_found)
        .with_state(state)
}
