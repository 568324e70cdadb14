//! `DELETE /ng/api/delegate-setup/delegate/{delegateIdentifier}` (`management-api 2.4`).

use axum::extract::Path;
use serde::Serialize;
use utoipa::ToSchema;

use super::answer::{Answer, Envelope};
use super::call::Call;
use super::error::ManagementError;
use super::examples;
use crate::auth::allowed::Delete;
use crate::deeds::DeedError;

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
pub(super) async fn delete(call: Call<Delete>, Path(name): Path<String>) -> Answer<Deleted> {
    let (force, scope, roster) = (call.flag("forceDelete")?, call.scope(), &call.state.roster);
    let group = roster.group_id(scope, &name).or_else(|| roster.group_id_by_name(scope, &name));
    let group = group.ok_or_else(|| ManagementError::Refused(GONE.to_owned()))?;
    let who = call.actor();
    let deeds = call.state.delegates(&who);
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
    Ok(Envelope::of(Deleted { response_msg: "Successfully deleted delegate." }))
}
