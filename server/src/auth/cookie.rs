//! Cookies of sign-in. Over TLS they carry the prefix `__Host-`, which binds them to this host and to TLS.

use axum::http::header::COOKIE;
use axum::http::{HeaderMap, HeaderValue};

/// The name of the session's cookie without its prefix.
pub const SESSION: &str = "rollcall_session";

/// Whether a request came over TLS, as far as the browser is concerned: put into the request by the guard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OverTls(pub bool);

/// The full name of a cookie.
#[must_use]
pub fn name(base: &str, tls: OverTls) -> String {
    if tls.0 { format!("__Host-{base}") } else { base.to_owned() }
}

/// The value of a cookie; none if it is absent or empty.
pub fn read<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let all = headers.get_all(COOKIE).into_iter().filter_map(|value| value.to_str().ok());
    let mut pairs = all.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(key, value)| *key == name && !value.is_empty()).map(|(_, value)| value)
}

/// The header that sets a cookie for so many seconds; 0 removes it.
#[must_use]
pub fn set(base: &str, value: &str, seconds: i64, tls: OverTls) -> Option<HeaderValue> {
    let secure = if tls.0 { "; Secure" } else { "" };
    let name = name(base, tls);
    HeaderValue::try_from(format!(
        "{name}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Lax{secure}"
    ))
    .ok()
    .map(|mut value| {
        value.set_sensitive(true);
        value
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn over_tls_the_cookie_belongs_to_this_host_alone() {
        let value = set(SESSION, "abc", 60, OverTls(true)).unwrap();
        assert_eq!(
            value.to_str().unwrap(),
            "__Host-rollcall_session=abc; Path=/; Max-Age=60; HttpOnly; SameSite=Lax; Secure"
        );
        let value = set(SESSION, "abc", 60, OverTls(false)).unwrap();
        assert_eq!(
            value.to_str().unwrap(),
            "rollcall_session=abc; Path=/; Max-Age=60; HttpOnly; SameSite=Lax"
        );
    }

    #[test]
    fn a_cookie_is_found_among_others() {
        let headers = HeaderMap::from_iter([
            (COOKIE, HeaderValue::from_static("a=1; rollcall_session=xyz")),
            (COOKIE, HeaderValue::from_static("b=2; c=")),
        ]);
        assert_eq!(read(&headers, "rollcall_session"), Some("xyz"));
        assert_eq!(read(&headers, "b"), Some("2"));
        assert_eq!(read(&headers, "c"), None);
        assert_eq!(read(&headers, "session"), None);
    }
}
