//! The last step before several delegates leave the list (`ux 1.3`).

use std::sync::Arc;

use fleet::query::Query;
use fleet::scope::Scope;
use leptos::prelude::*;
use leptos_router::hooks::use_query_map;

use crate::components::confirm::{Confirm, ConfirmForm, confirm};
use crate::components::form::Sent;
use crate::components::frame::{Place, frame};
use crate::components::links;
use crate::components::nav::Area;
use crate::components::page_title::page_title;
use crate::context::PageRequest;
use crate::pages::delete::obstacle;
use crate::pages::{Asked, answer, scope_in_path};
use crate::port::access::Deletion;
use crate::port::{PortError, ScopeNode};
use crate::words;

/// One of the chosen groups.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chosen {
    /// Internal id.
    pub id: Arc<str>,
    /// Delegate name.
    pub name: Arc<str>,
    /// Where it is.
    pub scope: Scope,
    /// What would go, or why it cannot.
    pub deletion: Result<Deletion, String>,
}

/// Asks the port which groups are meant, and what would go with each.
#[component]
pub fn BulkDeletePage() -> impl IntoView {
    let asked = Asked::from_context();
    let (scope, port, access) = (scope_in_path(), asked.port().cloned(), asked.access());
    let ids = chosen_ids(&asked.request);
    answer(asked, async move {
        let (scope, access) = (scope?, access?);
        let overview = port?.overview(&scope, &Query { below: true, ..Query::default() }).await?;
        let mut chosen = Vec::new();
        for group in
            overview.snapshot.groups.iter().filter(|group| ids.iter().any(|id| **id == *group.facts.id))
        {
            let facts = &group.facts;
            let deletion = match access.deletion(&facts.scope, &facts.identifier, None).await {
                Ok(deletion) => obstacle(&deletion).map_or(Ok(deletion), Err),
                Err(PortError::Denied(reason)) => Err(reason),
                Err(error) => return Err(error.into()),
            };
            chosen.push(Chosen {
                id: Arc::clone(&facts.id),
                name: Arc::clone(&facts.name),
                scope: Scope::clone(&facts.scope),
                deletion,
            });
        }
        Ok(move |scopes| view! { <BulkDeleteView scope chosen scopes/> }.into_any())
    })
}

/// The ids in the address; those of the form, once it was sent.
fn chosen_ids(request: &PageRequest) -> Vec<String> {
    let sent = request.outcome.values.iter().filter(|(name, _)| name == "id");
    let sent: Vec<_> = sent.map(|(_, id)| id.clone()).collect();
    if sent.is_empty() { use_query_map().get_untracked().get_all("id").unwrap_or_default() } else { sent }
}

/// The page itself.
#[component]
pub fn BulkDeleteView(
    /// Where the list was.
    scope: Scope,
    /// What was chosen there.
    chosen: Vec<Chosen>,
    /// For the scope switcher.
    scopes: Arc<Vec<ScopeNode>>,
) -> impl IntoView {
    let request = use_context::<PageRequest>().unwrap_or_default();
    let going: Vec<_> = chosen.iter().filter(|chosen| chosen.deletion.is_ok()).collect();
    let count = going.len() as u64;
    let hidden = going.iter().map(|chosen| ("id", chosen.id.to_string())).collect();
    let title = match count {
        0 => "Nothing can be deleted".to_owned(),
        n => format!("Delete {}?", words::count(n, "delegate", "delegates")),
    };
    let form = ConfirmForm {
        action: format!("{}/delete", scope.path()),
        sent: Sent::of(&request.outcome, &["", "delete"]),
        field: "count",
        typed: count.to_string(),
        hidden,
        button: "Delete delegates",
    };
    let form = match (count, chosen.is_empty()) {
        (0, true) => Err("No delegate of this scope was selected. Select some in the list first.".to_owned()),
        (0, false) => Err("None of the selected delegates can be deleted.".to_owned()),
        _ => Ok(form),
    };
    let consequences = consequences(&chosen, &scope);
    let body =
        confirm(Confirm { title: title.clone(), consequences, back: links::delegates_path(&scope), form });
    view! {
        {page_title(&title)}
        {frame(Some(Place::new(&scope, Area::Delegates)), &scopes, None, body)}
    }
}

fn consequences(chosen: &[Chosen], page: &Scope) -> Vec<AnyView> {
    let mut told = Vec::new();
    let (going, staying): (Vec<_>, Vec<_>) = chosen.iter().partition(|chosen| chosen.deletion.is_ok());
    if !staying.is_empty() {
        let kept: Vec<_> = staying.into_iter().map(|chosen| kept(chosen, page)).collect();
        told.push(
            view! { "These stay:"<ul class="names" tabindex="0" aria-label="They stay">{kept}</ul> }
                .into_any(),
        );
    }
    if going.is_empty() {
        return told;
    }
    let deletions = || going.iter().filter_map(|chosen| chosen.deletion.as_ref().ok());
    let instances = deletions().map(|deletion| deletion.instances).sum();
    let connected: u64 = deletions().map(|deletion| deletion.connected).sum();
    let reappears = deletions().any(|deletion| deletion.reappears);
    let names: Vec<_> = going.iter().map(|chosen| named(chosen, page)).collect();
    let leaves =
        format!("These leave the list at once, with {}:", words::count(instances, "instance", "instances"));
    told.push(
        view! { {leaves}<ul class="names" tabindex="0" aria-label="They leave">{names}</ul> }.into_any(),
    );
    told.push(view! { "Only the list changes: this "<b>"does not uninstall"</b>" anything." }.into_any());
    if connected > 0 {
        let next = if reappears {
            "come back to the list with their next call, marked as returned after delete."
        } else {
            "are turned away with their next call, until somebody allows them again."
        };
        let verb = if connected == 1 { "is" } else { "are" };
        told.push(
            format!(
                "{} {verb} connected now. Such delegates {next}",
                words::count(connected, "instance", "instances")
            )
            .into_any(),
        );
    }
    told.push("You can undo this for 10 minutes.".into_any());
    told
}

fn named(chosen: &Chosen, page: &Scope) -> AnyView {
    let scope =
        (chosen.scope != *page).then(|| view! { " "<span class="badge">{chosen.scope.to_string()}</span> });
    view! { <li><b>{chosen.name.to_string()}</b>{scope}</li> }.into_any()
}

fn kept(chosen: &Chosen, page: &Scope) -> AnyView {
    let reason = chosen.deletion.as_ref().err().cloned();
    view! { {named(chosen, page)}<li class="why-not sub">{reason}</li> }.into_any()
}
