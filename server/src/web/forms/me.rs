//! Forms of one's own page: password, sessions, API keys.

use axum::Json;
use axum::extract::State;
use axum::response::Response;
use fleet::scope::Scope;
use zeroize::Zeroizing;

use super::{Fields, FormPage, actor};
use crate::auth::Via;
use crate::auth::allowed::Somebody;
use crate::auth::directory::Tables;
use crate::auth::session::Ends;
use crate::deeds::people::{checked_password, set_password};
use crate::deeds::{Actor, DeedError, keys};
use crate::store::access::{Change, UserRow};
use crate::web::AppState;
use crate::web::forms::sign_in::{home, origin};
use crate::web::page::Asker;
use crate::web::scope::PathId;

const PAGE: &str = "/me";

/// Changes the password; other sessions end.
pub async fn password(
    State(state): State<AppState>,
    allowed: Somebody,
    asker: Asker,
    fields: Fields,
) -> Response {
    let done = async {
        let session = own_session(&allowed)?;
        let user = own_row(&state, &allowed)?;
        let new = checked_password("password", fields.get("password"))?;
        let current = Zeroizing::new(fields.get("current").to_owned());
        let checked = state.auth.check_password(&user.email, current, &origin(&state, &asker)).await;
        checked.map_err(|error| DeedError::Field {
            field: "current",
            message: match error {
                crate::auth::session::SignInError::Wrong => "This is not your current password.".to_owned(),
                other => other.to_string(),
            },
        })?;
        let hash = state.auth.passwords.hash(new).await.map_err(|_| DeedError::Unavailable)?;
        let changes = set_password(
            &actor(&allowed.who, &asker),
            home(&state, &user.id).as_ref(),
            &user,
            hash,
            session,
            state.clock.now(),
        );
        state.change_access(&changes).await
    };
    answer(&state, done.await, asker.clone(), "password", &fields).await
}

/// When this session ends, in milliseconds: `end` if nothing more is asked for, `latest` whatever happens, and `now` by the
/// same clock; nothing of it with an API key. To ask is to go on.
pub async fn session(State(state): State<AppState>, allowed: Somebody) -> Json<serde_json::Value> {
    let now = state.clock.now().millis();
    Json(allowed.who.ends.map_or_else(
        || serde_json::json!({}),
        |Ends { idle, latest }| {
            serde_json::json!({ "now": now, "end": idle.min(latest).millis(), "latest": latest.millis() })
        },
    ))
}

/// Ends all other sessions.
pub async fn end_sessions(
    State(state): State<AppState>,
    allowed: Somebody,
    asker: Asker,
    fields: Fields,
) -> Response {
    let done = async {
        let session = own_session(&allowed)?;
        let line = actor(&allowed.who, &asker)
            .line(
                state.clock.now(),
                "user.sign_out",
                "user",
                &*allowed.who.email,
                home(&state, &allowed.who.id).as_ref(),
            )
            .says(format!("{} ended all other sessions", allowed.who.email));
        let end = Change::RemoveSessions { user: allowed.who.id.clone(), except: session.into() };
        state.change_access(&[end, line.change()]).await
    };
    answer(&state, done.await, asker.clone(), "sessions", &fields).await
}

/// Creates an API key and shows it, once.
pub async fn create_key(
    State(state): State<AppState>,
    allowed: Somebody,
    asker: Asker,
    fields: Fields,
) -> Response {
    let page = FormPage {
        state: &state,
        asker: asker.clone(),
        path: PAGE.to_owned(),
        form: "keys",
        fields: &fields,
    };
    let made = async {
        own_session(&allowed)?;
        let user = own_row(&state, &allowed)?;
        let scope: Scope = fields
            .get("scope")
            .trim()
            .parse()
            .map_err(|_| DeedError::Field { field: "scope", message: "Choose a scope.".to_owned() })?;
        if !allowed.who.grants.see_any(&scope) {
            return Err(DeedError::Field {
                field: "scope",
                message: "You have no role in this scope.".to_owned(),
            });
        }
        if !state.roster.has_scope(&scope) {
            return Err(DeedError::Field { field: "scope", message: "There is no such scope.".to_owned() });
        }
        let now = state.clock.now();
        let deed = |_: &Tables, actor: &Actor| {
            keys::create_api_key(actor, &user, &scope, fields.get("name"), fields.get("days"), now)
        };
        let text = state.deed(&allowed.who, asker.request_id(), deed).await?;
        Ok(text)
    };
    match made.await {
        Ok(text) => page.once(fields.get("name").trim().to_owned(), text).await,
        Err(error) => page.again(&error).await,
    }
}

/// Revokes one of one's own API keys.
pub async fn revoke_key(
    State(state): State<AppState>,
    allowed: Somebody,
    PathId(id): PathId,
    asker: Asker,
    fields: Fields,
) -> Response {
    let done = async {
        own_session(&allowed)?;
        let now = state.clock.now();
        let deed = |tables: &Tables, actor: &Actor| {
            Ok(((), keys::revoke_api_key(tables, actor, &allowed.who.id, &id, now)?))
        };
        state.deed(&allowed.who, asker.request_id(), deed).await
    };
    answer(&state, done.await, asker.clone(), "keys", &fields).await
}

async fn answer(
    state: &AppState,
    done: Result<(), DeedError>,
    asker: Asker,
    form: &'static str,
    fields: &Fields,
) -> Response {
    FormPage { state, asker, path: PAGE.to_owned(), form, fields }.finish(done, PAGE).await
}

/// The session of the request: a key must not make keys, nor change the password of its owner.
fn own_session(allowed: &Somebody) -> Result<&str, DeedError> {
    match &allowed.who.via {
        Via::Session(hash) => Ok(hash),
        _ => Err(DeedError::Refused("This is done in a browser, not with an API key".to_owned())),
    }
}

fn own_row(state: &AppState, allowed: &Somebody) -> Result<UserRow, DeedError> {
    let tables = state.auth.directory.tables();
    tables.users.get(&allowed.who.id).cloned().ok_or(DeedError::Unknown("user"))
}
