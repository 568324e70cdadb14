//! The start page: the accounts, or the first steps while there is none.

use std::sync::Arc;

use leptos::prelude::*;

use crate::components::empty::command_line;
use crate::components::frame::frame;
use crate::components::page_title::page_title;
use crate::components::{icons, links};
use crate::pages::Asked;
use crate::pages::trouble::{Trouble, trouble};
use crate::port::{PortError, ScopeNode};
use crate::words;

/// Asks the port for the accounts.
#[component]
pub fn AccountsPage() -> impl IntoView {
    let asked = Asked::from_context();
    let page = Suspend::new(async move {
        let found = match &asked.port {
            Some(port) => port.scopes().await,
            None => Err(PortError::NotReady),
        };
        match found {
            Ok(scopes) => view! { <AccountsView scopes/> }.into_any(),
            Err(error) => {
                provide_context(asked.request);
                trouble(Trouble::from(error), Arc::default(), &asked.status)
            }
        }
    });
    view! { <Suspense>{page}</Suspense> }
}

/// The page itself.
#[component]
pub fn AccountsView(
    /// Every account with the scopes below it.
    scopes: Arc<Vec<ScopeNode>>,
) -> impl IntoView {
    let body = if scopes.is_empty() { first_steps() } else { accounts(&scopes) };
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
            view! {
                <li>
                    <a class="card" href=links::delegates_path(&node.scope)>
                        <span class="lab">{icons::icon(icons::SCOPE)}{node.scope.name().to_owned()}</span>
                        <span class="cap">{size}</span>
                    </a>
                </li>
            }
        })
        .collect();
    view! { <div class="head"><h1>"Accounts"</h1></div><ul class="cards accounts">{entries}</ul> }.into_any()
}

fn first_steps() -> AnyView {
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
