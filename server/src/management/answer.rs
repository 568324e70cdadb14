//! The envelope of every answer that is no error (`management-api 1.5`).

use axum::Json;
use axum::body::Body;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::error::ManagementError;
use crate::api::export::Export;

/// What a call is answered with.
pub(super) type Answer<T> = Result<Envelope<T>, ManagementError>;

/// What every answer stands in that is no error.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Envelope<T> {
    /// Always empty.
    #[schema(value_type = Object)]
    meta_data: Map<String, Value>,
    /// What was asked for.
    resource: T,
    /// Always empty.
    #[schema(value_type = Vec<Object>)]
    response_messages: [(); 0],
}

impl<T> Envelope<T> {
    /// Around this.
    pub(super) fn of(resource: T) -> Self {
        Self { meta_data: Map::new(), resource, response_messages: [] }
    }
}

impl<T: Serialize> IntoResponse for Envelope<T> {
    fn into_response(self) -> Response {
        Json(self).into_response()
    }
}

/// What stands before the resource.
pub(crate) const BEFORE: &[u8] = br#"{"metaData":{},"resource":"#;
/// And behind it.
pub(crate) const BEHIND: &[u8] = br#","responseMessages":[]}"#;

/// A list as it is written, however long it is.
pub(super) fn stream(export: Export) -> Response {
    let headers = [(CONTENT_TYPE, "application/json"), (CACHE_CONTROL, "no-store")];
    (headers, Body::from_stream(export.written())).into_response()
}
