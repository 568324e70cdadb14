//! The page of one group (`product 11.5`).

use std::sync::Arc;

use fleet::query::Query;
use fleet::view::GroupView as Group;
use leptos::prelude::*;

use crate::components::banners::banners;
use crate::components::cards::cards;
use crate::components::cells::connectivity::group_mark;
use crate::components::cells::name;
use crate::components::empty::no_match;
use crate::components::facts::facts;
use crate::components::figures::figures;
use crate::components::frame::{Feed, Place, frame};
use crate::components::list::{Listing, list};
use crate::components::nav::Area;
use crate::components::page_title::page_title;
use crate::components::pager::pager;
use crate::components::rights::Right;
use crate::components::toolbar::toolbar;
use crate::components::{form, links, status};
use crate::context::PageRequest;
use crate::pages::trouble::Trouble;
use crate::pages::{Asked, answer, named_in_path, query_in_url, scope_in_path};
use crate::port::{self, ScopeNode};

/// Reads scope, group and query from the address, asks the port, draws the answer.
#[component]
pub fn GroupPage() -> impl IntoView {
    let asked = Asked::from_context();
    let (scope, query) = (scope_in_path(), query_in_url());
    let identifier = named_in_path("group");
    let port = asked.port().cloned();
    answer(asked, async move {
        let (scope, query) = (scope?, query?);
        let page = port?.group(&scope, &identifier, &query).await?;
        Ok(move |scopes| view! { <GroupView page query scopes/> }.into_any())
    })
}

/// The page itself.
#[component]
pub fn GroupView(
    /// The figures of this group alone.
    page: port::GroupPage,
    /// What was asked for.
    query: Query,
    /// For the scope switcher.
    scopes: Arc<Vec<ScopeNode>>,
) -> impl IntoView {
    let port::GroupPage { snapshot, selection, notes } = page;
    let Some(group) = snapshot.groups.first() else {
        let trouble = Trouble::NoSuchGroup { scope: snapshot.scope.clone(), identifier: String::new() };
        return view! { <crate::pages::trouble::TroubleView trouble scope=Some(snapshot.scope.clone()) scopes/> }.into_any();
    };
    let scope = &group.facts.scope;
    let path = links::group_path(&group.facts);
    let request = use_context::<PageRequest>().unwrap_or_default();
    let viewer = request.viewer.as_ref();
    let listing = Listing {
        snapshot: &snapshot,
        query: &query,
        policy: &notes.policy,
        path: &path,
        single: true,
        viewer,
    };
    let list = if selection.rows.is_empty() {
        no_match(&listing)
    } else {
        let pager = pager(&listing, &selection, selection.instances, "instances");
        view! { <div class="panel" data-key="list">{list(&listing, &selection)}{pager}</div> }.into_any()
    };
    let body = view! {
        {head(group, &listing)}
        {banners(&notes, snapshot.as_of, viewer)}
        {cards(&listing)}
        {toolbar(&listing, &selection)}
        {list}
        {facts(group, &listing)}
    };
    let feed = Feed { scope, below: false, usable: false, as_of: snapshot.as_of };
    view! {
        {page_title(&format!("{} · Delegates", group.facts.name))}
        {frame(Some(Place::new(scope, Area::Delegates)), &scopes, Some(feed), body.into_any())}
    }
    .into_any()
}

fn head(group: &Group, listing: &Listing<'_>) -> AnyView {
    let facts = &group.facts;
    let standing = status::standing(group.rollup.standing).map(status::Mark::view);
    view! {
        <nav aria-label="Breadcrumb" data-key="trail">
            <ol class="trail">
                <li><a href=links::delegates_path(&facts.scope)>"Delegates"</a></li>
                <li aria-current="page">{facts.name.to_string()}</li>
            </ol>
        </nav>
        <div class="head" data-key="head">
            {name::logo(facts)}
            <h1>{facts.name.to_string()}</h1>
            {name::generation(facts)}
            <span class="cn">{group_mark(group)}</span>
            {standing}
            {figures(listing)}
            <span class="grow"></span>
            {delete(group, listing)}
        </div>
    }
    .into_any()
}

/// The way to delete the group, or who could allow it.
fn delete(group: &Group, listing: &Listing<'_>) -> Option<AnyView> {
    match listing.may_delete(&group.facts) {
        Right::Nobody => None,
        Right::Held => {
            let href = links::delete_path(&group.facts);
            Some(view! { <a class="btn" href=href data-key="delete" data-dialog>"Delete…"</a> }.into_any())
        }
        Right::Denied(why) => Some(form::refused("Delete…", &why)),
    }
}
