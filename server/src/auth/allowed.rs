//! What a route needs, stated in its signature: a handler that takes [`Allowed<Edit>`] runs for nobody else.
//!
//! A route is added through [`Table`], which asks for the same need, lists it, and checks it before the handler runs.
//! There is no way to add a route without one, and a handler that asks for another need than its route has is refused
//! by its extractor: deny is the default.

use std::marker::PhantomData;
use std::sync::Arc;

use axum::Router;
use axum::extract::{FromRequestParts, Request, State};
use axum::handler::Handler;
use axum::http::request::Parts;
use axum::http::{Method, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{MethodFilter, on};
use fleet::access::{Denial, Permission};
use fleet::scope::Scope;
use tracing::Instrument as _;

use super::identify::Caller;
use super::{AuthError, Identity};
use crate::api::error as api_error;
use crate::management::call::request_id;
use crate::management::error::{ManagementError, told};
use crate::management::place;
use crate::web::AppState;
use crate::web::scope::PathScope;
use crate::web::{page, refusal};

/// What a route needs.
pub trait Need: Send + Sync + 'static {
    /// For the list of routes.
    const NAME: &'static str;
    /// The permission in the scope of the path; none where being signed in is enough.
    const PERMISSION: Option<Permission>;
}

macro_rules! needs {
    ($($(#[$doc:meta])* $name:ident = $permission:expr;)+) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name;

        impl Need for $name {
            const NAME: &'static str = stringify!($name);
            const PERMISSION: Option<Permission> = $permission;
        }
    )+};
}

needs! {
    /// Somebody, whoever it is.
    SignedIn = None;
    /// `core_delegate_view`.
    View = Some(Permission::DelegateView);
    /// `core_delegate_edit`.
    Edit = Some(Permission::DelegateEdit);
    /// `core_delegate_delete`.
    Delete = Some(Permission::DelegateDelete);
    /// `core_user_manage`.
    ManageUsers = Some(Permission::UserManage);
    /// `core_role_manage`.
    ManageRoles = Some(Permission::RoleManage);
    /// `core_setting_manage`.
    ManageSettings = Some(Permission::SettingManage);
    /// `core_audit_view`.
    ReadAudit = Some(Permission::AuditView);
    /// `core_embed_manage`.
    ManageEmbeds = Some(Permission::EmbedManage);
}

/// Somebody who may do what the route needs in the scope of its path.
#[derive(Clone, Debug)]
pub struct Allowed<N> {
    /// Who.
    pub who: Arc<Identity>,
    /// The scope of the path.
    pub scope: Scope,
    need: PhantomData<N>,
}

/// Somebody, on a route that needs no more than that.
#[derive(Clone, Debug)]
pub struct Somebody {
    /// Who.
    pub who: Arc<Identity>,
}

/// What the check of a route leaves in the request for its handler.
#[derive(Clone, Debug)]
struct Passed<N> {
    who: Arc<Identity>,
    scope: Option<Scope>,
    need: PhantomData<N>,
}

impl<N: Need + Clone, S: Send + Sync> FromRequestParts<S> for Allowed<N> {
    type Rejection = StatusCode;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, StatusCode> {
        let passed = parts.extensions.get::<Passed<N>>().cloned().ok_or(StatusCode::FORBIDDEN)?;
        let scope = passed.scope.ok_or(StatusCode::FORBIDDEN)?;
        Ok(Self { who: passed.who, scope, need: PhantomData })
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Somebody {
    type Rejection = StatusCode;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, StatusCode> {
        let passed = parts.extensions.get::<Passed<SignedIn>>().cloned().ok_or(StatusCode::FORBIDDEN)?;
        Ok(Self { who: passed.who })
    }
}

/// How a refusal is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Surface {
    /// With a page, or the way to the sign-in page.
    Page,
    /// With JSON.
    Tool,
}

/// One route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// In capital letters.
    pub method: &'static str,
    /// Its path.
    pub path: &'static str,
    /// Name of its need; `Public` for none.
    pub need: &'static str,
}

/// The routes of people and tools, each with what it needs.
pub struct Table {
    router: Router<AppState>,
    state: AppState,
    entries: Vec<Entry>,
}

impl Table {
    /// No routes yet.
    #[must_use]
    pub fn new(state: AppState) -> Self {
        Self { router: Router::new(), state, entries: Vec::new() }
    }

    /// A page or what belongs to one.
    #[must_use]
    pub fn get<N: Need + Clone, T: 'static>(
        self,
        path: &'static str,
        handler: impl Handler<T, AppState>,
    ) -> Self {
        self.add::<N, T>(&Method::GET, path, Surface::Page, handler)
    }

    /// A form.
    #[must_use]
    pub fn post<N: Need + Clone, T: 'static>(
        self,
        path: &'static str,
        handler: impl Handler<T, AppState>,
    ) -> Self {
        self.add::<N, T>(&Method::POST, path, Surface::Page, handler)
    }

    /// What tools and scripts read.
    #[must_use]
    pub fn tool<N: Need + Clone, T: 'static>(
        self,
        path: &'static str,
        handler: impl Handler<T, AppState>,
    ) -> Self {
        self.add::<N, T>(&Method::GET, path, Surface::Tool, handler)
    }

    /// Open to everybody: sign-in itself, and what shows nothing.
    #[must_use]
    pub fn public<T: 'static>(
        mut self,
        method: &Method,
        path: &'static str,
        handler: impl Handler<T, AppState>,
    ) -> Self {
        self.entries.push(Entry { method: word(method), path, need: "Public" });
        self.router = self.router.route(path, on(filter(method), handler));
        self
    }

    /// A call of the management API, whose scope stands in its query (`management-api 1.4`).
    #[must_use]
    pub fn managed<N: Need + Clone, T: 'static>(
        mut self,
        method: &Method,
        path: &'static str,
        handler: impl Handler<T, AppState>,
    ) -> Self {
        self.entries.push(Entry { method: word(method), path, need: N::NAME });
        let check = from_fn_with_state(self.state.clone(), check_managed::<N>);
        self.router = self.router.route(path, on(filter(method), handler).layer(check));
        self
    }

    fn add<N: Need + Clone, T: 'static>(
        mut self,
        method: &Method,
        path: &'static str,
        surface: Surface,
        handler: impl Handler<T, AppState>,
    ) -> Self {
        self.entries.push(Entry { method: word(method), path, need: N::NAME });
        let check = move |State(state): State<AppState>, scope: PathScope, request: Request, next: Next| async move {
            check::<N>(&state, surface, scope, request, next).await
        };
        let route = on(filter(method), handler).layer(from_fn_with_state(self.state.clone(), check));
        self.router = self.router.route(path, route);
        self
    }

    /// Every route that was added.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The routes, to be merged with those that need nothing.
    pub fn router(self) -> Router<AppState> {
        self.router
    }
}

