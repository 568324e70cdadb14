//! The page of one group (`product 11.5`).

use std::sync::Arc;

use fleet::chart::Charts;
use fleet::history::Window;
use fleet::query::Query;
use fleet::summary::Counts;
use leptos::prelude::*;

use crate::components::banners::banners;
use crate::components::cards::cards;
use crate::components::charts::charts;
use crate::components::empty::no_match;
use crate::components::facts::facts;
use crate::components::frame::{Feed, Place, frame};
use crate::components::group_head::{Tab, group_head};
use crate::components::heartbeats::heartbeats;
use crate::components::list::{Listing, list};
use crate::components::nav::Area;
use crate::components::page_title::page_title;
use crate::components::pager::pager;
use crate::components::toolbar::toolbar;
use crate::components::{form, links};
use crate::context::PageRequest;
use crate::pages::trouble::Trouble;
use crate::pages::{Asked, answer, named_in_path, query_in_url, scope_in_path, window_in_url};
use crate::port::history::History;
use crate::port::{self, ScopeNode};

/// Reads scope, group and query from the address, asks the port, draws the answer.
#[component]
pub fn GroupPage() -> impl IntoView {
    let asked = Asked::from_context();
    let (scope, query, window) = (scope_in_path(), query_in_url(), window_in_url());
    let identifier = named_in_path("group");
    let port = asked.port().cloned();
    answer(asked, async move {
        let (scope, query, window, port) = (scope?, query?, window?, port?);
        let page = port.group(&scope, &identifier, &query).await?;
        // The past day is in memory, so that those who watch it cost the database nothing.
        let history = match window {
            Window::Day => None,
            longer => Some(port.history(&scope, &identifier, longer).await?),
        };
        Ok(move |scopes| view! { <GroupView page query history scopes/> }.into_any())
    })
}

/// The page itself.
#[component]
pub fn GroupView(
    /// The figures of this group alone.
    page: port::GroupPage,
    /// What was asked for.
    query: Query,
    /// The past of its instances, where more than a day was asked for.
    history: Option<History>,
    /// For the scope switcher.
    scopes: Arc<Vec<ScopeNode>>,
) -> impl IntoView {
    let port::GroupPage { snapshot, selection, notes, target } = page;
    let Some(group) = snapshot.groups.first() else {
        let trouble = Trouble::NoSuchGroup { scope: snapshot.scope.clone(), identifier: String::new() };
        return view! { <crate::pages::trouble::TroubleView trouble scope=Some(snapshot.scope.clone()) scopes/> }.into_any();
    };
    let scope = &group.facts.scope;
    let path = links::group_path(&group.facts);
    let request = use_context::<PageRequest>().unwrap_or_default();
    let viewer = request.viewer.as_ref();
    let listing = Listing::new(&snapshot, &query, &notes.policy, &path, viewer).of_one();
    let list = if selection.rows.is_empty() {
        no_match(&listing)
    } else {
        let pager = pager(&listing, &selection, selection.instances, "instances");
        view! { <div class="panel" data-key="list">{list(&listing, &selection)}{pager}</div> }.into_any()
    };
    let places = selection.rows.first().map(|row| row.members.as_slice()).unwrap_or_default();
    let refused = form::stray(&request.outcome, &[]);
    let body = view! {
        {group_head(group, &listing, Tab::Overview)}
        {refused}
        {banners(&notes, snapshot.as_of, viewer)}
        {cards(&listing, &Counts::default())}
        {charts(&Charts::of(&snapshot), &listing)}
        {toolbar(&listing, &selection)}
        {list}
        {heartbeats(group, places, history.as_ref(), snapshot.as_of)}
        {facts(group, &listing, &target, notes.image_repository.as_deref())}
    };
    let feed = Feed { scope, below: false, usable: false, as_of: snapshot.as_of };
    view! {
        {page_title(&format!("{} · Delegates", group.facts.name))}
        {frame(Some(Place::new(scope, Area::Delegates)), &scopes, Some(feed), body.into_any())}
    }
    .into_any()
}
