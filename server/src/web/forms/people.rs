//! Forms of the Users page.

use axum::extract::State;
use axum::response::Response;
use fleet::access::Reach;
use fleet::scope::Scope;
use fleet::time::Timestamp;

use super::{Fields, FormPage, page_of};
use crate::auth::allowed::{Allowed, ManageUsers};
use crate::auth::directory::Tables;
use crate::deeds::people::{
    NewAssignment, NewPerson, assign, checked_email, checked_password, checked_resources, create, invitable,
    set_disabled, sign_out, unassign,
};
use crate::deeds::{Actor, DeedError};
use crate::store::access::{Change, UserKind};
use crate::web::AppState;
use crate::web::page::Asker;
use crate::web::scope::PathId;

/// Gives somebody a role in the scope; creates them if nobody has this e-mail.
pub async fn add(
    State(state): State<AppState>,
    allowed: Allowed<ManageUsers>,
    asker: Asker,
    fields: Fields,
) -> Response {
    let done = add_person(&state, &allowed, &asker, &fields).await;
    answer(&state, done, asker, &allowed.scope, "users", &fields).await
}

async fn add_person(
    state: &AppState,
    allowed: &Allowed<ManageUsers>,
    asker: &Asker,
    fields: &Fields,
) -> Result<(), DeedError> {
    let (scope, now) = (&allowed.scope, state.clock.now());
    let email = checked_email(fields.get("email"))?;
    let new = NewAssignment {
        role: fields.get("role").to_owned(),
        reach: Reach::Scope(scope.clone()),
        resources: checked_resources(fields.get("resources"))?,
    };
    let mut person = NewPerson {
        email: email.to_string(),
        name: fields.get("name").to_owned(),
        password: None,
        kind: UserKind::Person,
    };
    let known = state.auth.directory.tables().by_email(&email).is_some();
    if !fields.get("password").is_empty() {
        if known {
            let message = format!("{email} is known already; leave this empty.");
            return Err(DeedError::Field { field: "password", message });
        }
        let password = checked_password("password", fields.get("password"))?;
        person.password =
            Some(state.auth.passwords.hash(password).await.map_err(|_| DeedError::Unavailable)?);
    }
    let deed = |tables: &Tables, actor: &Actor| {
        if let Some(user) = tables.by_email(&email) {
            invitable(tables, actor, scope, user)?;
            return Ok(((), assign(tables, actor, user, &new, now)?));
        }
        let (user, mut changes) = create(tables, actor, Some(scope), &person, now)?;
        changes.extend(assign(tables, actor, &user, &new, now)?);
        Ok(((), changes))
    };
    state.deed(&allowed.who, asker.request_id(), deed).await
}

/// Takes a role away.
pub async fn remove_assignment(
    State(state): State<AppState>,
    allowed: Allowed<ManageUsers>,
    PathId(id): PathId,
    asker: Asker,
    fields: Fields,
) -> Response {
    change(&state, &allowed, asker, &fields, "unassign", |tables, actor, _, now| {
        unassign(tables, actor, &id, now)
    })
    .await
}

/// Shuts somebody out.
pub async fn disable(
    State(state): State<AppState>,
    allowed: Allowed<ManageUsers>,
    PathId(id): PathId,
    asker: Asker,
    fields: Fields,
) -> Response {
    change(&state, &allowed, asker, &fields, "disable", |tables, actor, scope, now| {
        set_disabled(tables, actor, Some(scope), &id, true, now)
    })
    .await
}

/// Lets somebody in again.
pub async fn enable(
    State(state): State<AppState>,
    allowed: Allowed<ManageUsers>,
    PathId(id): PathId,
    asker: Asker,
    fields: Fields,
) -> Response {
    change(&state, &allowed, asker, &fields, "enable", |tables, actor, scope, now| {
        set_disabled(tables, actor, Some(scope), &id, false, now)
    })
    .await
}

/// Ends all sessions of somebody.
pub async fn end_sessions(
    State(state): State<AppState>,
    allowed: Allowed<ManageUsers>,
    PathId(id): PathId,
    asker: Asker,
    fields: Fields,
) -> Response {
    change(&state, &allowed, asker, &fields, "sign-out", |tables, actor, scope, now| {
        sign_out(tables, actor, Some(scope), &id, now)
    })
    .await
}

async fn change(
    state: &AppState,
    allowed: &Allowed<ManageUsers>,
    asker: Asker,
    fields: &Fields,
    form: &'static str,
    deed: impl FnOnce(&Tables, &Actor, &Scope, Timestamp) -> Result<Vec<Change>, DeedError>,
) -> Response {
    let (scope, now) = (&allowed.scope, state.clock.now());
    let deed = |tables: &Tables, actor: &Actor| Ok(((), deed(tables, actor, scope, now)?));
    let done = state.deed(&allowed.who, asker.request_id(), deed).await;
    answer(state, done, asker, scope, form, fields).await
}

async fn answer(
    state: &AppState,
    done: Result<(), DeedError>,
    asker: Asker,
    scope: &Scope,
    form: &'static str,
    fields: &Fields,
) -> Response {
    let path = page_of(scope, "users");
    let page = FormPage { state, asker, path: path.clone(), form, fields };
    page.finish(done, &path).await
}
