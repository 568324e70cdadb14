//! `POST /ng/api/delegate-setup/listDelegates` (`management-api 2.1` to `2.3`).

use std::sync::Arc;

use axum::Extension;
use axum::body::{Body, Bytes};
use axum::extract::{RawQuery, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse as _, Response};
use fleet::query::{Query, select_all};
use serde_json::{Map, Value};

use super::answer::flag;
use super::error::ManagementError;
use crate::api::export::Export;
use crate::auth::allowed::{Allowed, View};
use crate::roster::SnapshotError;
use crate::web::AppState;
use crate::web::request_id::RequestId;

/// Keys of the body that hold one text, named as the parameters of `/api/v1`.
const TEXTS: [&str; 9] = [
    "status",
    "delegateName",
    "description",
    "delegateType",
    "delegateGroupIdentifier",
    "hostName",
    "delegateInstanceFilter",
    "autoUpgrade",
    "versionStatus",
];

/// Every delegate that the body asks for, in one answer however many they are.
pub(super) async fn list(
    State(state): State<AppState>,
    allowed: Allowed<View>,
    Extension(request): Extension<RequestId>,
    RawQuery(query): RawQuery,
    body: Bytes,
) -> Response {
    match found(&state, &allowed, query.as_deref(), &body).await {
        Ok(export) => {
            let headers = [(CONTENT_TYPE, "application/json"), (CACHE_CONTROL, "no-store")];
            (headers, Body::from_stream(export.written())).into_response()
        }
        Err(error) => error.respond(Some(&request.0)),
    }
}

async fn found(
    state: &AppState,
    allowed: &Allowed<View>,
    query: Option<&str>,
    body: &[u8],
) -> Result<Export, ManagementError> {
    let query = asked(body, flag(query, "all")?)?;
    let shared = state.roster.snapshot(&allowed.scope, query.sight(), state.clock.now()).await;
    let shared = shared.map_err(|error| match error {
        SnapshotError::UnknownScope(scope) => ManagementError::Unknown(format!("there is no scope {scope}")),
        SnapshotError::Stopping => ManagementError::Unavailable,
    })?;
    let grants = allowed.who.grants.clone();
    // Not on a thread that heartbeats need.
    let selected = tokio::task::spawn_blocking(move || {
        let seen = shared.snapshot.narrowed(&grants).map(Arc::new);
        let seen = seen.unwrap_or_else(|| Arc::clone(&shared.snapshot));
        let selection = select_all(&seen, &query);
        Export::managed(seen, selection)
    });
    selected.await.map_err(|_| ManagementError::Unavailable)
}

/// The question in the body; with `all` nothing in it counts.
fn asked(body: &[u8], all: bool) -> Result<Query, ManagementError> {
    let body = object(body)?;
    let mut parameters = form_urlencoded::Serializer::new(String::new());
    if all {
        parameters.append_pair("all", "true");
        return Ok(Query::parse(&parameters.finish())?);
    }
    for key in TEXTS {
        match body.get(key) {
            None | Some(Value::Null) => {}
            Some(Value::String(text)) => {
                parameters.append_pair(key, text);
            }
            Some(_) => return Err(ManagementError::field(key, "must be a text")),
        }
    }
    for tag in tags(&body)? {
        parameters.append_pair("delegateTags", tag);
    }
    match body.get("runner") {
        None | Some(Value::Null) => {}
        Some(Value::Bool(runner)) => {
            parameters.append_pair("generation", if *runner { "3.x" } else { "classic" });
        }
        Some(_) => return Err(ManagementError::field("runner", "must be true or false")),
    }
    Ok(Query::parse(&parameters.finish())?)
}

/// A body that is absent is an empty object.
fn object(body: &[u8]) -> Result<Map<String, Value>, ManagementError> {
    if body.trim_ascii().is_empty() {
        return Ok(Map::new());
    }
    match serde_json::from_slice(body) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(_) => Err(ManagementError::field("body", "must be a JSON object")),
        Err(error) => Err(ManagementError::field("body", format!("is not JSON: {error}"))),
    }
}

fn tags(body: &Map<String, Value>) -> Result<Vec<&str>, ManagementError> {
    let wrong = || ManagementError::field("delegateTags", "must be a list of texts");
    match body.get("delegateTags") {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::Array(tags)) => tags.iter().map(|tag| tag.as_str().ok_or_else(wrong)).collect(),
        Some(_) => Err(wrong()),
    }
}
