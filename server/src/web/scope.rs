//! The scope in a path.

use std::collections::HashMap;

use axum::extract::{FromRequestParts, Path};
use axum::http::request::Parts;
use fleet::scope::Scope;

/// The scope of `{account}[/{org}[/{project}]]` in a matched path; rejected with none when it cannot be one.
#[derive(Clone, Debug)]
pub struct PathScope(pub Result<Scope, fleet::scope::ScopeError>);

impl<S: Send + Sync> FromRequestParts<S> for PathScope {
    type Rejection = axum::extract::rejection::PathRejection;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Self::Rejection> {
        let Path(names) = Path::<HashMap<String, String>>::from_request_parts(parts, state).await?;
        let name = |key: &str| names.get(key).map(String::as_str);
        Ok(Self(Scope::new(name("account").unwrap_or_default(), name("org"), name("project"))))
    }
}
