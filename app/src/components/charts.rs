//! The three charts over the list: drawn by the server, each mark a link to the instances it counts (`ux 5.6`).
//!
//! Each has its sentence for those who do not see it, and a table with the same numbers and links, which is the way for
//! keyboards and for fingers wider than a bar.

mod expiry;
mod heartbeats;
mod versions;

use fleet::chart::Charts;
use fleet::health::Standing;
use fleet::query::Filter;
use leptos::prelude::*;

use crate::components::list::Listing;
use crate::components::{icons, links};
use crate::context::PageRequest;

/// The row of charts, folded away if the viewer wants that; nothing where there is nothing to count.
#[must_use]
pub fn charts(charts: &Charts, listing: &Listing<'_>) -> Option<AnyView> {
    if listing.snapshot.groups.is_empty() {
        return None;
    }
    let request = use_context::<PageRequest>().unwrap_or_default();
    let hidden = request.preferences.charts_hidden;
    let row = (!hidden).then(|| {
        view! {
            <div class="chart-row" id="chart-row">
                {versions::chart(&charts.versions, listing)}
                {expiry::chart(&charts.expiry, listing)}
                {heartbeats::chart(&charts.heartbeats, listing)}
            </div>
        }
    });
    let class = if hidden { "xp" } else { "xp open" };
    let lead =
        hidden.then(|| view! { <span class="sub num">{heartbeats::sentence(&charts.heartbeats)}</span> });
    Some(
        view! {
            <section class="charts" aria-labelledby="charts" data-key="charts">
                <h2 id="charts" class="vh">"Charts"</h2>
                <form method="post" action="/ui/preferences" class="chart-fold">
                    <input type="hidden" name="back" value=request.uri.clone()/>
                    <button
                        name="charts"
                        value=if hidden { "shown" } else { "hidden" }
                        aria-expanded=if hidden { "false" } else { "true" }
                        aria-controls=(!hidden).then_some("chart-row")
                    >
                        <span class=class>{icons::icon(icons::ARROW)}</span>"Charts"
                    </button>
                    {lead}
                </form>
                {row}
            </section>
        }
        .into_any(),
    )
}

/// What one box is made of.
struct Content {
    /// Part of ids.
    key: &'static str,
    title: &'static str,
    /// The figure beside the title.
    lead: String,
    /// All of it in sentences.
    sentence: String,
    drawing: AnyView,
    columns: &'static [&'static str],
    rows: Vec<AnyView>,
}

fn frame(content: Content) -> AnyView {
    let Content { key, title, lead, sentence, drawing, columns, rows } = content;
    let (told, table) = (format!("chart-{key}"), format!("table-{key}"));
    let name = format!("{title} as a table");
    let columns: Vec<_> = columns.iter().map(|word| view! { <th scope="col">{*word}</th> }).collect();
    view! {
        <figure class="panel chart" data-key=key>
            <div class="chart-head">
                <h3>{title}</h3>
                <span class="sub num">{lead}</span>
                <span class="grow"></span>
                <button type="button" class="btn icon" popovertarget=table.clone() aria-label=name.clone() title=name>
                    {icons::icon(icons::TABLE)}
                </button>
            </div>
            <svg class="plot" width="100%" height="112" role="group" aria-labelledby=told.clone()>{drawing}</svg>
            <div popover id=table class="pop chart-table" role="group" tabindex="0" aria-label=title>
                <p class="ph">{title}</p>
                <p>{sentence.clone()}</p>
                <table>
                    <caption class="vh">{title}</caption>
                    <thead><tr>{columns}</tr></thead>
                    <tbody>{rows}</tbody>
                </table>
            </div>
            <figcaption id=told class="vh">{sentence}</figcaption>
        </figure>
    }
    .into_any()
}

/// Where a mark leads: to exactly what it counts, or away from there if that is what is listed.
fn target(listing: &Listing<'_>, filter: &Filter) -> (String, bool) {
    let active = listing.query.filter == *filter;
    let query = links::changed(listing.query, |query| {
        query.filter = if active { Filter::default() } else { filter.clone() };
        query.open.clear();
    });
    (links::href(listing.path, &query), active)
}

/// Whether the Tab key stops at a mark; those of many marks side by side are reached through the table instead.
#[derive(Clone, Copy, PartialEq)]
enum Stop {
    Yes,
    No,
}

/// What is drawn for a number, as a link where there is anything to list.
fn mark(
    listing: &Listing<'_>,
    filter: Option<&Filter>,
    count: u64,
    name: String,
    stop: Stop,
    drawing: AnyView,
) -> AnyView {
    let Some(filter) = filter.filter(|_| count > 0) else {
        return view! { <g>{drawing}</g> }.into_any();
    };
    let (href, active) = target(listing, filter);
    let current = active.then_some("true");
    let index = (stop == Stop::No).then_some("-1");
    view! {
        <a class="mark" href=href tabindex=index aria-current=current data-nav>
            <title>{name}</title>
            <g aria-hidden="true">{drawing}</g>
        </a>
    }
    .into_any()
}

/// The cell of a table with the same number and link; `of` says to those who do not see the row what it counts.
fn count_cell(listing: &Listing<'_>, filter: Option<&Filter>, count: u64, of: &str) -> AnyView {
    let number = crate::words::number(count);
    match filter.filter(|_| count > 0) {
        Some(filter) => {
            let (href, active) = target(listing, filter);
            let current = active.then_some("true");
            let of = format!(" {of}");
            view! { <td class="n"><a href=href aria-current=current>{number}<span class="vh">{of}</span></a></td> }
                .into_any()
        }
        None => view! { <td class="n">{number}</td> }.into_any(),
    }
}

/// A rectangle; widths are percent of the drawing, heights pixels.
fn rectangle(class: &'static str, x: f64, y: f64, width: f64, height: f64) -> AnyView {
    view! {
        <rect
            class=class
            x=format!("{x:.2}%")
            y=format!("{y:.1}")
            width=format!("{width:.2}%")
            height=format!("{height:.1}")
        ></rect>
    }
    .into_any()
}

/// The fill of a standing: colour, and a pattern over it so that grey tells them apart too.
const fn fills(standing: Standing) -> (&'static str, Option<&'static str>) {
    match standing {
        Standing::Expired => ("f-danger", Some("o-danger")),
        Standing::NearExpiry => ("f-warn", Some("o-warn")),
        Standing::Unsupported => ("f-serious", Some("o-serious")),
        Standing::Active => ("f-ok", None),
        Standing::Unknown | Standing::Unreachable => ("f-neutral", None),
    }
}

/// The patterns of [`fills`]; the style sheet refers to them.
const PATTERNS: &str = concat!(
    r#"<pattern id="p-danger" width="6" height="6" patternUnits="userSpaceOnUse"><path class="p" d="M-1 1 1-1M0 6 6 0M5 7 7 5"/></pattern>"#,
    r#"<pattern id="p-warn" width="5" height="5" patternUnits="userSpaceOnUse"><path class="p" d="M2.5 0v5"/></pattern>"#,
    r#"<pattern id="p-serious" width="5" height="5" patternUnits="userSpaceOnUse"><circle class="d" cx="2.5" cy="2.5" r="1"/></pattern>"#,
);

#[expect(
    clippy::cast_precision_loss,
    reason = "drawn, so that the last digits of a large number do not show"
)]
fn part(count: u64, of: u64) -> f64 {
    if of == 0 { 0.0 } else { count as f64 / of as f64 }
}
