//! The Delegates page of a scope (`product 11.1`).

use std::sync::Arc;

use fleet::access::Permission;
use fleet::query::{Query, Selection};
use fleet::scope::Level;
use leptos::prelude::*;

use crate::components::banners::banners;
use crate::components::cards::cards;
use crate::components::charts;
use crate::components::empty::{no_delegates, no_match};
use crate::components::export_menu::export_menu;
use crate::components::figures::figures;
use crate::components::form::stray;
use crate::components::frame::{Feed, Place, frame};
use crate::components::list::{Listing, list};
use crate::components::loss::mass_loss;
use crate::components::nav::Area;
use crate::components::page_title::page_title;
use crate::components::pager::pager;
use crate::components::rights::Right;
use crate::components::toolbar::fleet_toolbar;
use crate::components::{hidden, links};
use crate::context::PageRequest;
use crate::help::related;
use crate::pages::{Asked, answer, query_in_url, scope_in_path};
use crate::port::{Overview, ScopeNode};
use crate::words;

/// Reads scope and query from the address, asks the port, draws the answer.
#[component]
pub fn DelegatesPage() -> impl IntoView {
    let asked = Asked::from_context();
    let (scope, query) = (scope_in_path(), query_in_url());
    let port = asked.port().cloned();
    answer(asked, async move {
        let (scope, query) = (scope?, query?);
        let overview = port?.overview(&scope, &query).await?;
        Ok(move |scopes| view! { <DelegatesView overview query scopes/> }.into_any())
    })
}

/// The page itself.
#[component]
pub fn DelegatesView(
    /// The figures.
    overview: Overview,
    /// What was asked for.
    query: Query,
    /// For the scope switcher.
    scopes: Arc<Vec<ScopeNode>>,
) -> impl IntoView {
    let Overview { snapshot, charts, selection, below, notes } = overview;
    let scope = &snapshot.scope;
    let path = links::delegates_path(scope);
    let request = use_context::<PageRequest>().unwrap_or_default();
    let viewer = request.viewer.as_ref();
    let listing = Listing::new(&snapshot, &query, &notes.policy, &path, viewer);
    let content = if snapshot.groups.is_empty() {
        no_delegates(scope, &query, below.groups, viewer)
    } else {
        let list = if selection.rows.is_empty() {
            no_match(&listing)
        } else {
            let pager = pager(&listing, &selection, selection.groups, "groups");
            view! { <div class="panel" data-key="list">{list(&listing, &selection)}{pager}</div> }.into_any()
        };
        view! {
            {cards(&listing, &below)}{charts::charts(&charts, &listing)}
            {fleet_toolbar(&listing, &selection, &notes.saved)}{list}
        }
        .into_any()
    };
    let outcome = use_context::<PageRequest>().unwrap_or_default().outcome;
    let body = view! {
        {head(&listing, &selection, below.groups, notes.hidden)}{stray(&outcome, &[])}
        {mass_loss(charts.loss.as_ref(), &listing)}{banners(&notes, snapshot.as_of, viewer)}{content}
        {related(&["auto-upgrade", "tokens", "securing", "troubleshooting"])}
    }
    .into_any();
    let feed = Feed { scope, below: snapshot.below, usable: query.usable, as_of: snapshot.as_of };
    // A page that says why something was not done stays as it is until it was read.
    let feed = outcome.errors.is_empty().then_some(feed);
    view! {
        {page_title(&format!("Delegates · {}", scope.name()))}
        {frame(Some(Place::new(scope, Area::Delegates)), &scopes, feed, body)}
    }
}

/// Title, size of the scope, what no card counts, latest version, the switches for other scopes, the export.
fn head(listing: &Listing<'_>, selection: &Selection, below: u64, hidden: u64) -> AnyView {
    let snapshot = listing.snapshot;
    if snapshot.groups.is_empty() {
        let leave = snapshot.below.then(|| scopes_below(listing, below));
        let usable = usable_from_here(listing);
        return view! {
            <div class="head" data-key="head">
                <h1>"Delegates"</h1>
                <span class="grow"></span>
                {hidden::switch(listing, hidden)}
                {usable}
                {leave}
            </div>
        }
        .into_any();
    }
    let counts = &snapshot.counts;
    let size = format!(
        "{} · {}",
        words::count(counts.groups, "group", "groups"),
        words::count(counts.instances, "instance", "instances")
    );
    let latest = snapshot.latest.classic.as_ref().map(ToString::to_string).map(|version| {
        view! { <p class="latest" data-key="latest">"Latest version "<span class="ver">{version}</span></p> }
    });
    view! {
        <div class="head" data-key="head">
            <h1>"Delegates"</h1>
            <p class="sub num" id="size">{size}</p>
            {figures(listing)}
            <span class="grow"></span>
            {hidden::switch(listing, hidden)}
            {usable_from_here(listing)}
            {scopes_below(listing, below)}
            {export_menu(listing, selection)}
            {latest}
            {new_delegate(listing)}
        </div>
    }
    .into_any()
}

/// The way to a new delegate, absent for those who may not install one (`product 2.4`).
fn new_delegate(listing: &Listing<'_>) -> Option<AnyView> {
    let scope = &listing.snapshot.scope;
    let may = Right::of(listing.viewer, Permission::DelegateEdit, scope, None);
    let href = links::new_path(scope);
    may.held()
        .then(|| view! { <a class="btn primary" href=href data-key="new">"New delegate"</a> }.into_any())
}

/// A switch that is a link; absent where it would change nothing.
fn scopes_below(listing: &Listing<'_>, below: u64) -> Option<AnyView> {
    let on = listing.snapshot.below;
    if !on && below == 0 || listing.snapshot.scope.level() == Level::Project {
        return None;
    }
    let query = listing.query.with_below(!on);
    let count = (!on).then(|| view! { " "<span class="pill num">{words::number(below)}</span> });
    let class = if on { "btn switch on" } else { "btn switch" };
    let label = if on { "Scopes below included. Leave them out" } else { "Include scopes below" };
    let text = if on { "Scopes below included" } else { "Include scopes below" };
    let more = (!on).then(|| words::count(below, "group", "groups"));
    let label = more.map_or_else(|| label.to_owned(), |more| format!("{label}: {more}"));
    Some(
        view! {
            <a class=class href=links::href(listing.path, &query) aria-label=label data-key="below" data-nav>
                <span class="knob" aria-hidden="true"></span>{text}{count}
            </a>
        }
        .into_any(),
    )
}

/// The switch for delegates of scopes above, which serve this one too; an account has none above.
fn usable_from_here(listing: &Listing<'_>) -> Option<AnyView> {
    if listing.snapshot.scope.level() == Level::Account {
        return None;
    }
    let on = listing.query.usable;
    let href = links::href(listing.path, &listing.query.with_usable(!on));
    let class = if on { "btn switch on" } else { "btn switch" };
    let text = if on { "Usable from here shown" } else { "Show usable from here" };
    let label = if on {
        "Usable from here shown, with scopes above. Leave those out"
    } else {
        "Show usable from here: delegates of scopes above too"
    };
    Some(
        view! {
            <a class=class href=href aria-label=label data-key="usable" data-nav>
                <span class="knob" aria-hidden="true"></span>{text}
            </a>
        }
        .into_any(),
    )
}
