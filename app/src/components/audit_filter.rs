//! The filters of the audit log: a plain form.

use leptos::prelude::*;

use crate::port::access::{AuditPage, AuditQuery};

/// The form; `below` where there may be scopes below.
#[must_use]
pub fn filter(path: &str, query: &AuditQuery, page: &AuditPage, below: bool) -> AnyView {
    let narrowed = AuditQuery { before: None, ..query.clone() } != AuditQuery::default();
    let clear = narrowed.then(|| view! { <a class="quietlink" href=path.to_owned()>"Clear filters"</a> });
    let all = below.then(|| {
        view! {
            <label class="check">
                <input type="checkbox" name="all" value="true" checked=query.below/>
                <span>"Scopes below too"</span>
            </label>
        }
    });
    view! {
        <form method="get" action=path.to_owned() class="filters" role="search" aria-label="Filter the audit log">
            <div class="field">
                <label for="f-user">"User"</label>
                <input type="text" id="f-user" name="user" value=query.user.clone() autocomplete="off" spellcheck="false"/>
            </div>
            {words("f-action", "action", "Action", &query.action, &page.actions)}
            {words("f-resource", "resource", "Resource", &query.resource, &page.resources)}
            {day("f-from", "from", "From", query.from.as_deref())}
            {day("f-to", "to", "To", query.to.as_deref())}
            {all}
            <button class="btn">"Apply"</button>
            {clear}
        </form>
    }
    .into_any()
}

fn words(
    id: &'static str,
    name: &'static str,
    label: &'static str,
    current: &str,
    offered: &[&'static str],
) -> AnyView {
    let options: Vec<_> = offered
        .iter()
        .map(|word| view! { <option value=*word selected=*word == current>{*word}</option> })
        .collect();
    view! {
        <div class="field">
            <label for=id>{label}</label>
            <select id=id name=name><option value="">"All"</option>{options}</select>
        </div>
    }
    .into_any()
}

fn day(id: &'static str, name: &'static str, label: &'static str, value: Option<&str>) -> AnyView {
    let value = value.map(str::to_owned);
    view! {
        <div class="field">
            <label for=id>{label}</label>
            <input type="date" id=id name=name value=value/>
        </div>
    }
    .into_any()
}
