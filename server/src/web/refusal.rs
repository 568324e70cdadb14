//! Answers to those who are not, or not well enough, known.

use axum::extract::Request;
use axum::http::header::{ACCEPT, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderValue, Method, StatusCode};
use axum::response::{Html, IntoResponse as _, Redirect, Response};
use fleet::scope::ScopeError;

use super::request_id::RequestId;
use crate::api::error::json;
use crate::auth::AuthError;
use crate::management;

/// Who is told why there is no answer: a person, in a browser, or a tool.
#[derive(Debug)]
pub struct Told {
    id: Option<String>,
    in_browser: bool,
}

impl Told {
    /// Whoever sent this request.
    #[must_use]
    pub fn new(request: &Request) -> Self {
        let accepted = request.headers().get(ACCEPT).and_then(|value| value.to_str().ok());
        let in_browser = accepted.is_some_and(|accepted| accepted.contains("text/html"))
            && !is_of_tools(request.uri().path());
        Self { id: id(request), in_browser }
    }

    /// A page of one sentence with the id of the request, or the body of an error.
    #[must_use]
    pub fn why(&self, status: StatusCode, code: &str, text: &str) -> Response {
        if self.in_browser {
            return page(status, text, self.id.as_deref());
        }
        (status, json(code, text, None, self.id.as_deref())).into_response()
    }
}

/// A page of one sentence, for when there is nothing to make a whole one of.
#[must_use]
pub fn plain(status: StatusCode, text: &str) -> Response {
    page(status, text, None)
}

fn page(status: StatusCode, text: &str, id: Option<&str>) -> Response {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    let id = id.map(|id| format!("<p>Request {id}</p>")).unwrap_or_default();
    let page = format!(
        "<!DOCTYPE html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>Rollcall</title>\
         <meta name=\"viewport\" content=\"width=device-width\"><meta name=\"color-scheme\" content=\"light dark\">\
         </head><body><main><h1>Rollcall</h1><p>{text}</p>{id}</main></body></html>"
    );
    (status, Html(page)).into_response()
}

/// Whether tools ask for this path, not pages.
#[must_use]
pub fn is_of_tools(path: &str) -> bool {
    path.starts_with("/api/") || management::is_ours(path)
}

/// The id of a request.
pub fn id(request: &Request) -> Option<String> {
    request.extensions().get::<RequestId>().map(|id| id.0.clone())
}

/// Leads a browser to the sign-in page, and from there back to what it asked for.
pub fn to_sign_in(request: &Request, error: AuthError) -> Response {
    if matches!(error, AuthError::Unavailable | AuthError::TooMany { .. }) {
        return unauthenticated(request, error);
    }
    // A form that was sent too late cannot be sent again from here: its page can.
    let next = match *request.method() {
        Method::GET | Method::HEAD => request.uri().path_and_query().map_or("/", |path| path.as_str()),
        _ => "/",
    };
    let next: String = form_urlencoded::byte_serialize(next.as_bytes()).collect();
    let ended = if error == AuthError::SessionEnded { "&ended=true" } else { "" };
    Redirect::to(&format!("/sign-in?next={next}{ended}")).into_response()
}

/// 401, 429 or 503 for tools (`management-api 1.7`).
pub fn unauthenticated(request: &Request, error: AuthError) -> Response {
    let (status, code) = match error {
        AuthError::Missing | AuthError::SessionEnded | AuthError::InvalidKey => {
            (StatusCode::UNAUTHORIZED, "INVALID_TOKEN")
        }
        AuthError::ExpiredKey => (StatusCode::UNAUTHORIZED, "EXPIRED_TOKEN"),
        AuthError::TooMany { .. } => (StatusCode::TOO_MANY_REQUESTS, "TOO_MANY_REQUESTS"),
        AuthError::Unavailable => (StatusCode::SERVICE_UNAVAILABLE, "UNAVAILABLE"),
    };
    let mut response = Told::new(request).why(status, code, &error.to_string());
    if status == StatusCode::UNAUTHORIZED {
        response
            .headers_mut()
            .insert(WWW_AUTHENTICATE, HeaderValue::from_static("ApiKey realm=\"rollcall\""));
    }
    if let AuthError::TooMany { retry_after } = error {
        response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(retry_after));
    }
    response
}

/// 400: the path names no scope.
pub fn bad_scope(request: &Request, error: &ScopeError) -> Response {
    let id = id(request);
    (StatusCode::BAD_REQUEST, json("INVALID_REQUEST", &error.to_string(), Some("path"), id.as_deref()))
        .into_response()
}
