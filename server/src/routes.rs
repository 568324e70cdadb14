//! The whole route table.

use axum::Router;
use axum::http::Method;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::routing::{any, get};
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;

use crate::agent::{self, AgentState};
use crate::api;
use crate::auth::allowed::{
    Delete, Edit, Entry, ManageEmbeds, ManageRoles, ManageSettings, ManageUsers, ReadAudit, SignedIn, Table,
    View,
};
use crate::auth::identify;
use crate::management;
use crate::web::forms::{
    delegates, embeds, filters, install, me, mirrors, people, roles, settings, setup, sign_in, sso, tokens,
};
use crate::web::{
    AppState, catch_up, embed, guard, headers, live, page, parts, patience, preferences, probes, request_id,
    shed, statics, timing,
};

/// Every route. Delegates come by the thousand a second: theirs carry no layer that only people need.
pub fn table(state: AppState, agent: AgentState) -> Router {
    let over_tls = state.tls;
    let people = guarded(state.clone())
        .router()
        .route_layer(from_fn_with_state(state.clone(), catch_up::catch_up))
        .route_layer(from_fn_with_state(state.clone(), shed::shed))
        .route("/api/v1/{*rest}", get(api::error::not_found).fallback(api::error::not_found))
        .route("/ng/{*rest}", any(management::not_found))
        .route("/gateway/{*rest}", any(management::not_found))
        .route("/api/setup/{*rest}", any(management::not_found))
        .route("/api/graphql", any(management::not_found))
        .route("/api/version/supportedDelegate", any(management::not_found))
        .nest_service("/pkg", statics::hashed(&state))
        .nest_service("/fonts", statics::plain(&state, "fonts"))
        .route("/favicon.svg", statics::file(&state, "favicon.svg"))
        .fallback(page::fallback)
        .method_not_allowed_fallback(management::method_not_allowed)
        .layer(from_fn(patience::limit))
        .layer(CompressionLayer::new())
        .layer(from_fn_with_state(state.clone(), guard::prove))
        .layer(from_fn_with_state(state.clone(), identify::identify))
        .layer(from_fn_with_state(state.clone(), guard::check))
        .layer(from_fn(headers::write))
        .layer(from_fn_with_state(state.timing.clone(), timing::measure))
        .layer(from_fn(request_id::assign))
        .with_state(state.clone());
    let probes = Router::new()
        .route("/livez", get(probes::livez))
        .route("/readyz", get(probes::readyz))
        .with_state(state);
    let all = Router::new()
        .merge(probes)
        .merge(agent::routes(agent))
        .merge(people)
        .layer(CatchPanicLayer::custom(headers::after_panic));
    headers::complete(all, over_tls)
}

/// Every route of people and tools with what it needs, for tests.
#[must_use]
pub fn entries(state: AppState) -> Vec<Entry> {
    guarded(state).entries().to_vec()
}

