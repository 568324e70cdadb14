//! Errors of the management API in the three shapes that its clients read (`management-api 1.6`, `1.7`).

use axum::Json;
use axum::http::header::{CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use fleet::access::Denial;
use fleet::query::QueryError;
use serde_json::{Value, json};

use crate::auth::AuthError;
use crate::deeds::DeedError;

/// Clients look for it in a 401.
const ERROR: HeaderName = HeaderName::from_static("x-harness-error");

/// Why a call failed. A definite failure is never a 5xx: clients repeat those for minutes.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ManagementError {
    /// Nobody can tell who calls.
    #[error("{0}")]
    Caller(AuthError),
    /// A permission is missing, or the key belongs to another account.
    #[error("{0}")]
    Denied(Denial),
    /// A parameter cannot be used.
    #[error("{field}: {message}")]
    Field {
        /// As the call names it.
        field: &'static str,
        /// What is wrong with it.
        message: String,
    },
    /// Refused whatever the parameters say.
    #[error("{0}")]
    Refused(String),
    /// The thing or scope does not exist; on reading.
    #[error("{0}")]
    Unknown(String),
    /// There is nothing of this kind.
    #[error("{0}")]
    Nothing(&'static str),
    /// The path takes other methods.
    #[error("this path takes other methods")]
    Method,
    /// What was sent cannot be read: a body that is too large, a path that is no text.
    #[error("what was sent cannot be read: {0}")]
    Unreadable(StatusCode),
    /// The store or the fleet cannot be read.
    #[error("the database does not answer")]
    Unavailable,
}

impl ManagementError {
    pub(super) fn field(field: &'static str, message: impl Into<String>) -> Self {
        Self::Field { field, message: message.into() }
    }

    const fn status(&self) -> StatusCode {
        match self {
            Self::Caller(AuthError::TooMany { .. }) => StatusCode::TOO_MANY_REQUESTS,
            Self::Caller(AuthError::Unavailable) | Self::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
            Self::Caller(_) => StatusCode::UNAUTHORIZED,
            Self::Denied(_) => StatusCode::FORBIDDEN,
            Self::Field { .. } | Self::Refused(_) => StatusCode::BAD_REQUEST,
            Self::Unknown(_) | Self::Nothing(_) => StatusCode::NOT_FOUND,
            Self::Method => StatusCode::METHOD_NOT_ALLOWED,
            Self::Unreadable(status) => *status,
        }
    }

    const fn code(&self) -> &'static str {
        match self {
            Self::Caller(AuthError::TooMany { .. }) => "TOO_MANY_REQUESTS",
            Self::Caller(AuthError::ExpiredKey) => "EXPIRED_TOKEN",
            Self::Caller(AuthError::Unavailable) | Self::Unavailable => "UNAVAILABLE",
            Self::Caller(_) => "INVALID_TOKEN",
            Self::Denied(_) => "ACCESS_DENIED",
            Self::Field { .. } | Self::Refused(_) | Self::Method | Self::Unreadable(_) => "INVALID_REQUEST",
            Self::Unknown(_) => "ENTITY_NOT_FOUND",
            Self::Nothing(_) => "RESOURCE_NOT_FOUND",
        }
    }

    /// The answer, with the id that the caller may quote.
    #[must_use]
    pub fn respond(&self, request: Option<&str>) -> Response {
        let (status, code, message) = (self.status(), self.code(), self.to_string());
        tracing::debug!(code, error = %message, "refused");
        let mut response = (status, Json(self.body(code, &message, request))).into_response();
        let headers = response.headers_mut();
        if status == StatusCode::UNAUTHORIZED {
            headers.insert(ERROR, HeaderValue::from_static(code));
            headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("ApiKey realm=\"rollcall\""));
        }
        if let Self::Caller(AuthError::TooMany { retry_after }) = self {
            headers.insert(RETRY_AFTER, HeaderValue::from(*retry_after));
        }
        response
    }

    fn body(&self, code: &str, message: &str, request: Option<&str>) -> Value {
        if let Self::Field { field, message: wrong } = self {
            return json!({
                "status": "FAILURE", "code": code, "message": message, "correlationId": request,
                "errors": [{"fieldId": field, "error": wrong}],
            });
        }
        let item = json!({
            "code": code, "level": "ERROR", "message": message, "exception": null, "failureTypes": [],
        });
        let mut body = json!({
            "status": "ERROR", "code": code, "message": message, "correlationId": request,
            "detailedMessage": null, "responseMessages": [item], "metadata": null,
        });
        // Readers of either shape find their keys (M3).
        if self.status() == StatusCode::UNAUTHORIZED {
            body["metaData"] = Value::Null;
            body["resource"] = Value::Null;
        }
        body
    }
}

impl IntoResponse for ManagementError {
    /// A handler knows no id: [`told`] writes the body.
    fn into_response(self) -> Response {
        let mut response = self.status().into_response();
        response.extensions_mut().insert(self);
        response
    }
}

/// What a handler, or the framework before it, refuses, in the words that clients can read.
#[must_use]
pub fn told(response: Response, request: Option<&str>) -> Response {
    if let Some(error) = response.extensions().get::<ManagementError>() {
        return error.respond(request);
    }
    let kind = response.headers().get(CONTENT_TYPE).map(HeaderValue::as_bytes).unwrap_or_default();
    if !response.status().is_client_error() || kind.starts_with(b"application/json") {
        return response;
    }
    ManagementError::Unreadable(response.status()).respond(request)
}

impl From<DeedError> for ManagementError {
    fn from(error: DeedError) -> Self {
        match error {
            DeedError::Field { field, message } => Self::Field { field, message },
            DeedError::Denied(denial) => Self::Denied(denial),
            DeedError::Refused(why) => Self::Refused(why),
            DeedError::Unknown(_) => Self::Unknown(error.to_string()),
            DeedError::Unavailable => Self::Unavailable,
        }
    }
}

impl From<QueryError> for ManagementError {
    fn from(error: QueryError) -> Self {
        Self::Field { field: error.field, message: error.message }
    }
}
