//! What happened to one group and who changed it (`product 3.6`, `11.5`, `14`).

use std::sync::Arc;

use fleet::query::Query;
use fleet::scope::Scope;
use leptos::prelude::*;
use leptos_router::hooks::use_query_map;
use leptos_router::params::ParamsMap;

use crate::components::activity::{by_instance, events};
use crate::components::frame::{Feed, Place, frame};
use crate::components::group_head::{Tab, group_head, past_head};
use crate::components::list::Listing;
use crate::components::nav::Area;
use crate::components::page_title::page_title;
use crate::components::{icons, links};
use crate::context::PageRequest;
use crate::pages::{Asked, answer, named_in_path, scope_in_path};
use crate::port::history::{Activity, ActivityQuery};
use crate::port::{GroupPage, PortError, ScopeNode, SharedPort};

/// Reads scope, group and filters from the address, asks the port, draws the answer.
#[component]
pub fn ActivityPage() -> impl IntoView {
    let asked = Asked::from_context();
    let scope = scope_in_path();
    let identifier = named_in_path("group");
    let query = query_in(&use_query_map().get_untracked());
    let port = asked.port().cloned();
    answer(asked, async move {
        let (scope, port) = (scope?, port?);
        let activity = port.activity(&scope, &identifier, &query).await?;
        let page = known_group(&port, &scope, &identifier).await?;
        Ok(move |scopes| view! { <ActivityView activity query page scopes/> }.into_any())
    })
}

/// The group for the head of the page, hidden or not; none once it was deleted or rejected.
async fn known_group(
    port: &SharedPort,
    scope: &Scope,
    identifier: &str,
) -> Result<Option<GroupPage>, PortError> {
    for hidden in [false, true] {
        match port.group(scope, identifier, &Query::default().with_hidden(hidden)).await {
            Err(PortError::UnknownGroup { .. }) => {}
            found => return found.map(Some),
        }
    }
    Ok(None)
}

fn query_in(parameters: &ParamsMap) -> ActivityQuery {
    let given =
        |name: &str| parameters.get(name).map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
    ActivityQuery { instance: given("instance"), before: given("before") }
}

fn query_string(query: &ActivityQuery, before: Option<&str>) -> String {
    let mut parameters = ParamsMap::new();
    for (name, value) in [("instance", query.instance.as_deref()), ("before", before)] {
        if let Some(value) = value {
            parameters.insert(name, value.to_owned());
        }
    }
    parameters.to_query_string()
}

/// The page itself.
#[component]
pub fn ActivityView(
    /// What happened.
    activity: Activity,
    /// What was asked for.
    query: ActivityQuery,
    /// The group, unless it was deleted or rejected.
    page: Option<GroupPage>,
    /// For the scope switcher.
    scopes: Arc<Vec<ScopeNode>>,
) -> impl IntoView {
    let request = use_context::<PageRequest>().unwrap_or_default();
    let facts = Arc::clone(&activity.group);
    let scope = &*facts.scope;
    let path = Tab::Activity.path(&links::group_path(&facts));
    let list = if activity.events.is_empty() { nothing(&query) } else { events(&activity) };
    let older = activity.next.as_ref().map(|next| {
        let href = format!("{path}{}", query_string(&query, Some(next)));
        view! { <a class="btn" href=href>"Older"</a> }
    });
    let newest = query.before.is_some().then(|| {
        let href = format!("{path}{}", query_string(&query, None));
        view! { <a class="btn" href=href>"Newest"</a> }
    });
    let foot = (older.is_some() || newest.is_some()).then(|| {
        view! { <nav class="foot" aria-label="Pages of activity" data-key="foot"><div class="turns">{newest}{older}</div></nav> }
    });
    let without = activity.without_deeds.clone().map(|why| {
        let text = format!("What people did is left out: {why}.");
        view! { <p class="sub denied" data-key="without">{icons::icon(icons::SHIELD)}{text}</p> }
    });
    let body = view! {
        {head(page.as_ref(), &activity, &path, &request)}
        {by_instance(&path, &activity, &query)}
        {without}
        {list}
        {foot}
    };
    // Older pages never change.
    let live = query.before.is_none();
    let feed = live.then_some(Feed { scope, below: false, usable: false, as_of: activity.as_of });
    view! {
        {page_title(&format!("Activity of {} · Delegates", facts.name))}
        {frame(Some(Place::new(scope, Area::Delegates)), &scopes, feed, body.into_any())}
    }
    .into_any()
}

fn head(page: Option<&GroupPage>, activity: &Activity, path: &str, request: &PageRequest) -> AnyView {
    let listed = page.and_then(|page| Some((page, page.snapshot.groups.first()?)));
    let Some((page, group)) = listed else {
        return past_head(
            &activity.group,
            "It was deleted or rejected. What happened to it can still be read.",
        );
    };
    let query = Query::default();
    let listing =
        Listing::new(&page.snapshot, &query, &page.notes.policy, path, request.viewer.as_ref()).of_one();
    group_head(group, &listing, Tab::Activity)
}

fn nothing(query: &ActivityQuery) -> AnyView {
    let (title, text) = match (&query.before, &query.instance) {
        (Some(_), _) => ("Nothing older", "This is the beginning of what is kept."),
        (None, Some(_)) => ("Nothing is kept of this instance", "Choose another one, or all instances."),
        (None, None) => (
            "Nothing has happened yet",
            "Registrations, losses, returns, other versions, and what people do here will be listed.",
        ),
    };
    view! {
        <section class="panel blank" data-key="blank">
            <span class="mark">{icons::icon(icons::SEARCH)}</span>
            <h2>{title}</h2>
            <p>{text}</p>
        </section>
    }
    .into_any()
}
