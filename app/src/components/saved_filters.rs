//! The menu of saved filters in the toolbar (`product 11.4`).

use fleet::query::Query;
use leptos::prelude::*;

use crate::components::list::Listing;
use crate::components::{icons, links};
use crate::port::filters::SavedFilter;

/// Who sees a filter, in words.
#[must_use]
pub fn audience(filter: &SavedFilter) -> String {
    match (filter.everyone, filter.mine) {
        (false, _) => "Only me".to_owned(),
        (true, true) => "Everyone".to_owned(),
        (true, false) => format!("Everyone, by {}", filter.owner),
    }
}

/// The list under a saved filter, on pages of the size that is on screen now.
#[must_use]
pub fn saved_href(path: &str, filter: &SavedFilter, size: u32) -> String {
    match Query::parse(&filter.query) {
        Ok(query) => links::href(path, &query.with_size(size)),
        // A condition that is not known any more is told by the page itself.
        Err(_) => format!("{path}?{}", filter.query),
    }
}

/// The button and its menu.
#[must_use]
pub fn saved_menu(listing: &Listing<'_>, saved: &[SavedFilter]) -> AnyView {
    let scope = &listing.snapshot.scope;
    let shown = listing.query.lasting().to_url();
    let items: Vec<_> = saved
        .iter()
        .map(|filter| {
            let href = saved_href(listing.path, filter, listing.query.size);
            let current = (filter.query == shown).then_some("true");
            view! {
                <a role="menuitem" href=href aria-current=current data-nav data-key=filter.id.to_string()>
                    <span class="what">{filter.name.to_string()}<span class="sub">{audience(filter)}</span></span>
                </a>
            }
        })
        .collect();
    let save = if listing.query.is_plain() {
        view! {
            <span role="menuitem" class="last off" aria-disabled="true" tabindex="0">
                "Save this filter…"<span class="sub">"Nothing is filtered yet."</span>
            </span>
        }
        .into_any()
    } else {
        let href = links::href(&format!("{}/new", links::saved_path(scope)), &listing.query.lasting());
        view! { <a role="menuitem" class="last" href=href data-dialog>"Save this filter…"</a> }.into_any()
    };
    let manage = (!saved.is_empty())
        .then(|| view! { <a role="menuitem" href=links::saved_path(scope)>"Manage saved filters"</a> });
    view! {
        <div class="saved" data-key="saved">
            <button type="button" class="btn" popovertarget="saved" aria-haspopup="menu">
                "Saved filters"<span class="turn">{icons::icon(icons::ARROW)}</span>
            </button>
            <div popover id="saved" class="menu keep" role="menu" aria-label="Saved filters">
                {items}{save}{manage}
            </div>
        </div>
    }
    .into_any()
}
