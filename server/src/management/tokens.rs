//! `/ng/api/delegate-token-ng` (`management-api 4`).

use axum::Extension;
use axum::body::Bytes;
use axum::extract::{Path, RawQuery, State};
use axum::response::Response;
use fleet::access::Permission;
use fleet::scope::Scope;
use fleet::time::Timestamp;

use super::answer::Envelope;
use super::answer::{actor, answer, flag, parameter, single};
use super::body::{object, text};
use super::error::ManagementError;
use super::examples;
use super::schema::NewToken;
use super::token::Token;
use crate::auth::Identity;
use crate::auth::allowed::{Allowed, Delete, Edit, View};
use crate::deeds::{DeedError, tokens};
use crate::store::{TokenRow, TokenStatus};
use crate::tokens::key::TokenKey;
use crate::web::AppState;
use crate::web::request_id::RequestId;

/// Makes a token; the answer is the one that holds its value for everybody who may edit.
#[utoipa::path(
    post,
    path = "/ng/api/delegate-token-ng",
    operation_id = "createToken",
    params(
        ("tokenName" = Option<String>, Query, description = "Its name, unless the body holds it.", example = "edge-a"),
        ("revokeAfter" = Option<i64>, Query, description = "When it is revoked by itself; milliseconds since the Unix epoch.")
    ),
    request_body(content = Option<NewToken>, example = json!({"name": "edge-a"})),
    responses((status = 200, description = "The new token, with its value.", body = Envelope<Token>, example = json!(examples::token()))),
)]
pub(super) async fn create(
    State(state): State<AppState>,
    allowed: Allowed<Edit>,
    Extension(request): Extension<RequestId>,
    RawQuery(query): RawQuery,
    body: Bytes,
) -> Response {
    let made = async {
        let (query, now) = (query.as_deref(), state.clock.now());
        // Newer clients put it there.
        let body = object(&body)?;
        let in_body = text(&body, "name")?.map(ToOwned::to_owned);
        let name = parameter(query, "tokenName").or(in_body);
        let name = name.ok_or_else(|| ManagementError::field("tokenName", "must not be null"))?;
        let end = revoke_after(query, now)?;
        let (who, key) = (actor(&allowed.who, &request), TokenKey::random());
        let row = tokens::create(
            &state.store,
            &state.vault,
            Some(&state.tokens),
            &who,
            &allowed.scope,
            &name,
            &key,
            end,
            now,
        );
        let row = row.await.map_err(of_name)?;
        Ok(Token::new(&row, Some(&key.outer()), &state.auth.directory.tables()))
    };
    answer(made.await, &request)
}

/// Every token of the scope, or those of a name or state.
#[utoipa::path(
    get,
    path = "/ng/api/delegate-token-ng",
    operation_id = "listTokens",
    params(
        ("name" = Option<String>, Query, description = "Exactly this name."),
        ("status" = Option<String>, Query, description = "Only those.", pattern = "^(|ACTIVE|REVOKED)$")
    ),
    responses((status = 200, description = "Tokens of exactly this scope.", body = Envelope<Vec<Token>>, example = json!(examples::tokens()))),
)]
pub(super) async fn list(
    State(state): State<AppState>,
    allowed: Allowed<View>,
    Extension(request): Extension<RequestId>,
    RawQuery(query): RawQuery,
) -> Response {
    let listed = async {
        let name = parameter(query.as_deref(), "name");
        let status = match parameter(query.as_deref(), "status").as_deref() {
            None => None,
            Some("ACTIVE") => Some(TokenStatus::Active),
            Some("REVOKED") => Some(TokenStatus::Revoked),
            Some(_) => return Err(ManagementError::field("status", "must be ACTIVE or REVOKED")),
        };
        let mut rows = rows(&state, &allowed.scope).await?;
        rows.retain(|row| name.as_deref().is_none_or(|name| *row.name == *name));
        rows.retain(|row| status.is_none_or(|status| row.status == status));
        shown(&state, &allowed.who, &request, &allowed.scope, rows).await
    };
    answer(listed.await, &request)
}

