//! Forms of the Settings page.

use axum::extract::State;
use axum::response::Response;

use super::{Fields, FormPage, actor, page_of};
use crate::auth::allowed::{Allowed, ManageSettings};
use crate::deeds::settings;
use crate::settings::{Place, known};
use crate::web::AppState;
use crate::web::page::Asker;

/// Sets a setting.
pub async fn set(
    State(state): State<AppState>,
    allowed: Allowed<ManageSettings>,
    asker: Asker,
    fields: Fields,
) -> Response {
    put(&state, &allowed, asker, &fields, Some(fields.get("value").trim())).await
}

/// Goes back to what holds without it.
pub async fn reset(
    State(state): State<AppState>,
    allowed: Allowed<ManageSettings>,
    asker: Asker,
    fields: Fields,
) -> Response {
    put(&state, &allowed, asker, &fields, None).await
}

async fn put(
    state: &AppState,
    allowed: &Allowed<ManageSettings>,
    asker: Asker,
    fields: &Fields,
    value: Option<&str>,
) -> Response {
    let scope = &allowed.scope;
    let (key, path) = (fields.get("key"), page_of(scope, "settings"));
    let global = known(key).is_some_and(|key| key.place == Place::Global);
    let target = (!global).then_some(scope);
    let actor = actor(&allowed.who, &asker);
    let done = settings::put(&state.store, &actor, target, key, value, state.clock.now()).await;
    if done.is_ok() {
        state.follow().await;
    }
    FormPage { state, asker, path: path.clone(), form: "settings", fields }.finish(done, &path).await
}
