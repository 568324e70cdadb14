//! `/livez`, `/readyz`, `/metrics`.

use std::time::{Duration, Instant};

use axum::extract::State;
use axum::http::{HeaderName, StatusCode, header};
use tokio::sync::Mutex;

use super::AppState;
use super::metrics;
use crate::auth::allowed::Somebody;

/// How long one look at the database serves everybody who asks.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// A database that takes longer is not ready.
const PATIENCE: Duration = Duration::from_secs(3);

/// The last look at the database.
#[derive(Debug, Default)]
pub struct Readiness(Mutex<Option<(Instant, bool)>>);

/// 200 while the process runs.
pub async fn livez() -> &'static str {
    "ok\n"
}

/// 200 only when roster and database are ready. The roster is: it is loaded before anything listens.
pub async fn readyz(State(state): State<AppState>) -> (StatusCode, &'static str) {
    let mut last = state.readiness.0.lock().await;
    let ready = match *last {
        Some((at, ready)) if at.elapsed() < LOOK_EVERY => ready,
        _ => {
            let answer = tokio::time::timeout(PATIENCE, state.store.ping()).await;
            let ready = matches!(answer, Ok(Ok(())));
            *last = Some((Instant::now(), ready));
            ready
        }
    };
    if state.stop.is_cancelled() {
        return (StatusCode::SERVICE_UNAVAILABLE, "stopping\n");
    }
    if ready {
        (StatusCode::OK, "ready\n")
    } else {
        (StatusCode::SERVICE_UNAVAILABLE, "the database takes no changes\n")
    }
}

/// Prometheus text format (`product 13.2`).
pub async fn metrics(
    State(state): State<AppState>,
    allowed: Somebody,
) -> ([(HeaderName, &'static str); 1], String) {
    let text = metrics::render(&state, &allowed.who.grants).await;
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], text)
}
