//! `GET /ng/api/delegate-setup/latest-supported-version` (`management-api 2.5`).

use axum::Extension;
use axum::extract::State;
use axum::response::Response;
use serde_json::{Value, json};

use super::answer::answer;
use super::error::ManagementError;
use crate::auth::allowed::{Allowed, View};
use crate::web::AppState;
use crate::web::request_id::RequestId;

/// The version that delegates of the scope should run, and its minimal variant.
pub(super) async fn latest(
    State(state): State<AppState>,
    allowed: Allowed<View>,
    Extension(request): Extension<RequestId>,
) -> Response {
    answer(versions(&state, &allowed), &request)
}

fn versions(state: &AppState, allowed: &Allowed<View>) -> Result<Value, ManagementError> {
    let latest = state.roster.latest(&allowed.scope, state.clock.now());
    // An empty text would break those who read it.
    let classic = latest.classic.ok_or(ManagementError::Nothing("the catalog holds no version"))?;
    let minimal = latest
        .classic_minimal
        .map_or_else(|| format!("{}.minimal", classic.base()), |minimal| minimal.as_str().to_owned());
    Ok(json!({"latestSupportedVersion": classic.as_str(), "latestSupportedMinimalVersion": minimal}))
}
