//! `/ng/api/delegate-token-ng` (`management-api 4`).

use axum::body::Bytes;
use axum::extract::Path;
use fleet::access::Permission;
use fleet::time::Timestamp;

use super::answer::{Answer, Envelope};
use super::body::{object, text};
use super::call::Call;
use super::error::ManagementError;
use super::examples;
use super::schema::NewToken;
use super::token::Token;
use crate::auth::allowed::{Delete, Edit, View};
use crate::deeds::{DeedError, tokens};
use crate::store::{TokenRow, TokenStatus};
use crate::tokens::key::TokenKey;

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
pub(super) async fn create(call: Call<Edit>, body: Bytes) -> Answer<Token> {
    let (state, now) = (&call.state, call.state.clock.now());
    // Newer clients put it there.
    let body = object(&body)?;
    let name = match (call.parameter("tokenName"), text(&body, "name")?) {
        (Some(name), _) => name,
        (None, Some(name)) => name.to_owned(),
        (None, None) => return Err(ManagementError::field("tokenName", "must not be null")),
    };
    let end = revoke_after(&call, now)?;
    let (who, scope, key) = (call.actor(), call.scope(), TokenKey::random());
    let book = Some(&*state.tokens);
    let row = tokens::create(&state.store, &state.vault, book, &who, scope, &name, &key, end, now).await;
    Ok(Envelope::of(Token::new(&row.map_err(of_name)?, Some(&key.outer()), &state.auth.directory.tables())))
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
pub(super) async fn list(call: Call<View>) -> Answer<Vec<Token>> {
    let name = call.parameter("name");
    let status = match call.parameter("status").as_deref() {
        None => None,
        Some("ACTIVE") => Some(TokenStatus::Active),
        Some("REVOKED") => Some(TokenStatus::Revoked),
        Some(_) => return Err(ManagementError::field("status", "must be ACTIVE or REVOKED")),
    };
    let mut rows = rows(&call).await?;
    rows.retain(|row| name.as_deref().is_none_or(|name| *row.name == *name));
    rows.retain(|row| status.is_none_or(|status| row.status == status));
    Ok(Envelope::of(shown(&call, &rows).await?))
}

/// One token by its name in the path.
#[utoipa::path(
    get,
    path = "/ng/api/delegate-token-ng/{tokenName}",
    operation_id = "readToken",
    params(("tokenName" = String, Path, description = "Its name.", example = "edge-a")),
    responses((status = 200, description = "What was asked for.", body = Envelope<Token>, example = json!(examples::token()))),
)]
pub(super) async fn one(call: Call<View>, Path(name): Path<String>) -> Answer<Token> {
    let row = known(&call, &name).await?;
    let shown = shown(&call, &[row]).await?.pop();
    Ok(Envelope::of(shown.ok_or(ManagementError::Unavailable)?))
}

/// Revokes the token that the query names.
#[utoipa::path(
    put,
    path = "/ng/api/delegate-token-ng",
    operation_id = "revokeToken",
    params(("tokenName" = String, Query, description = "Its name.", example = "edge-a")),
    responses((status = 200, description = "It opens nothing any more.", body = Envelope<Token>, example = json!(examples::token()))),
)]
pub(super) async fn revoke(call: Call<Delete>) -> Answer<Token> {
    revoked(&call, &call.required("tokenName")?).await
}

/// Revokes the token that the path names.
#[utoipa::path(
    put,
    path = "/ng/api/delegate-token-ng/{tokenName}",
    operation_id = "revokeTokenByPath",
    params(("tokenName" = String, Path, description = "Its name.", example = "edge-a")),
    responses((status = 200, description = "It opens nothing any more.", body = Envelope<Token>, example = json!(examples::token()))),
)]
pub(super) async fn revoke_one(call: Call<Delete>, Path(name): Path<String>) -> Answer<Token> {
    revoked(&call, &name).await
}

