//! How long people and tools wait, by route (`/metrics`).

use std::time::Instant;

use axum::extract::{MatchedPath, Request, State};
use axum::http::StatusCode;
use axum::middleware::Next;
use axum::response::Response;
use prometheus::{HistogramOpts, HistogramVec, Registry};

/// Upper ends of the buckets, in seconds.
const BUCKETS: [f64; 11] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0];
/// What a request that no route takes is counted under.
const NO_ROUTE: &str = "none";

/// Times of answers; clones share them.
#[derive(Clone, Debug)]
pub struct Timing(HistogramVec);

impl Timing {
    /// Times that `registry` exposes.
    ///
    /// # Errors
    /// The registry holds such times already.
    pub fn new(registry: &Registry) -> Result<Self, prometheus::Error> {
        let help = "Time to the beginning of an answer, by route and hundred of its code.";
        let options = HistogramOpts::new("rollcall_http_request_seconds", help).buckets(BUCKETS.to_vec());
        let times = HistogramVec::new(options, &["route", "code"])?;
        registry.register(Box::new(times.clone()))?;
        Ok(Self(times))
    }
}

/// Notes how long an answer took. Only names of routes are kept, never a path.
pub async fn measure(State(timing): State<Timing>, request: Request, next: Next) -> Response {
    let matched = request.extensions().get::<MatchedPath>().cloned();
    let started = Instant::now();
    let response = next.run(request).await;
    let route = matched.as_ref().map_or_else(|| NO_ROUTE.to_owned(), |path| name(path.as_str()));
    let taken = started.elapsed().as_secs_f64();
    timing.0.with_label_values(&[&*route, hundred(response.status())]).observe(taken);
    response
}

/// The same page of an account, an organization and a project is one route.
fn name(template: &str) -> String {
    template
        .replace("/o/{org}", "")
        .replace("/p/{project}", "")
        .replace("/orgs/{org}", "")
        .replace("/projects/{project}", "")
}

const fn hundred(status: StatusCode) -> &'static str {
    match status.as_u16() / 100 {
        1 => "1xx",
        2 => "2xx",
        3 => "3xx",
        4 => "4xx",
        _ => "5xx",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_of_any_scope_is_one_route() {
        assert_eq!(name("/a/{account}/delegates"), "/a/{account}/delegates");
        assert_eq!(name("/a/{account}/o/{org}/p/{project}/delegates"), "/a/{account}/delegates");
        let tools = "/api/v1/accounts/{account}/orgs/{org}/projects/{project}/delegates";
        assert_eq!(name(tools), "/api/v1/accounts/{account}/delegates");
    }

    #[test]
    fn codes_are_told_by_their_hundred() {
        for (status, word) in [
            (StatusCode::SWITCHING_PROTOCOLS, "1xx"),
            (StatusCode::OK, "2xx"),
            (StatusCode::SEE_OTHER, "3xx"),
            (StatusCode::NOT_FOUND, "4xx"),
            (StatusCode::INTERNAL_SERVER_ERROR, "5xx"),
        ] {
            assert_eq!(hundred(status), word);
        }
    }
}
