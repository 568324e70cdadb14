//! Under too much load pages go first: heartbeats are what everything else rests on.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use axum::extract::{Request, State};
use axum::http::header::RETRY_AFTER;
use axum::http::{HeaderValue, StatusCode};
use axum::middleware::Next;
use axum::response::Response;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use super::AppState;
use super::refusal::Told;
use crate::management;

/// How often the load is measured.
const EVERY: Duration = Duration::from_millis(50);
/// Work that waits for longer than this, smoothed, is too much.
const TOO_LATE: Duration = Duration::from_secs(1);
/// What a new measurement counts, in parts of eight.
const WEIGHT: u64 = 1;
/// Seconds until whoever was turned away should come again.
const RETRY_IN: u16 = 2;

/// How late work gets its turn.
#[derive(Debug, Default)]
pub struct Load {
    /// Smoothed, in microseconds.
    lag: AtomicU64,
    turned_away: AtomicU64,
}

impl Load {
    /// Adds a measurement.
    pub fn note(&self, lag: Duration) {
        let lag = u64::try_from(lag.as_micros()).unwrap_or(u64::MAX >> 4).min(u64::MAX >> 4);
        let before = self.lag.load(Ordering::Relaxed);
        self.lag.store((before * (8 - WEIGHT) + lag * WEIGHT) / 8, Ordering::Relaxed);
    }

    /// How late work gets its turn, smoothed over half a second.
    #[must_use]
    pub fn lag(&self) -> Duration {
        Duration::from_micros(self.lag.load(Ordering::Relaxed))
    }

    /// Requests that were turned away.
    #[must_use]
    pub fn turned_away(&self) -> u64 {
        self.turned_away.load(Ordering::Relaxed)
    }

    /// Measures until `stop`.
    pub async fn measure(&self, stop: CancellationToken) {
        loop {
            let due = Instant::now() + EVERY;
            tokio::select! {
                () = stop.cancelled() => return,
                () = sleep(EVERY) => self.note(due.elapsed()),
            }
        }
    }
}

/// Turns readers away while work waits too long; what people do, and probes of tools, goes on.
pub async fn shed(State(state): State<AppState>, request: Request, next: Next) -> Response {
    let (method, path) = (request.method(), request.uri().path());
    let reads = method.is_safe() || management::reads_by_post(method, path);
    if !reads || state.load.lag() <= TOO_LATE || path == "/metrics" {
        return next.run(request).await;
    }
    state.load.turned_away.fetch_add(1, Ordering::Relaxed);
    let text = "The server has more to do than it can at the moment; delegates go first. Try again in a few seconds.";
    let mut response = Told::new(&request).why(StatusCode::SERVICE_UNAVAILABLE, "UNAVAILABLE", text);
    response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(RETRY_IN));
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_hiccup_is_no_overload_and_lasting_delay_is() {
        let load = Load::default();
        load.note(4 * TOO_LATE);
        assert!(load.lag() <= TOO_LATE, "{:?}", load.lag());
        for _ in 0..8 {
            load.note(4 * TOO_LATE);
        }
        assert!(load.lag() > TOO_LATE);
        for _ in 0..16 {
            load.note(Duration::ZERO);
        }
        assert!(load.lag() < TOO_LATE);
        load.note(Duration::MAX);
        load.note(Duration::MAX);
        assert!(load.lag() > TOO_LATE, "no overflow");
    }
}
