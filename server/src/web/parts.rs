//! The live part of a page, rendered once for everybody who would get the same: thousands of viewers refresh their pages
//! after one change, and cost little more than one.
//!
//! What is shared is rendered for rights, not for a person: the page is told what its viewer may do, and neither name nor
//! id nor cookie, so that it cannot hold anything of theirs. It is kept for as long as the snapshot that it was asked
//! for is the newest, a second at most.

use std::convert::Infallible;
use std::sync::{Arc, Weak};

use app::context::Preferences;
use app::embed::SharedEmbed;
use app::words::PART;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{Request, State};
use axum::http::header::{ACCEPT, ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_TYPE, HOST, VARY};
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri};
use axum::response::{IntoResponse as _, Response};
use fleet::access::Grants;
use fleet::query::Query;
use fleet::scope::Scope;
use fleet::view::{Extent, Sight};
use quick_cache::sync::Cache;
use tokio::sync::{Mutex, OnceCell};
use tower::{ServiceExt as _, service_fn};
use tower_http::compression::Compression;

use super::AppState;
use super::page::{self, Asker, Said, origin, render};
use crate::auth::allowed::{Allowed, View};
use crate::auth::{Identity, Via};
use crate::deeds::filters::visible;
use crate::roster::SharedSnapshot;

/// Different views that are kept at a time.
const KEPT: usize = 128;

/// The views that were asked for lately.
pub struct Parts(Cache<Key, Slot>);

impl Default for Parts {
    fn default() -> Self {
        Self(Cache::new(KEPT))
    }
}

/// Everything that a part depends on, besides the snapshot.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Key {
    uri: String,
    /// Pages write whole addresses of this server.
    origin: String,
    grants: Grants,
    preferences: Preferences,
    /// See [`Wanted::owner`].
    owner: Option<Arc<str>>,
}

type Slot = Arc<Mutex<Option<Held>>>;

struct Held {
    /// Keeps the place in memory, so that no other snapshot can be taken for it, but not what is in it.
    of: Weak<SharedSnapshot>,
    part: Arc<Part>,
}

/// One rendering, and its compressed forms as soon as somebody wants them.
struct Part {
    plain: Bytes,
    brotli: OnceCell<Bytes>,
    gzip: OnceCell<Bytes>,
}

/// What is asked for, and what may be seen of it.
pub struct Wanted<'a> {
    /// Path and query.
    pub uri: &'a Uri,
    /// Whose delegates.
    pub scope: &'a Scope,
    /// Which of them there are to choose from.
    pub sight: Sight,
    /// What the viewer may do.
    pub grants: &'a Grants,
    /// What the viewer chose.
    pub preferences: Preferences,
    /// Of the request.
    pub headers: &'a HeaderMap,
    /// Set for a page in a frame.
    pub embed: Option<SharedEmbed>,
    /// Set for somebody to whom the page shows what it shows to nobody else.
    pub owner: Option<Arc<str>>,
}

/// Whether only the live part of a page is asked for.
#[must_use]
pub fn wanted(headers: &HeaderMap) -> bool {
    headers.get(ACCEPT).and_then(|accept| accept.to_str().ok()).is_some_and(|accept| accept.contains(PART))
}

/// A page of delegates, or the live part of it.
pub async fn show(State(state): State<AppState>, allowed: Allowed<View>, request: Request) -> Response {
    if wanted(request.headers())
        && let Ok(query) = Query::parse(request.uri().query().unwrap_or_default())
    {
        // The page of one group speaks of its own scope alone.
        let whole = request.uri().path().ends_with("/delegates");
        let wanted = Wanted {
            uri: request.uri(),
            scope: &allowed.scope,
            sight: if whole { query.sight() } else { Sight { extent: Extent::Exact, ..query.sight() } },
            grants: &allowed.who.grants,
            preferences: page::preferences(request.headers()),
            headers: request.headers(),
            embed: None,
            owner: owner(&state, &allowed),
        };
        if let Some(answer) = answer(&state, wanted).await {
            return answer;
        }
    }
    page::show::<View>(State(state), allowed, request).await
}

/// Whoever has filters of their own in a scope sees them on its page, so that it can be shared with nobody.
fn owner(state: &AppState, allowed: &Allowed<View>) -> Option<Arc<str>> {
    let tables = state.auth.directory.tables();
    let own = visible(&tables, &allowed.scope, &allowed.who.id).any(|filter| filter.owner == allowed.who.id);
    own.then(|| Arc::clone(&allowed.who.id))
}

