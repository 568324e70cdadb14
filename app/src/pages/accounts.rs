//! The start page: the accounts, or the first steps while there is none.

use std::sync::Arc;

use fleet::scope::Scope;
use leptos::prelude::*;

use crate::components::empty::command_line;
use crate::components::frame::frame;
use crate::components::page_title::page_title;
use crate::components::{icons, links};
use crate::context::PageRequest;
use crate::pages::{Asked, answer};
use crate::port::ScopeNode;
use crate::words;

/// Asks the port for the accounts.
#[component]
pub fn AccountsPage() -> impl IntoView {
    let asked = Asked::from_context();
    let port = asked.port().cloned();
    answer(asked, async move {
        let scopes = port?.scopes().await?;
        Ok(move |_| view! { <AccountsView scopes/> }.into_any())
    })
}

/// The page itself.
#[component]
pub fn AccountsView(
    /// Every account with the scopes below it.
    scopes: Arc<Vec<ScopeNode>>,
) -> impl IntoView {
    let request = use_context::<PageRequest>().unwrap_or_default();
    let stranger = request.viewer.is_some_and(|viewer| viewer.grants.is_empty());
    let body = match (scopes.is_empty(), stranger) {
        (true, true) => no_role(),
        (true, false) => first_steps(),
        (false, _) => accounts(&scopes),
    };
    view! { {page_title("Accounts")}{frame(None, &[], None, body)} }
}

fn accounts(scopes: &[ScopeNode]) -> AnyView {
    let entries: Vec<_> = scopes
        .iter()
        .map(|node| {
            let projects = node.children.iter().map(|organization| organization.children.len() as u64).sum();
            let size = format!(
                "{} · {}",
                words::count(node.children.len() as u64, "organization", "organizations"),
                words::count(projects, "project", "projects")
            );
            let name = node.scope.name().to_owned();
            if !node.reachable {
                return view! { <li>{closed(node, name)}</li> }.into_any();
            }
            view! {
                <li>
                    <a class="card" href=links::delegates_path(&node.scope)>
                        <span class="lab">{icons::icon(icons::SCOPE)}{name}</span>
                        <span class="cap">{size}</span>
                    </a>
                </li>
            }
            .into_any()
        })
        .collect();
    view! { <div class="head"><h1>"Accounts"</h1></div><ul class="cards accounts">{entries}</ul> }.into_any()
}

/// An account that only something below it may be opened of.
fn closed(node: &ScopeNode, name: String) -> AnyView {
    let mut open = Vec::new();
    reachable_below(node, &mut open);
    let links: Vec<_> = open
        .into_iter()
        .map(|scope| view! { <li><a href=links::delegates_path(scope)>{scope.to_string()}</a></li> })
        .collect();
    view! { <div class="card"><span class="lab">{icons::icon(icons::SCOPE)}{name}</span><ul>{links}</ul></div> }
        .into_any()
}

fn reachable_below<'a>(node: &'a ScopeNode, found: &mut Vec<&'a Scope>) {
    for child in &node.children {
        if child.reachable {
            found.push(&child.scope);
        }
        reachable_below(child, found);
    }
}

fn no_role() -> AnyView {
    view! {
        <section class="panel blank">
            <span class="mark">{icons::icon(icons::SHIELD)}</span>
            <h1>"You have no role yet"</h1>
            <p>"You are signed in, but nothing is open to you. An admin can give you a role in a scope."</p>
            <p><a class="btn" href="/">"Look again"</a></p>
        </section>
    }
    .into_any()
}

/// What to do before there is any account.
pub(crate) fn first_steps() -> AnyView {
    view! {
        <section class="panel blank">
            <span class="mark">{icons::icon(icons::BRAND)}</span>
            <h1>"Welcome to Rollcall"</h1>
            <p>"Two commands, run beside this server, and delegates can call in."</p>
            <ol class="steps">
                <li>"Create an account."{command_line("rollcall scope create acme".to_owned())}</li>
                <li>
                    "Create a token, which delegates of that account use to sign in."
                    {command_line("rollcall token create --scope acme --name edge".to_owned())}
                </li>
                <li>
                    "Give a delegate this server's address and the token. "
                    "It shows up here by itself within seconds of its first call."
                </li>
            </ol>
            <p><a class="btn" href="/">"Look again"</a></p>
        </section>
    }
    .into_any()
}
