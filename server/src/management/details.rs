//! The older listing, `/api/setup/delegates/ng/v2` (`management-api 5`), and the delegates of a token in its shape.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::Path;
use axum::response::Response;
use fleet::query::{Column, Query, Sort};
use fleet::view::GroupView;

use super::answer::{Envelope, stream};
use super::call::Call;
use super::error::ManagementError;
use super::examples;
use super::list::{self, Asked};
use super::schema::{DelegateDetails, DelegateDetailsList, Filter};
use super::tokens;
use crate::api::export::Export;
use crate::auth::allowed::View;
use crate::deeds::filters;

/// Delegates of the scope in the shape of the older listing.
#[utoipa::path(
    post,
    path = "/api/setup/delegates/ng/v2",
    operation_id = "listDelegateDetails",
    params(
        ("filterIdentifier" = Option<String>, Query, description = "A saved filter in place of the body."),
        ("searchTerm" = Option<String>, Query, description = "Narrows further.", max_length = 256),
        ("sort" = Option<String>, Query, description = "The order.", pattern = "^(|(name|version)(,(ASC|DESC))?)$")
    ),
    request_body(content = Option<Filter>, example = json!({"filterType": "Delegate"})),
    responses((status = 200, description = "What was asked for.", body = Envelope<DelegateDetailsList>, example = json!(examples::details_list()))),
)]
pub(super) async fn groups(call: Call<View>, body: Bytes) -> Result<Response, ManagementError> {
    listed(&call, asked(&call, &body)?, |_| true).await
}

/// Those of the scope and of the ones above it.
#[utoipa::path(
    get,
    path = "/api/setup/delegates/ng/v2/up-the-hierarchy",
    operation_id = "listDelegateDetailsUpwards",
    responses((status = 200, description = "Those of the scope and of the ones above it.", body = Envelope<DelegateDetailsList>, example = json!(examples::details_list()))),
)]
pub(super) async fn up_the_hierarchy(call: Call<View>) -> Result<Response, ManagementError> {
    let mut asked = asked(&call, b"")?;
    // Those of scopes above can be used from here.
    asked.query = asked.query.with_usable(true);
    listed(&call, asked, |_| true).await
}

/// One group by its identifier.
#[utoipa::path(
    get,
    path = "/api/setup/delegates/ng/v2/{identifier}",
    operation_id = "readDelegateDetails",
    params(("identifier" = String, Path, description = "Its identifier.", example = "_edge_a")),
    responses((status = 200, description = "What was asked for.", body = Envelope<DelegateDetails>, example = json!(examples::details()))),
)]
pub(super) async fn one(
    call: Call<View>,
    Path(identifier): Path<String>,
) -> Result<Response, ManagementError> {
    let unknown = || ManagementError::Unknown(format!("there is no delegate group {identifier} here"));
    let id = call.state.roster.group_id(call.scope(), &identifier).ok_or_else(unknown)?;
    let keep = move |group: &GroupView| group.facts.id == id;
    let (snapshot, selection) = list::select(&call, Asked::default(), keep).await?;
    if selection.rows.is_empty() {
        return Err(unknown());
    }
    Ok(stream(Export::detailed_one(snapshot, selection, Arc::clone(&call.state.tokens))))
}

/// The delegates that used a token last.
#[utoipa::path(
    get,
    path = "/ng/api/delegate-token-ng/delegate-groups",
    operation_id = "listDelegatesOfToken",
    params(("delegateTokenName" = String, Query, description = "The token.", example = "edge-a")),
    responses((status = 200, description = "What was asked for.", body = Envelope<DelegateDetailsList>, example = json!(examples::details_list()))),
)]
pub(super) async fn of_token(call: Call<View>) -> Result<Response, ManagementError> {
    users(&call, &call.required("delegateTokenName")?).await
}

/// The same, with the token's name in the path.
#[utoipa::path(
    get,
    path = "/ng/api/delegate-token-ng/{tokenName}/delegates",
    operation_id = "listDelegatesOfTokenByPath",
    params(("tokenName" = String, Path, description = "Its name.", example = "edge-a")),
    responses((status = 200, description = "What was asked for.", body = Envelope<DelegateDetailsList>, example = json!(examples::details_list()))),
)]
pub(super) async fn of_token_in_path(
    call: Call<View>,
    Path(name): Path<String>,
) -> Result<Response, ManagementError> {
    users(&call, &name).await
}

async fn users(call: &Call<View>, token: &str) -> Result<Response, ManagementError> {
    let id = tokens::known(call, token).await?.id;
    let uses = move |group: &GroupView| group.members.iter().any(|member| member.facts.token == id);
    // A token reaches the scopes below its own.
    listed(call, Query::default().with_below(true).into(), uses).await
}

async fn listed(
    call: &Call<View>,
    asked: Asked,
    keep: impl Fn(&GroupView) -> bool + Send + 'static,
) -> Result<Response, ManagementError> {
    let (snapshot, selection) = list::select(call, asked, keep).await?;
    Ok(stream(Export::detailed(snapshot, selection, Arc::clone(&call.state.tokens))))
}

/// A saved filter by its id, else the filters of a body; then the search and the order of the query.
fn asked(call: &Call<View>, body: &[u8]) -> Result<Asked, ManagementError> {
    let in_body = list::asked(body)?;
    let mut asked = match call.parameter("filterIdentifier") {
        Some(id) => saved(call, &id)?.into(),
        None => in_body,
    };
    if let Some(term) = call.parameter("searchTerm") {
        let search = form_urlencoded::Serializer::new(String::new()).append_pair("search", &term).finish();
        let found = Query::parse(&search);
        asked.query.filter.search =
            found.map_err(|error| ManagementError::field("searchTerm", error.message))?.filter.search;
    }
    if let Some(order) = call.parameter("sort") {
        asked.query.sort = Some(sort(&order)?);
    }
    Ok(asked)
}

fn saved(call: &Call<View>, id: &str) -> Result<Query, ManagementError> {
    let tables = call.state.auth.directory.tables();
    let mut visible = filters::visible(&tables, call.scope(), &call.who().id);
    let row = visible.find(|row| *row.id == *id);
    let row = row.ok_or_else(|| ManagementError::Unknown(format!("there is no saved filter {id} here")))?;
    Ok(Query::parse(&row.query)?)
}

/// `name` or `version`, with `,ASC` or `,DESC` behind it.
fn sort(text: &str) -> Result<Sort, ManagementError> {
    let (column, direction) = text.split_once(',').unwrap_or((text, "ASC"));
    let column = match column {
        "name" => Column::Name,
        "version" => Column::Version,
        _ => return Err(ManagementError::field("sort", "must be name or version, with ,ASC or ,DESC")),
    };
    match direction {
        "ASC" => Ok(Sort { column, descending: false }),
        "DESC" => Ok(Sort { column, descending: true }),
        _ => Err(ManagementError::field("sort", "must be name or version, with ,ASC or ,DESC")),
    }
}
