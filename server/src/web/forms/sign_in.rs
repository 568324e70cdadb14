//! Sign-in and sign-out.

use std::sync::Arc;

use axum::extract::{RawQuery, State};
use axum::http::header::{LOCATION, SET_COOKIE, USER_AGENT};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::response::{IntoResponse as _, Response};
use fleet::scope::Scope;
use fleet::time::SECOND;
use zeroize::Zeroizing;

use super::{Fields, FormPage};
use crate::auth::allowed::Somebody;
use crate::auth::cookie::{self, OverTls};
use crate::auth::session::{ABSOLUTE, Origin, SignInError, may_enter};
use crate::auth::{Via, peer, secret};
use crate::deeds::{Actor, DeedError};
use crate::store::access::{Change, Purpose, UserRow};
use crate::web::page::{Asker, Said};
use crate::web::preferences::here;
use crate::web::scope::PathId;
use crate::web::{AppState, page};

/// Checks e-mail and password.
pub async fn sign_in(State(state): State<AppState>, asker: Asker, fields: Fields) -> Response {
    let origin = origin(&state, &asker);
    let password = Zeroizing::new(fields.get("password").to_owned());
    let checked = state.auth.check_password(fields.get("email"), password, &origin).await;
    let entered = match checked {
        Ok(user) => enter(&state, &asker, &user, &origin, here(fields.get("next"))).await,
        Err(error) => Err(error),
    };
    match entered {
        Ok(response) => response,
        Err(error) => {
            note_failure(&state, &asker, fields.get("email"), &origin, &error).await;
            let status = match error {
                SignInError::Wrong => StatusCode::UNPROCESSABLE_ENTITY,
                SignInError::TooMany(_) => StatusCode::TOO_MANY_REQUESTS,
                SignInError::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
            };
            let next: String = form_urlencoded::byte_serialize(here(fields.get("next")).as_bytes()).collect();
            let path = format!("/sign-in?next={next}");
            let page = FormPage { state: &state, asker, path, form: "sign-in", fields: &fields };
            let mut response = page.with(status, vec![(String::new(), error.to_string())], None).await;
            if let SignInError::TooMany(wait) = error {
                let seconds = u64::try_from(wait).unwrap_or(0).div_ceil(1_000);
                response.headers_mut().insert(axum::http::header::RETRY_AFTER, HeaderValue::from(seconds));
            }
            response
        }
    }
}

/// Uses a link up that signs somebody in.
pub async fn link(
    State(state): State<AppState>,
    PathId(code): PathId,
    RawQuery(query): RawQuery,
    method: Method,
    asker: Asker,
) -> Response {
    if !is_opened(&method, asker.headers()) {
        // Scanners and previews look at links that they must not use up.
        return StatusCode::NO_CONTENT.into_response();
    }
    let now = state.auth.clock.now();
    let hash: Arc<str> = secret::hash(&code).into();
    let origin = origin(&state, &asker);
    let meant = async {
        let link = state.store.link(&hash).await.ok().flatten()?;
        let user =
            state.auth.directory.tables().users.get(&link.user).filter(|user| may_enter(user)).cloned()?;
        (link.purpose == Purpose::SignIn && link.expires_at > now).then_some(user)
    };
    let Some(user) = meant.await else { return stale(&state, asker).await };
    if state.store.commit(&[Change::TakeLink { hash, at: now }]).await.is_err() {
        return stale(&state, asker).await;
    }
    let query = query.unwrap_or_default();
    let next = form_urlencoded::parse(query.as_bytes()).find(|(key, _)| key == "next");
    let next = here(next.as_ref().map_or("/", |(_, next)| next));
    match enter(&state, &asker, &user, &origin, next).await {
        Ok(response) => response,
        Err(_) => stale(&state, asker).await,
    }
}

/// Whether a person opens a link, rather than a program that looks ahead or a page that embeds it.
fn is_opened(method: &Method, headers: &HeaderMap) -> bool {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let ahead = ["sec-purpose", "purpose", "x-moz"].into_iter().any(|name| text(name).is_some());
    let embedded = text("sec-fetch-dest").is_some_and(|dest| dest != "document");
    *method == Method::GET && !ahead && !embedded
}

/// Ends the session of this browser.
pub async fn sign_out(State(state): State<AppState>, allowed: Somebody, asker: Asker) -> Response {
    if let Via::Session(hash) = &allowed.who.via {
        let actor = Actor::person(&allowed.who, asker.request_id());
        let line = actor
            .line(
                state.clock.now(),
                "access.sign_out",
                "session",
                &*allowed.who.email,
                home(&state, &allowed.who.id).as_ref(),
            )
            .says(format!("{} signed out", allowed.who.email));
        state.auth.forget(hash);
        if let Err(error) =
            state.store.commit(&[Change::RemoveSession(Arc::clone(hash)), line.change()]).await
        {
            tracing::error!(%error, "a session was not ended in the database");
        }
        state.auth.forget(hash);
    }
    let mut response = leads("/sign-in");
    if let Some(gone) = cookie::set(cookie::SESSION, "", 0, tls(&asker)) {
        response.headers_mut().append(SET_COOKIE, gone);
    }
    response
}

