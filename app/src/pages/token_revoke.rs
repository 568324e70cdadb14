//! The last step before a token is revoked (`product 10.5`, P25).

use std::sync::Arc;

use fleet::scope::Scope;
use leptos::prelude::*;

use crate::components::confirm::{Confirm, ConfirmForm, confirm};
use crate::components::form::Sent;
use crate::components::frame::{Place, frame};
use crate::components::links;
use crate::components::nav::Area;
use crate::components::page_title::page_title;
use crate::context::PageRequest;
use crate::pages::{Asked, answer, named_in_path, scope_in_path};
use crate::port::ScopeNode;
use crate::port::access::{TokenGroup, TokenUse};
use crate::words;

/// Asks the port who depends on the token.
#[component]
pub fn TokenRevokePage() -> impl IntoView {
    let asked = Asked::from_context();
    let (scope, access) = (scope_in_path(), asked.access());
    let id = named_in_path("id");
    answer(asked, async move {
        let scope = scope?;
        let token = access?.token(&scope, &id).await?;
        Ok(move |scopes| view! { <TokenRevokeView scope token scopes/> }.into_any())
    })
}

/// The page itself.
#[component]
pub fn TokenRevokeView(
    /// Whose page it is.
    scope: Scope,
    /// The token and its groups.
    token: TokenUse,
    /// For the scope switcher.
    scopes: Arc<Vec<ScopeNode>>,
) -> impl IntoView {
    let request = use_context::<PageRequest>().unwrap_or_default();
    let TokenUse { token, groups } = token;
    let title = format!("Revoke token {}?", token.name);
    let form = if token.active {
        Ok(ConfirmForm {
            action: links::token_revoke_path(&scope, &token.id),
            sent: Sent::of(&request.outcome, &["", "revoke"]),
            field: "name",
            typed: token.name.to_string(),
            hidden: Vec::new(),
            button: "Revoke token",
        })
    } else {
        Err("This token is revoked already.".to_owned())
    };
    let consequences = if token.active { consequences(&groups) } else { Vec::new() };
    let body = confirm(Confirm { title: title.clone(), consequences, back: Area::Tokens.path(&scope), form });
    view! {
        {page_title(&title)}
        {frame(Some(Place::new(&scope, Area::Tokens)), &scopes, None, body)}
    }
}

fn consequences(groups: &[TokenGroup]) -> Vec<AnyView> {
    let mut told = vec![users(groups)];
    if !groups.is_empty() {
        told.push(
            "Their processes keep running, but get no work. To bring one back, give it another token and restart it; \
             in Kubernetes both DELEGATE_TOKEN and UPGRADER_TOKEN."
                .into_any(),
        );
    }
    told.push("The name stays taken until the revoked token is deleted.".into_any());
    told.push("This cannot be undone.".into_any());
    told
}

fn users(groups: &[TokenGroup]) -> AnyView {
    if groups.is_empty() {
        return "No delegate uses this token now. Whoever calls with it is turned away at once.".into_any();
    }
    let instances: u64 = groups.iter().map(|group| group.instances).sum();
    let lead = format!(
        "{} of {} lose access at once, however they are connected:",
        words::count(instances, "instance", "instances"),
        words::count(groups.len() as u64, "delegate", "delegates")
    );
    let names: Vec<_> = groups
        .iter()
        .map(|group| {
            let href =
                format!("{}/{}", links::delegates_path(&group.scope), links::encode(&group.identifier));
            let share = format!(
                "{}, {} connected",
                words::count(group.instances, "instance", "instances"),
                words::number(group.connected)
            );
            view! {
                <li>
                    <a href=href>{group.name.to_string()}</a>" "<span class="badge">{group.scope.to_string()}</span>
                    " "<span class="sub num">{share}</span>
                </li>
            }
        })
        .collect();
    view! { {lead}<ul class="names">{names}</ul> }.into_any()
}
