//! Explanations that open on a press, by keyboard or pointer, with or without scripts.

use leptos::prelude::*;

/// A word that explains itself: a button that looks like its text and opens `body`.
///
/// `name` is what a screen reader says of the button; it begins with the visible words.
#[must_use]
pub fn explained(id: String, class: &'static str, face: AnyView, name: String, body: AnyView) -> AnyView {
    view! {
        <button type="button" class=class popovertarget=id.clone() aria-label=name>{face}</button>
        <div popover id=id class="pop">{body}</div>
    }
    .into_any()
}
