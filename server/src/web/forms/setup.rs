//! The first start: the one-time link that creates the first admin.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use fleet::access::{Reach, Resources};
use fleet::scope::Scope;

use super::sign_in::{enter, origin, stale};
use super::{Fields, FormPage};
use crate::auth::secret;
use crate::deeds::people::{NewAssignment, NewPerson, assign, checked_email, checked_password, create};
use crate::deeds::{Actor, DeedError};
use crate::store::access::{Change, Purpose, UserKind, UserRow};
use crate::tokens::issue::create_scope;
use crate::web::AppState;
use crate::web::page::Asker;
use crate::web::scope::PathId;

/// Creates the first admin, of one account and of the whole server, and signs them in.
pub async fn setup(
    State(state): State<AppState>,
    PathId(code): PathId,
    asker: Asker,
    fields: Fields,
) -> Response {
    let hash: Arc<str> = secret::hash(&code).into();
    let now = state.clock.now();
    let link = state.store.link(&hash).await.ok().flatten();
    let first = !state.auth.directory.tables().anybody(false);
    if !(first && link.is_some_and(|link| link.purpose == Purpose::Setup && link.expires_at > now)) {
        return stale(&state, asker).await;
    }
    let origin = origin(&state, &asker);
    let turn = state.turn.lock().await;
    if state.auth.directory.tables().anybody(false) {
        return stale(&state, asker).await;
    }
    let made = make(&state, &asker, &fields, hash).await;
    drop(turn);
    let entered = match made {
        Ok((user, scope)) => {
            let next = format!("{}/delegates", scope.path());
            enter(&state, &asker, &user, &origin, &next).await.map_err(DeedError::from)
        }
        Err(error) => Err(error),
    };
    match entered {
        Ok(response) => response,
        Err(error) => {
            let path = format!("/setup/{code}");
            FormPage { state: &state, asker, path, form: "setup", fields: &fields }.again(&error).await
        }
    }
}

async fn make(
    state: &AppState,
    asker: &Asker,
    fields: &Fields,
    link: Arc<str>,
) -> Result<(UserRow, Scope), DeedError> {
    let now = state.clock.now();
    let account = Scope::new(fields.get("account").trim(), None, None).map_err(|_| DeedError::Field {
        field: "account",
        message: "Give 1 to 128 letters, digits, '_', '-', '$' or '.'.".to_owned(),
    })?;
    let password = checked_password("password", fields.get("password"))?;
    let tables = state.auth.directory.tables();
    // Nobody is known yet: the log names who comes into being.
    let name = checked_email(fields.get("email"))?;
    let actor = Actor { name, request_id: asker.request_id().to_owned(), ..Actor::system() };
    let mut new = NewPerson {
        email: fields.get("email").to_owned(),
        name: fields.get("name").to_owned(),
        password: None,
        kind: UserKind::Person,
    };
    // Everything is checked before the slow part, and before an account is made.
    create(&tables, &actor, Some(&account), &new, now)?;
    let hash = state.auth.passwords.hash(password).await.map_err(|_| DeedError::Unavailable)?;
    new.password = Some(hash);
    let (user, mut changes) = create(&tables, &actor, Some(&account), &new, now)?;
    for reach in [Reach::Scope(account.clone()), Reach::Server] {
        let admin = NewAssignment { role: "admin".to_owned(), reach, resources: Resources::All };
        changes.extend(assign(&tables, &actor, &user, &admin, now)?);
    }
    for scope in create_scope(&*state.store, &state.vault, &account, now).await? {
        let made = actor
            .line(now, "scope.create", "scope", scope.to_string(), Some(&scope))
            .says(format!("{scope} was created with its default token"));
        changes.push(made.change());
    }
    changes.insert(0, Change::TakeLink { hash: link, at: now });
    state.store.commit(&changes).await?;
    state.auth.directory.reload(&*state.store).await?;
    // The page that follows is that of this account: it cannot wait for the next look at the store.
    let mut reference = (*state.roster.reference()).clone();
    reference.scopes.insert(account.clone());
    state.roster.set_reference(reference);
    Ok((user, account))
}
