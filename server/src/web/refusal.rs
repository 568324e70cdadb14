//! Answers to those who are not, or not well enough, known.

use axum::extract::Request;
use axum::http::header::{RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderValue, Method, StatusCode};
use axum::response::{IntoResponse as _, Redirect, Response};
use fleet::scope::ScopeError;

use super::request_id::RequestId;
use crate::api::error::json;
use crate::auth::AuthError;

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
    let mut response = (status, json(code, &error.to_string(), None, id(request).as_deref())).into_response();
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
