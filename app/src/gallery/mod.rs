//! Every component in every state (`ux 5.5`), each entry a page of its own under `/dev/gallery`. In debug builds only.
//!
//! The delegates of the entries are judged by the rules, as on every page; who looks is whoever is signed in.

mod controls;
mod fleet;
mod lists;
mod messages;

use std::sync::Arc;

use leptos::prelude::*;

use crate::components::frame::frame;
use crate::components::page_title::page_title;
use crate::context::PageRequest;
use crate::pages::trouble::NoSuchPage;

/// Where the gallery is.
const PATH: &str = "/dev/gallery";

/// One entry: its name, which is the last part of its address, and what it shows.
type Entry = (&'static str, fn(&PageRequest) -> AnyView);

/// Every entry.
const ENTRIES: &[Entry] = &[
    ("buttons", controls::buttons),
    ("links", controls::links),
    ("fields", controls::fields),
    ("wrong-fields", controls::wrong_fields),
    ("choices", controls::choices),
    ("command", controls::command),
    ("secret", controls::secret),
    ("statuses", controls::statuses),
    ("times", controls::times),
    ("live", controls::live),
    ("banners", messages::banners),
    ("notices", messages::notices),
    ("alerts", messages::alerts),
    ("accepted", messages::accepted),
    ("confirmation", messages::confirmation),
    ("confirmation-wrong", messages::confirmation_wrong),
    ("confirmation-refused", messages::confirmation_refused),
    ("empty", messages::empty),
    ("no-match", messages::no_match),
    ("first-steps", messages::first_steps),
    ("trouble", messages::troubles),
    ("cards", lists::cards),
    ("cards-current", lists::cards_current),
    ("cards-zero", lists::cards_zero),
    ("toolbar", lists::toolbar),
    ("table", lists::table),
    ("table-open", lists::table_open),
    ("table-denied", lists::table_denied),
    ("group", lists::group),
    ("facts", lists::facts),
    ("data", lists::data),
];

/// What answers a path that is no page: an entry of the gallery, or the not-found page.
#[component]
pub fn Elsewhere() -> impl IntoView {
    let request = use_context::<PageRequest>().unwrap_or_default();
    let path = request.uri.split('?').next().unwrap_or_default();
    let Some(rest) = path.strip_prefix(PATH) else { return NoSuchPage().into_any() };
    let name = rest.trim_start_matches('/');
    match ENTRIES.iter().find(|(entry, _)| *entry == name) {
        Some((name, draw)) => page(name, draw(&request)),
        None if name.is_empty() => page("Gallery", index()),
        None => NoSuchPage().into_any(),
    }
}

fn index() -> AnyView {
    let entries: Vec<_> = ENTRIES
        .iter()
        .map(|(name, _)| view! { <li><a href=format!("{PATH}/{name}")>{*name}</a></li> })
        .collect();
    view! { <nav class="panel sheet" aria-label="Entries"><ul>{entries}</ul></nav> }.into_any()
}

fn page(title: &'static str, body: AnyView) -> AnyView {
    let body = view! { <div class="head"><h1>{title}</h1></div>{body} };
    let scopes: Arc<_> = fleet::scopes();
    view! { {page_title(title)}{frame(None, &scopes, None, body.into_any())} }.into_any()
}
