//! The title of a page.

use leptos::prelude::*;
use leptos_meta::Title;

/// `what` and the product's name. The head is written as it stands, so names from outside are escaped here.
#[must_use]
pub fn page_title(what: &str) -> impl IntoView + use<> {
    let text = what.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    view! { <Title text=format!("{text} · Rollcall")/> }
}
