//! The page on which a filter is put together (`product 11.4`); with scripts it opens as a dialog.

use std::sync::Arc;

use fleet::query::Query;
use fleet::scope::Scope;
use leptos::prelude::*;

use crate::components::filter_form::filter_form;
use crate::components::form::Sent;
use crate::components::frame::{Place, frame};
use crate::components::nav::Area;
use crate::components::page_title::page_title;
use crate::context::PageRequest;
use crate::pages::{Asked, answer, query_in_url, scope_in_path};
use crate::port::ScopeNode;
use crate::port::filters::FilterPage as Found;
use crate::words;

/// Asks the port for the choices.
#[component]
pub fn FilterPage() -> impl IntoView {
    let asked = Asked::from_context();
    let (scope, query) = (scope_in_path(), query_in_url());
    let port = asked.port().cloned();
    answer(asked, async move {
        let (scope, query) = (scope?, query?);
        let page = port?.filters(&scope, &query).await?;
        Ok(move |scopes| view! { <FilterView scope query page scopes/> }.into_any())
    })
}

/// The page itself.
#[component]
pub fn FilterView(
    /// Whose delegates are filtered.
    scope: Scope,
    /// The filter so far.
    query: Query,
    /// What it can be made of.
    page: Found,
    /// For the scope switcher.
    scopes: Arc<Vec<ScopeNode>>,
) -> impl IntoView {
    let request = use_context::<PageRequest>().unwrap_or_default();
    let sent = Sent::of(&request.outcome, &[""]);
    let listed = format!(
        "{} of {} now. The number beside a choice says how many groups it would list together with the other conditions.",
        words::number(page.listed),
        words::count(page.groups, "group", "groups")
    );
    let body = view! {
        <section class="panel confirm sift" aria-labelledby="confirm-title" data-hold>
            <h1 id="confirm-title">"Filter delegates"</h1>
            <p class="sub">{listed}</p>
            {filter_form(&scope, &query, &page, sent)}
        </section>
    };
    view! {
        {page_title(&format!("Filter · {}", scope.name()))}
        {frame(Some(Place::new(&scope, Area::Delegates)), &scopes, None, body.into_any())}
    }
}
