//! Live updates: tells a browser that its page has changed; the browser then asks for the page again.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::sse::{Event, Sse};
use axum::response::{IntoResponse, Response};
use fleet::access::Permission;
use fleet::scope::Scope;
use fleet::view::{Extent, Sight};
use futures::stream::{self, Stream};
use serde::Deserialize;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::{Instant, MissedTickBehavior, interval};

use super::AppState;
use crate::api::error;
use crate::auth::Identity;
use crate::auth::allowed::{Allowed, View};

/// How often a stream looks for changes: at most one refresh a second.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// How often a page that has changed is asked for again while other nodes, one of which may answer, learn of the change.
const AGAIN_EVERY: Duration = Duration::from_secs(2);
/// Until when they know, those included that still show what they computed before.
const KNOWN_AFTER: Duration = Duration::from_secs(5);
/// Heartbeats alone change ages only; a page fetches them this often (`product 11.1`).
const REFRESH_EVERY: Duration = Duration::from_secs(10);

/// Streams that one person may have open: many tabs and screens, but not everybody's places.
const MAX_OWN: usize = 200;

/// `all=true`: scopes below too. `usable=true`: scopes above too. `hidden=true`: hidden delegates too.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Parameters {
    all: String,
    usable: String,
    hidden: String,
}

impl Parameters {
    fn sight(&self) -> Sight {
        let extent = match (self.all == "true", self.usable == "true") {
            (true, _) => Extent::Below,
            (false, true) => Extent::Usable,
            (false, false) => Extent::Exact,
        };
        Sight { extent, hidden: self.hidden == "true" }
    }
}

/// `text/event-stream` of `change` events with `asOf`: at once, when what is shown has changed, and every ten seconds.
pub async fn stream(
    State(state): State<AppState>,
    allowed: Allowed<View>,
    Query(parameters): Query<Parameters>,
) -> Response {
    watched(&state, Arc::clone(&allowed.who), allowed.scope.clone(), parameters.sight(), MAX_OWN)
}

/// The stream of somebody who may look at a scope, and have at most so many of them open.
#[must_use]
pub fn watched(state: &AppState, who: Arc<Identity>, scope: Scope, sight: Sight, most: usize) -> Response {
    let refuse = |status: StatusCode, code: &str, message: &str| {
        (status, error::json(code, message, None, None)).into_response()
    };
    if !state.roster.has_scope(&scope) {
        return refuse(StatusCode::NOT_FOUND, "ENTITY_NOT_FOUND", "There is no such scope.");
    }
    let Ok(place) = Arc::clone(&state.viewers).try_acquire_owned() else {
        let message = "Too many live viewers; reload the page to see the newest figures.";
        return refuse(StatusCode::SERVICE_UNAVAILABLE, "UNAVAILABLE", message);
    };
    let Some(seat) = Seat::take(state, &who.id, most) else {
        let message = "You have too many live pages open; close some of them.";
        return refuse(StatusCode::TOO_MANY_REQUESTS, "TOO_MANY_REQUESTS", message);
    };
    let viewer = Viewer::new(state.clone(), who, scope, sight, (place, seat));
    Sse::new(watch(viewer)).into_response()
}

/// One of somebody's own places; freed when it is dropped.
struct Seat {
    state: AppState,
    who: Arc<str>,
}

impl Seat {
    fn take(state: &AppState, who: &Arc<str>, most: usize) -> Option<Self> {
        let mut taken = state.viewers_of.lock();
        let own = taken.entry(Arc::clone(who)).or_default();
        if *own >= most {
            return None;
        }
        *own += 1;
        Some(Self { state: state.clone(), who: Arc::clone(who) })
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let mut taken = self.state.viewers_of.lock();
        if let Some(own) = taken.get_mut(&self.who) {
            *own -= 1;
            if *own == 0 {
                taken.remove(&self.who);
            }
        }
    }
}

struct Viewer {
    state: AppState,
    who: Arc<Identity>,
    scope: Scope,
    sight: Sight,
    ticks: tokio::time::Interval,
    seen: Option<u64>,
    told: Instant,
    /// When something changed last, if other nodes must learn of it.
    unsettled: Option<Instant>,
    version: u64,
    /// Freed when the stream is dropped.
    _places: (OwnedSemaphorePermit, Seat),
}

impl Viewer {
    fn new(
        state: AppState,
        who: Arc<Identity>,
        scope: Scope,
        sight: Sight,
        places: (OwnedSemaphorePermit, Seat),
    ) -> Self {
        let mut ticks = interval(LOOK_EVERY);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        Self {
            state,
            who,
            scope,
            sight,
            ticks,
            seen: None,
            told: Instant::now(),
            unsettled: None,
            version: 0,
            _places: places,
        }
    }

    /// The next event; none when the server stops, the scope is gone, or the viewer may not look any more.
    async fn next(&mut self) -> Option<Event> {
        loop {
            let stop = self.state.stop.clone();
            tokio::select! {
                () = stop.cancelled() => return None,
                _ = self.ticks.tick() => {}
            }
            if self.seen.is_none() {
                // Browsers that lost a server come back together: from here on each looks at a time of its own.
                self.ticks.reset_after(LOOK_EVERY.mul_f64(rand::random_range(0.5..1.5)));
            }
            let now = self.state.clock.now();
            let shared = self.state.roster.snapshot(&self.scope, self.sight, now).await.ok()?;
            let grants = self.state.auth.again(&self.who).await?.grants;
            if !grants.allow(Permission::DelegateView, &self.scope, None) {
                return None;
            }
            let digest = shared.digest_for(&grants);
            // The first look counts as a change: much may have happened since the page was made, or since the
            // connection was lost.
            let before = self.seen.replace(digest);
            let changed = before != Some(digest);
            if changed && before.is_some() && self.state.store.is_shared() {
                self.unsettled = Some(Instant::now());
            }
            let is_unsettled = self.unsettled.is_some_and(|since| since.elapsed() < KNOWN_AFTER);
            let due = self.told.elapsed() >= if is_unsettled { AGAIN_EVERY } else { REFRESH_EVERY };
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
