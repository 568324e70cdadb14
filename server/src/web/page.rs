//! Pages: rendered whole, then answered with the status that the page decided on.

use std::sync::Arc;

use app::context::{
    Density, FormOutcome, PageRequest, PageStatus, Preferences, SessionEnd, Shortcuts, Theme, TimeForm,
    Viewer, on_or_off,
};
use app::embed::SharedEmbed;
use app::port::{SharedAccessPort, SharedExplainPort, SharedPort};
use axum::body::{Body, to_bytes};
use axum::extract::{FromRequestParts, Request, State};
use axum::http::header::{HOST, SET_COOKIE};
use axum::http::request::Parts;
use axum::http::{Extensions, HeaderMap, Method, StatusCode, Uri};
use axum::response::{IntoResponse as _, Redirect, Response};
use fleet::access::Denial;
use fleet::scope::Scope;
use leptos::nonce::Nonce;
use leptos::prelude::provide_context;

use super::AppState;
use super::done;
use super::port::ViewerPort;
use super::request_id::RequestId;
use crate::api::error;
use crate::auth::Identity;
use crate::auth::allowed::{Allowed, Need, Somebody};
use crate::auth::cookie;
use crate::auth::identify::Caller;

/// Cookie of [`Theme`].
pub const THEME_COOKIE: &str = "rollcall_theme";
/// Cookie of [`Density`].
pub const DENSITY_COOKIE: &str = "rollcall_density";
/// Cookie of [`Preferences::charts_hidden`].
pub const CHARTS_COOKIE: &str = "rollcall_charts";
/// Its value while the charts are folded away.
pub const CHARTS_HIDDEN: &str = "hidden";

/// Cookie of [`TimeForm`].
pub const TIME_COOKIE: &str = "rollcall_time";
/// Cookie of [`Preferences::announce`].
pub const ANNOUNCE_COOKIE: &str = "rollcall_announce";
/// Cookie of [`Shortcuts`].
pub const KEYS_COOKIE: &str = "rollcall_keys";

/// Renders the page of a path that needs something.
pub async fn show<N: Need + Clone>(
    State(state): State<AppState>,
    _: Allowed<N>,
    request: Request,
) -> Response {
    render(&state, Asker::of(&request), request.uri(), Said::default()).await
}

/// Renders a page of somebody's own.
pub async fn show_own(State(state): State<AppState>, _: Somebody, request: Request) -> Response {
    render(&state, Asker::of(&request), request.uri(), Said::default()).await
}

/// Renders a page that everybody may see.
pub async fn show_public(State(state): State<AppState>, asker: Asker, request: Request) -> Response {
    render(&state, asker, request.uri(), Said::default()).await
}

/// The start page: with one account only, its delegates.
pub async fn start(State(state): State<AppState>, allowed: Somebody, request: Request) -> Response {
    let port = ViewerPort::new(state.clone(), Some(Arc::clone(&allowed.who)));
    let scopes = port.reachable_scopes();
    let mut widest = scopes.iter().filter(|scope| allowed.who.grants.see_any(scope));
    if let Some(first) = widest.next()
        && widest.all(|scope| first.contains(scope))
    {
        return Redirect::temporary(&format!("{}/delegates", first.path())).into_response();
    }
    render(&state, Asker::of(&request), request.uri(), Said::default()).await
}

/// A path that is no page; unknown paths look the same to everybody.
pub async fn fallback(State(state): State<AppState>, request: Request) -> Response {
    not_found(&state, request).await
}

/// The not-found page.
pub async fn not_found(state: &AppState, request: Request) -> Response {
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        let message = "There is no such form, or it is sent in another way.";
        return (StatusCode::METHOD_NOT_ALLOWED, error::json("INVALID_REQUEST", message, None, None))
            .into_response();
    }
    let nowhere = Uri::from_static("/no-such-page");
    render(state, Asker::of(&request), &nowhere, Said::default()).await
}

/// The Delegates page of a scope, which says so if there is no such scope.
pub async fn of_scope(state: &AppState, request: Request, scope: &Scope) -> Response {
    match format!("{}/delegates", scope.path()).parse() {
        Ok(uri) => render(state, Asker::of(&request), &uri, Said::default()).await,
        Err(_) => not_found(state, request).await,
    }
}

/// The page that tells what is missing.
pub async fn denied(state: &AppState, request: Request, denial: &Denial) -> Response {
    let said =
        Said { denied: Some(denial.to_string()), status: Some(StatusCode::FORBIDDEN), ..Said::default() };
    let asker = Asker::of(&request);
    let path = if request.method() == Method::GET { request.uri().clone() } else { Uri::from_static("/me") };
    render(state, asker, &path, said).await
}

/// A scope without a page name leads to its delegates.
pub async fn to_delegates(uri: Uri) -> Redirect {
    Redirect::temporary(&format!("{}/delegates", uri.path().trim_end_matches('/')))
}

/// What a page has to say beside its content.
#[derive(Clone, Debug, Default)]
pub struct Said {
    /// What became of a form.
    pub outcome: FormOutcome,
    /// The reason of a refusal, in place of the content.
    pub denied: Option<String>,
    /// The status, where it is not the page's to decide.
    pub status: Option<StatusCode>,
    /// Only the live part is asked for.
    pub part: bool,
    /// In place of what the cookies say.
    pub preferences: Option<Preferences>,
    /// What a frame of another site shows.
    pub embed: Option<SharedEmbed>,
}

/// What a page needs to know of the request that it answers.
#[derive(Clone, Debug)]
pub struct Asker {
    headers: HeaderMap,
    extensions: Extensions,
}

impl Asker {
    /// What is known of a request.
    #[must_use]
    pub fn of(request: &Request) -> Self {
        Self { headers: request.headers().clone(), extensions: request.extensions().clone() }
    }

