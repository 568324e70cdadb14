//! Under which names pages may be asked for, and who may send forms.
//!
//! A foreign web page must not read the fleet through a name that it points at this machine, and must not send forms in
//! the name of whoever looks at it.

use axum::extract::{Request, State};
use axum::http::header::{HOST, ORIGIN};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::Next;
use axum::response::Response;

use super::AppState;
use super::refusal::{Told, is_of_tools};
use crate::auth::cookie::OverTls;
use crate::auth::identify::{self, Caller};

/// Refuses foreign hosts, and notes whether the browser came over TLS. A tool that sends a key of its own carries nothing
/// that another site could misuse, so it may use any name.
pub async fn check(State(state): State<AppState>, mut request: Request, next: Next) -> Response {
    let host = host(&request);
    let named = host.as_deref().unwrap_or_default();
    let local = is_local(named);
    let path = request.uri().path();
    let by_key = identify::key(request.headers()).is_some();
    if !(by_key && (is_of_tools(path) || path == "/metrics")) {
        if host.is_none() {
            return refuse(&request, "The request names no host.");
        }
        if !local && !state.allowed_hosts.iter().any(|allowed| allowed.eq_ignore_ascii_case(named)) {
            let text = "This host name is not allowed here; see the settings public-url and allowed-hosts.";
            return refuse(&request, text);
        }
    }
    request.extensions_mut().insert(OverTls(state.tls || !local));
    next.run(request).await
}

/// Refuses what a browser sends from elsewhere: every unsafe method needs a proof that it comes from here, unless it
/// comes with an API key.
pub async fn prove(State(state): State<AppState>, request: Request, next: Next) -> Response {
    let session = request
        .extensions()
        .get::<Caller>()
        .is_some_and(|Caller(caller)| caller.as_ref().is_ok_and(|who| who.is_session()));
    // Tools without a key, or with one that is refused, are told so by the route.
    let by_key =
        !session && (identify::key(request.headers()).is_some() || is_of_tools(request.uri().path()));
    if !request.method().is_safe() && !by_key {
        let host = authority(&request).map(|host| host.to_string()).unwrap_or_default();
        match proof(request.headers(), &host, state.public_url.as_deref()) {
            Proof::Here => {}
            Proof::Elsewhere => return refuse(&request, "The request comes from another site."),
            Proof::None => {
                let text =
                    "The request does not say where it comes from: send the header Origin, or an API key.";
                return refuse(&request, text);
            }
        }
    }
    next.run(request).await
}

fn refuse(request: &Request, text: &str) -> Response {
    Told::new(request).why(StatusCode::FORBIDDEN, "ACCESS_DENIED", text)
}

fn host(request: &Request) -> Option<String> {
    authority(request).map(|authority| authority.host().to_owned())
}

fn authority(request: &Request) -> Option<Authority> {
    let named = request.headers().get(HOST).and_then(|value| value.to_str().ok());
    named.or(request.uri().authority().map(Authority::as_str))?.parse().ok()
}

fn is_local(host: &str) -> bool {
    let address = host.trim_start_matches('[').trim_end_matches(']');
    host.eq_ignore_ascii_case("localhost")
        || address.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// What a request says of its origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Proof {
    Here,
    Elsewhere,
    None,
}

/// Browsers say it themselves, and no script can make them lie.
fn proof(headers: &HeaderMap, host: &str, public_url: Option<&str>) -> Proof {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let here = match (text("sec-fetch-site"), text(ORIGIN.as_str())) {
        (Some(site), _) => matches!(site, "same-origin" | "none"),
        (None, Some(origin)) => {
            let named = origin.split_once("://").map(|(_, authority)| authority);
            named.is_some_and(|named| named.eq_ignore_ascii_case(host)) || Some(origin) == public_url
        }
        (None, None) => return Proof::None,
    };
    if here { Proof::Here } else { Proof::Elsewhere }
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
    fn a_form_of_another_site_is_foreign_and_silence_is_no_proof() {
        let headers = |name: &'static str, value: &'static str| {
            HeaderMap::from_iter([(name.parse().expect("name"), value.parse().expect("value"))])
        };
        for (name, value, expected) in [
            ("sec-fetch-site", "cross-site", Proof::Elsewhere),
            ("sec-fetch-site", "same-site", Proof::Elsewhere),
            ("origin", "https://evil.example", Proof::Elsewhere),
            ("origin", "http://localhost:3001", Proof::Elsewhere),
            ("origin", "null", Proof::Elsewhere),
            ("sec-fetch-site", "same-origin", Proof::Here),
            ("sec-fetch-site", "none", Proof::Here),
            ("origin", "http://localhost:3000", Proof::Here),
            ("accept", "text/html", Proof::None),
        ] {
            assert_eq!(proof(&headers(name, value), "localhost:3000", None), expected, "{name}: {value}");
        }
    }
}
