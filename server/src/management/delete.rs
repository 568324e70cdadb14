//! `DELETE /ng/api/delegate-setup/delegate/{delegateIdentifier}` (`management-api 2.4`).

use std::sync::Arc;

use axum::Extension;
use axum::extract::{Path, RawQuery, State};
use axum::response::Response;
use serde::Serialize;
use utoipa::ToSchema;

use super::answer::Envelope;
use super::answer::{actor, answer, flag};
use super::error::ManagementError;
use super::examples;
use crate::auth::allowed::{Allowed, Delete};
use crate::deeds::DeedError;
use crate::web::AppState;
use crate::web::request_id::RequestId;

/// A delegate was deleted.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Deleted {
    response_msg: &'static str,
}

const GONE: &str = "Delegate doesn't exist or it is already deleted.";

/// Takes a group with its instances from the list. While one of them is connected, only with forceDelete=true.
#[utoipa::path(
    delete,
    path = "/ng/api/delegate-setup/delegate/{delegateIdentifier}",
    operation_id = "deleteDelegate",
    params(
        ("delegateIdentifier" = String, Path, description = "Its identifier, or else its name.", example = "_edge_a"),
        ("forceDelete" = Option<bool>, Query, description = "Although an instance is connected.")
    ),
    responses((status = 200, description = "It is gone from every list.", body = Envelope<Deleted>, example = json!(examples::enveloped(&serde_json::json!({"responseMsg": "Successfully deleted delegate."}))))),
)]
pub(super) async fn delete(
    State(state): State<AppState>,
    allowed: Allowed<Delete>,
    Extension(request): Extension<RequestId>,
    Path(name): Path<String>,
    RawQuery(query): RawQuery,
) -> Response {
    let done = deleted(&state, &allowed, &request, &name, query.as_deref()).await;
    answer(done, &request)
}

async fn deleted(
    state: &AppState,
    allowed: &Allowed<Delete>,
    request: &RequestId,
    name: &str,
    query: Option<&str>,
) -> Result<Deleted, ManagementError> {
    let force = flag(query, "forceDelete")?;
    let scope = &allowed.scope;
    let who = actor(&allowed.who, request);
    let deeds = state.delegates(&who);
    let group: Option<Arc<str>> =
        state.roster.group_id(scope, name).or_else(|| state.roster.group_id_by_name(scope, name));
    let group = group.ok_or_else(|| ManagementError::Refused(GONE.to_owned()))?;
    let found = deeds.deletion(scope, &group, None).map_err(|error| match error {
        DeedError::Unknown(_) => ManagementError::Refused(GONE.to_owned()),
        error => error.into(),
    })?;
    if found.connected > 0 && !force {
        return Err(ManagementError::Refused(format!(
            "{} of {} instances of {} are connected: stop them first, or ask with forceDelete=true.",
            found.connected, found.instances, found.facts.name
        )));
    }
    deeds.delete_connected(found).await?;
    Ok(Deleted { response_msg: "Successfully deleted delegate." })
}
