//! The active filters, each removable (`ux 1.3`).

use fleet::query::Query;
use leptos::prelude::*;

use crate::components::filter_words::{Condition, conditions};
use crate::components::list::Listing;
use crate::components::{icons, links};

/// The chips, and a way to drop them all when there are several.
#[must_use]
pub fn chips(listing: &Listing<'_>) -> Option<AnyView> {
    let conditions = conditions(&listing.query.filter);
    if conditions.is_empty() {
        return None;
    }
    let clear = (conditions.len() > 1).then(|| {
        let href = links::href(listing.path, &links::unfiltered(listing.query));
        view! { <li data-key="clear"><a class="quietlink" href=href data-nav>"Clear filters"</a></li> }
    });
    let shown: Vec<_> = conditions.into_iter().map(|condition| chip(condition, listing)).collect();
    let list = view! { <ul class="chips" aria-label="Active filters" data-key="chips">{shown}{clear}</ul> };
    Some(list.into_any())
}

fn chip(condition: Condition, listing: &Listing<'_>) -> AnyView {
    let Condition { text, parameter, value, without } = condition;
    let query = Query { filter: without, ..links::changed(listing.query, |_| ()) };
    view! {
        <li class="chip" data-key=format!("{parameter}={value}")>
            {text.clone()}
            <a
                href=links::href(listing.path, &query)
                aria-label=format!("Remove filter {text}")
                data-nav
            >
                {icons::icon(icons::CROSS)}
            </a>
        </li>
    }
    .into_any()
}
