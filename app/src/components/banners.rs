//! What a reader must know before trusting the figures (`product 3.7`, `5.5`).

use fleet::time::Timestamp;
use leptos::prelude::*;

use crate::components::{deletions, icons, mirrored};
use crate::context::Viewer;
use crate::port::Notes;
use crate::words;

/// The notes that apply: what the viewer may take back, then the most serious first.
#[must_use]
pub fn banners(notes: &Notes, as_of: Timestamp, viewer: Option<&Viewer>) -> Option<AnyView> {
    let restarted = notes.restarted_at.map(|at| restarted(at, notes.policy.start_hold));
    let unstored = notes.unstored_since.map(|since| {
        let text = format!(
            "Changes cannot be stored since {}. What you see is right, but a restart of the server would lose \
             them.",
            words::clock_minute(since.millis())
        );
        banner("unstored", "danger", icons::EXPIRED, text.into_any())
    });
    let deaf = notes.deaf_since.map(|since| {
        let text = format!(
            "This server cannot read what other servers heard since {}. A delegate that calls there may look silent here; \
             none is called lost until they are heard again.",
            words::clock_minute(since.millis())
        );
        banner("deaf", "warn", icons::NEAR, text.into_any())
    });
    let catalog = if !notes.catalog_present {
        let text = view! {
            "No version catalog is imported, so the latest version is unknown and dates follow the general rule. "
            "Import one with "
            <code>"rollcall catalog import FILE"</code>"."
        };
        Some(banner("catalog", "warn", icons::NEAR, text.into_any()))
    } else if notes.catalog_stale {
        let text = view! {
            "Version data may be old: the catalog dates from more than 60 days ago. Import a newer one with "
            <code>"rollcall catalog import FILE"</code>"."
        };
        Some(banner("catalog", "warn", icons::NEAR, text.into_any()))
    } else {
        None
    };
    let sources = notes.sources.iter().map(|source| {
        banner("source", "warn", icons::NEAR, view! { {mirrored::trouble_text(source)} }.into_any())
    });
    let refused = notes.refused.iter().map(|refused| deletions::refused(refused, as_of, viewer));
    let undo = notes.undo.iter().map(|undo| deletions::undo(undo, as_of));
    let shown: Vec<_> = undo
        .chain([unstored, deaf, restarted].into_iter().flatten())
        .chain(sources)
        .chain(refused)
        .chain(catalog)
        .collect();
    (!shown.is_empty())
        .then(|| view! { <ul class="banners" aria-label="Notes" data-key="banners">{shown}</ul> }.into_any())
}

fn restarted(at: Timestamp, hold: i64) -> AnyView {
    let text = format!(
        "The server restarted at {}. Until {} a delegate shown as not connected may only not have called in again yet, and no loss is \
         recorded.",
        words::clock_minute(at.millis()),
        words::clock_minute(at.plus(hold).millis()),
    );
    banner("restarted", "info", icons::HALF, text.into_any())
}

fn banner(key: &'static str, tone: &'static str, drawing: &'static str, text: AnyView) -> AnyView {
    view! { <li class=format!("banner {tone}") data-key=key>{icons::icon(drawing)}<p>{text}</p></li> }
        .into_any()
}
