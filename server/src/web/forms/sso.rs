//! Sign-in through the identity provider.

use axum::extract::{RawQuery, State};
use axum::http::header::{LOCATION, SET_COOKIE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse as _, Response};

use super::sign_in::{enter, failed, origin};
use crate::auth::cookie;
use crate::auth::oidc::{Oidc, OidcError};
use crate::deeds::DeedError;
use crate::deeds::external::{Stranger, follow};
use crate::web::AppState;
use crate::web::page::Asker;

/// Leads to the identity provider.
pub async fn begin(State(state): State<AppState>, RawQuery(query): RawQuery, asker: Asker) -> Response {
    let Some(oidc) = &state.oidc else { return none(&state, asker).await };
    let query = query.unwrap_or_default();
    let next = form_urlencoded::parse(query.as_bytes()).find(|(key, _)| key == "next");
    match oidc.begin(next.as_ref().map_or("/", |(_, next)| next)).await {
        Ok(begin) => {
            let to =
                HeaderValue::try_from(begin.url.as_str()).unwrap_or(HeaderValue::from_static("/sign-in"));
            let mut response = (StatusCode::SEE_OTHER, [(LOCATION, to)]).into_response();
            if let Ok(cookie) = HeaderValue::try_from(oidc.set_cookie(&begin.cookie_value)) {
                response.headers_mut().append(SET_COOKIE, cookie);
            }
            response
        }
        Err(error) => refuse(&state, asker, oidc, &error).await,
    }
}

/// Takes the answer of the identity provider.
pub async fn callback(State(state): State<AppState>, RawQuery(query): RawQuery, asker: Asker) -> Response {
    let Some(oidc) = &state.oidc else { return none(&state, asker).await };
    let sealed = cookie::read(asker.headers(), oidc.cookie_name()).unwrap_or_default().to_owned();
    let external = match oidc.finish(&sealed, &query.unwrap_or_default()).await {
        Ok(external) => external,
        Err(error) => return refuse(&state, asker, oidc, &error).await,
    };
    let stranger = Stranger {
        issuer: &external.issuer,
        subject: &external.subject,
        email: &external.email,
        name: external.name.as_deref(),
    };
    let roles = oidc.roles_of(&external.groups);
    let followed = async {
        let tables = state.auth.directory.tables();
        let Some((user, changes)) = follow(&tables, &stranger, &roles, state.clock.now())? else {
            return Ok(None);
        };
        if !changes.is_empty() {
            state.change_access(&changes).await?;
        }
        let may = !state.auth.directory.tables().grants(&user.id).is_empty();
        Ok::<_, DeedError>(may.then_some(user))
    };
    let entered = match followed.await {
        Ok(Some(user)) => enter(&state, &asker, &user, &origin(&state, &asker), &external.next).await,
        Ok(None) => return refuse(&state, asker, oidc, &OidcError::NoGroup).await,
        Err(error) => {
            let response = failed(&state, asker, StatusCode::FORBIDDEN, error.to_string()).await;
            return cleared(response, oidc);
        }
    };
    match entered {
        Ok(response) => cleared(response, oidc),
        Err(error) => {
            cleared(failed(&state, asker, StatusCode::SERVICE_UNAVAILABLE, error.to_string()).await, oidc)
        }
    }
}

async fn refuse(state: &AppState, asker: Asker, oidc: &Oidc, error: &OidcError) -> Response {
    tracing::warn!(code = error.code(), "a sign-in through the identity provider failed");
    let status = match error {
        OidcError::Unreachable | OidcError::Unusable => StatusCode::BAD_GATEWAY,
        OidcError::NoGroup => StatusCode::FORBIDDEN,
        _ => StatusCode::UNAUTHORIZED,
    };
    cleared(failed(state, asker, status, error.to_string()).await, oidc)
}

fn cleared(mut response: Response, oidc: &Oidc) -> Response {
    if let Ok(cookie) = HeaderValue::try_from(oidc.clear_cookie()) {
        response.headers_mut().append(SET_COOKIE, cookie);
    }
    response
}

async fn none(state: &AppState, asker: Asker) -> Response {
    let message = "No identity provider is set up here. Sign in with e-mail and password.".to_owned();
    failed(state, asker, StatusCode::NOT_FOUND, message).await
}
