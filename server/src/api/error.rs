//! Errors of `/api/v1`: a stable code, a sentence, the field, the request id.

use axum::Json;
use axum::extract::Request;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use fleet::query::QueryError;
use fleet::scope::ScopeError;
use serde_json::{Value, json as value};

use crate::web::request_id::RequestId;

/// Why a request of a tool failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ApiError {
    /// A parameter cannot be understood.
    #[error(transparent)]
    Query(#[from] QueryError),
    /// The path names no scope.
    #[error(transparent)]
    Scope(#[from] ScopeError),
    /// The scope does not exist.
    #[error("there is no such scope")]
    UnknownScope,
    /// The server is starting or stopping.
    #[error("the fleet cannot be read for now")]
    Unavailable,
}

impl ApiError {
    /// The answer, with the id that the client may quote.
    #[must_use]
    pub fn respond(&self, request: &RequestId) -> Response {
        let (status, code, field) = match self {
            Self::Query(error) => (StatusCode::BAD_REQUEST, "INVALID_REQUEST", Some(error.field)),
            Self::Scope(_) => (StatusCode::BAD_REQUEST, "INVALID_REQUEST", Some("path")),
            Self::UnknownScope => (StatusCode::NOT_FOUND, "ENTITY_NOT_FOUND", None),
            Self::Unavailable => (StatusCode::SERVICE_UNAVAILABLE, "UNAVAILABLE", None),
        };
        tracing::debug!(code, error = %self, "refused");
        (status, json(code, &self.to_string(), field, Some(&request.0))).into_response()
    }
}

/// The body of an error.
pub fn json(code: &str, message: &str, field: Option<&str>, request_id: Option<&str>) -> Json<Value> {
    let errors: Vec<Value> =
        field.map(|field| value!({"fieldId": field, "error": message})).into_iter().collect();
    Json(
        value!({"status": "ERROR", "code": code, "message": message, "correlationId": request_id, "errors": errors}),
    )
}

/// 404 of `/api/v1`.
pub async fn not_found(request: Request) -> Response {
    let id = request.extensions().get::<RequestId>().map(|id| id.0.clone());
    (StatusCode::NOT_FOUND, json("RESOURCE_NOT_FOUND", "There is no such resource.", None, id.as_deref()))
        .into_response()
}
