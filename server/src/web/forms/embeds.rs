//! Forms of the Embeds page.

use axum::extract::State;
use axum::response::Response;

use super::{Fields, FormPage, page_of};
use crate::auth::allowed::{Allowed, ManageEmbeds};
use crate::auth::directory::Tables;
use crate::deeds::Actor;
use crate::deeds::keys::{NewEmbedKey, create_embed_key, revoke_embed_key};
use crate::web::AppState;
use crate::web::page::Asker;
use crate::web::scope::PathId;

/// Issues an embed key and shows it, once.
pub async fn create(
    State(state): State<AppState>,
    allowed: Allowed<ManageEmbeds>,
    asker: Asker,
    fields: Fields,
) -> Response {
    let scope = &allowed.scope;
    let new = NewEmbedKey {
        name: fields.get("name"),
        origins: fields.get("origins"),
        filter: fields.get("filter"),
        days: fields.get("days"),
    };
    let now = state.clock.now();
    let deed = |_: &Tables, actor: &Actor| create_embed_key(actor, scope, &new, now);
    let made = state.deed(&allowed.who, asker.request_id(), deed).await;
    let path = page_of(scope, "embeds");
    let page = FormPage { state: &state, asker, path, form: "embeds", fields: &fields };
    match made {
        Ok(text) => page.once(fields.get("name").trim().to_owned(), text).await,
        Err(error) => page.again(&error).await,
    }
}

/// Revokes an embed key.
pub async fn revoke(
    State(state): State<AppState>,
    allowed: Allowed<ManageEmbeds>,
    PathId(id): PathId,
    asker: Asker,
    fields: Fields,
) -> Response {
    let scope = &allowed.scope;
    let now = state.clock.now();
    let deed = |tables: &Tables, actor: &Actor| Ok(((), revoke_embed_key(tables, actor, scope, &id, now)?));
    let done = state.deed(&allowed.who, asker.request_id(), deed).await;
    let path = page_of(scope, "embeds");
    let page = FormPage { state: &state, asker, path: path.clone(), form: "revoke", fields: &fields };
    page.finish(done, &path).await
}
