//! Forms of the Roles page.

use axum::extract::State;
use axum::response::Response;
use fleet::access::PermissionSet;
use fleet::time::Timestamp;

use super::{Fields, FormPage, page_of};
use crate::auth::allowed::{Allowed, ManageRoles};
use crate::auth::directory::Tables;
use crate::deeds::{Actor, DeedError, roles};
use crate::store::access::Change;
use crate::web::AppState;
use crate::web::page::Asker;
use crate::web::scope::PathId;

/// Makes a role.
pub async fn create(
    State(state): State<AppState>,
    allowed: Allowed<ManageRoles>,
    asker: Asker,
    fields: Fields,
) -> Response {
    let deed = |tables: &Tables, actor: &Actor, now| {
        roles::create(tables, actor, &allowed.scope, fields.get("name"), permissions(&fields)?, now)
    };
    finish(&state, &allowed, deed, asker, "roles", &fields).await
}

/// Changes a role.
pub async fn change(
    State(state): State<AppState>,
    allowed: Allowed<ManageRoles>,
    PathId(id): PathId,
    asker: Asker,
    fields: Fields,
) -> Response {
    let deed = |tables: &Tables, actor: &Actor, now| {
        roles::change(tables, actor, &allowed.scope, &id, fields.get("name"), permissions(&fields)?, now)
    };
    finish(&state, &allowed, deed, asker, "change", &fields).await
}

/// Removes a role.
pub async fn delete(
    State(state): State<AppState>,
    allowed: Allowed<ManageRoles>,
    PathId(id): PathId,
    asker: Asker,
    fields: Fields,
) -> Response {
    let deed = |tables: &Tables, actor: &Actor, now| roles::remove(tables, actor, &allowed.scope, &id, now);
    finish(&state, &allowed, deed, asker, "delete", &fields).await
}

fn permissions(fields: &Fields) -> Result<PermissionSet, DeedError> {
    let parsed = fields.all("permission").map(str::parse).collect::<Result<PermissionSet, _>>();
    parsed.map_err(|error: fleet::access::UnknownPermission| DeedError::Field {
        field: "permission",
        message: format!("{error}."),
    })
}

async fn finish(
    state: &AppState,
    allowed: &Allowed<ManageRoles>,
    deed: impl FnOnce(&Tables, &Actor, Timestamp) -> Result<Vec<Change>, DeedError>,
    asker: Asker,
    form: &'static str,
    fields: &Fields,
) -> Response {
    let path = page_of(&allowed.scope, "roles");
    let now = state.clock.now();
    let deed = |tables: &Tables, actor: &Actor| Ok(((), deed(tables, actor, now)?));
    let done = state.deed(&allowed.who, asker.request_id(), deed).await;
    FormPage { state, asker, path: path.clone(), form, fields }.finish(done, &path).await
}