/// The part; none where the page has something else to say, which is nobody's to share.
pub async fn answer(state: &AppState, wanted: Wanted<'_>) -> Option<Response> {
    let snapshot = state.roster.snapshot(wanted.scope, wanted.sight, state.clock.now()).await.ok()?;
    let key = Key {
        uri: wanted.uri.to_string(),
        origin: origin(state, wanted.headers),
        grants: wanted.grants.clone(),
        preferences: wanted.preferences,
        owner: wanted.owner.clone(),
    };
    let slot = state.shared_parts.0.get_or_insert_with(&key, || Ok::<_, Infallible>(Slot::default()));
    let slot = slot.unwrap_or_default();
    // Whoever comes while it is rendered waits here and shares it.
    let mut held = slot.lock().await;
    let known = held.as_ref().filter(|held| Weak::as_ptr(&held.of) == Arc::as_ptr(&snapshot));
    let part = if let Some(held) = known {
        Arc::clone(&held.part)
    } else {
        let part = Arc::new(rendered(state, &wanted).await?);
        *held = Some(Held { of: Arc::downgrade(&snapshot), part: Arc::clone(&part) });
        part
    };
    drop(held);
    Some(part.answer(wanted.headers).await)
}

async fn rendered(state: &AppState, wanted: &Wanted<'_>) -> Option<Part> {
    let rights = Identity {
        ends: None,
        id: wanted.owner.clone().unwrap_or_default(),
        email: "".into(),
        name: "".into(),
        grants: wanted.grants.clone(),
        via: Via::Rights,
    };
    let host = wanted.headers.get(HOST).cloned().map(|host| (HOST, host));
    let asker = Asker::nobody(host.into_iter().collect()).become_other(rights);
    let said = Said {
        part: true,
        preferences: Some(wanted.preferences),
        embed: wanted.embed.clone(),
        ..Said::default()
    };
    let uri = if wanted.embed.is_some() { &Uri::from_static("/embed/page") } else { wanted.uri };
    let response = render(state, asker, uri, said).await;
    if response.status() != StatusCode::OK {
        return None;
    }
    let plain = to_bytes(response.into_body(), usize::MAX).await.ok()?;
    Some(Part { plain, brotli: OnceCell::new(), gzip: OnceCell::new() })
}

impl Part {
    async fn answer(&self, asked: &HeaderMap) -> Response {
        let accepted = asked.get(ACCEPT_ENCODING).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let (encoding, body) = match best(accepted) {
            None => (None, Some(&self.plain)),
            Some("br") => (Some("br"), self.brotli.get_or_try_init(|| self.compressed("br")).await.ok()),
            Some(_) => (Some("gzip"), self.gzip.get_or_try_init(|| self.compressed("gzip")).await.ok()),
        };
        let (encoding, body) = body.map_or((None, &self.plain), |body| (encoding, body));
        let html = HeaderValue::from_static("text/html; charset=utf-8");
        let vary = HeaderValue::from_static("accept, accept-encoding, cookie");
        let mut response = ([(CONTENT_TYPE, html), (VARY, vary)], body.clone()).into_response();
        if let Some(encoding) = encoding {
            response.headers_mut().insert(CONTENT_ENCODING, HeaderValue::from_static(encoding));
        }
        response
    }

    /// By the same means as every other answer.
    async fn compressed(&self, encoding: &'static str) -> Result<Bytes, axum::Error> {
        let plain = self.plain.clone();
        let answer = service_fn(move |_| {
            let html = [(CONTENT_TYPE, HeaderValue::from_static("text/html"))];
            std::future::ready(Ok::<_, Infallible>((html, plain.clone()).into_response()))
        });
        let mut request = Request::new(Body::empty());
        request.headers_mut().insert(ACCEPT_ENCODING, HeaderValue::from_static(encoding));
        let Ok(response) = Compression::new(answer).oneshot(request).await;
        to_bytes(Body::new(response.into_body()), usize::MAX).await
    }
}

/// The better of the forms that a client takes; none for the plain one.
fn best(accepted: &str) -> Option<&'static str> {
    let takes = |wanted: &str| {
        accepted.split(',').any(|part| {
            let (name, weight) = part.split_once(';').unwrap_or((part, ""));
            name.trim().eq_ignore_ascii_case(wanted) && !matches!(weight.trim(), "q=0" | "q=0.0")
        })
    };
    ["br", "gzip"].into_iter().find(|form| takes(form))
}

#[cfg(test)]
mod tests {
    use super::best;

    #[test]
    fn a_client_gets_no_form_that_it_does_not_take() {
        assert_eq!(best("gzip, deflate, br, zstd"), Some("br"));
        assert_eq!(best("gzip;q=1.0, br;q=0"), Some("gzip"));
        assert_eq!(best("identity"), None);
        assert_eq!(best(""), None);
    }
}
