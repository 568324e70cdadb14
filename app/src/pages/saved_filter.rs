//! Forms of saved filters, each a page that opens as a dialog with scripts: save, edit, delete (`product 11.4`, P34).

use std::sync::Arc;

use fleet::access::Permission;
use fleet::query::Query;
use fleet::scope::Scope;
use leptos::prelude::*;

use crate::components::confirm::plain;
use crate::components::form::Sent;
use crate::components::form::field::Field;
use crate::components::frame::{Place, frame};
use crate::components::links;
use crate::components::nav::Area;
use crate::components::page_title::page_title;
use crate::components::rights::Right;
use crate::context::PageRequest;
use crate::pages::saved_filters::in_words;
use crate::pages::trouble::Trouble;
use crate::pages::{Asked, answer, named_in_path, query_in_url, scope_in_path};
use crate::port::filters::SavedFilter;
use crate::port::{PortError, ScopeNode};

/// The form for a new filter; the query of the address is what it saves.
#[component]
pub fn NewFilterPage() -> impl IntoView {
    let asked = Asked::from_context();
    let (scope, query, port) = (scope_in_path(), query_in_url(), asked.port().cloned());
    answer(asked, async move {
        let (scope, query) = (scope?, query?);
        let filters = port?.saved_filters(&scope).await?;
        Ok(move |scopes| view! { <NewFilterView scope query filters scopes/> }.into_any())
    })
}

/// The page with the form for a new filter.
#[component]
pub fn NewFilterView(
    /// Where it is saved.
    scope: Scope,
    /// What it means.
    query: Query,
    /// Those there are; it may take the place of one.
    filters: Vec<SavedFilter>,
    /// For the scope switcher.
    scopes: Arc<Vec<ScopeNode>>,
) -> impl IntoView {
    let request = use_context::<PageRequest>().unwrap_or_default();
    let (sent, url) = (Sent::of(&request.outcome, &["save"]), query.lasting().to_url());
    let back = links::href(&links::delegates_path(&scope), &query);
    let again = sent.alert_beside("name");
    let replace = replace(&scope, &filters, &url, &request);
    let body = view! {
        <form method="post" action=links::saved_path(&scope)>
            {again}
            <input type="hidden" name="query" value=url.clone()/>
            {Field::new(sent, "filter", "name", "Name").required().focus().line("text")}
            {visibility(&scope, false, sent, &request)}
            <p class="buttons">
                <a class="btn" href=back data-close>"Cancel"</a>
                <button class="btn primary">"Save filter"</button>
            </p>
        </form>
        {replace}
    };
    panel("Save this filter".to_owned(), in_words(&url), body.into_any(), &scope, &scopes)
}

/// The form that lets a saved filter mean what is on screen now; none where there is none to replace.
fn replace(scope: &Scope, filters: &[SavedFilter], url: &str, request: &PageRequest) -> Option<AnyView> {
    let options: Vec<_> = filters
        .iter()
        .filter(|filter| filter.changeable)
        .map(|filter| (filter.id.to_string(), filter.name.to_string()))
        .collect();
    let sent = Sent::of(&request.outcome, &["replace"]);
    (!options.is_empty()).then(|| {
        view! {
            <form method="post" action=format!("{}/replace", links::saved_path(scope)) class="instead">
                {sent.alert_beside("id")}
                <input type="hidden" name="query" value=url.to_owned()/>
                {Field::new(sent, "instead", "id", "Or in place of a saved filter").choice(options)}
                <button class="btn">"Replace"</button>
            </form>
        }
        .into_any()
    })
}

/// The form that gives a filter another name or visibility.
#[component]
pub fn EditFilterPage() -> impl IntoView {
    one(false)
}

/// The last step before a filter goes.
#[component]
pub fn DeleteFilterPage() -> impl IntoView {
    one(true)
}

