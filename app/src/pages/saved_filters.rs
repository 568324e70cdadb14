//! The page of saved filters (`product 11.4`).

use std::sync::Arc;

use fleet::query::{PAGE_SIZES, Query};
use fleet::scope::Scope;
use leptos::prelude::*;

use crate::components::filter_words::conditions;
use crate::components::form::stray;
use crate::components::frame::{Place, frame};
use crate::components::links;
use crate::components::nav::Area;
use crate::components::page_title::page_title;
use crate::components::saved_filters::{audience, saved_href};
use crate::components::table::{instant_cell, nothing, table};
use crate::context::PageRequest;
use crate::pages::{Asked, answer, scope_in_path};
use crate::port::ScopeNode;
use crate::port::filters::SavedFilter;

/// Asks the port for the filters.
#[component]
pub fn SavedFiltersPage() -> impl IntoView {
    let asked = Asked::from_context();
    let (scope, port) = (scope_in_path(), asked.port().cloned());
    answer(asked, async move {
        let scope = scope?;
        let filters = port?.saved_filters(&scope).await?;
        Ok(move |scopes| view! { <SavedFiltersView scope filters scopes/> }.into_any())
    })
}

/// The page itself.
#[component]
pub fn SavedFiltersView(
    /// Where they are offered.
    scope: Scope,
    /// Those that the viewer sees.
    filters: Vec<SavedFilter>,
    /// For the scope switcher.
    scopes: Arc<Vec<ScopeNode>>,
) -> impl IntoView {
    let request = use_context::<PageRequest>().unwrap_or_default();
    let rows: Vec<_> = filters.iter().map(|filter| row(filter, &scope, &request)).collect();
    let list = if rows.is_empty() {
        nothing(
            "No filter is saved here. Filter the list of delegates, then choose Saved filters there."
                .to_owned(),
        )
    } else {
        let columns = ["Name", "Filter", "Seen by", "Changed", ""];
        table("cap", format!("Saved filters of {scope}"), &columns, rows)
    };
    let body = view! {
        <nav aria-label="Breadcrumb" data-key="trail">
            <ol class="trail">
                <li><a href=links::delegates_path(&scope)>"Delegates"</a></li>
                <li aria-current="page">"Saved filters"</li>
            </ol>
        </nav>
        <div class="head"><h1>"Saved filters"</h1><p class="sub">{format!("of {scope}")}</p></div>
        {stray(&request.outcome, &[])}
        <div class="panel">{list}</div>
    };
    view! {
        {page_title(&format!("Saved filters · {}", scope.name()))}
        {frame(Some(Place::new(&scope, Area::Delegates)), &scopes, None, body.into_any())}
    }
}

fn row(filter: &SavedFilter, scope: &Scope, request: &PageRequest) -> AnyView {
    let href = saved_href(&links::delegates_path(scope), filter, PAGE_SIZES[0]);
    let path = links::saved_filter_path(scope, &filter.id);
    let edit = filter.changeable.then(|| {
        let label = format!("Edit filter {}", filter.name);
        view! { <a class="btn small" href=path.clone() aria-label=label data-dialog>"Edit…"</a> }
    });
    let delete = filter.deletable.then(|| {
        let label = format!("Delete filter {}", filter.name);
        view! { <a class="btn small" href=format!("{path}/delete") aria-label=label data-dialog>"Delete…"</a> }
    });
    view! {
        <tr>
            <th scope="row"><a href=href>{filter.name.to_string()}</a></th>
            <td>{in_words(&filter.query)}</td>
            <td>{audience(filter)}</td>
            {instant_cell(Some(filter.changed_at), request.now, "")}
            <td class="acts"><div class="row">{edit}{delete}</div></td>
        </tr>
    }
    .into_any()
}

/// The conditions of a query, one after the other.
#[must_use]
pub fn in_words(query: &str) -> AnyView {
    let Ok(query) = Query::parse(query) else {
        return view! { <code>{query.to_owned()}</code> }.into_any();
    };
    let mut said: Vec<String> =
        conditions(&query.filter).into_iter().map(|condition| condition.text).collect();
    if query.hidden {
        said.push("Hidden delegates, too".to_owned());
    }
    if query.below {
        said.push("Scopes below, too".to_owned());
    }
    if query.usable {
        said.push("Usable from here".to_owned());
    }
    let said: Vec<_> = said.into_iter().map(|text| view! { <li class="chip plain">{text}</li> }).collect();
    view! { <ul class="chips">{said}</ul> }.into_any()
}
