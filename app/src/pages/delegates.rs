//! The Delegates page of a scope (`product 11.1`).

use std::sync::Arc;

use fleet::query::Query;
use fleet::scope::Level;
use leptos::prelude::*;

use crate::components::banners::banners;
use crate::components::cards::cards;
use crate::components::empty::{no_delegates, no_match};
use crate::components::figures::figures;
use crate::components::frame::{Feed, frame};
use crate::components::links;
use crate::components::list::{Listing, list};
use crate::components::page_title::page_title;
use crate::components::pager::pager;
use crate::components::toolbar::toolbar;
use crate::pages::trouble::{Trouble, trouble};
use crate::pages::{Asked, query_in_url, scope_in_path};
use crate::port::{Overview, ScopeNode};
use crate::words;

/// Reads scope and query from the address, asks the port, draws the answer.
#[component]
pub fn DelegatesPage() -> impl IntoView {
    let asked = Asked::from_context();
    let (scope, query) = (scope_in_path(), query_in_url());
    let page = Suspend::new(async move {
        let scopes = asked.scopes().await;
        let found = async {
            let (scope, query) = (scope?, query?);
            let overview = asked.port()?.overview(&scope, &query).await?;
            Ok::<_, Trouble>((overview, query))
        };
        match found.await {
            Ok((overview, query)) => view! { <DelegatesView overview query scopes/> }.into_any(),
            Err(error) => {
                provide_context(asked.request);
                trouble(error, scopes, &asked.status)
            }
        }
    });
    view! { <Suspense>{page}</Suspense> }
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
    let Overview { snapshot, selection, below, notes } = overview;
    let scope = &snapshot.scope;
    let path = links::delegates_path(scope);
    let listing =
        Listing { snapshot: &snapshot, query: &query, policy: &notes.policy, path: &path, single: false };
    let content = if snapshot.groups.is_empty() {
        no_delegates(scope, &query, below)
    } else {
        let list = if selection.rows.is_empty() {
            no_match(&listing)
        } else {
            let pager = pager(&listing, &selection, selection.groups, "groups");
            view! { <div class="panel" data-key="list">{list(&listing, &selection)}{pager}</div> }.into_any()
        };
        view! { {cards(&listing)}{toolbar(&listing, &selection)}{list} }.into_any()
    };
    let body = view! { {head(&listing, below)}{banners(&notes)}{content} }.into_any();
    let feed = Feed { scope, below: snapshot.below, as_of: snapshot.as_of };
    view! {
        {page_title(&format!("Delegates · {}", scope.name()))}
        {frame(Some(scope), &scopes, Some(feed), body)}
    }
}

/// Title, size of the scope, what no card counts, latest version, and the switch for the scopes below.
fn head(listing: &Listing<'_>, below: u64) -> AnyView {
    let snapshot = listing.snapshot;
    if snapshot.groups.is_empty() {
        let leave = snapshot.below.then(|| scopes_below(listing, below));
        return view! {
            <div class="head" data-key="head">
                <h1>"Delegates"</h1>
                <span class="grow"></span>
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
            {latest}
            {scopes_below(listing, below)}
        </div>
    }
    .into_any()
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