const fn filter(method: &Method) -> MethodFilter {
    match *method {
        Method::POST => MethodFilter::POST,
        Method::PUT => MethodFilter::PUT,
        Method::DELETE => MethodFilter::DELETE,
        _ => MethodFilter::GET,
    }
}

const fn word(method: &Method) -> &'static str {
    match *method {
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::DELETE => "DELETE",
        _ => "GET",
    }
}

/// The same for the management API, in its own words.
async fn check_managed<N: Need + Clone>(
    State(state): State<AppState>,
    request: Request,
    next: Next,
) -> Response {
    let (mut parts, body) = request.into_parts();
    match admit::<N>(&state, &parts) {
        Ok(passed) => {
            let id = request_id(&parts).map(ToOwned::to_owned);
            parts.extensions.insert(passed);
            told(to_the_end(Request::from_parts(parts, body), next).await, id.as_deref())
        }
        Err(error) => error.respond(request_id(&parts)),
    }
}

/// Runs a handler that may change something to its end, although the caller hangs up: else something could be stored that
/// this node does not know.
async fn to_the_end(request: Request, next: Next) -> Response {
    if request.method().is_safe() {
        return next.run(request).await;
    }
    match tokio::spawn(next.run(request).in_current_span()).await {
        Ok(response) => response,
        Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
        Err(_) => StatusCode::SERVICE_UNAVAILABLE.into_response(),
    }
}

fn admit<N: Need>(state: &AppState, parts: &Parts) -> Result<Passed<N>, ManagementError> {
    let caller = parts.extensions.get::<Caller>().cloned().unwrap_or(Caller(Err(AuthError::Missing)));
    let who = caller.0.map_err(ManagementError::Caller)?;
    let scope = place::scope(parts, &who, &state.auth.directory.tables())?;
    if let Some(permission) = N::PERMISSION {
        who.grants.decide(permission, &scope, None).map_err(ManagementError::Denied)?;
    }
    if !state.roster.has_scope(&scope) {
        return Err(ManagementError::Unknown(format!("there is no scope {scope}")));
    }
    Ok(Passed { who, scope: Some(scope), need: PhantomData })
}

/// Lets the request pass, with [`Allowed`] in it, or tells why not. Decides by what the caller holds alone, before
/// anything of the fleet is looked up: whether a scope exists cannot be told from a refusal, nor from its time.
async fn check<N: Need + Clone>(
    state: &AppState,
    surface: Surface,
    PathScope(scope): PathScope,
    mut request: Request,
    next: Next,
) -> Response {
    let caller = request.extensions().get::<Caller>().cloned().unwrap_or(Caller(Err(AuthError::Missing)));
    let who = match caller.0 {
        Ok(who) => who,
        Err(error) if surface == Surface::Page => return refusal::to_sign_in(&request, error),
        Err(error) => return refusal::unauthenticated(&request, error),
    };
    let scope = match N::PERMISSION {
        None => None,
        Some(permission) => match scope {
            Err(_) if surface == Surface::Page => return page::not_found(state, request).await,
            Err(error) => return refusal::bad_scope(&request, &error),
            Ok(scope) => match who.grants.decide(permission, &scope, None) {
                Ok(()) if request.method() == Method::POST && !state.roster.has_scope(&scope) => {
                    return page::of_scope(state, request, &scope).await;
                }
                Ok(()) => Some(scope),
                Err(denial) if surface == Surface::Page => {
                    return page::denied(state, request, &denial).await;
                }
                Err(denial) => return denied(&request, &denial),
            },
        },
    };
    request.extensions_mut().insert(Passed::<N> { who, scope, need: PhantomData });
    to_the_end(request, next).await
}

fn denied(request: &Request, denial: &Denial) -> Response {
    let id = refusal::id(request);
    let body = api_error::json("ACCESS_DENIED", &denial.to_string(), None, id.as_deref());
    (StatusCode::FORBIDDEN, body).into_response()
}
