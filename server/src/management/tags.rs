//! `/ng/api/delegate-group-tags` (`management-api 3`).

use std::sync::Arc;

use axum::Extension;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::response::Response;
use fleet::delegate::{GroupFacts, implicit_tag};
use serde::Serialize;
use utoipa::ToSchema;

use super::answer::Envelope;
use super::answer::{actor, answer};
use super::body::{object, texts};
use super::error::ManagementError;
use super::examples;
use super::schema::Tags;
use crate::auth::allowed::{Allowed, Edit, Need, View};
use crate::web::AppState;
use crate::web::request_id::RequestId;

/// The one object of the vendor that shows the identifier.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Group {
    account_identifier: String,
    org_identifier: Option<String>,
    project_identifier: Option<String>,
    name: String,
    identifier: String,
    /// Custom tags only (M11).
    tags: Vec<String>,
}

impl Group {
    fn new(facts: &GroupFacts) -> Self {
        let implicit = implicit_tag(&facts.name);
        let custom = facts.tags.iter().filter(|tag| ***tag != *implicit);
        Self {
            account_identifier: facts.scope.account().to_owned(),
            org_identifier: facts.scope.organization().map(ToOwned::to_owned),
            project_identifier: facts.scope.project().map(ToOwned::to_owned),
            name: facts.name.to_string(),
            identifier: facts.identifier.to_string(),
            tags: custom.map(ToString::to_string).collect(),
        }
    }
}

/// The custom tags of a group.
#[utoipa::path(
    get,
    path = "/ng/api/delegate-group-tags/{groupIdentifier}",
    operation_id = "readTags",
    params(("groupIdentifier" = String, Path, description = "Its identifier.", example = "_edge_a")),
    responses((status = 200, description = "What was asked for.", body = Envelope<Group>, example = json!(examples::group()))),
)]
pub(super) async fn read(
    State(state): State<AppState>,
    allowed: Allowed<View>,
    Extension(request): Extension<RequestId>,
    Path(identifier): Path<String>,
) -> Response {
    answer(find(&state, &allowed, &identifier).map(|facts| Group::new(&facts)), &request)
}

/// Adds tags to those of a group.
#[utoipa::path(
    post,
    path = "/ng/api/delegate-group-tags/{groupIdentifier}",
    operation_id = "addTags",
    params(("groupIdentifier" = String, Path, description = "Its identifier.", example = "_edge_a")),
    request_body(content = Tags, example = json!({"tags": ["eu"]})),
    responses((status = 200, description = "The group as it is now.", body = Envelope<Group>, example = json!(examples::group()))),
)]
pub(super) async fn add(
    State(state): State<AppState>,
    allowed: Allowed<Edit>,
    Extension(request): Extension<RequestId>,
    Path(identifier): Path<String>,
    body: Bytes,
) -> Response {
    let changed = async {
        let facts = find(&state, &allowed, &identifier)?;
        let mut tags: Vec<String> = facts.tags.iter().map(ToString::to_string).collect();
        tags.extend(wanted(&body)?);
        change(&state, &allowed, &request, &facts, &tags).await
    };
    answer(changed.await, &request)
}

/// Replaces the custom tags of a group.
#[utoipa::path(
    put,
    path = "/ng/api/delegate-group-tags/{groupIdentifier}",
    operation_id = "replaceTags",
    params(("groupIdentifier" = String, Path, description = "Its identifier.", example = "_edge_a")),
    request_body(content = Tags, example = json!({"tags": ["eu"]})),
    responses((status = 200, description = "The group as it is now.", body = Envelope<Group>, example = json!(examples::group()))),
)]
pub(super) async fn replace(
    State(state): State<AppState>,
    allowed: Allowed<Edit>,
    Extension(request): Extension<RequestId>,
    Path(identifier): Path<String>,
    body: Bytes,
) -> Response {
    let changed = async {
        let facts = find(&state, &allowed, &identifier)?;
        change(&state, &allowed, &request, &facts, &wanted(&body)?).await
    };
    answer(changed.await, &request)
}

/// Takes the custom tags of a group away.
#[utoipa::path(
    delete,
    path = "/ng/api/delegate-group-tags/{groupIdentifier}",
    operation_id = "clearTags",
    params(("groupIdentifier" = String, Path, description = "Its identifier.", example = "_edge_a")),
    responses((status = 200, description = "The group as it is now.", body = Envelope<Group>, example = json!(examples::group()))),
)]
pub(super) async fn clear(
    State(state): State<AppState>,
    allowed: Allowed<Edit>,
    Extension(request): Extension<RequestId>,
    Path(identifier): Path<String>,
) -> Response {
    let changed = async {
        let facts = find(&state, &allowed, &identifier)?;
        change(&state, &allowed, &request, &facts, &[]).await
    };
    answer(changed.await, &request)
}

/// Groups of the scope that have all of some tags, the implicit one included.
#[utoipa::path(
    post,
    path = "/ng/api/delegate-group-tags/delegate-groups",
    operation_id = "findByTags",
    request_body(content = Tags, example = json!({"tags": ["eu"]})),
    responses((status = 200, description = "Groups of the scope that have all of these tags.", body = Envelope<Vec<Group>>, example = json!(examples::groups()))),
)]
pub(super) async fn groups(
    State(state): State<AppState>,
    allowed: Allowed<View>,
    Extension(request): Extension<RequestId>,
    body: Bytes,
) -> Response {
    let found = async {
        let wanted = wanted(&body)?;
        if wanted.is_empty() {
            return Err(ManagementError::field("tags", "must not be empty"));
        }
        let shared = state.roster.snapshot(&allowed.scope, false, state.clock.now()).await;
        let shared = shared.map_err(|_| ManagementError::Unavailable)?;
        let grants = &allowed.who.grants;
        let has = |facts: &GroupFacts, tag: &String| {
            implicit_tag(&facts.name) == *tag || facts.tags.iter().any(|known| **known == **tag)
        };
        let matching = shared
            .snapshot
            .groups
            .iter()
            .map(|group| &*group.facts)
            .filter(|facts| grants.see(&facts.scope, &facts.identifier))
            .filter(|facts| wanted.iter().all(|tag| has(facts, tag)));
        Ok(matching.map(Group::new).collect::<Vec<_>>())
    };
    answer(found.await, &request)
}

async fn change(
    state: &AppState,
    allowed: &Allowed<Edit>,
    request: &RequestId,
    facts: &GroupFacts,
    tags: &[String],
) -> Result<Group, ManagementError> {
    let who = actor(&allowed.who, request);
    let changed = state.delegates(&who).set_tags(&allowed.scope, &facts.id, tags).await?;
    Ok(Group::new(&changed))
}

/// A group of exactly this scope that the caller may see.
fn find<N: Need>(
    state: &AppState,
    allowed: &Allowed<N>,
    identifier: &str,
) -> Result<Arc<GroupFacts>, ManagementError> {
    let scope = &allowed.scope;
    let id = state.roster.group_id(scope, identifier);
    let facts = id.and_then(|id| state.roster.group_facts(scope.account(), &id));
    let facts = facts.filter(|facts| allowed.who.grants.see(&facts.scope, &facts.identifier));
    facts.ok_or_else(|| ManagementError::Unknown(format!("there is no delegate group {identifier} here")))
}

/// The tags of a body, which must name some list of them.
fn wanted(body: &[u8]) -> Result<Vec<String>, ManagementError> {
    let body = object(body)?;
    if !body.contains_key("tags") {
        return Err(ManagementError::field("tags", "must not be null"));
    }
    Ok(texts(&body, "tags")?.into_iter().map(ToOwned::to_owned).collect())
}
