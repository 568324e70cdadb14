//! No request takes forever.

use std::time::Duration;

use axum::extract::Request;
use axum::http::StatusCode;
use axum::middleware::Next;
use axum::response::Response;

use super::refusal::Told;

/// How long a request may take to arrive and be answered; live streams and exports answer at once and go on.
const PATIENCE: Duration = Duration::from_mins(1);

/// Answers 408 in place of what is not there by then.
pub async fn limit(request: Request, next: Next) -> Response {
    let told = Told::new(&request);
    tokio::time::timeout(PATIENCE, next.run(request)).await.unwrap_or_else(|_| {
        let text = "The request was not complete, or not answered, within a minute. Try again.";
        told.why(StatusCode::REQUEST_TIMEOUT, "REQUEST_TIMEOUT", text)
    })
}

#[cfg(test)]
mod tests {
    use axum::Router;
    use axum::body::{Body, to_bytes};
    use axum::middleware::from_fn;
    use axum::routing::get;
    use tower::ServiceExt as _;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn who_waits_too_long_is_told_so() {
        let endless = || async {
            std::future::pending::<()>().await;
        };
        let router = Router::new().route("/api/v1/endless", get(endless)).layer(from_fn(limit));
        let request = Request::get("/api/v1/endless").body(Body::empty()).expect("request");
        let response = router.oneshot(request).await.expect("infallible");
        assert_eq!(response.status(), StatusCode::REQUEST_TIMEOUT);
        let body = to_bytes(response.into_body(), 10_000).await.expect("body");
        let body: serde_json::Value = serde_json::from_slice(&body).expect("JSON");
        assert_eq!(body["code"], "REQUEST_TIMEOUT");
    }
}
