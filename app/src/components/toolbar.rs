//! Search, active filters, and how much of the fleet the list shows.

use fleet::query::{MAX_SEARCH, Selection};
use leptos::prelude::*;

use crate::components::chips::chips;
use crate::components::filter_words::conditions;
use crate::components::list::Listing;
use crate::components::saved_filters::saved_menu;
use crate::components::{icons, links};
use crate::port::filters::SavedFilter;
use crate::words;

/// The bar above the instances of a group. The form works by itself; the browser sends it while one types.
#[must_use]
pub fn toolbar(listing: &Listing<'_>, selection: &Selection) -> AnyView {
    bar(listing, selection, None, None)
}

/// The bar above the list of groups: with the way to the filter page, and with saved filters.
#[must_use]
pub fn fleet_toolbar(listing: &Listing<'_>, selection: &Selection, saved: &[SavedFilter]) -> AnyView {
    let menu = listing.viewer.map(|_| saved_menu(listing, saved));
    bar(listing, selection, Some(filter_link(listing)), menu)
}

fn bar(
    listing: &Listing<'_>,
    selection: &Selection,
    filter: Option<AnyView>,
    saved: Option<AnyView>,
) -> AnyView {
    // A search keeps everything but itself and the page.
    let kept: Vec<_> = links::parameters(&listing.query.with_search("").to_url())
        .into_iter()
        .map(|(name, value)| view! { <input type="hidden" name=name value=value/> })
        .collect();
    let search = listing.query.filter.search.clone().unwrap_or_default();
    view! {
        <div class="bar" data-key="bar">
            <form role="search" action=listing.path.to_owned() method="get" class="find" data-key="find" data-search>
                {kept}
                <label class="search">
                    {icons::icon(icons::SEARCH)}
                    <span class="vh">"Search delegates"</span>
                    <input
                        type="search"
                        name="search"
                        id="search"
                        value=search
                        maxlength=MAX_SEARCH.to_string()
                        placeholder="Name, tag, host, version…"
                        autocomplete="off"
                        spellcheck="false"
                        data-press="/"
                    />
                </label>
                <button class="btn noscript">"Apply"</button>
            </form>
            {filter}
            {chips(listing)}
            {bulk(listing)}
            <span class="grow"></span>
            {saved}
            <p role="status" class="sub num" id="shown" data-key="shown">{shown(listing, selection)}</p>
        </div>
    }
    .into_any()
}

/// The way to the filter page, with the number of conditions that hold now.
fn filter_link(listing: &Listing<'_>) -> AnyView {
    let active = conditions(&listing.query.filter).len() as u64;
    let query = links::changed(listing.query, |query| query.open.clear());
    let href = links::href(&links::filter_path(&listing.snapshot.scope), &query);
    let count = (active > 0).then(|| {
        view! { " "<span class="pill num">{words::number(active)}</span><span class="vh">" active"</span> }
    });
    view! { <a class="btn" href=href data-dialog data-key="filter">{icons::icon(icons::DISPLAY)}"Filter"{count}</a> }
        .into_any()
}

/// What can be done with the rows that are chosen; their checkboxes belong to this form.
fn bulk(listing: &Listing<'_>) -> Option<AnyView> {
    let action = format!("{}/delete", listing.snapshot.scope.path());
    listing.chooses().then(|| {
        view! {
            <form id="bulk" method="get" action=action class="bulk" data-key="bulk">
                <button class="btn">"Delete selected…"</button>
                <span id="selected" class="sub num js" role="status" data-own></span>
            </form>
        }
        .into_any()
    })
}

/// `23 of 412 instances in 5 groups`, or just `412 instances in 128 groups`.
#[must_use]
pub fn shown(listing: &Listing<'_>, selection: &Selection) -> String {
    let all = listing.snapshot.counts.instances;
    let instances = words::count(all, "instance", "instances");
    if listing.query.filter.is_empty() {
        return if listing.single {
            instances
        } else {
            format!("{instances} in {}", groups(listing.snapshot.counts.groups))
        };
    }
    let some = words::number(selection.instances as u64);
    if listing.single {
        format!("{some} of {instances}")
    } else {
        format!("{some} of {instances} in {}", groups(selection.groups as u64))
    }
}

fn groups(n: u64) -> String {
    words::count(n, "group", "groups")
}
