//! Keys that let other sites show the delegates of a scope in a frame (`product 15.2`).

use std::sync::Arc;

use fleet::scope::Scope;
use leptos::prelude::*;

use crate::components::form::field::Field;
use crate::components::form::{Sent, press, stray};
use crate::components::frame::{Place, frame};
use crate::components::links;
use crate::components::nav::Area;
use crate::components::page_title::page_title;
use crate::components::secret::{GONE, secret_once};
use crate::components::table::{instant_cell, nothing, table};
use crate::context::PageRequest;
use crate::embed::Look;
use crate::pages::embed_snippet::snippet;
use crate::pages::{Asked, answer, scope_in_path};
use crate::port::ScopeNode;
use crate::port::access::EmbedKey;

/// Names of the form for a new key.
const NEW: [&str; 2] = ["", "embeds"];

/// Asks the port for the keys.
#[component]
pub fn EmbedsPage() -> impl IntoView {
    let asked = Asked::from_context();
    let (scope, access) = (scope_in_path(), asked.access());
    answer(asked, async move {
        let scope = scope?;
        let keys = access?.embeds(&scope).await?;
        Ok(move |scopes| view! { <EmbedsView scope keys scopes/> }.into_any())
    })
}

/// The page itself.
#[component]
pub fn EmbedsView(
    /// Whose keys they are.
    scope: Scope,
    /// All of them.
    keys: Vec<EmbedKey>,
    /// For the scope switcher.
    scopes: Arc<Vec<ScopeNode>>,
) -> impl IntoView {
    let request = use_context::<PageRequest>().unwrap_or_default();
    let rows: Vec<_> = keys.iter().map(|key| row(key, &scope, &request)).collect();
    let list = if rows.is_empty() {
        nothing(format!("No site may frame the delegates of {scope}."))
    } else {
        let columns = ["Name", "Sites", "Filter", "Created", "Ends", "Status", ""];
        table("cap", format!("Embed keys of {scope}"), &columns, rows)
    };
    let once = request.outcome.secret.as_ref().map(|(name, value)| {
        let snippet = snippet(&request.origin, value, Look::default());
        // The first part of a key is its id.
        let id = value.split('.').next().unwrap_or_default();
        let href = format!("{}/{}", Area::Embeds.path(&scope), links::encode(id));
        let looks = view! { <a href=href data-dialog>"Choose columns and colours, and see it…"</a> };
        let more = view! {
            <p>"Put this into the page that shows the frame. "{looks}</p>
            <div class="cmd">
                <code>{snippet.clone()}</code>
                <button type="button" class="btn js" data-copy=snippet>"Copy"</button>
            </div>
        };
        secret_once(&format!("Embed key {name}"), value, GONE, more.into_any())
    });
    let body = view! {
        <div class="head"><h1>"Embeds"</h1><p class="sub">{format!("of {scope}")}</p></div>
        {stray(&request.outcome, &NEW)}
        {once}
        {new_key(&scope, &request)}
        <div class="panel">{list}</div>
    };
    view! {
        {page_title(&format!("Embeds · {}", scope.name()))}
        {frame(Some(Place::new(&scope, Area::Embeds)), &scopes, None, body.into_any())}
    }
}

fn new_key(scope: &Scope, request: &PageRequest) -> AnyView {
    let sent = Sent::of(&request.outcome, &NEW);
    view! {
        <details class="panel sheet fold" open=sent.failed()>
            <summary>"New embed key"</summary>
            <form method="post" action=Area::Embeds.path(scope) class="fields">
                {sent.alert()}
                {Field::new(sent, "embed", "name", "Name").required().line("text")}
                {Field::new(sent, "embed", "origins", "Sites that may show it")
                    .required()
                    .hint("One per line, such as https://wiki.example.com.")
                    .lines(3)}
                {Field::new(sent, "embed", "filter", "Filter")
                    .hint("Query of the list, such as health=expired. Empty: the whole scope.")
                    .line("text")}
                {Field::new(sent, "embed", "days", "Ends after days")
                    .between(1, 3_650)
                    .hint("Empty: no end.")
                    .line("number")}
                <p class="buttons"><button class="btn primary">"Issue embed key"</button></p>
            </form>
        </details>
    }
    .into_any()
}

fn row(key: &EmbedKey, scope: &Scope, request: &PageRequest) -> AnyView {
    let now = request.now;
    let over = key.expires_at.is_some_and(|end| end <= now);
    let status = match (key.revoked_at, over) {
        (Some(_), _) => view! { <span class="badge">"Revoked"</span> }.into_any(),
        (None, true) => view! { <span class="badge">"Ended"</span> }.into_any(),
        (None, false) => view! { <span class="badge ok">"Active"</span> }.into_any(),
    };
    let sites: Vec<_> = key.origins.iter().map(|site| view! { <li>{site.clone()}</li> }).collect();
    let filter = if key.filter.is_empty() { "none".to_owned() } else { key.filter.clone() };
    let revoke = key.revoked_at.is_none().then(|| {
        let action = format!("{}/{}/revoke", Area::Embeds.path(scope), links::encode(&key.id));
        press(action, &[], "Revoke", format!("Revoke embed key {}", key.name))
    });
    let show = (key.revoked_at.is_none() && !over).then(|| {
        let href = format!("{}/{}", Area::Embeds.path(scope), links::encode(&key.id));
        let label = format!("Snippet… {}", key.name);
        view! { <a class="btn small" href=href aria-label=label data-dialog>"Snippet…"</a> }
    });
    view! {
        <tr>
            <th scope="row">{key.name.to_string()}<span class="sub below">{format!("by {}", key.created_by)}</span></th>
            <td><ul>{sites}</ul></td>
            <td><code>{filter}</code></td>
            {instant_cell(Some(key.created_at), now, "")}
            {instant_cell(key.expires_at, now, "no end")}
            <td>{status}</td>
            <td class="acts"><div class="row">{show}{revoke}</div></td>
        </tr>
    }
    .into_any()
}
