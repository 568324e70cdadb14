//! The menu that exports a list: plain links with the query of the page, so that scripts can use them as well
//! (`product 15.1`, `ux 1.3`).

use fleet::query::{Filter, Query, Selection};
use leptos::prelude::*;

use crate::components::icons;
use crate::components::list::Listing;
use crate::words;

/// What is offered of one part of the fleet.
struct Part {
    name: String,
    /// The query string without the format.
    query: String,
}

/// The button and its menu.
#[must_use]
pub fn export_menu(listing: &Listing<'_>, selection: &Selection) -> AnyView {
    let base = format!("/api/v1{}/delegates", listing.snapshot.scope.api_path());
    let parts: Vec<_> = parts(listing, selection).into_iter().map(|part| group(&part, &base)).collect();
    view! {
        <button type="button" class="btn" popovertarget="export" aria-haspopup="menu" data-key="export">
            "Export"<span class="turn">{icons::icon(icons::ARROW)}</span>
        </button>
        <div popover id="export" class="menu to-end" role="menu" aria-label="Export" data-key="exports">
            {parts}
        </div>
    }
    .into_any()
}

/// The page on screen where there are more, what the filters let through, and everything there is.
fn parts(listing: &Listing<'_>, selection: &Selection) -> Vec<Part> {
    let query = listing.query.closed();
    let instances = |rows: &str, n: u64| format!("{rows} ({})", words::count(n, "instance", "instances"));
    let mut parts = Vec::new();
    if selection.pages > 1 {
        let shown = selection.rows.iter().map(|row| row.members.len() as u64).sum();
        let page = query.with_page(selection.page).to_url();
        let view = if page.is_empty() { "view=page".to_owned() } else { format!("{page}&view=page") };
        parts.push(Part { name: instances("This page", shown), query: view });
    }
    let whole = Query { page: 1, size: Query::default().size, ..query.clone() };
    if !query.filter.is_empty() || query.hidden {
        let name = instances("This view", selection.instances as u64);
        parts.push(Part { name, query: whole.to_url() });
    }
    let everything = Query { filter: Filter::default(), hidden: false, ..whole };
    let name = instances("All in scope", listing.snapshot.counts.instances);
    parts.push(Part { name, query: everything.to_url() });
    parts
}

fn group(part: &Part, base: &str) -> AnyView {
    let links: Vec<_> = [("csv", "CSV"), ("json", "JSON"), ("ndjson", "JSON, one line each")]
        .into_iter()
        .map(|(format, word)| {
            let joint = if part.query.is_empty() { "" } else { "&" };
            let href = format!("{base}?{}{joint}format={format}&download=true", part.query);
            let label = format!("{word}: {}", part.name);
            view! { <a role="menuitem" href=href aria-label=label download>{word}</a> }
        })
        .collect();
    view! {
        <div role="group" aria-label=part.name.clone() class="choices">
            <p class="sub num" aria-hidden="true">{part.name.clone()}</p>
            {links}
        </div>
    }
    .into_any()
}
