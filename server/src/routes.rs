//! The whole route table.

use axum::Router;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::routing::{get, post};
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;

use crate::agent::{self, AgentState};
use crate::api;
use crate::web::{AppState, guard, headers, live, page, preferences, probes, request_id, statics};

/// Every route. Delegates come by the thousand a second: theirs carry no layer that only people need.
pub fn table(state: AppState, agent: AgentState) -> Router {
    let delegates = get(api::delegates::list);
    let people = Router::new()
        .route("/api/v1/accounts/{account}/delegates", delegates.clone())
        .route("/api/v1/accounts/{account}/orgs/{org}/delegates", delegates.clone())
        .route("/api/v1/accounts/{account}/orgs/{org}/projects/{project}/delegates", delegates)
        .route("/api/v1/{*rest}", get(api::error::not_found).fallback(api::error::not_found))
        .route("/a/{account}/live", get(live::stream))
        .route("/a/{account}/o/{org}/live", get(live::stream))
        .route("/a/{account}/o/{org}/p/{project}/live", get(live::stream))
        .route("/a/{account}", get(page::to_delegates))
        .route("/a/{account}/o/{org}", get(page::to_delegates))
        .route("/a/{account}/o/{org}/p/{project}", get(page::to_delegates))
        .route("/ui/preferences", post(preferences::set))
        .route("/metrics", get(probes::metrics))
        .nest_service("/pkg", statics::hashed(&state))
        .nest_service("/fonts", statics::plain(&state, "fonts"))
        .route("/favicon.svg", statics::file(&state, "favicon.svg"))
        .fallback(page::render)
        .layer(CompressionLayer::new())
        .layer(from_fn_with_state(state.clone(), guard::check))
        .layer(from_fn(headers::write))
        .layer(from_fn(request_id::assign))
        .with_state(state.clone());
    let probes = Router::new()
        .route("/livez", get(probes::livez))
        .route("/readyz", get(probes::readyz))
        .with_state(state);
    Router::new()
        .merge(probes)
        .merge(agent::routes(agent))
        .merge(people)
        .layer(CatchPanicLayer::custom(headers::after_panic))
}
