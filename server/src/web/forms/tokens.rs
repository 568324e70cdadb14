//! Forms of the Tokens page.

use axum::extract::State;
use axum::response::Response;
use fleet::scope::Scope;

use super::{Fields, FormPage, actor, page_of};
use crate::auth::allowed::{Allowed, Delete, Edit};
use crate::deeds::{DeedError, tokens};
use crate::tokens::key::TokenKey;
use crate::web::AppState;
use crate::web::page::Asker;
use crate::web::scope::PathId;

/// Creates a token and shows its value, once.
pub async fn create(
    State(state): State<AppState>,
    allowed: Allowed<Edit>,
    asker: Asker,
    fields: Fields,
) -> Response {
    let scope = &allowed.scope;
    let actor = actor(&allowed.who, &asker);
    let key = TokenKey::random();
    let now = state.clock.now();
    let made = async {
        let end = tokens::end(fields.get("days"), now)?;
        let (book, name) = (Some(&*state.tokens), fields.get("name"));
        tokens::create(&state.store, &state.vault, book, &actor, scope, name, &key, end, now).await
    };
    let made = made.await;
    let page =
        FormPage { state: &state, asker, path: page_of(scope, "tokens"), form: "tokens", fields: &fields };
    match made {
        Ok(row) => page.once(row.name.to_string(), key.outer().to_string()).await,
        Err(error) => page.again(&error).await,
    }
}

/// Revokes a token whose name was typed.
pub async fn revoke(
    State(state): State<AppState>,
    allowed: Allowed<Delete>,
    PathId(id): PathId,
    asker: Asker,
    fields: Fields,
) -> Response {
    let scope = &allowed.scope;
    let actor = actor(&allowed.who, &asker);
    let done = async {
        let token = tokens::find(&state.store, &actor, scope, &id).await?;
        if fields.get("name").trim() != &*token.name {
            return Err(DeedError::Field {
                field: "name",
                message: format!("Type the name of the token, {}, exactly as it is written.", token.name),
            });
        }
        tokens::revoke(&state.store, &state.tokens, &state.roster, &actor, &token, state.clock.now()).await
    };
    let done = done.await;
    let path = page_of(scope, &format!("tokens/{id}/revoke"));
    let page = FormPage { state: &state, asker, path, form: "revoke", fields: &fields };
    page.finish(done, &revoked_tokens(scope)).await
}

/// Deletes a revoked token.
pub async fn delete(
    State(state): State<AppState>,
    allowed: Allowed<Delete>,
    PathId(id): PathId,
    asker: Asker,
    fields: Fields,
) -> Response {
    let scope = &allowed.scope;
    let actor = actor(&allowed.who, &asker);
    let path = revoked_tokens(scope);
    let done = async {
        let token = tokens::find(&state.store, &actor, scope, &id).await?;
        tokens::delete(&state.store, &state.tokens, &actor, &token, state.clock.now()).await
    };
    let done = done.await;
    let page = FormPage { state: &state, asker, path: path.clone(), form: "delete", fields: &fields };
    page.finish(done, &path).await
}

fn revoked_tokens(scope: &Scope) -> String {
    format!("{}?status=revoked", page_of(scope, "tokens"))
}
