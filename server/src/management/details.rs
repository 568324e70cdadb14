//! The older listing, `/api/setup/delegates/ng/v2` (`management-api 5`), and the delegates of a token in its shape.

use std::sync::Arc;

use axum::Extension;
use axum::body::Bytes;
use axum::extract::{Path, RawQuery, State};
use axum::response::Response;
use fleet::query::{Column, Query, Sort};
use fleet::view::GroupView;

use super::answer::Envelope;
use super::answer::{actor, parameter, stream};
use super::error::ManagementError;
use super::examples;
use super::list::{self, Asked};
use super::schema::{DelegateDetails, DelegateDetailsList, Filter};
use crate::api::export::Export;
use crate::auth::allowed::{Allowed, View};
use crate::deeds::filters;
use crate::web::AppState;
use crate::web::request_id::RequestId;

/// What a call asks for beside what its body says.
struct Call<'a> {
    state: &'a AppState,
    allowed: &'a Allowed<View>,
    request: &'a RequestId,
    query: Option<&'a str>,
}

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
pub(super) async fn groups(
    State(state): State<AppState>,
    allowed: Allowed<View>,
    Extension(request): Extension<RequestId>,
    RawQuery(query): RawQuery,
    body: Bytes,
) -> Response {
    let call = Call { state: &state, allowed: &allowed, request: &request, query: query.as_deref() };
    call.respond(call.asked(&body), |_| true).await
}

/// Those of the scope and of the ones above it.
#[utoipa::path(
    get,
    path = "/api/setup/delegates/ng/v2/up-the-hierarchy",
    operation_id = "listDelegateDetailsUpwards",
    responses((status = 200, description = "Those of the scope and of the ones above it.", body = Envelope<DelegateDetailsList>, example = json!(examples::details_list()))),
)]
pub(super) async fn up_the_hierarchy(
    State(state): State<AppState>,
    allowed: Allowed<View>,
    Extension(request): Extension<RequestId>,
    RawQuery(query): RawQuery,
) -> Response {
    let call = Call { state: &state, allowed: &allowed, request: &request, query: query.as_deref() };
    call.respond(call.asked(b"").map(upwards), |_| true).await
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
    State(state): State<AppState>,
    allowed: Allowed<View>,
    Extension(request): Extension<RequestId>,
    Path(identifier): Path<String>,
) -> Response {
    let id = state.roster.group_id(&allowed.scope, &identifier);
    let unknown = || ManagementError::Unknown(format!("there is no delegate group {identifier} here"));
    let found = async {
        let id = id.ok_or_else(unknown)?;
        let keep = move |group: &GroupView| group.facts.id == id;
        let found = list::select(&state, &allowed, Asked::default(), keep).await?;
        if found.1.rows.is_empty() { Err(unknown()) } else { Ok(found) }
    };
    match found.await {
        Ok((snapshot, selection)) => {
            stream(Export::detailed_one(snapshot, selection, Arc::clone(&state.tokens)))
        }
        Err(error) => error.respond(Some(&request.0)),
    }
}

/// The delegates that used a token last.
#[utoipa::path(
    get,
    path = "/ng/api/delegate-token-ng/delegate-groups",
    operation_id = "listDelegatesOfToken",
    params(("delegateTokenName" = String, Query, description = "The token.", example = "edge-a")),
    responses((status = 200, description = "What was asked for.", body = Envelope<DelegateDetailsList>, example = json!(examples::details_list()))),
)]
pub(super) async fn of_token(
    State(state): State<AppState>,
    allowed: Allowed<View>,
    Extension(request): Extension<RequestId>,
    RawQuery(query): RawQuery,
) -> Response {
    if let Some(name) = parameter(query.as_deref(), "delegateTokenName") {
        return token(&state, &allowed, &request, &name).await;
    }
    ManagementError::field("delegateTokenName", "must not be null").respond(Some(&request.0))
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
    State(state): State<AppState>,
    allowed: Allowed<View>,
    Extension(request): Extension<RequestId>,
    Path(name): Path<String>,
) -> Response {
    token(&state, &allowed, &request, &name).await
}

async fn token(state: &AppState, allowed: &Allowed<View>, request: &RequestId, name: &str) -> Response {
    let call = Call { state, allowed, request, query: None };
    let found = super::tokens::find(state, &allowed.scope, name).await;
    let found = found.and_then(|row| {
        row.ok_or_else(|| ManagementError::Unknown(format!("there is no token {name} here")))
    });
    match found {
        Ok(row) => {
            // A token reaches the scopes below its own.
            let uses =
                move |group: &GroupView| group.members.iter().any(|member| member.facts.token == row.id);
            call.respond(Ok(Query::default().with_below(true).into()), uses).await
        }
        Err(error) => error.respond(Some(&request.0)),
    }
}

impl Call<'_> {
    /// A saved filter by its id, else the filters of a body; then the search and the order of the query.
    fn asked(&self, body: &[u8]) -> Result<Asked, ManagementError> {
        let in_body = list::asked(body)?;
        let mut asked = match parameter(self.query, "filterIdentifier") {
            Some(id) => self.saved(&id)?.into(),
            None => in_body,
        };
        if let Some(term) = parameter(self.query, "searchTerm") {
            let found = Query::parse(
                &form_urlencoded::Serializer::new(String::new()).append_pair("search", &term).finish(),
            );
            asked.query.filter.search =
                found.map_err(|error| ManagementError::field("searchTerm", error.message))?.filter.search;
        }
        if let Some(order) = parameter(self.query, "sort") {
            asked.query.sort = Some(sort(&order)?);
        }
        Ok(asked)
    }

    fn saved(&self, id: &str) -> Result<Query, ManagementError> {
        let tables = self.state.auth.directory.tables();
        let who = actor(&self.allowed.who, self.request);
        let mut visible = filters::visible(&tables, &self.allowed.scope, &who.id);
        let row = visible.find(|row| *row.id == *id);
        let row =
            row.ok_or_else(|| ManagementError::Unknown(format!("there is no saved filter {id} here")))?;
        Ok(Query::parse(&row.query)?)
    }

    async fn respond(
        &self,
        asked: Result<Asked, ManagementError>,
        keep: impl Fn(&GroupView) -> bool + Send + 'static,
    ) -> Response {
        let found = async { list::select(self.state, self.allowed, asked?, keep).await };
        match found.await {
            Ok((snapshot, selection)) => {
                stream(Export::detailed(snapshot, selection, Arc::clone(&self.state.tokens)))
            }
            Err(error) => error.respond(Some(&self.request.0)),
        }
    }
}

/// With the delegates of scopes above, which can be used from here.
fn upwards(mut asked: Asked) -> Asked {
    asked.query = asked.query.with_usable(true);
    asked
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
