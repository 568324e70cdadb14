//! Pages of a list (`product 11.1`, P28).

use fleet::query::{PAGE_SIZES, Selection};
use leptos::prelude::*;

use crate::components::links;
use crate::components::list::Listing;
use crate::words;

/// Which part of the whole is shown, how much fits on a page, and the ways to the neighbours.
///
/// `all` is the number of things that are paged: groups, or instances on the page of one group.
#[must_use]
pub fn pager(listing: &Listing<'_>, selection: &Selection, all: usize, thing: &'static str) -> AnyView {
    let (page, size) = (u64::from(selection.page), u64::from(listing.query.size));
    let first = page.saturating_sub(1).saturating_mul(size).saturating_add(1).min(all as u64);
    let last = (page.saturating_mul(size)).min(all as u64);
    let range = format!("{}–{} of {}", words::number(first), words::number(last), words::number(all as u64));
    let smallest = PAGE_SIZES.first().is_some_and(|&size| all > size as usize);
    let sizes = smallest.then(|| sizes(listing));
    let previous = (selection.page > 1).then(|| selection.page - 1);
    let next = (selection.page < selection.pages).then(|| selection.page + 1);
    let turns = (selection.pages > 1).then(|| {
        view! {
            <div class="turns">{turn(listing, previous, "Previous")}{turn(listing, next, "Next")}</div>
        }
    });
    view! {
        <nav class="foot" aria-label=format!("Pages of {thing}")>
            <span class="num">{range}<span class="vh">{format!(" {thing}")}</span></span>
            <span class="grow"></span>
            {sizes}
            {turns}
        </nav>
    }
    .into_any()
}

fn sizes(listing: &Listing<'_>) -> AnyView {
    let sizes: Vec<_> = PAGE_SIZES
        .into_iter()
        .map(|size| {
            let href = links::href(listing.path, &listing.query.with_size(size));
            let current = (size == listing.query.size).then_some("true");
            view! {
                <li>
                    <a href=href aria-current=current data-nav>
                        <span class="vh">"Rows per page: "</span>{size.to_string()}
                    </a>
                </li>
            }
        })
        .collect();
    view! { <span class="sub" aria-hidden="true">"Rows"</span><ul class="sizes">{sizes}</ul> }.into_any()
}

fn turn(listing: &Listing<'_>, page: Option<u32>, word: &'static str) -> AnyView {
    match page {
        Some(page) => {
            let query = listing.query.with_page(page);
            view! { <a class="btn" href=links::href(listing.path, &query) data-nav="top">{word}</a> }
                .into_any()
        }
        None => view! { <span class="btn" aria-disabled="true">{word}</span> }.into_any(),
    }
}
