//! Pages: rendered whole, then answered with the status that the page decided on.

use app::context::{Density, PageRequest, PageStatus, Preferences, Theme};
use app::port::SharedPort;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::COOKIE;
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use axum::response::{IntoResponse as _, Redirect, Response};
use leptos::nonce::Nonce;
use leptos::prelude::provide_context;

use super::AppState;
use super::request_id::RequestId;
use crate::api::error;

/// Cookie of [`Theme`].
pub const THEME_COOKIE: &str = "rollcall_theme";
/// Cookie of [`Density`].
pub const DENSITY_COOKIE: &str = "rollcall_density";

/// Renders the page of a path; unknown paths get the not-found page.
pub async fn render(State(state): State<AppState>, request: Request) -> Response {
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return (
            StatusCode::METHOD_NOT_ALLOWED,
            error::json("INVALID_REQUEST", "Pages are read by GET.", None, None),
        )
            .into_response();
    }
    if request.uri().path() == "/"
        && let [only] = state.roster.accounts().as_slice()
    {
        return Redirect::temporary(&format!("/a/{only}/delegates")).into_response();
    }
    let status = PageStatus::default();
    let context = context(&request, state.port.clone(), status.clone());
    let options = state.leptos.clone();
    let render = leptos_axum::render_app_async_with_context(context, move || app::shell(options.clone()));
    let mut response: Response<Body> = render(request).await.into_response();
    if let Ok(code) = StatusCode::from_u16(status.get()) {
        *response.status_mut() = code;
    }
    response
}

/// A scope without a page name leads to its delegates.
pub async fn to_delegates(uri: Uri) -> Redirect {
    Redirect::temporary(&format!("{}/delegates", uri.path().trim_end_matches('/')))
}

fn context(
    request: &Request,
    port: SharedPort,
    status: PageStatus,
) -> impl Fn() + Clone + Send + Sync + 'static {
    let extensions = request.extensions();
    let nonce = extensions.get::<Nonce>().cloned().unwrap_or_default();
    let page = PageRequest {
        preferences: preferences(request.headers()),
        uri: request.uri().path_and_query().map_or_else(|| "/".to_owned(), ToString::to_string),
        request_id: extensions.get::<RequestId>().map(|id| id.0.clone()).unwrap_or_default(),
    };
    move || {
        provide_context(port.clone());
        provide_context(page.clone());
        provide_context(status.clone());
        // The one in the header of this answer, instead of the one that the renderer would make up.
        provide_context(nonce.clone());
    }
}

fn preferences(headers: &HeaderMap) -> Preferences {
    Preferences {
        theme: Theme::parse(cookie(headers, THEME_COOKIE)),
        density: Density::parse(cookie(headers, DENSITY_COOKIE)),
    }
}

fn cookie<'a>(headers: &'a HeaderMap, name: &str) -> &'a str {
    let all = headers.get_all(COOKIE).into_iter().filter_map(|value| value.to_str().ok());
    let mut pairs = all.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(key, _)| *key == name).map_or("", |(_, value)| value)
}
