//! `GET /ng/api/delegate-setup/latest-supported-version` (`management-api 2.5`).

use serde::Serialize;
use utoipa::ToSchema;

use super::answer::{Answer, Envelope};
use super::call::Call;
use super::error::ManagementError;
use super::examples;
use crate::auth::allowed::View;

/// What is latest.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Latest {
    latest_supported_version: String,
    latest_supported_minimal_version: String,
}

/// The version that delegates of the scope should run, and its minimal variant.
#[utoipa::path(
    get,
    path = "/ng/api/delegate-setup/latest-supported-version",
    operation_id = "latestSupportedVersion",
    responses((status = 200, description = "What was asked for.", body = Envelope<Latest>, example = json!(examples::enveloped(&serde_json::json!({"latestSupportedVersion": "26.11.90604", "latestSupportedMinimalVersion": "26.11.90604.minimal"}))))),
)]
pub(super) async fn latest(call: Call<View>) -> Answer<Latest> {
    let latest = call.state.roster.latest(call.scope(), call.state.clock.now());
    // An empty text would break those who read it.
    let classic = latest.classic.ok_or(ManagementError::Nothing("the catalog holds no version"))?;
    let minimal = latest
        .classic_minimal
        .map_or_else(|| format!("{}.minimal", classic.base()), |minimal| minimal.as_str().to_owned());
    Ok(Envelope::of(Latest {
        latest_supported_version: classic.as_str().to_owned(),
        latest_supported_minimal_version: minimal,
    }))
}
