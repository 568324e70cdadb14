//! `/ng/api/delegate-setup/override-delegate-tag` (`management-api 2.7`).

use axum::Extension;
use axum::extract::{RawQuery, State};
use axum::response::Response;
use fleet::overrides::{MAX_DAYS, Override};
use fleet::scope::Scope;
use serde::Serialize;
use utoipa::ToSchema;

use super::answer::Envelope;
use super::answer::{actor, answer, flag, parameter, parameters, single};
use super::error::ManagementError;
use super::examples;
use crate::auth::allowed::{Allowed, Edit, View};
use crate::deeds::delegates::checked_tags;
use crate::deeds::overrides;
use crate::web::AppState;
use crate::web::request_id::RequestId;

/// One as it is listed (M10).
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Listed {
    delegate_tag: String,
    account_identifier: String,
    org_identifier: Option<String>,
    project_identifier: Option<String>,
    tags: Vec<String>,
    valid_till_next_release: bool,
    valid_until: i64,
}

impl Listed {
    fn new(scope: &Scope, one: Override) -> Self {
        Self {
            delegate_tag: one.image_tag.to_string(),
            account_identifier: scope.account().to_owned(),
            org_identifier: scope.organization().map(ToOwned::to_owned),
            project_identifier: scope.project().map(ToOwned::to_owned),
            tags: one.tags,
            valid_till_next_release: one.as_long_as_latest.is_some(),
            valid_until: one.valid_until.millis(),
        }
    }
}

/// Sets what upgraders of the scope, or of delegates with some tags, are told to run.
#[utoipa::path(
    put,
    path = "/ng/api/delegate-setup/override-delegate-tag",
    operation_id = "setOverride",
    params(
        ("delegateTag" = String, Query, description = "The tag of the image.", example = "26.10.90107", pattern = "^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$"),
        ("tags" = Option<Vec<String>>, Query, description = "For delegates that have all of them; without it for all delegates."),
        ("validForDays" = Option<u32>, Query, description = "How long it holds.", minimum = 1, maximum = 180, example = 180),
        ("validTillNextRelease" = Option<bool>, Query, description = "It ends when the latest version of the scope changes, too.")
    ),
    responses((status = 200, description = "It holds.", body = Envelope<String>, example = json!(examples::enveloped(&serde_json::json!("Successfully set the delegate image tag override."))))),
)]
pub(super) async fn set(
    State(state): State<AppState>,
    allowed: Allowed<Edit>,
    Extension(request): Extension<RequestId>,
    RawQuery(query): RawQuery,
) -> Response {
    let done = async {
        let new = wanted(&state, &allowed.scope, query.as_deref())?;
        let (who, now) = (actor(&allowed.who, &request), state.clock.now());
        overrides::set(&state.store, &who, &allowed.scope, &new, now).await?;
        state.follow();
        Ok("Successfully set the delegate image tag override.")
    };
    answer(done.await, &request)
}

/// The overrides of exactly this scope that hold.
#[utoipa::path(
    get,
    path = "/ng/api/delegate-setup/override-delegate-tag",
    operation_id = "listOverrides",
    responses((status = 200, description = "Those of exactly this scope.", body = Envelope<Vec<Listed>>, example = json!(examples::overrides()))),
)]
pub(super) async fn list(
    State(state): State<AppState>,
    allowed: Allowed<View>,
    Extension(request): Extension<RequestId>,
) -> Response {
    let listed = async {
        let scope = &allowed.scope;
        let now = state.clock.now();
        let latest = state.roster.latest(scope, now).classic;
        let mut all = overrides::of_scope(&state.store, scope).await?;
        all.retain(|one| one.holds(latest.as_deref().map(fleet::version::Version::as_str), now));
        Ok(all.into_iter().map(|one| Listed::new(scope, one)).collect::<Vec<_>>())
    };
    answer(listed.await, &request)
}

/// Ends the override of the scope with exactly these tags.
#[utoipa::path(
    delete,
    path = "/ng/api/delegate-setup/override-delegate-tag",
    operation_id = "deleteOverride",
    params(("tags" = Option<Vec<String>>, Query, description = "Exactly those of the override.")),
    responses((status = 200, description = "It is gone.", body = Envelope<String>, example = json!(examples::enveloped(&serde_json::json!("Successfully deleted the delegate image tag override."))))),
)]
pub(super) async fn delete(
    State(state): State<AppState>,
    allowed: Allowed<Edit>,
    Extension(request): Extension<RequestId>,
    RawQuery(query): RawQuery,
) -> Response {
    let done = async {
        let (who, now) = (actor(&allowed.who, &request), state.clock.now());
        overrides::remove(&state.store, &who, &allowed.scope, tags(query.as_deref())?, now).await?;
        state.follow();
        Ok("Successfully deleted the delegate image tag override.")
    };
    answer(done.await, &request)
}

fn wanted(state: &AppState, scope: &Scope, query: Option<&str>) -> Result<Override, ManagementError> {
    let image_tag = parameter(query, "delegateTag");
    let image_tag = image_tag.ok_or_else(|| ManagementError::field("delegateTag", "must not be null"))?;
    let days = match single(query, "validForDays")?.map(|days| days.parse()) {
        None => MAX_DAYS,
        Some(Ok(days @ 1..=MAX_DAYS)) => days,
        Some(_) => return Err(ManagementError::field("validForDays", "must be a number from 1 to 180")),
    };
    let now = state.clock.now();
    let mut new = Override::new(&image_tag, tags(query)?, days, now);
    if flag(query, "validTillNextRelease")? {
        let latest = state.roster.latest(scope, now).classic;
        let latest = latest.ok_or(ManagementError::Nothing("the catalog holds no version"))?;
        new.as_long_as_latest = Some(latest.as_str().into());
    }
    Ok(new)
}

/// Repeated, or several in one value with commas between. What cannot be a tag is refused: without it, the override
/// would speak of more delegates than was meant.
fn tags(query: Option<&str>) -> Result<Vec<String>, ManagementError> {
    let given = parameters(query, "tags");
    let tags: Vec<String> =
        given.iter().flat_map(|value| value.split(',')).map(|tag| tag.trim().to_owned()).collect();
    checked_tags(&tags)?;
    Ok(tags)
}