/// One token by its name in the path.
#[utoipa::path(
    get,
    path = "/ng/api/delegate-token-ng/{tokenName}",
    operation_id = "readToken",
    params(("tokenName" = String, Path, description = "Its name.", example = "edge-a")),
    responses((status = 200, description = "What was asked for.", body = Envelope<Token>, example = json!(examples::token()))),
)]
pub(super) async fn one(
    State(state): State<AppState>,
    allowed: Allowed<View>,
    Extension(request): Extension<RequestId>,
    Path(name): Path<String>,
) -> Response {
    let found = async {
        let row = find(&state, &allowed.scope, &name).await?;
        let row = row.ok_or_else(|| ManagementError::Unknown(format!("there is no token {name} here")))?;
        let mut shown = shown(&state, &allowed.who, &request, &allowed.scope, vec![row]).await?;
        shown.pop().ok_or(ManagementError::Unavailable)
    };
    answer(found.await, &request)
}

/// Revokes the token that the query names.
#[utoipa::path(
    put,
    path = "/ng/api/delegate-token-ng",
    operation_id = "revokeToken",
    params(("tokenName" = String, Query, description = "Its name.", example = "edge-a")),
    responses((status = 200, description = "It opens nothing any more.", body = Envelope<Token>, example = json!(examples::token()))),
)]
pub(super) async fn revoke(
    State(state): State<AppState>,
    allowed: Allowed<Delete>,
    Extension(request): Extension<RequestId>,
    RawQuery(query): RawQuery,
) -> Response {
    let done = async {
        let name = parameter(query.as_deref(), "tokenName");
        let name = name.ok_or_else(|| ManagementError::field("tokenName", "must not be null"))?;
        revoked(&state, &allowed, &request, &name).await
    };
    answer(done.await, &request)
}

/// Revokes the token that the path names.
#[utoipa::path(
    put,
    path = "/ng/api/delegate-token-ng/{tokenName}",
    operation_id = "revokeTokenByPath",
    params(("tokenName" = String, Path, description = "Its name.", example = "edge-a")),
    responses((status = 200, description = "It opens nothing any more.", body = Envelope<Token>, example = json!(examples::token()))),
)]
pub(super) async fn revoke_one(
    State(state): State<AppState>,
    allowed: Allowed<Delete>,
    Extension(request): Extension<RequestId>,
    Path(name): Path<String>,
) -> Response {
    answer(revoked(&state, &allowed, &request, &name).await, &request)
}

/// Deletes the revoked token that the query names.
#[utoipa::path(
    delete,
    path = "/ng/api/delegate-token-ng",
    operation_id = "deleteToken",
    params(("tokenName" = String, Query, description = "Its name.", example = "edge-a")),
    responses((status = 200, description = "Its name is free.", body = Envelope<Option<Token>>, example = json!(examples::enveloped(&serde_json::json!(null))))),
)]
pub(super) async fn delete(
    State(state): State<AppState>,
    allowed: Allowed<Delete>,
    Extension(request): Extension<RequestId>,
    RawQuery(query): RawQuery,
) -> Response {
    let done = async {
        let name = parameter(query.as_deref(), "tokenName");
        let name = name.ok_or_else(|| ManagementError::field("tokenName", "must not be null"))?;
        deleted(&state, &allowed, &request, &name, false).await
    };
    answer(done.await, &request)
}

/// Deletes the token that the path names; with forceRevoke=true an active one is revoked first.
#[utoipa::path(
    delete,
    path = "/ng/api/delegate-token-ng/{tokenName}",
    operation_id = "deleteTokenByPath",
    params(
        ("tokenName" = String, Path, description = "Its name.", example = "edge-a"),
        ("forceRevoke" = Option<bool>, Query, description = "Revoke it first where it is active.")
    ),
    responses((status = 200, description = "Its name is free.", body = Envelope<Option<Token>>, example = json!(examples::enveloped(&serde_json::json!(null))))),
)]
pub(super) async fn delete_one(
    State(state): State<AppState>,
    allowed: Allowed<Delete>,
    Extension(request): Extension<RequestId>,
    Path(name): Path<String>,
    RawQuery(query): RawQuery,
) -> Response {
    let done = async {
        let force = flag(query.as_deref(), "forceRevoke")?;
        deleted(&state, &allowed, &request, &name, force).await
    };
    answer(done.await, &request)
}

