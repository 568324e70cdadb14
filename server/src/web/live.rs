//! Live updates: tells a browser that its page has changed; the browser then asks for the page again.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::sse::{Event, Sse};
use axum::response::{IntoResponse, Response};
use fleet::scope::Scope;
use futures::stream::{self, Stream};
use serde::Deserialize;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::{Instant, MissedTickBehavior, interval};

use super::AppState;
use super::scope::PathScope;
use crate::api::error;

/// How often a stream looks for changes: at most one refresh a second.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// Heartbeats alone change ages only; a page fetches them this often (`product 11.1`).
const REFRESH_EVERY: Duration = Duration::from_secs(10);

/// `all=true`: scopes below too.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Parameters {
    all: String,
}

/// `text/event-stream` of `change` events with `asOf`: at once, when what is shown has changed, and every ten seconds.
pub async fn stream(
    State(state): State<AppState>,
    PathScope(scope): PathScope,
    Query(parameters): Query<Parameters>,
) -> Response {
    let Ok(scope) = scope
        .map_err(drop)
        .and_then(|scope| if state.roster.has_scope(&scope) { Ok(scope) } else { Err(()) })
    else {
        return (
            StatusCode::NOT_FOUND,
            error::json("ENTITY_NOT_FOUND", "There is no such scope.", None, None),
        )
            .into_response();
    };
    let Ok(place) = Arc::clone(&state.viewers).try_acquire_owned() else {
        let message = "Too many live viewers; reload the page to see the newest figures.";
        return (StatusCode::SERVICE_UNAVAILABLE, error::json("UNAVAILABLE", message, None, None))
            .into_response();
    };
    Sse::new(watch(Viewer::new(state, scope, parameters.all == "true", place))).into_response()
}

struct Viewer {
    state: AppState,
    scope: Scope,
    below: bool,
    ticks: tokio::time::Interval,
    seen: Option<u64>,
    told: Instant,
    version: u64,
    /// Frees the place when the stream is dropped.
    _place: OwnedSemaphorePermit,
}

impl Viewer {
    fn new(state: AppState, scope: Scope, below: bool, place: OwnedSemaphorePermit) -> Self {
        let mut ticks = interval(LOOK_EVERY);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        Self { state, scope, below, ticks, seen: None, told: Instant::now(), version: 0, _place: place }
    }

    /// The next event; none when the server stops or the scope is gone.
    async fn next(&mut self) -> Option<Event> {
        loop {
            let stop = self.state.stop.clone();
            tokio::select! {
                () = stop.cancelled() => return None,
                _ = self.ticks.tick() => {}
            }
            let now = self.state.clock.now();
            let shared = self.state.roster.snapshot(&self.scope, self.below, now).await.ok()?;
            let digest = shared.digest();
            // The first look counts as a change: much may have happened since the page was made, or since the
            // connection was lost.
            let changed = self.seen.replace(digest) != Some(digest);
            let due = self.told.elapsed() >= REFRESH_EVERY;
            if !(changed || due) {
                continue;
            }
            self.told = Instant::now();
            self.version += 1;
            let as_of = shared.snapshot.as_of.millis();
            let data = format!("{{\"asOf\":{as_of},\"version\":{}}}", self.version);
            return Some(Event::default().event("change").data(data).id(self.version.to_string()));
        }
    }
}

fn watch(viewer: Viewer) -> impl Stream<Item = Result<Event, Infallible>> + Send {
    stream::unfold(viewer, |mut viewer| async move { viewer.next().await.map(|event| (Ok(event), viewer)) })
}
