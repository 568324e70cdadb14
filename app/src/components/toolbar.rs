//! Search, active filters, and how much of the fleet the list shows.

use fleet::query::{MAX_SEARCH, Selection};
use leptos::prelude::*;

use crate::components::chips::chips;
use crate::components::icons;
use crate::components::list::Listing;
use crate::words;

/// The bar above the list. The form works by itself; the browser sends it while one types.
#[must_use]
pub fn toolbar(listing: &Listing<'_>, selection: &Selection) -> AnyView {
    let kept: Vec<_> = kept(listing)
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
                        placeholder="Name, tag or host"
                        autocomplete="off"
                        spellcheck="false"
                    />
                </label>
                <button class="btn noscript">"Apply"</button>
            </form>
            {chips(listing)}
            {bulk(listing)}
            <span class="grow"></span>
            <p role="status" class="sub num" id="shown" data-key="shown">{shown(listing, selection)}</p>
        </div>
    }
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
fn shown(listing: &Listing<'_>, selection: &Selection) -> String {
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

/// The parameters that a search keeps: all but the search itself and the page.
fn kept(listing: &Listing<'_>) -> Vec<(String, String)> {
    let query = listing.query.with_search("");
    query
        .to_url()
        .split('&')
        .filter_map(|pair| pair.split_once('='))
        .map(|(name, value)| (decode(name), decode(value)))
        .collect()
}

/// Reads the form of a query string back: `+` is a space, `%41` an A.
fn decode(text: &str) -> String {
    let mut bytes = text.bytes();
    let mut decoded = Vec::with_capacity(text.len());
    while let Some(byte) = bytes.next() {
        decoded.push(match byte {
            b'+' => b' ',
            b'%' => {
                let digits = [bytes.next().unwrap_or(b'0'), bytes.next().unwrap_or(b'0')];
                std::str::from_utf8(&digits)
                    .ok()
                    .and_then(|hex| u8::from_str_radix(hex, 16).ok())
                    .unwrap_or(b'?')
            }
            other => other,
        });
    }
    String::from_utf8_lossy(&decoded).into_owned()
}
