//! What to paste into a page of another site to show a frame of ours, with its looks to choose and to see
//! (`product 15.2`).

use std::sync::Arc;

use fleet::scope::Scope;
use leptos::prelude::*;
use leptos_router::hooks::use_query_map;

use crate::components::columns::Optional;
use crate::components::frame::{Place, frame};
use crate::components::links;
use crate::components::nav::Area;
use crate::components::page_title::page_title;
use crate::context::{Density, PageRequest, Theme};
use crate::embed::Look;
use crate::pages::trouble::Trouble;
use crate::pages::{Asked, answer, named_in_path, scope_in_path};
use crate::port::ScopeNode;
use crate::port::access::EmbedKey;

/// Stands in the snippet where the key belongs, which was shown once.
const PLACEHOLDER: &str = "EMBED_KEY";

/// Finds the key among those of the scope.
#[component]
pub fn EmbedSnippetPage() -> impl IntoView {
    let asked = Asked::from_context();
    let (scope, id, access) = (scope_in_path(), named_in_path("id"), asked.access());
    let parameters: Vec<(String, String)> =
        use_query_map().get_untracked().into_iter().map(|(name, value)| (name.to_string(), value)).collect();
    answer(asked, async move {
        let scope = scope?;
        let keys = access?.embeds(&scope).await?;
        let key = keys.into_iter().find(|key| *key.id == *id && key.revoked_at.is_none());
        let key = key.ok_or(Trouble::Unknown("embed key"))?;
        let look = Look::read(&parameters).map_err(Trouble::BadQuery)?;
        Ok(move |scopes| view! { <EmbedSnippetView scope key look scopes/> }.into_any())
    })
}

/// The page itself; the browser shows it as a dialog above the list of keys.
#[component]
pub fn EmbedSnippetView(
    /// Whose key it is.
    scope: Scope,
    /// The key.
    key: EmbedKey,
    /// What was chosen.
    look: Look,
    /// For the scope switcher.
    scopes: Arc<Vec<ScopeNode>>,
) -> impl IntoView {
    let request = use_context::<PageRequest>().unwrap_or_default();
    let list = Area::Embeds.path(&scope);
    let action = format!("{list}/{}", links::encode(&key.id));
    let snippet = snippet(&request.origin, PLACEHOLDER, look);
    let chosen = look.to_url();
    let preview =
        if chosen.is_empty() { format!("{action}/preview") } else { format!("{action}/preview?{chosen}") };
    let columns: Vec<_> = Optional::ALL
        .into_iter()
        .map(|column| choice("checkbox", "cols", column.as_str(), column.title(), look.columns.has(column)))
        .collect();
    let themes: Vec<_> = [(Theme::System, "System"), (Theme::Light, "Light"), (Theme::Dark, "Dark")]
        .into_iter()
        .map(|(theme, word)| choice("radio", "theme", theme.as_str(), word, theme == look.theme))
        .collect();
    let densities: Vec<_> = [(Density::Comfortable, "Comfortable"), (Density::Compact, "Compact")]
        .into_iter()
        .map(|(rows, word)| choice("radio", "density", rows.as_str(), word, rows == look.density))
        .collect();
    let body = view! {
        <section class="panel confirm wide" aria-labelledby="confirm-title">
            <h1 id="confirm-title">{format!("Show {} on another site", key.name)}</h1>
            <form method="get" action=action class="looks">
                <fieldset><legend>"Columns"</legend>{columns}</fieldset>
                <fieldset><legend>"Theme"</legend>{themes}</fieldset>
                <fieldset><legend>"Rows"</legend>{densities}</fieldset>
                <p><button class="btn">"Update preview"</button></p>
            </form>
            <p>
                "Put this into the page that shows the frame, with the key in place of "<code>{PLACEHOLDER}</code>":"
            </p>
            <div class="cmd">
                <code>{snippet.clone()}</code>
                <button type="button" class="btn js" data-copy=snippet>"Copy"</button>
            </div>
            <iframe class="preview" src=preview title="Preview" sandbox=""></iframe>
            <p class="buttons"><a class="btn" href=list data-close>"Close"</a></p>
        </section>
    };
    view! {
        {page_title(&format!("{} · Embeds · {}", key.name, scope.name()))}
        {frame(Some(Place::new(&scope, Area::Embeds)), &scopes, None, body.into_any())}
    }
}

fn choice(
    kind: &'static str,
    name: &'static str,
    value: &'static str,
    word: &'static str,
    on: bool,
) -> AnyView {
    view! { <label class="radio"><input type=kind name=name value=value checked=on/>{word}</label> }
        .into_any()
}

/// The frame for another site. It runs scripts, for freshness, and may open Rollcall in a new tab; nothing else is
/// open to it. It tells its height to the sites of its key alone, by whose name it must be able to know them.
#[must_use]
pub fn snippet(origin: &str, key: &str, look: Look) -> String {
    let chosen = look.to_url();
    let chosen = if chosen.is_empty() { chosen } else { format!("?{}", chosen.replace('&', "&amp;")) };
    format!(
        "<iframe src=\"{origin}/embed/{key}{chosen}\" \
         sandbox=\"allow-scripts allow-popups allow-popups-to-escape-sandbox\" title=\"Delegates\" width=\"100%\" \
         height=\"600\" referrerpolicy=\"origin\"></iframe>"
    )
}
