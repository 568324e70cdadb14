//! Forms of the Mirrors page.

use axum::extract::State;
use axum::response::Response;

use super::{Fields, FormPage, actor, page_of};
use crate::auth::allowed::{Allowed, ManageSettings};
use crate::deeds::mirrors::{self, NewMirror};
use crate::web::AppState;
use crate::web::page::Asker;
use crate::web::scope::PathId;

/// Sets up a mirror.
pub async fn add(
    State(state): State<AppState>,
    allowed: Allowed<ManageSettings>,
    asker: Asker,
    fields: Fields,
) -> Response {
    let (scope, actor) = (&allowed.scope, actor(&allowed.who, &asker));
    let new = NewMirror {
        name: fields.get("name"),
        url: fields.get("url"),
        scopes: fields.get("scopes"),
        key: fields.get("api_key"),
    };
    let made = mirrors::add(&state.store, &state.vault, &actor, scope, &new, state.clock.now()).await;
    let path = page_of(scope, "mirrors");
    let page = FormPage { state: &state, asker, path: path.clone(), form: "mirrors", fields: &fields };
    page.finish(made.map(drop), &path).await
}

/// Ends a mirror.
pub async fn remove(
    State(state): State<AppState>,
    allowed: Allowed<ManageSettings>,
    PathId(id): PathId,
    asker: Asker,
    fields: Fields,
) -> Response {
    let (scope, actor) = (&allowed.scope, actor(&allowed.who, &asker));
    let done = mirrors::remove(&state.store, &actor, scope, &id, state.clock.now()).await;
    let path = page_of(scope, "mirrors");
    let page = FormPage { state: &state, asker, path: path.clone(), form: "remove", fields: &fields };
    page.finish(done, &path).await
}