/// Deletes the revoked token that the query names.
#[utoipa::path(
    delete,
    path = "/ng/api/delegate-token-ng",
    operation_id = "deleteToken",
    params(("tokenName" = String, Query, description = "Its name.", example = "edge-a")),
    responses((status = 200, description = "Its name is free.", body = Envelope<Option<Token>>, example = json!(examples::enveloped(&serde_json::json!(null))))),
)]
pub(super) async fn delete(call: Call<Delete>) -> Answer<Option<Token>> {
    deleted(&call, &call.required("tokenName")?, false).await
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
pub(super) async fn delete_one(call: Call<Delete>, Path(name): Path<String>) -> Answer<Option<Token>> {
    deleted(&call, &name, call.flag("forceRevoke")?).await
}

async fn revoked(call: &Call<Delete>, name: &str) -> Answer<Token> {
    let state = &call.state;
    let active = find(call, name).await?.filter(|row| row.status == TokenStatus::Active);
    let mut row = active.ok_or_else(|| {
        ManagementError::Refused(format!("Token {name} doesn't exist or it is already revoked."))
    })?;
    let now = state.clock.now();
    tokens::revoke(&state.store, &state.tokens, &state.roster, &call.actor(), &row, now).await?;
    (row.status, row.revoked_at) = (TokenStatus::Revoked, Some(now));
    Ok(Envelope::of(Token::new(&row, None, &state.auth.directory.tables())))
}

async fn deleted(call: &Call<Delete>, name: &str, force: bool) -> Answer<Option<Token>> {
    let state = &call.state;
    let row = find(call, name).await?;
    let mut row = row.ok_or_else(|| {
        ManagementError::Refused(format!("Token {name} doesn't exist or it is already deleted."))
    })?;
    if row.status == TokenStatus::Active && force {
        revoked(call, name).await?;
        row.status = TokenStatus::Revoked;
    }
    tokens::delete(&state.store, &state.tokens, &call.actor(), &row, state.clock.now()).await?;
    Ok(Envelope::of(None))
}

/// Tokens of exactly this scope.
pub(super) async fn rows<N>(call: &Call<N>) -> Result<Vec<TokenRow>, ManagementError> {
    let mut rows = call.state.store.tokens().await.map_err(DeedError::from)?;
    rows.retain(|row| *row.scope == *call.scope());
    Ok(rows)
}

async fn find<N>(call: &Call<N>, name: &str) -> Result<Option<TokenRow>, ManagementError> {
    Ok(rows(call).await?.into_iter().find(|row| *row.name == *name))
}

/// The token of this name, for those who read.
pub(super) async fn known<N>(call: &Call<N>, name: &str) -> Result<TokenRow, ManagementError> {
    let row = find(call, name).await?;
    row.ok_or_else(|| ManagementError::Unknown(format!("there is no token {name} here")))
}

/// Tokens, with their values for those who may edit: that is a line of the audit log.
async fn shown(call: &Call<View>, rows: &[TokenRow]) -> Result<Vec<Token>, ManagementError> {
    let (state, who, scope) = (&call.state, call.who(), call.scope());
    let tables = state.auth.directory.tables();
    // A browser asks without being told to: a link on another site is enough.
    if who.is_session() || who.grants.decide_on_all(Permission::DelegateEdit, scope).is_err() {
        return Ok(rows.iter().map(|row| Token::new(row, None, &tables)).collect());
    }
    let now = state.clock.now();
    let values = tokens::show_all(&state.store, &state.vault, &call.actor(), scope, rows, now).await?;
    Ok(rows.iter().zip(&values).map(|(row, value)| Token::new(row, value.as_ref(), &tables)).collect())
}

/// The instant of `revokeAfter`.
fn revoke_after(call: &Call<Edit>, now: Timestamp) -> Result<Option<Timestamp>, ManagementError> {
    let Some(text) = call.single("revokeAfter")? else { return Ok(None) };
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