/// The routes of people and tools, each with what it needs.
fn guarded(state: AppState) -> Table {
    let table = Table::new(state)
        .public(&Method::GET, "/sign-in", sign_in::show)
        .public(&Method::POST, "/sign-in", sign_in::sign_in)
        .public(&Method::GET, "/sign-in/link/{id}", sign_in::link)
        .public(&Method::GET, "/sign-in/sso", sso::begin)
        .public(&Method::GET, "/sign-in/sso/callback", sso::callback)
        .public(&Method::GET, "/setup/{id}", page::show_public)
        .public(&Method::POST, "/setup/{id}", setup::setup)
        .public(&Method::POST, "/ui/preferences", preferences::set)
        .public(&Method::GET, "/embed/{id}", embed::show)
        .public(&Method::GET, "/embed/{id}/live", embed::stream)
        .public(&Method::GET, "/keys", page::show_public)
        .public(&Method::GET, api::openapi::PATH, api::openapi::show)
        .post::<SignedIn, _>("/sign-out", sign_in::sign_out)
        .get::<SignedIn, _>("/", page::start)
        .get::<SignedIn, _>("/help", page::show_own)
        .get::<SignedIn, _>("/help/{topic}", page::show_own)
        .get::<SignedIn, _>("/me", page::show_own)
        .tool::<SignedIn, _>("/me/session", me::session)
        .post::<SignedIn, _>("/me/password", me::password)
        .post::<SignedIn, _>("/me/sessions/end", me::end_sessions)
        .post::<SignedIn, _>("/me/keys", me::create_key)
        .post::<SignedIn, _>("/me/keys/{id}/revoke", me::revoke_key)
        .tool::<SignedIn, _>("/metrics", probes::metrics);
    #[cfg(debug_assertions)]
    let table = table
        .get::<SignedIn, _>("/dev/gallery", page::show_own)
        .get::<SignedIn, _>("/dev/gallery/{entry}", page::show_own);
    let table = scoped!(table, "/a/{account}");
    let table = scoped!(table, "/a/{account}/o/{org}");
    let table = scoped!(table, "/a/{account}/o/{org}/p/{project}");
    let table = table
        .get::<ManageSettings, _>("/a/{account}/mirrors", page::show::<ManageSettings>)
        .post::<ManageSettings, _>("/a/{account}/mirrors", mirrors::add)
        .post::<ManageSettings, _>("/a/{account}/mirrors/{id}/remove", mirrors::remove);
    let table = tools!(table, "/api/v1/accounts/{account}");
    let table = tools!(table, "/api/v1/accounts/{account}/orgs/{org}");
    let table = tools!(table, "/api/v1/accounts/{account}/orgs/{org}/projects/{project}");
    management::routes(table)
}

