//! The name of the form that was just accepted, kept for the page that it leads to. It decides nothing: the page looks it
//! up in a fixed list of sentences.

use axum::http::{HeaderMap, HeaderValue};

use crate::auth::cookie;

/// The cookie.
const NAME: &str = "rollcall_done";
/// Takes the cookie away.
const GONE: HeaderValue =
    HeaderValue::from_static("rollcall_done=; Path=/; Max-Age=0; SameSite=Lax; HttpOnly");

/// The header that keeps the name; for half a minute, in case that the page is never opened.
#[must_use]
pub fn tell(form: &'static str) -> HeaderValue {
    let text = format!("{NAME}={form}; Path=/; Max-Age=30; SameSite=Lax; HttpOnly");
    HeaderValue::try_from(text).unwrap_or(GONE)
}

/// The name, and the header that takes it away; only for a page that comes on screen, not for one that a script reads.
#[must_use]
pub fn heard(headers: &HeaderMap) -> Option<(String, HeaderValue)> {
    let by_script = headers.get("sec-fetch-dest").is_some_and(|dest| dest != "document");
    let name = cookie::read(headers, NAME).filter(|name| !name.is_empty() && !by_script)?;
    Some((name.to_owned(), GONE))
}