/// Starts a session for somebody who proved who they are, and leads on.
///
/// # Errors
/// It was not stored.
pub async fn enter(
    state: &AppState,
    asker: &Asker,
    user: &UserRow,
    origin: &Origin,
    next: &str,
) -> Result<Response, SignInError> {
    let (secret, mut changes) = state.auth.new_session(user, origin);
    let actor = Actor {
        id: Arc::clone(&user.id),
        name: Arc::clone(&user.email),
        grants: None,
        request_id: asker.request_id().to_owned(),
    };
    let line = actor
        .line(state.clock.now(), "access.sign_in", "session", &*user.email, home(state, &user.id).as_ref())
        .says(format!("{} signed in", user.email))
        .after("address", origin.address.clone());
    changes.push(line.change());
    state.store.commit(&changes).await.map_err(|error| {
        tracing::error!(%error, "a session was not stored");
        SignInError::Unavailable
    })?;
    if let Err(error) = state.auth.directory.reload(&*state.store).await {
        tracing::warn!(%error, "the newest sign-in does not show yet");
    }
    let mut response = leads(next);
    if let Some(cookie) = cookie::set(cookie::SESSION, &secret, ABSOLUTE / SECOND, tls(asker)) {
        response.headers_mut().append(SET_COOKIE, cookie);
    }
    Ok(response)
}

/// Where the audit log tells of somebody's comings and goings.
#[must_use]
pub fn home(state: &AppState, user: &str) -> Option<Scope> {
    state.auth.directory.tables().home(user)
}

/// From where, and with which browser.
pub fn origin(state: &AppState, asker: &Asker) -> Origin {
    let address = peer::address(asker.headers(), asker.extensions(), &state.trusted_proxies);
    let agent = asker.headers().get(USER_AGENT).and_then(|agent| agent.to_str().ok());
    Origin {
        address: address.map(|address| address.to_string()).unwrap_or_default(),
        agent: agent.unwrap_or_default().to_owned(),
    }
}

/// A link that leads nowhere any more.
pub async fn stale(state: &AppState, asker: Asker) -> Response {
    let message = "This link was used already, or is out of date. Ask for another one, or sign in.";
    let fields = Fields::default();
    let page = FormPage { state, asker, path: "/sign-in".to_owned(), form: "sign-in", fields: &fields };
    page.with(StatusCode::GONE, vec![(String::new(), message.to_owned())], None).await
}

fn tls(asker: &Asker) -> OverTls {
    asker.extensions().get::<OverTls>().copied().unwrap_or(OverTls(false))
}

fn leads(to: &str) -> Response {
    let to = HeaderValue::try_from(to).unwrap_or(HeaderValue::from_static("/"));
    (StatusCode::SEE_OTHER, [(LOCATION, to)]).into_response()
}

/// Wrong passwords of people who exist are deeds worth noting; names that do not exist are not, or a stranger could
/// fill the log.
async fn note_failure(state: &AppState, asker: &Asker, email: &str, origin: &Origin, error: &SignInError) {
    let tables = state.auth.directory.tables();
    let Some(user) = tables.by_email(email).filter(|_| matches!(error, SignInError::Wrong)) else { return };
    let actor = Actor { request_id: asker.request_id().to_owned(), ..Actor::system() };
    let line = actor
        .line(
            state.clock.now(),
            "access.sign_in_failed",
            "session",
            &*user.email,
            home(state, &user.id).as_ref(),
        )
        .says(format!("A sign-in as {} failed", user.email))
        .after("address", origin.address.clone());
    if let Err(error) = state.store.commit(&[line.change()]).await {
        tracing::warn!(%error, "a failed sign-in was not noted");
    }
}

/// What a refusal of the identity provider says on the sign-in page.
pub async fn failed(state: &AppState, asker: Asker, status: StatusCode, message: String) -> Response {
    let fields = Fields::default();
    let page = FormPage { state, asker, path: "/sign-in".to_owned(), form: "sign-in", fields: &fields };
    page.with(status, vec![(String::new(), message)], None).await
}

/// The sign-in page; somebody who is signed in already is led on, unless they ask to sign in again.
pub async fn show(State(state): State<AppState>, asker: Asker, request: axum::extract::Request) -> Response {
    let query = request.uri().query().unwrap_or_default();
    let again = form_urlencoded::parse(query.as_bytes()).any(|(key, _)| key == "again");
    if asker.who().is_some() && !again {
        let next = form_urlencoded::parse(query.as_bytes()).find(|(key, _)| key == "next");
        return leads(here(next.as_ref().map_or("/", |(_, next)| next)));
    }
    let ended = form_urlencoded::parse(query.as_bytes()).any(|(key, _)| key == "ended");
    let mut said = Said::default();
    "sign-in".clone_into(&mut said.outcome.form);
    // The page's own reading of its address would decode it twice.
    let next = form_urlencoded::parse(query.as_bytes()).find(|(key, _)| key == "next");
    said.outcome.values.extend(next.map(|(name, next)| (name.into_owned(), next.into_owned())));
    if ended {
        said.outcome.errors.push((String::new(), "Your session has ended. Sign in again.".to_owned()));
    }
    page::render(&state, asker, request.uri(), said).await
}

impl From<SignInError> for DeedError {
    fn from(error: SignInError) -> Self {
        match error {
            SignInError::Unavailable => Self::Unavailable,
            other => Self::Refused(other.to_string()),
        }
    }
}
