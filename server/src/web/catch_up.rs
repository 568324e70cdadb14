//! People see what they did, whichever node answers.

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;

use super::AppState;

/// Answers with what other nodes had stored when the request came in; on one node there is nothing to wait for.
pub async fn catch_up(State(state): State<AppState>, request: Request, next: Next) -> Response {
    state.roster.catch_up(state.clock.now()).await;
    next.run(request).await
}
