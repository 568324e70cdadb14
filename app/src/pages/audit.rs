//! The audit log of a scope (`product 14`).

use std::sync::Arc;

use fleet::scope::{Level, Scope};
use leptos::prelude::*;

use crate::components::audit_filter::filter;
use crate::components::frame::{Place, frame};
use crate::components::nav::Area;
use crate::components::page_title::page_title;
use crate::components::table::{nothing, table};
use crate::components::time;
use crate::components::{icons, links};
use crate::pages::{Asked, answer, scope_in_path};
use crate::port::ScopeNode;
use crate::port::access::{AuditLine, AuditPage as Answer, AuditQuery};

/// Reads the filters from the address and asks the port.
#[component]
pub fn AuditPage() -> impl IntoView {
    let asked = Asked::from_context();
    let (scope, access) = (scope_in_path(), asked.access());
    let query = query_in(&asked.request.uri);
    answer(asked, async move {
        let scope = scope?;
        let page = access?.audit(&scope, &query).await?;
        Ok(move |scopes| view! { <AuditView scope query page scopes/> }.into_any())
    })
}

/// The filters of an address; the router's own reading of it would decode it twice.
fn query_in(uri: &str) -> AuditQuery {
    let parameters = links::parameters(uri.split_once('?').map_or("", |(_, query)| query));
    let text = |name: &str| {
        let found = parameters.iter().find(|(key, _)| key == name);
        found.map(|(_, text)| text.trim().to_owned()).unwrap_or_default()
    };
    let given = |name: &str| Some(text(name)).filter(|text| !text.is_empty());
    AuditQuery {
        user: text("user"),
        action: text("action"),
        resource: text("resource"),
        from: given("from"),
        to: given("to"),
        before: given("before"),
        below: text("all") == "true",
    }
}

/// The query string that says the same, for the export and the next page; `more` is added.
fn query_string(query: &AuditQuery, more: &[(&'static str, &str)]) -> String {
    let given = [
        ("user", &*query.user),
        ("action", &query.action),
        ("resource", &query.resource),
        ("from", query.from.as_deref().unwrap_or_default()),
        ("to", query.to.as_deref().unwrap_or_default()),
        ("all", if query.below { "true" } else { "" }),
    ];
    let given = given.iter().chain(more).filter(|(_, value)| !value.is_empty());
    let pairs: Vec<_> = given.map(|(name, value)| format!("{name}={}", links::encode(value))).collect();
    if pairs.is_empty() { String::new() } else { format!("?{}", pairs.join("&")) }
}

/// The page itself.
#[component]
pub fn AuditView(
    /// Whose log it is.
    scope: Scope,
    /// Which lines were asked for.
    query: AuditQuery,
    /// They, and what the filters offer.
    page: Answer,
    /// For the scope switcher.
    scopes: Arc<Vec<ScopeNode>>,
) -> impl IntoView {
    let path = Area::Audit.path(&scope);
    let below = scope.level() != Level::Project;
    let rows: Vec<_> = page.lines.iter().map(row).collect();
    let list = if rows.is_empty() {
        nothing("Nothing was recorded that these filters let through.".to_owned())
    } else {
        let columns = ["Time (UTC)", "User", "Action", "Resource", "Scope", "What happened"];
        table("cap", format!("Audit log of {scope}, newest first"), &columns, rows)
    };
    let older = page.next.as_ref().map(|next| {
        let href = format!("{path}{}", query_string(&query, &[("before", next)]));
        view! { <a class="btn" href=href>"Older"</a> }
    });
    let newest = query.before.is_some().then(|| {
        let href = format!("{path}{}", query_string(&query, &[]));
        view! { <a class="btn" href=href>"Newest"</a> }
    });
    let foot = (older.is_some() || newest.is_some())
        .then(|| view! { <nav class="foot" aria-label="Pages of the log"><div class="turns">{newest}{older}</div></nav> });
    let span = match (&query.from, &query.to) {
        (None, None) => "the last 7 days".to_owned(),
        (None, Some(to)) => format!("7 days up to {to}"),
        (Some(from), None) => format!("from {from}"),
        (Some(from), Some(to)) => format!("{from} to {to}"),
    };
    let body = view! {
        <div class="head">
            <h1>"Audit log"</h1>
            <p class="sub">{format!("of {scope}, {span}")}</p>
            <span class="grow"></span>
            {export(&scope, &query)}
        </div>
        {filter(&path, &query, &page, below)}
        <div class="panel">{list}{foot}</div>
    };
    view! {
        {page_title(&format!("Audit log · {}", scope.name()))}
        {frame(Some(Place::new(&scope, Area::Audit)), &scopes, None, body.into_any())}
    }
}

/// Plain links with the same filters, so that scripts can use them as well.
fn export(scope: &Scope, query: &AuditQuery) -> AnyView {
    let links: Vec<_> = [("csv", "CSV"), ("json", "JSON"), ("ndjson", "JSON, one line each")]
        .into_iter()
        .map(|(format, word)| {
            let href =
                format!("/api/v1{}/audit{}", scope.api_path(), query_string(query, &[("format", format)]));
            view! { <li><a class="navlink" href=href download>{word}</a></li> }
        })
        .collect();
    view! {
        <button type="button" class="btn" popovertarget="export">
            "Export"<span class="turn">{icons::icon(icons::ARROW)}</span>
        </button>
        <div popover id="export" class="menu to-end"><ul>{links}</ul></div>
    }
    .into_any()
}

fn row(line: &AuditLine) -> AnyView {
    let place = line.scope.as_ref().map_or_else(|| "whole server".to_owned(), ToString::to_string);
    view! {
        <tr>
            <th scope="row" class="num nb"><time datetime=time::machine(line.at)>{exact(line)}</time></th>
            <td class="any">{line.actor.clone()}</td>
            <td><code>{line.action.clone()}</code></td>
            <td class="any">{line.name.clone()}<span class="sub below">{line.resource.clone()}</span></td>
            <td class="any">{place}</td>
            <td class="any">{line.summary.clone()}{change(line)}</td>
        </tr>
    }
    .into_any()
}

/// To the second: the log is read to find out what came first.
fn exact(line: &AuditLine) -> String {
    line.at.to_utc().format("%Y-%m-%d %H:%M:%S").to_string()
}

/// What was there before and after.
fn change(line: &AuditLine) -> Option<AnyView> {
    let mut names: Vec<_> = line.before.keys().chain(line.after.keys()).collect();
    names.sort();
    names.dedup();
    if names.is_empty() {
        return None;
    }
    let value = |value: Option<&String>| match value {
        Some(value) => view! { <td><code>{value.clone()}</code></td> }.into_any(),
        None => view! { <td class="quiet">"none"</td> }.into_any(),
    };
    let rows: Vec<_> = names
        .into_iter()
        .map(|name| {
            view! {
                <tr>
                    <th scope="row">{name.clone()}</th>
                    {value(line.before.get(name))}
                    {value(line.after.get(name))}
                </tr>
            }
        })
        .collect();
    let label = format!("Change of {}", line.name);
    Some(
        view! {
            <details class="change">
                <summary>"Before and after"</summary>
                <table aria-label=label>
                    <thead>
                        <tr><th scope="col">"Value"</th><th scope="col">"Before"</th><th scope="col">"After"</th></tr>
                    </thead>
                    <tbody>{rows}</tbody>
                </table>
            </details>
        }
        .into_any(),
    )
}
