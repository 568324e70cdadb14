//! `POST /ng/api/delegate-setup/listDelegates` (`management-api 2.1` to `2.3`).

use std::sync::Arc;

use axum::Extension;
use axum::body::Bytes;
use axum::extract::{RawQuery, State};
use axum::response::Response;
use fleet::query::{Query, Selection, select_all};
use fleet::view::Snapshot;
use serde_json::Value;

use super::answer::Envelope;
use super::answer::{flag, stream};
use super::body::{object, text, texts};
use super::error::ManagementError;
use super::examples;
use super::schema::Filter;
use crate::api::export::Export;
use crate::api::schema::Delegate;
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
#[utoipa::path(
    post,
    path = "/ng/api/delegate-setup/listDelegates",
    operation_id = "listDelegates",
    params(("all" = Option<bool>, Query, description = "With the scopes below; the body is ignored then.")),
    request_body(content = Option<Filter>, example = json!({"filterType": "Delegate", "versionStatus": "EXPIRED"})),
    responses((status = 200, description = "Every matching delegate.", body = Envelope<Vec<Delegate>>, example = json!(examples::delegates()))),
)]
pub(super) async fn list(
    State(state): State<AppState>,
    allowed: Allowed<View>,
    Extension(request): Extension<RequestId>,
    RawQuery(query): RawQuery,
    body: Bytes,
) -> Response {
    match found(&state, &allowed, query.as_deref(), &body).await {
        Ok(export) => stream(export),
        Err(error) => error.respond(Some(&request.0)),
    }
}

async fn found(
    state: &AppState,
    allowed: &Allowed<View>,
    query: Option<&str>,
    body: &[u8],
) -> Result<Export, ManagementError> {
    let asked = asked(body)?;
    let query = if flag(query, "all")? { Query::default().with_below(true) } else { asked };
    let (seen, selection) = select(state, allowed, query, |_, _| true).await?;
    Ok(Export::managed(seen, selection))
}

/// The groups that a query and a second condition select, among those that the caller may see.
pub(super) async fn select(
    state: &AppState,
    allowed: &Allowed<View>,
    query: Query,
    keep: impl Fn(&Snapshot, usize) -> bool + Send + 'static,
) -> Result<(Arc<Snapshot>, Selection), ManagementError> {
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
        let mut selection = select_all(&seen, &query);
        selection.rows.retain(|row| keep(&seen, row.group));
        (seen, selection)
    });
    selected.await.map_err(|_| ManagementError::Unavailable)
}

/// The question in a body.
pub(super) fn asked(body: &[u8]) -> Result<Query, ManagementError> {
    let body = object(body)?;
    // It can be nothing else, so its value says nothing.
    text(&body, "filterType")?;
    let mut parameters = form_urlencoded::Serializer::new(String::new());
    for key in TEXTS {
        if let Some(text) = text(&body, key)? {
            parameters.append_pair(key, text);
        }
    }
    for tag in texts(&body, "delegateTags")? {
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
