//! Other servers whose delegates are shown in an account (`management-api 7`).

use std::sync::Arc;

use fleet::scope::Scope;
use leptos::prelude::*;

use crate::components::form::field::Field;
use crate::components::form::{Sent, press, stray};
use crate::components::frame::{Place, frame};
use crate::components::links;
use crate::components::nav::Area;
use crate::components::page_title::page_title;
use crate::components::table::{instant_cell, nothing, table};
use crate::context::PageRequest;
use crate::pages::{Asked, answer, scope_in_path};
use crate::port::ScopeNode;
use crate::port::mirrors::Mirror;
use crate::words;

/// Names of the form for a new mirror.
const NEW: [&str; 2] = ["", "mirrors"];

/// Asks the port for the mirrors.
#[component]
pub fn MirrorsPage() -> impl IntoView {
    let asked = Asked::from_context();
    let (scope, access) = (scope_in_path(), asked.access());
    answer(asked, async move {
        let scope = scope?;
        let mirrors = access?.mirrors(&scope).await?;
        Ok(move |scopes| view! { <MirrorsView scope mirrors scopes/> }.into_any())
    })
}

/// The page itself.
#[component]
pub fn MirrorsView(
    /// The account.
    scope: Scope,
    /// All of them.
    mirrors: Vec<Mirror>,
    /// For the scope switcher.
    scopes: Arc<Vec<ScopeNode>>,
) -> impl IntoView {
    let request = use_context::<PageRequest>().unwrap_or_default();
    let rows: Vec<_> = mirrors.iter().map(|mirror| row(mirror, &scope, &request)).collect();
    let list = if rows.is_empty() {
        nothing(format!("No other server's delegates are shown in {scope}."))
    } else {
        let columns = ["Name", "Server", "Asked for", "As of", "Delegates", "State", ""];
        table("cap", format!("Mirrors of {scope}"), &columns, rows)
    };
    let body = view! {
        <div class="head"><h1>"Mirrors"</h1><p class="sub">{format!("of {scope}")}</p></div>
        <p class="lead">
            "Delegates of another server, read with an API key and shown beside your own. Nothing is changed there. "
            <a href="/help/mirrors">"How mirrors work"</a>
        </p>
        {stray(&request.outcome, &NEW)}
        {new_mirror(&scope, &request)}
        <div class="panel">{list}</div>
    };
    view! {
        {page_title(&format!("Mirrors · {}", scope.name()))}
        {frame(Some(Place::new(&scope, Area::Mirrors)), &scopes, None, body.into_any())}
    }
}

fn new_mirror(scope: &Scope, request: &PageRequest) -> AnyView {
    let sent = Sent::of(&request.outcome, &NEW);
    view! {
        <details class="panel sheet fold" open=sent.failed()>
            <summary>"New mirror"</summary>
            <form method="post" action=Area::Mirrors.path(scope) class="fields">
                {sent.alert()}
                {Field::new(sent, "mirror", "url", "Address of the server")
                    .required()
                    .hint("Such as https://app.harness.io/gateway, or that of another Rollcall.")
                    .line("url")}
                {Field::new(sent, "mirror", "api_key", "API key of that server")
                    .required()
                    .hint("Of a service account that may view delegates, and nothing else. It is kept sealed and never shown again.")
                    .line("password")}
                {Field::new(sent, "mirror", "scopes", "Account there")
                    .hint("Or organizations and projects of it, one per line, such as acme/payments. Empty: the account in the key.")
                    .lines(2)}
                {Field::new(sent, "mirror", "name", "Name")
                    .hint("Stands beside each of its delegates. Empty: the host of the address.")
                    .line("text")}
                <p class="buttons"><button class="btn primary">"Add mirror"</button></p>
            </form>
        </details>
    }
    .into_any()
}

fn row(mirror: &Mirror, scope: &Scope, request: &PageRequest) -> AnyView {
    let now = request.now;
    let state = match (mirror.shown, mirror.trouble.is_empty()) {
        (None, true) => view! { <span class="badge">"First look follows"</span> }.into_any(),
        (Some(_), true) => view! { <span class="badge ok">"Up to date"</span> }.into_any(),
        (_, false) => {
            view! { <span class="badge warn">"Trouble"</span><p class="sub">{mirror.trouble.clone()}</p> }
                .into_any()
        }
    };
    let skipped = (mirror.skipped > 0).then(|| {
        let entries = words::count(mirror.skipped.into(), "entry", "entries");
        view! { <p class="sub">{format!("{entries} could not be understood.")}</p> }
    });
    let size = mirror.shown.map(|shown| {
        let instances = words::count(shown.instances, "instance", "instances");
        view! { {words::number(shown.groups)}<span class="sub below">{instances}</span> }
    });
    let asked: Vec<_> = mirror.scopes.iter().map(|scope| view! { <li>{scope.to_string()}</li> }).collect();
    let by =
        mirror.created_by.clone().map(|by| view! { <span class="sub below">{format!("by {by}")}</span> });
    let action = format!("{}/{}/remove", Area::Mirrors.path(scope), links::encode(&mirror.id));
    view! {
        <tr>
            <th scope="row">{mirror.name.to_string()}{by}</th>
            <td><code>{mirror.url.clone()}</code></td>
            <td><ul>{asked}</ul></td>
            {instant_cell(mirror.shown.map(|shown| shown.as_of), now, "not read yet")}
            <td class="num">{size}</td>
            <td>{state}{skipped}</td>
            <td class="acts">{press(action, &[], "Remove", format!("Remove mirror {}", mirror.name))}</td>
        </tr>
    }
    .into_any()
}