/// What every scope has, below its path.
macro_rules! scoped {
    ($table:expr, $scope:literal) => {
        $table
            .get::<View, _>($scope, page::to_delegates)
            .get::<View, _>(concat!($scope, "/delegates"), parts::show)
            .tool::<View, _>(concat!($scope, "/live"), live::stream)
            .get::<Edit, _>(concat!($scope, "/new"), page::show::<Edit>)
            .post::<Edit, _>(concat!($scope, "/new"), install::show)
            .post::<Edit, _>(concat!($scope, "/new/download"), install::download)
            .get::<View, _>(concat!($scope, "/delegates/{group}"), parts::show)
            .get::<View, _>(concat!($scope, "/filter"), filters::choose)
            .get::<View, _>(concat!($scope, "/filters"), page::show::<View>)
            .post::<View, _>(concat!($scope, "/filters"), filters::create)
            .get::<View, _>(concat!($scope, "/filters/new"), page::show::<View>)
            .post::<View, _>(concat!($scope, "/filters/replace"), filters::replace)
            .get::<View, _>(concat!($scope, "/filters/{id}"), page::show::<View>)
            .post::<View, _>(concat!($scope, "/filters/{id}"), filters::change)
            .get::<View, _>(concat!($scope, "/filters/{id}/delete"), page::show::<View>)
            .post::<View, _>(concat!($scope, "/filters/{id}/delete"), filters::delete)
            .get::<View, _>(concat!($scope, "/delegates/{group}/instances"), page::show::<View>)
            .get::<View, _>(concat!($scope, "/delegates/{group}/instances/{instance}"), page::show::<View>)
            .get::<View, _>(concat!($scope, "/delegates/{group}/activity"), page::show::<View>)
            .post::<Edit, _>(concat!($scope, "/delegates/{group}/by-hand"), delegates::by_hand)
            .get::<View, _>(concat!($scope, "/troubleshoot"), page::show::<View>)
            .get::<View, _>(concat!($scope, "/delegates/{group}/why"), page::show::<View>)
            .get::<View, _>(concat!($scope, "/delegates/{group}/troubleshoot"), page::show::<View>)
            .get::<Delete, _>(concat!($scope, "/delegates/{group}/delete"), page::show::<Delete>)
            .post::<Delete, _>(concat!($scope, "/delegates/{group}/delete"), delegates::delete)
            .get::<Delete, _>(
                concat!($scope, "/delegates/{group}/instances/{instance}/delete"),
                page::show::<Delete>,
            )
            .post::<Delete, _>(
                concat!($scope, "/delegates/{group}/instances/{instance}/delete"),
                delegates::delete,
            )
            .post::<Edit, _>(concat!($scope, "/delegates/{group}/approve"), delegates::approve)
            .post::<Edit, _>(concat!($scope, "/delegates/{group}/reject"), delegates::reject)
            .get::<Delete, _>(concat!($scope, "/delete"), page::show::<Delete>)
            .post::<Delete, _>(concat!($scope, "/delete"), delegates::delete_selection)
            .post::<Delete, _>(concat!($scope, "/undo"), delegates::undo)
            .post::<Edit, _>(concat!($scope, "/allow"), delegates::allow)
            .get::<View, _>(concat!($scope, "/tokens"), page::show::<View>)
            .post::<Edit, _>(concat!($scope, "/tokens"), tokens::create)
            .get::<Delete, _>(concat!($scope, "/tokens/{id}/revoke"), page::show::<Delete>)
            .post::<Delete, _>(concat!($scope, "/tokens/{id}/revoke"), tokens::revoke)
            .post::<Delete, _>(concat!($scope, "/tokens/{id}/delete"), tokens::delete)
            .get::<ManageUsers, _>(concat!($scope, "/users"), page::show::<ManageUsers>)
            .post::<ManageUsers, _>(concat!($scope, "/users"), people::add)
            .post::<ManageUsers, _>(
                concat!($scope, "/users/{user}/assignments/{id}/remove"),
                people::remove_assignment,
            )
            .post::<ManageUsers, _>(concat!($scope, "/users/{id}/disable"), people::disable)
            .post::<ManageUsers, _>(concat!($scope, "/users/{id}/enable"), people::enable)
            .post::<ManageUsers, _>(concat!($scope, "/users/{id}/sign-out"), people::end_sessions)
            .get::<ManageRoles, _>(concat!($scope, "/roles"), page::show::<ManageRoles>)
            .post::<ManageRoles, _>(concat!($scope, "/roles"), roles::create)
            .post::<ManageRoles, _>(concat!($scope, "/roles/{id}"), roles::change)
            .post::<ManageRoles, _>(concat!($scope, "/roles/{id}/delete"), roles::delete)
            .get::<View, _>(concat!($scope, "/settings"), page::show::<View>)
            .post::<ManageSettings, _>(concat!($scope, "/settings"), settings::set)
            .post::<ManageSettings, _>(concat!($scope, "/settings/reset"), settings::reset)
            .get::<ReadAudit, _>(concat!($scope, "/audit"), page::show::<ReadAudit>)
            .get::<ManageEmbeds, _>(concat!($scope, "/embeds"), page::show::<ManageEmbeds>)
            .post::<ManageEmbeds, _>(concat!($scope, "/embeds"), embeds::create)
            .get::<ManageEmbeds, _>(concat!($scope, "/embeds/{id}"), page::show::<ManageEmbeds>)
            .get::<ManageEmbeds, _>(concat!($scope, "/embeds/{id}/preview"), embed::preview)
            .post::<ManageEmbeds, _>(concat!($scope, "/embeds/{id}/revoke"), embeds::revoke)
    };
}

/// What scripts read of every scope.
macro_rules! tools {
    ($table:expr, $scope:literal) => {
        $table
            .tool::<View, _>(concat!($scope, "/delegates"), api::delegates::list)
            .tool::<ReadAudit, _>(concat!($scope, "/audit"), api::audit::export)
    };
}

use {scoped, tools};
