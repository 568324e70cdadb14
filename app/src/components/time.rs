//! Instants on a page. The server writes them in UTC; the browser turns those of class `ago` into ages and those of
//! class `at` into local time, as the viewer chose. Without a class they stay as they are.

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
    words::stamp_at(at.millis(), as_of.millis(), 0)
}

/// An instant that keeps its absolute form, in UTC or local time.
#[must_use]
pub fn instant(at: Timestamp, as_of: Timestamp) -> AnyView {
    view! { <time class="at" datetime=machine(at)>{human(at, as_of)}</time> }.into_any()
}

/// Date and time to the second, in UTC, for people who compare.
#[must_use]
pub fn exact_text(at: Timestamp) -> String {
    at.to_utc().format("%Y-%m-%d %H:%M:%S").to_string()
}

/// The same as an element that keeps this form.
#[must_use]
pub fn exact(at: Timestamp) -> AnyView {
    view! { <time datetime=machine(at)>{exact_text(at)}</time> }.into_any()
}

/// The time of day, for places whose day is said already.
#[must_use]
pub fn clock(at: Timestamp) -> String {
    words::clock(at.millis())
}

/// An instant that the browser shows as an age, such as `8 s ago`, unless the viewer wants to see the time.
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
