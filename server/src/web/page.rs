//! Pages: rendered whole, then answered with the status that the page decided on.

use std::sync::Arc;

use app::context::{Density, FormOutcome, PageRequest, PageStatus, Preferences, Theme, Viewer};
use app::port::{SharedAccessPort, SharedPort};
use axum::body::Body;
use axum::extract::{FromRequestParts, Request, State};
use axum::http::header::HOST;
use axum::http::request::Parts;
use axum::http::{Extensions, HeaderMap, Method, StatusCode, Uri};
use axum::response::{IntoResponse as _, Redirect, Response};
use fleet::access::Denial;
use fleet::scope::Scope;
use leptos::nonce::Nonce;
use leptos::prelude::provide_context;

use super::AppState;
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
}

/// What a page needs to know of the request that it answers.
#[derive(Clone, Debug)]
pub struct Asker {
    headers: HeaderMap,
    extensions: Extensions,
}

impl Asker {
    fn of(request: &Request) -> Self {
        Self { headers: request.headers().clone(), extensions: request.extensions().clone() }
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
    let fixed = said.status;
    let context = context(state, &asker, uri, said, status.clone());
    let options = state.leptos.clone();
    let render = leptos_axum::render_app_async_with_context(context, move || app::shell(options.clone()));
    let mut response: Response<Body> = render(request).await.into_response();
    if let Some(code) = fixed.or_else(|| StatusCode::from_u16(status.get()).ok()) {
        *response.status_mut() = code;
    }
    response
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
    let viewer = who.as_ref().map(|who| Viewer {
        id: Arc::clone(&who.id),
        email: Arc::clone(&who.email),
        name: Arc::clone(&who.name),
        grants: who.grants.clone(),
    });
    let page = PageRequest {
        preferences: preferences(&asker.headers),
        uri: uri.path_and_query().map_or_else(|| "/".to_owned(), ToString::to_string),
        request_id: asker.request_id().to_owned(),
        origin: origin(state, &asker.headers),
        viewer,
        outcome: said.outcome,
        now: state.clock.now(),
        denied: said.denied,
    };
    let port = Arc::new(ViewerPort::new(state.clone(), who));
    move || {
        let shared: SharedPort = port.clone();
        let access: SharedAccessPort = port.clone();
        provide_context(shared);
        provide_context(access);
        provide_context(page.clone());
        provide_context(status.clone());
        // The one in the header of this answer, instead of the one that the renderer would make up.
        provide_context(nonce.clone());
    }
}

/// The address under which the browser reached this server: the public one, or the host it named.
fn origin(state: &AppState, headers: &HeaderMap) -> String {
    if let Some(url) = &state.public_url {
        return url.clone();
    }
    let host = headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    format!("{}://{host}", if state.tls { "https" } else { "http" })
}

fn preferences(headers: &HeaderMap) -> Preferences {
    let cookie = |name| cookie::read(headers, name).unwrap_or_default();
    Preferences { theme: Theme::parse(cookie(THEME_COOKIE)), density: Density::parse(cookie(DENSITY_COOKIE)) }
}
