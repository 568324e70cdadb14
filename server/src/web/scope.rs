//! What a matched path names: the scope, and the thing in it.

use std::collections::HashMap;
use std::convert::Infallible;

use axum::extract::{FromRequestParts, Path};
use axum::http::StatusCode;
use axum::http::request::Parts;
use fleet::scope::{Scope, ScopeError};

/// The scope of `{account}[/{org}[/{project}]]` in a matched path, or why it cannot be one.
#[derive(Clone, Debug)]
pub struct PathScope(pub Result<Scope, ScopeError>);

impl<S: Send + Sync> FromRequestParts<S> for PathScope {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Infallible> {
        let names = names(parts, state).await;
        let name = |key: &str| names.get(key).map(String::as_str);
        Ok(Self(Scope::new(name("account").unwrap_or_default(), name("org"), name("project"))))
    }
}

/// The `{id}` of a matched path.
#[derive(Clone, Debug)]
pub struct PathId(pub String);

impl<S: Send + Sync> FromRequestParts<S> for PathId {
    type Rejection = StatusCode;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, StatusCode> {
        names(parts, state).await.remove("id").map(Self).ok_or(StatusCode::BAD_REQUEST)
    }
}

/// The `{group}` of a matched path, and its `{instance}` if it has one.
#[derive(Clone, Debug)]
pub struct PathGroup {
    /// Identifier of the group.
    pub group: String,
    /// Delegate id.
    pub instance: Option<String>,
}

impl<S: Send + Sync> FromRequestParts<S> for PathGroup {
    type Rejection = StatusCode;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, StatusCode> {
        let mut names = names(parts, state).await;
        let group = names.remove("group").ok_or(StatusCode::BAD_REQUEST)?;
        Ok(Self { group, instance: names.remove("instance") })
    }
}

/// Names that are no text at all are no identifiers either.
async fn names<S: Send + Sync>(parts: &mut Parts, state: &S) -> HashMap<String, String> {
    let names = Path::<HashMap<String, String>>::from_request_parts(parts, state).await;
    names.map(|Path(names)| names).unwrap_or_default()
}
