//! `/ng/api/delegate-setup/override-delegate-tag` (`management-api 2.7`).

use fleet::overrides::{MAX_DAYS, Override};
use fleet::scope::Scope;
use fleet::version::Version;
use serde::Serialize;
use utoipa::ToSchema;

use super::answer::{Answer, Envelope};
use super::call::Call;
use super::error::ManagementError;
use super::examples;
use crate::auth::allowed::{Edit, View};
use crate::deeds::delegates::checked_tags;
use crate::deeds::overrides;

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
pub(super) async fn set(call: Call<Edit>) -> Answer<&'static str> {
    let new = wanted(&call)?;
    let state = &call.state;
    overrides::set(&state.store, &call.actor(), call.scope(), &new, state.clock.now()).await?;
    state.follow().await;
    Ok(Envelope::of("Successfully set the delegate image tag override."))
}

/// The overrides of exactly this scope that hold.
#[utoipa::path(
    get,
    path = "/ng/api/delegate-setup/override-delegate-tag",
    operation_id = "listOverrides",
    responses((status = 200, description = "Those of exactly this scope.", body = Envelope<Vec<Listed>>, example = json!(examples::overrides()))),
)]
pub(super) async fn list(call: Call<View>) -> Answer<Vec<Listed>> {
    let (state, scope, now) = (&call.state, call.scope(), call.state.clock.now());
    let latest = state.roster.latest(scope, now).classic;
    let mut all = overrides::of_scope(&state.store, scope).await?;
    all.retain(|one| one.holds(latest.as_deref().map(Version::as_str), now));
    Ok(Envelope::of(all.into_iter().map(|one| Listed::new(scope, one)).collect()))
}

/// Ends the override of the scope with exactly these tags.
#[utoipa::path(
    delete,
    path = "/ng/api/delegate-setup/override-delegate-tag",
    operation_id = "deleteOverride",
    params(("tags" = Option<Vec<String>>, Query, description = "Exactly those of the override.")),
    responses((status = 200, description = "It is gone.", body = Envelope<String>, example = json!(examples::enveloped(&serde_json::json!("Successfully deleted the delegate image tag override."))))),
)]
pub(super) async fn delete(call: Call<Edit>) -> Answer<&'static str> {
    let state = &call.state;
    overrides::remove(&state.store, &call.actor(), call.scope(), tags(&call)?, state.clock.now()).await?;
    state.follow().await;
    Ok(Envelope::of("Successfully deleted the delegate image tag override."))
}

fn wanted(call: &Call<Edit>) -> Result<Override, ManagementError> {
    let image_tag = call.required("delegateTag")?;
    let days = match call.single("validForDays")?.map(|days| days.parse()) {
        None => MAX_DAYS,
        Some(Ok(days @ 1..=MAX_DAYS)) => days,
        Some(_) => return Err(ManagementError::field("validForDays", "must be a number from 1 to 180")),
    };
    let now = call.state.clock.now();
    let mut new = Override::new(&image_tag, tags(call)?, days, now);
    if call.flag("validTillNextRelease")? {
        let latest = call.state.roster.latest(call.scope(), now).classic;
        let latest = latest.ok_or(ManagementError::Nothing("the catalog holds no version"))?;
        new.as_long_as_latest = Some(latest.as_str().into());
    }
    Ok(new)
}

/// Repeated, or several in one value with commas between. What cannot be a tag is refused: without it, the override
/// would speak of more delegates than was meant.
fn tags(call: &Call<Edit>) -> Result<Vec<String>, ManagementError> {
    let given = call.parameters("tags");
    let tags: Vec<String> =
        given.iter().flat_map(|value| value.split(',')).map(|tag| tag.trim().to_owned()).collect();
    checked_tags(&tags)?;
    Ok(tags)
}
