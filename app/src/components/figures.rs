//! The small figures beside the cards: what no card counts (`product 6.1`, P17).

use fleet::health::Standing;
use fleet::query::Health;
use leptos::prelude::*;

use crate::components::list::Listing;
use crate::components::{icons, links};
use crate::words;

/// Unreachable instances and instances of unknown version, each only if there are any or the list is narrowed
/// to it.
#[must_use]
pub fn figures(listing: &Listing<'_>) -> Option<AnyView> {
    let counts = &listing.snapshot.counts;
    let unreachable = figure(listing, Standing::Unreachable, counts.unreachable, icons::RING, "unreachable");
    let unknown = figure(listing, Standing::Unknown, counts.unknown, icons::UNKNOWN, "version unknown");
    (unreachable.is_some() || unknown.is_some()).then(|| {
        view! { <ul class="figs" aria-label="More figures" data-key="figs">{unreachable}{unknown}</ul> }
            .into_any()
    })
}

fn figure(
    listing: &Listing<'_>,
    standing: Standing,
    figure: u64,
    drawing: &'static str,
    word: &'static str,
) -> Option<AnyView> {
    let health = Health::Standing(standing);
    let active = listing.query.filter.health == Some(health);
    let target = listing.query.with_health((!active).then_some(health));
    (figure > 0 || active).then(|| {
        view! {
            <li>
                <a
                    class="fig"
                    href=links::href(listing.path, &target)
                    aria-current=active.then_some("true")
                    data-nav
                    data-card=health.as_str()
                >
                    {icons::icon(drawing)}<span class="num">{format!("{} {word}", words::number(figure))}</span>
                </a>
            </li>
        }
        .into_any()
    })
}