    /// Somebody of whom nothing is known but these headers.
    #[must_use]
    pub fn nobody(headers: HeaderMap) -> Self {
        Self { headers, extensions: Extensions::new() }
    }

    /// The same request by somebody else.
    #[must_use]
    pub fn become_other(mut self, who: Identity) -> Self {
        self.extensions.insert(Caller(Ok(Arc::new(who))));
        self
    }

    /// Who asks, if that is known.
    #[must_use]
    pub fn who(&self) -> Option<Arc<Identity>> {
        self.extensions.get::<Caller>().and_then(|caller| caller.0.clone().ok())
    }

    /// The headers of the request.
    #[must_use]
    pub const fn headers(&self) -> &HeaderMap {
        &self.headers
    }

    /// What middleware put into the request.
    #[must_use]
    pub const fn extensions(&self) -> &Extensions {
        &self.extensions
    }

    /// The id of the request.
    #[must_use]
    pub fn request_id(&self) -> &str {
        self.extensions.get::<RequestId>().map_or("", |id| &id.0)
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Asker {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Self::Rejection> {
        Ok(Self { headers: parts.headers.clone(), extensions: parts.extensions.clone() })
    }
}

/// Renders the page of `uri`.
pub async fn render(state: &AppState, asker: Asker, uri: &Uri, said: Said) -> Response {
    let status = PageStatus::default();
    let mut request = Request::new(Body::empty());
    *request.uri_mut() = uri.clone();
    let (fixed, part) = (said.status, said.part);
    let still = part || said.embed.as_ref().is_some_and(|embed| embed.feed.is_none());
    let context = context(state, &asker, uri, said, status.clone());
    let options = state.leptos.clone();
    let mut response: Response<Body> = if part {
        let render = leptos_axum::render_app_async_with_context(context, app::part);
        render(request).await.into_response()
    } else {
        let render = leptos_axum::render_app_async_with_context(context, move || app::shell(options.clone()));
        render(request).await.into_response()
    };
    if still {
        response = without_scripts(response).await;
    } else if let Some((_, gone)) = done::heard(&asker.headers) {
        response.headers_mut().append(SET_COOKIE, gone);
    }
    if let Some(code) = fixed.or_else(|| StatusCode::from_u16(status.get()).ok()) {
        *response.status_mut() = code;
    }
    response
}

/// What nothing wakes up needs no scripts. The renderer adds some of its own at the end; the pages themselves write none,
/// and what delegates say of themselves is escaped.
async fn without_scripts(response: Response) -> Response {
    let (head, body) = response.into_parts();
    let bytes = to_bytes(body, usize::MAX).await.unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    let mut parts = text.split("<script");
    let mut kept = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        kept.push_str(part.split_once("</script>").map_or("", |(_, rest)| rest));
    }
    Response::from_parts(head, Body::from(kept))
}

fn context(
    state: &AppState,
    asker: &Asker,
    uri: &Uri,
    said: Said,
    status: PageStatus,
) -> impl Fn() + Clone + Send + Sync + 'static {
    let nonce = asker.extensions.get::<Nonce>().cloned().unwrap_or_default();
    let who = asker.who();
    // A page in a frame has nobody in front of it whom it could greet or let do anything.
    let viewer = who.as_ref().filter(|_| said.embed.is_none()).map(|who| Viewer {
        id: Arc::clone(&who.id),
        email: Arc::clone(&who.email),
        name: Arc::clone(&who.name),
        grants: who.grants.clone(),
    });
    let ends = who.as_ref().and_then(|who| who.ends);
    let page = PageRequest {
        preferences: said.preferences.unwrap_or_else(|| preferences(&asker.headers)),
        uri: uri.path_and_query().map_or_else(|| "/".to_owned(), ToString::to_string),
        request_id: asker.request_id().to_owned(),
        origin: origin(state, &asker.headers),
        viewer,
        session: ends.map(|ends| SessionEnd { idle: ends.idle, latest: ends.latest }),
        outcome: said.outcome,
        done: done::heard(&asker.headers).map(|(name, _)| name),
        now: state.clock.now(),
        denied: said.denied,
        part: said.part,
        embed: said.embed,
    };
    let port = Arc::new(ViewerPort::new(state.clone(), who));
    move || {
        let shared: SharedPort = port.clone();
        let access: SharedAccessPort = port.clone();
        let explain: SharedExplainPort = port.clone();
        provide_context(shared);
        provide_context(access);
        provide_context(explain);
        provide_context(page.clone());
        provide_context(status.clone());
        // The one in the header of this answer, instead of the one that the renderer would make up.
        provide_context(nonce.clone());
    }
}

/// The address under which the browser reached this server: the public one, or the host it named.
#[must_use]
pub fn origin(state: &AppState, headers: &HeaderMap) -> String {
    if let Some(url) = &state.public_url {
        return url.clone();
    }
    let host = headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    format!("{}://{host}", if state.tls { "https" } else { "http" })
}

/// What the cookies of a viewer say.
#[must_use]
pub fn preferences(headers: &HeaderMap) -> Preferences {
    let cookie = |name| cookie::read(headers, name).unwrap_or_default();
    Preferences {
        theme: Theme::parse(cookie(THEME_COOKIE)),
        density: Density::parse(cookie(DENSITY_COOKIE)),
        time: TimeForm::parse(cookie(TIME_COOKIE)),
        keys: Shortcuts::parse(cookie(KEYS_COOKIE)),
        announce: cookie(ANNOUNCE_COOKIE) == on_or_off(true),
        charts_hidden: cookie(CHARTS_COOKIE) == CHARTS_HIDDEN,
    }
}