async fn revoked(
    state: &AppState,
    allowed: &Allowed<Delete>,
    request: &RequestId,
    name: &str,
) -> Result<Token, ManagementError> {
    let row = find(state, &allowed.scope, name).await?;
    let active = row.filter(|row| row.status == TokenStatus::Active);
    let mut row = active.ok_or_else(|| {
        ManagementError::Refused(format!("Token {name} doesn't exist or it is already revoked."))
    })?;
    let now = state.clock.now();
    let used = state.roster.token_use(allowed.scope.account(), &row.id, now);
    let instances = used.iter().map(|group| group.instances).sum();
    let who = actor(&allowed.who, request);
    tokens::revoke(&state.store, &state.tokens, &who, &row, instances, now).await?;
    (row.status, row.revoked_at) = (TokenStatus::Revoked, Some(now));
    Ok(Token::new(&row, None, &state.auth.directory.tables()))
}

async fn deleted(
    state: &AppState,
    allowed: &Allowed<Delete>,
    request: &RequestId,
    name: &str,
    force: bool,
) -> Result<Option<Token>, ManagementError> {
    let row = find(state, &allowed.scope, name).await?;
    let row = row.ok_or_else(|| {
        ManagementError::Refused(format!("Token {name} doesn't exist or it is already deleted."))
    })?;
    if row.status == TokenStatus::Active && force {
        revoked(state, allowed, request, name).await?;
    }
    let row = find(state, &allowed.scope, name).await?.unwrap_or(row);
    let who = actor(&allowed.who, request);
    tokens::delete(&state.store, &who, &row, state.clock.now()).await?;
    state.tokens.remove(&row.id);
    Ok(None)
}

/// Tokens of exactly this scope.
pub(super) async fn rows(state: &AppState, scope: &Scope) -> Result<Vec<TokenRow>, ManagementError> {
    let mut rows = state.store.tokens().await.map_err(|error| {
        tracing::error!(%error, "tokens cannot be read");
        ManagementError::Unavailable
    })?;
    rows.retain(|row| *row.scope == *scope);
    Ok(rows)
}

pub(super) async fn find(
    state: &AppState,
    scope: &Scope,
    name: &str,
) -> Result<Option<TokenRow>, ManagementError> {
    Ok(rows(state, scope).await?.into_iter().find(|row| *row.name == *name))
}

/// Tokens, with their values for those who may edit: that is a line of the audit log.
async fn shown(
    state: &AppState,
    who: &Identity,
    request: &RequestId,
    scope: &Scope,
    rows: Vec<TokenRow>,
) -> Result<Vec<Token>, ManagementError> {
    let tables = state.auth.directory.tables();
    // A browser asks without being told to: a link on another site is enough.
    if who.is_session() || who.grants.decide_on_all(Permission::DelegateEdit, scope).is_err() {
        return Ok(rows.iter().map(|row| Token::new(row, None, &tables)).collect());
    }
    let actor = actor(who, request);
    let values = tokens::show_all(&state.store, &state.vault, &actor, scope, &rows, state.clock.now());
    let values = values.await?;
    Ok(rows.iter().zip(&values).map(|(row, value)| Token::new(row, value.as_ref(), &tables)).collect())
}

/// The instant of `revokeAfter`.
fn revoke_after(query: Option<&str>, now: Timestamp) -> Result<Option<Timestamp>, ManagementError> {
    let Some(text) = single(query, "revokeAfter")? else { return Ok(None) };
    match text.parse() {
        Ok(millis) if millis > now.millis() => Ok(Some(Timestamp::from_millis(millis))),
        Ok(_) => Err(ManagementError::field("revokeAfter", "lies in the past")),
        Err(_) => Err(ManagementError::field("revokeAfter", "must be milliseconds since the epoch")),
    }
}

/// What a form calls the name has another one here.
fn of_name(error: DeedError) -> ManagementError {
    match error {
        DeedError::Field { field: "name", message } => ManagementError::field("tokenName", message),
        error => error.into(),
    }
}
