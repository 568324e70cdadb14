//! Where a delegate is from that another server tells of, and how old what is shown is (`management-api 7`).

use fleet::mirror::{Source, Trouble};
use fleet::time::Timestamp;
use fleet::view::GroupView;
use leptos::prelude::*;

use crate::components::icons;

/// The name of the mirror beside that of the group; with the instant of what is shown, when that is old.
#[must_use]
pub fn source_badge(group: &GroupView, as_of: Timestamp) -> Option<AnyView> {
    let source = group.source.as_deref()?;
    let (class, word) = if is_old(source, as_of) {
        ("badge warn", format!("{} as of {}", source.name, exact(source.as_of)))
    } else {
        ("badge", source.name.to_string())
    };
    let title = told(source);
    Some(view! { <span class=class title=title>{word}</span> }.into_any())
}

/// What the page of one group or instance says of it.
#[must_use]
pub fn source_note(source: &Source, as_of: Timestamp) -> AnyView {
    let (tone, drawing) = if is_old(source, as_of) { ("warn", icons::NEAR) } else { ("info", icons::HALF) };
    let text = if source.trouble.is_some() { trouble_text(source) } else { told(source) };
    view! {
        <div class=format!("banner {tone}") data-key="source">
            {icons::icon(drawing)}<p>{text}" What is done to it is done there."</p>
        </div>
    }
    .into_any()
}

/// Why nothing newer can be shown, and since when.
#[must_use]
pub fn trouble_text(source: &Source) -> String {
    let why = match source.trouble {
        Some(Trouble::Refused) => "refuses its API key",
        Some(Trouble::TooMany) => "asks to be read less often",
        Some(Trouble::Unreachable) | None => "cannot be read",
    };
    format!(
        "The mirrored server {} {why}. Its delegates are shown as of {}.",
        source.name,
        exact(source.as_of)
    )
}

fn told(source: &Source) -> String {
    format!("Mirrored from {}, as of {}.", source.name, exact(source.as_of))
}

fn exact(at: Timestamp) -> String {
    at.to_utc().format("%Y-%m-%d %H:%M UTC").to_string()
}

fn is_old(source: &Source, as_of: Timestamp) -> bool {
    source.trouble.is_some() || source.is_stale(as_of)
}
