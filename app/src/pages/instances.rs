//! Every instance of one group, page by page (`product 11.2`, `11.5`).

use std::sync::Arc;

use fleet::query::{Column, Query};
use fleet::view::{GroupView, Member};
use leptos::prelude::*;

use crate::components::banners::banners;
use crate::components::cells::{connectivity, heartbeat, status, version};
use crate::components::empty::no_match;
use crate::components::frame::{Feed, Place, frame};
use crate::components::group_head::{Tab, group_head};
use crate::components::heartbeats::strip_of;
use crate::components::instance_facts::{capacity, clock, transport};
use crate::components::instances::delete;
use crate::components::list::{Listing, ordered};
use crate::components::nav::Area;
use crate::components::page_title::page_title;
use crate::components::pager::pager;
use crate::components::rights::Right;
use crate::components::strip::legend;
use crate::components::toolbar::toolbar;
use crate::components::{links, time};
use crate::context::PageRequest;
use crate::pages::trouble::{Trouble, TroubleView};
use crate::pages::{Asked, answer, named_in_path, query_in_url, scope_in_path};
use crate::port::{self, ScopeNode};

/// Reads scope, group and query from the address, asks the port, draws the answer.
#[component]
pub fn InstancesPage() -> impl IntoView {
    let asked = Asked::from_context();
    let (scope, query) = (scope_in_path(), query_in_url());
    let identifier = named_in_path("group");
    let port = asked.port().cloned();
    answer(asked, async move {
        let (scope, query) = (scope?, query?);
        let page = port?.group(&scope, &identifier, &query).await?;
        Ok(move |scopes| view! { <InstancesView page query scopes/> }.into_any())
    })
}

/// The page itself.
#[component]
pub fn InstancesView(
    /// The figures of this group alone.
    page: port::GroupPage,
    /// What was asked for.
    query: Query,
    /// For the scope switcher.
    scopes: Arc<Vec<ScopeNode>>,
) -> impl IntoView {
    let port::GroupPage { snapshot, selection, notes, .. } = page;
    let Some(group) = snapshot.groups.first() else {
        let trouble = Trouble::NoSuchGroup { scope: snapshot.scope.clone(), identifier: String::new() };
        return view! { <TroubleView trouble scope=Some(snapshot.scope.clone()) scopes/> }.into_any();
    };
    let scope = &group.facts.scope;
    let path = Tab::Instances.path(&links::group_path(&group.facts));
    let request = use_context::<PageRequest>().unwrap_or_default();
    let viewer = request.viewer.as_ref();
    let listing = Listing::new(&snapshot, &query, &notes.policy, &path, viewer).of_one();
    let places = selection.rows.first().map(|row| row.members.as_slice()).unwrap_or_default();
    let list = if places.is_empty() {
        if query.filter.is_empty() { no_instances() } else { no_match(&listing) }
    } else {
        let pager = pager(&listing, &selection, selection.instances, "instances");
        view! {
            <div class="panel" data-key="list">
                {table(group, places, &listing)}
                <div class="under">{legend()}</div>
                {pager}
            </div>
        }
        .into_any()
    };
    let body = view! {
        {group_head(group, &listing, Tab::Instances)}
        {banners(&notes, snapshot.as_of, viewer)}
        {toolbar(&listing, &selection)}
        {hidden(&listing)}
        {list}
    };
    let feed = Feed { scope, below: false, usable: false, as_of: snapshot.as_of };
    view! {
        {page_title(&format!("Instances of {} · Delegates", group.facts.name))}
        {frame(Some(Place::new(scope, Area::Delegates)), &scopes, Some(feed), body.into_any())}
    }
    .into_any()
}

fn no_instances() -> AnyView {
    view! {
        <section class="panel blank" data-key="blank">
            <h2>"No instance is listed"</h2>
            <p>"An instance leaves the list when it says goodbye, and 6 hours after its last heartbeat."</p>
        </section>
    }
    .into_any()
}

/// The way to those that are not listed, and back.
fn hidden(listing: &Listing<'_>) -> AnyView {
    let shown = listing.query.hidden;
    let href = links::href(listing.path, &listing.query.with_hidden(!shown));
    let word = if shown { "Leave hidden instances out" } else { "Show hidden instances" };
    view! { <p class="aside" data-key="hidden"><a href=href data-nav>{word}</a></p> }.into_any()
}

fn table(group: &GroupView, places: &[u32], listing: &Listing<'_>) -> AnyView {
    let rows: Vec<_> = places
        .iter()
        .filter_map(|place| group.members.get(usize::try_from(*place).ok()?))
        .map(|member| row(member, group, listing))
        .collect();
    let actions = (listing.may_delete(group) != Right::Nobody)
        .then(|| view! { <th scope="col"><span class="vh">"Actions"</span></th> });
    let caption = format!("Instances of {}", group.facts.name);
    view! {
        <div class="tw" tabindex="0" role="region" aria-labelledby="cap">
            <table class="data wide">
                <caption id="cap" class="vh">{caption}</caption>
                <thead>
                    <tr>
                        {ordered(listing, "Instance", Column::Name)}
                        {ordered(listing, "Connectivity", Column::Connectivity)}
                        <th scope="col">"Past 24 hours"</th>
                        {ordered(listing, "Version", Column::Version)}
                        {ordered(listing, "Status", Column::Expiry)}
                        {ordered(listing, "Last heartbeat", Column::LastHeartbeat)}
                        <th scope="col">"Transport"</th>
                        <th scope="col">"IP address"</th>
                        <th scope="col">"Clock"</th>
                        <th scope="col">"Capacity"</th>
                        <th scope="col">"Registered"</th>
                        {actions}
                    </tr>
                </thead>
                <tbody data-rows>{rows}</tbody>
            </table>
        </div>
    }
    .into_any()
}

fn row(member: &Member, group: &GroupView, listing: &Listing<'_>) -> AnyView {
    let facts = &member.facts;
    let as_of = listing.snapshot.as_of;
    let href = links::instance_path(&group.facts, &facts.id);
    let badges = [
        member.hidden.then_some("Hidden"),
        member.unstable.then_some("Unstable"),
        facts.incomplete.then_some("Identity incomplete"),
    ];
    let badges: Vec<_> =
        badges.into_iter().flatten().map(|word| view! { <span class="badge">{word}</span> }).collect();
    let strip = strip_of(member, None, as_of);
    let ip = if facts.ip.is_empty() { "not reported".to_owned() } else { facts.ip.to_string() };
    view! {
        <tr data-key=format!("i{}", facts.id)>
            <th scope="row">
                <a class="host" href=href>{facts.host_name.to_string()}</a>{badges}
                <code class="sub below">{facts.id.to_string()}</code>
            </th>
            {connectivity::instance_cell(&group.facts, member, as_of)}
            <td class="up">{strip.drawing(&facts.host_name)}<span class="sub num">{strip.percent()}</span></td>
            {version::instance_cell(&group.facts, member)}
            {status::instance_cell(&group.facts, member, listing.policy, as_of)}
            {heartbeat::instance_cell(member, as_of)}
            <td>{transport(facts.transport, group.source.as_deref())}</td>
            <td class="num">{ip}</td>
            <td>{clock(facts)}</td>
            <td>{capacity(facts)}</td>
            <td class="num nb">{time::instant(facts.registered_at, as_of)}</td>
            {delete(member, group, listing)}
        </tr>
    }
    .into_any()
}
