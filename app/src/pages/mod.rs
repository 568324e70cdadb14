//! The pages: each a thin part that asks the port, and a view that draws what it answered.

pub mod accounts;
pub mod activity;
pub mod api;
pub mod audit;
pub mod bulk_delete;
pub mod delegates;
pub mod delete;
pub mod embed;
pub mod embed_snippet;
pub mod embeds;
pub mod filter;
pub mod group;
pub mod help;
pub mod instance;
pub mod instances;
pub mod keys;
pub mod me;
pub mod mirrors;
pub mod new_delegate;
pub mod roles;
pub mod saved_filter;
pub mod saved_filters;
pub mod settings;
pub mod setup;
pub mod sign_in;
pub mod token_revoke;
pub mod tokens;
pub mod trouble;
pub mod troubleshoot;
pub mod users;
pub mod why;

use std::sync::Arc;

use fleet::history::Window;
use fleet::query::Query;
use fleet::scope::Scope;
use leptos::prelude::*;
use leptos_router::hooks::{use_location, use_params_map, use_query_map};

use crate::context::{PageRequest, PageStatus};
use crate::pages::trouble::{Trouble, trouble};
use crate::port::{PortError, ScopeNode, SharedAccessPort, SharedExplainPort, SharedPort};

/// What a page finds of its request, taken before anything is awaited.
#[derive(Clone)]
struct Asked {
    port: Option<SharedPort>,
    access: Option<SharedAccessPort>,
    explain: Option<SharedExplainPort>,
    status: PageStatus,
    request: PageRequest,
}

impl Asked {
    fn from_context() -> Self {
        Self {
            port: use_context(),
            access: use_context(),
            explain: use_context(),
            status: use_context().unwrap_or_default(),
            request: use_context().unwrap_or_default(),
        }
    }

    fn port(&self) -> Result<&SharedPort, Trouble> {
        self.port.as_ref().ok_or(Trouble::NotReady)
    }

    fn access(&self) -> Result<SharedAccessPort, Trouble> {
        self.access.clone().ok_or(Trouble::NotReady)
    }

    fn explain(&self) -> Result<SharedExplainPort, Trouble> {
        self.explain.clone().ok_or(Trouble::NotReady)
    }

    /// The scopes for the switcher; none while they cannot be told.
    async fn scopes(&self) -> Arc<Vec<ScopeNode>> {
        match &self.port {
            Some(port) => port.scopes().await.unwrap_or_default(),
            None => Arc::default(),
        }
    }
}

/// Draws what was found under the scopes of the switcher, or the page that says why nothing was.
///
/// A request that was refused already is answered with the reason, and nothing is asked.
fn answer<Found, Draw>(asked: Asked, found: Found) -> AnyView
where
    Found: Future<Output = Result<Draw, Trouble>> + Send + 'static,
    Draw: FnOnce(Arc<Vec<ScopeNode>>) -> AnyView + Send + 'static,
{
    let scope = scope_in_path().ok();
    let page = Suspend::new(async move {
        let scopes = asked.scopes().await;
        let found = match asked.request.denied.clone() {
            Some(reason) => Err(Trouble::Denied(reason)),
            None => found.await,
        };
        provide_context(asked.request);
        match found {
            Ok(draw) => draw(scopes),
            Err(error) => trouble(error, scope, scopes, &asked.status),
        }
    });
    view! { <Suspense>{page}</Suspense> }.into_any()
}

/// The scope in the path.
fn scope_in_path() -> Result<Scope, Trouble> {
    let params = use_params_map().get_untracked();
    let account = params.get("account").unwrap_or_default();
    let (organization, project) = (params.get("organization"), params.get("project"));
    Scope::new(&account, organization.as_deref(), project.as_deref()).map_err(|_| Trouble::NoSuchPage)
}

/// A part of the path that is no scope.
fn named_in_path(name: &str) -> String {
    use_params_map().get_untracked().get(name).unwrap_or_default()
}

/// The query of the URL.
fn query_in_url() -> Result<Query, Trouble> {
    let search = use_location().search.get_untracked();
    Query::parse(search.strip_prefix('?').unwrap_or(&search)).map_err(Trouble::BadQuery)
}

/// The window that a page looks back; a day unless `window` says otherwise.
fn window_in_url() -> Result<Window, Trouble> {
    let asked = use_query_map().get_untracked().get("window").unwrap_or_default();
    let message = || "must be 24h, 7d or 30d".to_owned();
    match asked.trim() {
        "" => Ok(Window::Day),
        word => {
            Window::parse(word).ok_or_else(|| Trouble::BadParameter { field: "window", message: message() })
        }
    }
}

impl From<PortError> for Trouble {
    fn from(error: PortError) -> Self {
        match error {
            PortError::UnknownScope(scope) => Self::NoSuchScope(scope),
            PortError::UnknownGroup { scope, identifier } => Self::NoSuchGroup { scope, identifier },
            PortError::UnknownInstance { scope, identifier, instance } => {
                Self::NoSuchInstance { scope, identifier, instance }
            }
            PortError::NotReady => Self::NotReady,
            PortError::Denied(reason) => Self::Denied(reason),
            PortError::Unknown(what) => Self::Unknown(what),
            PortError::BadParameter { field, message } => Self::BadParameter { field, message },
        }
    }
}
