//! A call with whoever made it, and what stands in its query.

use std::borrow::Cow;
use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::http::StatusCode;
use axum::http::request::Parts;
use fleet::scope::Scope;

use super::error::ManagementError;
use crate::auth::Identity;
use crate::auth::allowed::{Allowed, Need};
use crate::deeds::Actor;
use crate::web::AppState;
use crate::web::request_id::RequestId;

/// A call of somebody who may do what `N` says in its scope.
pub(super) struct Call<N> {
    pub(super) state: AppState,
    allowed: Allowed<N>,
    request_id: String,
    query: String,
}

impl<N: Need + Clone> FromRequestParts<AppState> for Call<N> {
    type Rejection = StatusCode;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, StatusCode> {
        Ok(Self {
            state: state.clone(),
            allowed: Allowed::from_request_parts(parts, state).await?,
            request_id: request_id(parts).unwrap_or_default().to_owned(),
            query: parts.uri.query().unwrap_or_default().to_owned(),
        })
    }
}

impl<N> Call<N> {
    /// Of which scope it speaks.
    pub(super) const fn scope(&self) -> &Scope {
        &self.allowed.scope
    }

    /// Who makes it.
    pub(super) const fn who(&self) -> &Arc<Identity> {
        &self.allowed.who
    }

    /// The same, for deeds.
    pub(super) fn actor(&self) -> Actor {
        Actor::person(&self.allowed.who, &self.request_id)
    }

    /// The values of a parameter of the query; empty ones are absent.
    pub(super) fn parameters(&self, name: &str) -> Vec<String> {
        self.given(name).filter(|value| !value.is_empty()).map(Cow::into_owned).collect()
    }

    /// The last of them.
    pub(super) fn parameter(&self, name: &str) -> Option<String> {
        self.parameters(name).pop()
    }

    /// The same of one that the call cannot do without.
    pub(super) fn required(&self, name: &'static str) -> Result<String, ManagementError> {
        self.parameter(name).ok_or_else(|| ManagementError::field(name, "must not be null"))
    }

    /// The value of one that is no text: an empty one is wrong, and so are two.
    pub(super) fn single(&self, name: &'static str) -> Result<Option<String>, ManagementError> {
        let mut given = self.given(name).map(Cow::into_owned);
        match (given.next(), given.next()) {
            (_, Some(_)) => Err(ManagementError::field(name, "must be given once")),
            (value, None) => Ok(value),
        }
    }

    /// One that says yes or no; no without it.
    pub(super) fn flag(&self, name: &'static str) -> Result<bool, ManagementError> {
        match self.single(name)?.as_deref() {
            None | Some("false") => Ok(false),
            Some("true") => Ok(true),
            Some(_) => Err(ManagementError::field(name, "must be true or false")),
        }
    }

    fn given(&self, name: &str) -> impl Iterator<Item = Cow<'_, str>> {
        let pairs = form_urlencoded::parse(self.query.as_bytes());
        pairs.filter(move |(key, _)| key == name).map(|(_, value)| value)
    }
}

/// The id of a request, for errors.
pub(crate) fn request_id(parts: &Parts) -> Option<&str> {
    parts.extensions.get::<RequestId>().map(|id| &*id.0)
}
