//! Who may ask for pages and data: this machine's own browser, under this machine's own name.
//!
//! Until people sign in, a foreign web page must not read the fleet through a name that it points at this machine,
//! and must not send forms.

use axum::extract::{Request, State};
use axum::http::header::{HOST, ORIGIN};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};

use super::AppState;
use crate::api::error;

/// Refuses foreign hosts, and unsafe methods that come from elsewhere.
pub async fn check(State(state): State<AppState>, request: Request, next: Next) -> Response {
    let Some(host) = host(&request) else {
        return refuse("The request names no host.");
    };
    if !is_local(&host) && !state.allowed_hosts.iter().any(|allowed| allowed.eq_ignore_ascii_case(&host)) {
        return refuse("This host name is not allowed here; see the setting allowed-hosts.");
    }
    if !request.method().is_safe() && is_foreign(request.headers(), &host) {
        return refuse("The request comes from another site.");
    }
    next.run(request).await
}

fn refuse(message: &str) -> Response {
    (StatusCode::FORBIDDEN, error::json("ACCESS_DENIED", message, None, None)).into_response()
}

fn host(request: &Request) -> Option<String> {
    let named = request.headers().get(HOST).and_then(|value| value.to_str().ok());
    let authority: Authority = named.or(request.uri().authority().map(Authority::as_str))?.parse().ok()?;
    Some(authority.host().to_owned())
}

fn is_local(host: &str) -> bool {
    let address = host.trim_start_matches('[').trim_end_matches(']');
    host.eq_ignore_ascii_case("localhost")
        || address.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// Whether a browser says that another site made it send this. Programs that say nothing hold no cookie to misuse.
fn is_foreign(headers: &HeaderMap, host: &str) -> bool {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    match (text("sec-fetch-site"), text(ORIGIN.as_str())) {
        (Some(site), _) => !matches!(site, "same-origin" | "none"),
        (None, Some(origin)) => {
            let origin: Option<Authority> = origin.split("://").nth(1).and_then(|text| text.parse().ok());
            origin.is_none_or(|origin| !origin.host().eq_ignore_ascii_case(host))
        }
        (None, None) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_this_machine_are_local() {
        for local in ["localhost", "LOCALHOST", "127.0.0.1", "127.9.9.9", "[::1]"] {
            assert!(is_local(local), "{local}");
        }
        for foreign in ["example.com", "localhost.example.com", "10.0.0.1", "127.0.0.1.example.com"] {
            assert!(!is_local(foreign), "{foreign}");
        }
    }

    #[test]
    fn a_form_of_another_site_is_foreign() {
        let headers = |name: &'static str, value: &'static str| {
            HeaderMap::from_iter([(name.parse().expect("name"), value.parse().expect("value"))])
        };
        assert!(is_foreign(&headers("sec-fetch-site", "cross-site"), "localhost"));
        assert!(is_foreign(&headers("sec-fetch-site", "same-site"), "localhost"));
        assert!(is_foreign(&headers("origin", "https://evil.example"), "localhost"));
        assert!(is_foreign(&headers("origin", "null"), "localhost"));
        assert!(!is_foreign(&headers("sec-fetch-site", "same-origin"), "localhost"));
        assert!(!is_foreign(&headers("origin", "http://localhost:3000"), "localhost"));
        assert!(!is_foreign(&HeaderMap::new(), "localhost"));
    }
}
