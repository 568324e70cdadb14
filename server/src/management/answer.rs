//! The envelope of every answer that is no error (`management-api 1.5`).

use std::borrow::Cow;

use axum::Json;
use axum::body::Body;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::http::request::Parts;
use axum::response::{IntoResponse as _, Response};
use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::error::ManagementError;
use crate::api::export::Export;
use crate::auth::Identity;
use crate::deeds::Actor;
use crate::web::request_id::RequestId;

/// What every answer stands in that is no error.
#[derive(Serialize, ToSchema)]
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

/// What stands before the resource.
pub(crate) const BEFORE: &[u8] = br#"{"metaData":{},"resource":"#;
/// And behind it.
pub(crate) const BEHIND: &[u8] = br#","responseMessages":[]}"#;

/// The answer with this resource, or the error.
pub(super) fn answer<T: Serialize>(result: Result<T, ManagementError>, request: &RequestId) -> Response {
    match result {
        Ok(resource) => {
            let (meta_data, response_messages) = (Map::new(), []);
            Json(Envelope { meta_data, resource, response_messages }).into_response()
        }
        Err(error) => error.respond(Some(&request.0)),
    }
}

/// A list as it is written, however long it is.
pub(super) fn stream(export: Export) -> Response {
    let headers = [(CONTENT_TYPE, "application/json"), (CACHE_CONTROL, "no-store")];
    (headers, Body::from_stream(export.written())).into_response()
}

/// Whoever asked, for deeds.
pub(super) fn actor(who: &Identity, request: &RequestId) -> Actor {
    Actor::person(who, &request.0)
}

/// The values of a parameter of the query; empty ones are absent.
pub(super) fn parameters(query: Option<&str>, name: &str) -> Vec<String> {
    given(query, name).filter(|value| !value.is_empty()).map(Cow::into_owned).collect()
}

/// The last of them.
pub(super) fn parameter(query: Option<&str>, name: &str) -> Option<String> {
    parameters(query, name).pop()
}

/// The value of one that is no text: an empty one is wrong, and so are two.
pub(super) fn single(query: Option<&str>, name: &'static str) -> Result<Option<String>, ManagementError> {
    let mut given = given(query, name).map(Cow::into_owned);
    match (given.next(), given.next()) {
        (_, Some(_)) => Err(ManagementError::field(name, "must be given once")),
        (value, None) => Ok(value),
    }
}

fn given<'q>(query: Option<&'q str>, name: &str) -> impl Iterator<Item = Cow<'q, str>> {
    let pairs = form_urlencoded::parse(query.unwrap_or_default().as_bytes());
    pairs.filter(move |(key, _)| key == name).map(|(_, value)| value)
}

/// A parameter that says yes or no; no without it.
pub(super) fn flag(query: Option<&str>, name: &'static str) -> Result<bool, ManagementError> {
    match single(query, name)?.as_deref() {
        None | Some("false") => Ok(false),
        Some("true") => Ok(true),
        Some(_) => Err(ManagementError::field(name, "must be true or false")),
    }
}

/// The id of a request, for errors of those who came no further.
pub(crate) fn request_id(parts: &Parts) -> Option<&str> {
    parts.extensions.get::<RequestId>().map(|id| &*id.0)
}
