//! Instants on a page. The server writes them in UTC; the browser turns those of class `ago` into relative
//! words.

use fleet::time::Timestamp;
use leptos::prelude::*;

use crate::words;

/// The form of the `datetime` attribute, to the millisecond.
#[must_use]
pub fn machine(at: Timestamp) -> String {
    at.to_utc().format("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()
}

/// In words: the time of day while the date goes without saying, else date and time.
#[must_use]
pub fn human(at: Timestamp, as_of: Timestamp) -> String {
    if at.date() == as_of.date() {
        words::clock(at.millis())
    } else {
        at.to_utc().format("%Y-%m-%d %H:%M UTC").to_string()
    }
}

/// An instant that keeps its absolute form.
#[must_use]
pub fn instant(at: Timestamp, as_of: Timestamp) -> AnyView {
    view! { <time datetime=machine(at)>{human(at, as_of)}</time> }.into_any()
}

/// An instant that the browser shows as an age, such as `8 s ago`.
#[must_use]
pub fn age(at: Timestamp, as_of: Timestamp) -> AnyView {
    view! { <time class="ago" datetime=machine(at)>{human(at, as_of)}</time> }.into_any()
}

/// An age that is always told in seconds, such as `215 s ago`.
#[must_use]
pub fn age_in_seconds(at: Timestamp, as_of: Timestamp) -> AnyView {
    let text = words::seconds_ago(at.age(as_of));
    view! { <time class="ago" data-s datetime=machine(at)>{text}</time> }.into_any()
}
