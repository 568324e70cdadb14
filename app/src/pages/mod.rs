//! The pages: each a thin part that asks the port, and a view that draws what it answered.

pub mod accounts;
pub mod delegates;
pub mod group;
pub mod trouble;

use std::sync::Arc;

use fleet::query::Query;
use fleet::scope::Scope;
use leptos::prelude::*;
use leptos_router::hooks::{use_location, use_params_map};

use crate::context::{PageRequest, PageStatus};
use crate::pages::trouble::Trouble;
use crate::port::{PortError, ScopeNode, SharedPort};

/// What a page finds of its request, taken before anything is awaited.
#[derive(Clone)]
struct Asked {
    port: Option<SharedPort>,
    status: PageStatus,
    request: PageRequest,
}

impl Asked {
    fn from_context() -> Self {
        Self {
            port: use_context(),
            status: use_context().unwrap_or_default(),
            request: use_context().unwrap_or_default(),
        }
    }

    fn port(&self) -> Result<&SharedPort, Trouble> {
        self.port.as_ref().ok_or(Trouble::NotReady)
    }

    /// The scopes for the switcher; none while they cannot be told.
    async fn scopes(&self) -> Arc<Vec<ScopeNode>> {
        match &self.port {
            Some(port) => port.scopes().await.unwrap_or_default(),
            None => Arc::default(),
        }
    }
}

/// The scope in the path.
fn scope_in_path() -> Result<Scope, Trouble> {
    let params = use_params_map().get_untracked();
    let account = params.get("account").unwrap_or_default();
    let (organization, project) = (params.get("organization"), params.get("project"));
    Scope::new(&account, organization.as_deref(), project.as_deref()).map_err(|_| Trouble::NoSuchPage)
}

/// The query of the URL.
fn query_in_url() -> Result<Query, Trouble> {
    let search = use_location().search.get_untracked();
    Query::parse(search.strip_prefix('?').unwrap_or(&search)).map_err(Trouble::BadQuery)
}

impl From<PortError> for Trouble {
    fn from(error: PortError) -> Self {
        match error {
            PortError::UnknownScope(scope) => Self::NoSuchScope(scope),
            PortError::UnknownGroup { scope, identifier } => Self::NoSuchGroup { scope, identifier },
            PortError::NotReady => Self::NotReady,
        }
    }
}
