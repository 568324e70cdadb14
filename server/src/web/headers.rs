//! Security headers on every answer, not-found pages included.

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, REFERRER_POLICY, STRICT_TRANSPORT_SECURITY,
    X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use leptos::nonce::Nonce;
use tower_http::set_header::SetResponseHeaderLayer;

/// Only where browsers come over TLS: elsewhere the header means nothing.
const TWO_YEARS: &str = "max-age=63072000; includeSubDomains";
const PERMISSIONS_POLICY: HeaderName = HeaderName::from_static("permissions-policy");
const CROSS_ORIGIN_OPENER_POLICY: HeaderName = HeaderName::from_static("cross-origin-opener-policy");

/// Who may show an answer in a frame, in its extensions. Nobody may where it is missing.
#[derive(Clone, Debug)]
pub struct Frames(pub Vec<String>);

/// Makes the nonce that scripts of this page carry, and writes the headers on the way out.
pub async fn write(mut request: Request, next: Next) -> Response {
    let nonce = Nonce::new();
    request.extensions_mut().insert(nonce.clone());
    let mut response = next.run(request).await;
    let frames = response.extensions_mut().remove::<Frames>();
    harden(response.headers_mut(), &nonce, frames.as_ref());
    response
}

fn harden(headers: &mut HeaderMap, nonce: &Nonce, frames: Option<&Frames>) {
    if let Ok(policy) = HeaderValue::try_from(policy(nonce, frames)) {
        headers.insert(CONTENT_SECURITY_POLICY, policy);
    }
    for (name, value) in [
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (X_FRAME_OPTIONS, "DENY"),
        (REFERRER_POLICY, "same-origin"),
        (CROSS_ORIGIN_OPENER_POLICY, "same-origin"),
        (PERMISSIONS_POLICY, "camera=(), geolocation=(), microphone=()"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    if frames.is_some() {
        // Its older kin knows no list of sites. The address holds the key, which nobody else is to learn.
        headers.remove(X_FRAME_OPTIONS);
        headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    }
    headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
}

fn policy(nonce: &str, frames: Option<&Frames>) -> String {
    let sites = frames.map(|Frames(sites)| sites.join(" ")).filter(|sites| !sites.is_empty());
    let sites = sites.as_deref().unwrap_or("'none'");
    format!(
        "default-src 'self'; base-uri 'none'; object-src 'none'; frame-ancestors {sites}; \
         script-src 'nonce-{nonce}' 'strict-dynamic' 'wasm-unsafe-eval'; style-src 'self'; \
         connect-src 'self'; img-src 'self' data:; form-action 'self'"
    )
}

/// Completes the answers that carry no page: those to delegates and probes, and those after a panic. Heartbeats pass
/// here, so these are fixed values that are put in where they are missing.
pub fn complete(router: Router, over_tls: bool) -> Router {
    let router = [
        (CONTENT_SECURITY_POLICY, "default-src 'none'; frame-ancestors 'none'"),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (REFERRER_POLICY, "no-referrer"),
    ]
    .into_iter()
    .fold(router, |router, (name, value)| router.layer(missing(name, value)));
    if over_tls { router.layer(missing(STRICT_TRANSPORT_SECURITY, TWO_YEARS)) } else { router }
}

fn missing(name: HeaderName, value: &'static str) -> SetResponseHeaderLayer<HeaderValue> {
    SetResponseHeaderLayer::if_not_present(name, HeaderValue::from_static(value))
}

/// The answer when a handler panicked: nothing of the panic reaches the client, and no word that an agent acts on.
pub fn after_panic(_panic: Box<dyn std::any::Any + Send + 'static>) -> Response<Body> {
    tracing::error!("a request handler panicked");
    (
        StatusCode::INTERNAL_SERVER_ERROR,
        crate::api::error::json("UNKNOWN_ERROR", "Internal error.", None, None),
    )
        .into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_run_by_nonce_only_and_nothing_may_frame_a_page() {
        let policy = policy("abc", None);
        assert!(policy.contains("script-src 'nonce-abc' 'strict-dynamic' 'wasm-unsafe-eval';"));
        assert!(policy.contains("frame-ancestors 'none'"));
        assert!(!policy.contains("unsafe-inline"));
    }

    #[test]
    fn a_page_for_frames_is_framed_by_its_sites_alone() {
        let mut headers = HeaderMap::new();
        let sites = Frames(vec!["https://wiki.example".to_owned(), "http://localhost:8080".to_owned()]);
        harden(&mut headers, &Nonce::new(), Some(&sites));
        let policy = headers[CONTENT_SECURITY_POLICY].to_str().expect("text");
        assert!(policy.contains("; frame-ancestors https://wiki.example http://localhost:8080;"), "{policy}");
        assert_eq!(headers.get(X_FRAME_OPTIONS), None);
        assert_eq!(headers[REFERRER_POLICY], "no-referrer");
        assert!(super::policy("abc", Some(&Frames(Vec::new()))).contains("frame-ancestors 'none';"));
    }
}
