//! `/ng/api/delegate-group-tags` (`management-api 3`).

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::Path;
use fleet::delegate::{GroupFacts, implicit_tag};
use fleet::query::Query;
use serde::Serialize;
use utoipa::ToSchema;

use super::answer::{Answer, Envelope};
use super::body::{object, texts};
use super::call::Call;
use super::error::ManagementError;
use super::examples;
use super::list;
use super::schema::Tags;
use crate::auth::allowed::{Edit, View};
use crate::deeds::delegates::{TagChange, checked_tags};

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
pub(super) async fn read(call: Call<View>, Path(identifier): Path<String>) -> Answer<Group> {
    let facts = find(&call, &identifier)?;
    Ok(Envelope::of(Group::new(&facts)))
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
pub(super) async fn add(call: Call<Edit>, Path(identifier): Path<String>, body: Bytes) -> Answer<Group> {
    let facts = find(&call, &identifier)?;
    change(&call, &facts, &TagChange::Add(wanted(&body)?)).await
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
pub(super) async fn replace(call: Call<Edit>, Path(identifier): Path<String>, body: Bytes) -> Answer<Group> {
    let facts = find(&call, &identifier)?;
    change(&call, &facts, &TagChange::Replace(wanted(&body)?)).await
}

/// Takes the custom tags of a group away.
#[utoipa::path(
    delete,
    path = "/ng/api/delegate-group-tags/{groupIdentifier}",
    operation_id = "clearTags",
    params(("groupIdentifier" = String, Path, description = "Its identifier.", example = "_edge_a")),
    responses((status = 200, description = "The group as it is now.", body = Envelope<Group>, example = json!(examples::group()))),
)]
pub(super) async fn clear(call: Call<Edit>, Path(identifier): Path<String>) -> Answer<Group> {
    let facts = find(&call, &identifier)?;
    change(&call, &facts, &TagChange::Replace(Vec::new())).await
}

/// Groups of the scope that have all of some tags, the implicit one included.
#[utoipa::path(
    post,
    path = "/ng/api/delegate-group-tags/delegate-groups",
    operation_id = "findByTags",
    request_body(content = Tags, example = json!({"tags": ["eu"]})),
    responses((status = 200, description = "Groups of the scope that have all of these tags.", body = Envelope<Vec<Group>>, example = json!(examples::groups()))),
)]
pub(super) async fn groups(call: Call<View>, body: Bytes) -> Answer<Vec<Group>> {
    let wanted = wanted(&body)?;
    if wanted.is_empty() {
        return Err(ManagementError::field("tags", "must not be empty"));
    }
    checked_tags(&wanted)?;
    let mut query = Query::default();
    query.filter.tags = wanted;
    let (seen, selection) = list::select(&call, query.into(), |_| true).await?;
    let found = selection.rows.iter().filter_map(|row| seen.groups.get(row.group));
    Ok(Envelope::of(found.map(|group| Group::new(&group.facts)).collect()))
}

async fn change(call: &Call<Edit>, facts: &GroupFacts, wanted: &TagChange) -> Answer<Group> {
    let who = call.actor();
    let changed = call.state.delegates(&who).change_tags(call.scope(), &facts.id, wanted).await?;
    Ok(Envelope::of(Group::new(&changed)))
}

/// A group of exactly this scope that the caller may see.
fn find<N>(call: &Call<N>, identifier: &str) -> Result<Arc<GroupFacts>, ManagementError> {
    let (scope, roster) = (call.scope(), &call.state.roster);
    let id = roster.group_id(scope, identifier);
    let facts = id.and_then(|id| roster.group_facts(scope.account(), &id));
    let facts = facts
        .filter(|facts| call.who().grants.see(&facts.scope, &facts.identifier))
        .filter(|facts| roster.is_listed(scope.account(), &facts.id));
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