/// One filter that the viewer sees and may change, or delete.
fn one(delete: bool) -> AnyView {
    let asked = Asked::from_context();
    let (scope, port, id) = (scope_in_path(), asked.port().cloned(), named_in_path("id"));
    answer(asked, async move {
        let scope = scope?;
        let filters = port?.saved_filters(&scope).await?;
        let allowed = |filter: &SavedFilter| if delete { filter.deletable } else { filter.changeable };
        let found = filters.into_iter().find(|filter| *filter.id == *id);
        let filter = found.ok_or(Trouble::from(PortError::Unknown("saved filter")))?;
        if !allowed(&filter) {
            let why = "What everyone sees is changed by whoever may edit delegates of the scope";
            return Err(Trouble::Denied(why.to_owned()));
        }
        Ok(move |scopes: Arc<Vec<ScopeNode>>| {
            if delete {
                view! { <DeleteFilterView scope filter scopes/> }.into_any()
            } else {
                view! { <EditFilterView scope filter scopes/> }.into_any()
            }
        })
    })
}

/// The page with the form that changes a filter.
#[component]
pub fn EditFilterView(
    /// Where it is offered.
    scope: Scope,
    /// The filter.
    filter: SavedFilter,
    /// For the scope switcher.
    scopes: Arc<Vec<ScopeNode>>,
) -> impl IntoView {
    let request = use_context::<PageRequest>().unwrap_or_default();
    let sent = Sent::of(&request.outcome, &["change"]);
    let body = view! {
        <form method="post" action=links::saved_filter_path(&scope, &filter.id)>
            {sent.alert_beside("name")}
            {Field::new(sent, "filter", "name", "Name").or(filter.name.to_string()).required().focus().line("text")}
            {visibility(&scope, filter.everyone, sent, &request)}
            <p class="buttons">
                <a class="btn" href=links::saved_path(&scope) data-close>"Cancel"</a>
                <button class="btn primary">"Save changes"</button>
            </p>
        </form>
    };
    let title = format!("Edit filter {}", filter.name);
    panel(title, in_words(&filter.query), body.into_any(), &scope, &scopes)
}

/// The page that asks before a filter goes.
#[component]
pub fn DeleteFilterView(
    /// Where it is offered.
    scope: Scope,
    /// The filter.
    filter: SavedFilter,
    /// For the scope switcher.
    scopes: Arc<Vec<ScopeNode>>,
) -> impl IntoView {
    let action = format!("{}/delete", links::saved_filter_path(&scope, &filter.id));
    let title = format!("Delete filter {}?", filter.name);
    let told = if filter.everyone {
        "It goes for everyone. The delegates themselves stay as they are."
    } else {
        "The delegates themselves stay as they are."
    };
    let consequences = vec![told.into_any()];
    let body = plain(title.clone(), consequences, links::saved_path(&scope), action, "Delete filter");
    view! {
        {page_title(&title)}
        {frame(Some(Place::new(&scope, Area::Delegates)), &scopes, None, body)}
    }
}

fn panel(title: String, meaning: AnyView, body: AnyView, scope: &Scope, scopes: &[ScopeNode]) -> AnyView {
    let body = view! {
        <section class="panel confirm" aria-labelledby="confirm-title">
            <h1 id="confirm-title">{title.clone()}</h1>
            {meaning}
            {body}
        </section>
    };
    view! {
        {page_title(&title)}
        {frame(Some(Place::new(scope, Area::Delegates)), scopes, None, body.into_any())}
    }
    .into_any()
}

/// Only me or everyone, which needs the permission to edit.
fn visibility(scope: &Scope, everyone: bool, sent: Sent<'_>, request: &PageRequest) -> AnyView {
    let everyone = sent.value("visibility").map_or(everyone, |value| value == "everyone");
    let denied = match Right::of(request.viewer.as_ref(), Permission::DelegateEdit, scope, None) {
        Right::Held => None,
        Right::Denied(why) => Some(why),
        Right::Nobody => Some(String::new()),
    };
    let why = denied.clone().map(|why| view! { <p class="sub">{why}</p> });
    view! {
        <fieldset class="checks">
            <legend>"Seen by"</legend>
            <label class="check">
                <input type="radio" name="visibility" value="me" checked=!everyone/><span>"Only me"</span>
            </label>
            <label class="check">
                <input
                    type="radio"
                    name="visibility"
                    value="everyone"
                    checked=everyone
                    disabled=denied.is_some()
                />
                <span>"Everyone who sees this scope"</span>
            </label>
            {why}
        </fieldset>
    }
    .into_any()
}
