//! Finds out who asks: a cookie, or a key in `x-api-key` or `Authorization: Bearer`.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::HeaderMap;
use axum::http::header::AUTHORIZATION;
use axum::middleware::Next;
use axum::response::Response;
use fleet::scope::Scope;

use super::api_key::ApiKey;
use super::cookie::{self, OverTls};
use super::session::Auth;
use super::{AuthError, Identity, Via, secret};
use crate::store::access::Change;
use crate::web::AppState;

/// The header of API keys.
const HEADER: &str = "x-api-key";
/// How exactly the newest use of a key is kept, in milliseconds.
const TOUCH_EVERY: i64 = 60_000;

/// Who asks, or why nobody can tell; in the extensions of every request of people and tools.
#[derive(Clone, Debug)]
pub struct Caller(pub Result<Arc<Identity>, AuthError>);

/// Puts [`Caller`] into the request.
pub async fn identify(State(state): State<AppState>, mut request: Request, next: Next) -> Response {
    let tls = request.extensions().get::<OverTls>().copied().unwrap_or(OverTls(false));
    let caller = find(&state.auth, request.headers(), tls).await;
    request.extensions_mut().insert(Caller(caller.map(Arc::new)));
    next.run(request).await
}

/// The key of a request, if it has one.
#[must_use]
pub fn key(headers: &HeaderMap) -> Option<&str> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let bearer = |value: &'_ str| {
        let (scheme, key) = value.split_once(' ')?;
        scheme.eq_ignore_ascii_case("bearer").then_some(key.len())
    };
    text(HEADER).or_else(|| {
        let value = text(AUTHORIZATION.as_str())?;
        bearer(value).map(|length| value[value.len() - length..].trim())
    })
}

async fn find(auth: &Auth, headers: &HeaderMap, tls: OverTls) -> Result<Identity, AuthError> {
    // A key wins: who sends one means it, and it needs no proof of origin.
    if let Some(key) = key(headers) {
        return by_key(auth, key).await;
    }
    match cookie::read(headers, &cookie::name(cookie::SESSION, tls)) {
        Some(secret) => auth.session(secret).await.and_then(|who| auth.paced(who)),
        None => Err(AuthError::Missing),
    }
}

async fn by_key(auth: &Auth, text: &str) -> Result<Identity, AuthError> {
    let now = auth.clock.now();
    let key = ApiKey::parse(text).ok_or(AuthError::InvalidKey)?;
    let tables = auth.directory.tables();
    let row = tables.api_keys.get(key.id).ok_or(AuthError::InvalidKey)?;
    let fits = secret::fits(key.secret, &row.hash);
    let owner = tables.users.get(&row.user).ok_or(AuthError::InvalidKey)?;
    let same = row.scope.account() == key.account && owner.kind == key.kind;
    if !fits || !same || row.revoked_at.is_some() || owner.disabled {
        return Err(AuthError::InvalidKey);
    }
    if row.expires_at.is_some_and(|end| end <= now) {
        return Err(AuthError::ExpiredKey);
    }
    let rate = auth.key_rate.read().clone();
    if let Some(rate) = rate {
        rate.take(&row.id, now).map_err(AuthError::too_many)?;
    }
    let before = auth.touched_keys.get(&row.id).unwrap_or(i64::MIN);
    if now.millis().saturating_sub(before) >= TOUCH_EVERY {
        auth.touched_keys.insert(Arc::clone(&row.id), now.millis());
        let touch = Change::TouchApiKey { id: Arc::clone(&row.id), at: now };
        if let Err(error) = auth.store.commit(&[touch]).await {
            tracing::warn!(%error, "the newest use of an API key cannot be stored");
        }
    }
    let identity = auth.identity(&row.user, Via::Key(Arc::clone(&row.id))).ok_or(AuthError::InvalidKey)?;
    Ok(within(identity, &row.scope))
}

fn within(identity: Identity, scope: &Scope) -> Identity {
    Identity { grants: identity.grants.within(scope), ..identity }
}
