//! The scope in a path.

use std::collections::HashMap;
use std::convert::Infallible;

use axum::extract::{FromRequestParts, Path};
use axum::http::request::Parts;
use fleet::scope::{Scope, ScopeError};

/// The scope of `{account}[/{org}[/{project}]]` in a matched path, or why it cannot be one.
#[derive(Clone, Debug)]
pub struct PathScope(pub Result<Scope, ScopeError>);

impl<S: Send + Sync> FromRequestParts<S> for PathScope {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Infallible> {
        // Names that are no text at all are no identifiers either.
        let names = Path::<HashMap<String, String>>::from_request_parts(parts, state).await;
        let names = names.map(|Path(names)| names).unwrap_or_default();
        let name = |key: &str| names.get(key).map(String::as_str);
        Ok(Self(Scope::new(name("account").unwrap_or_default(), name("org"), name("project"))))
    }
}
