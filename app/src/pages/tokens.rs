//! The Tokens page of a scope (`product 11.6`).

use std::sync::Arc;

use fleet::access::Permission;
use fleet::scope::Scope;
use leptos::prelude::*;
use leptos_router::hooks::use_query_map;

use crate::components::credentials::credentials;
use crate::components::form::field::Field;
use crate::components::form::{Sent, press, refused, stray};
use crate::components::frame::{Place, frame};
use crate::components::links;
use crate::components::nav::Area;
use crate::components::page_title::page_title;
use crate::components::rights::Right;
use crate::components::secret::secret_once;
use crate::components::table::{instant_cell, nothing, table};
use crate::context::PageRequest;
use crate::help::related;
use crate::pages::{Asked, answer, scope_in_path};
use crate::port::ScopeNode;
use crate::port::access::Token;
use crate::words;

/// Names of the form for a new token.
const NEW: [&str; 2] = ["", "tokens"];

/// Asks the port for the tokens.
#[component]
pub fn TokensPage() -> impl IntoView {
    let asked = Asked::from_context();
    let (scope, access) = (scope_in_path(), asked.access());
    let revoked = use_query_map().get_untracked().get("status").as_deref() == Some("revoked");
    answer(asked, async move {
        let scope = scope?;
        let tokens = access?.tokens(&scope).await?;
        Ok(move |scopes| view! { <TokensView scope tokens revoked scopes/> }.into_any())
    })
}

/// The page itself.
#[component]
pub fn TokensView(
    /// Whose tokens they are.
    scope: Scope,
    /// All of them.
    tokens: Vec<Token>,
    /// Whether the revoked ones are asked for.
    revoked: bool,
    /// For the scope switcher.
    scopes: Arc<Vec<ScopeNode>>,
) -> impl IntoView {
    let request = use_context::<PageRequest>().unwrap_or_default();
    let may_delete = Right::of(request.viewer.as_ref(), Permission::DelegateDelete, &scope, None);
    let count = |active: bool| tokens.iter().filter(|token| token.active == active).count();
    let (active, gone) = (count(true), count(false));
    let rows: Vec<_> = tokens
        .iter()
        .filter(|token| token.active != revoked)
        .map(|token| row(token, &scope, &may_delete, &request))
        .collect();
    let list = match (rows.is_empty(), revoked) {
        (true, true) => nothing("No token of this scope is revoked.".to_owned()),
        (true, false) => {
            nothing(format!("No active token in {scope}. Delegates cannot sign in here until there is one."))
        }
        (false, _) => {
            let word = if revoked { "Revoked tokens" } else { "Active tokens" };
            let last = if revoked { "Revoked" } else { "Auto-revoke" };
            let columns = ["Name", "Created by", "Created", "Status", last, "Last used", "Delegates", ""];
            table("cap", format!("{word} of {scope}"), &columns, rows)
        }
    };
    let once = request.outcome.secret.as_ref().map(|(name, value)| {
        let more = view! { <p class="sub">"Give it to a delegate as DELEGATE_TOKEN, in Kubernetes also as UPGRADER_TOKEN."</p> };
        let later = "Later it stands in the files for a new delegate alone, for those who may install one.";
        secret_once(&format!("Token {name}"), value, later, more.into_any())
    });
    let may_edit = Right::of(request.viewer.as_ref(), Permission::DelegateEdit, &scope, None);
    let path = Area::Tokens.path(&scope);
    let body = view! {
        <div class="head"><h1>"Tokens"</h1><p class="sub">{format!("of {scope}")}</p></div>
        {stray(&request.outcome, &NEW)}
        {once}
        {new_token(&scope, &request)}
        <div class="panel">
            <nav class="tabs" aria-label="Tokens by status">
                {tab(path.clone(), "Active", active, !revoked)}
                {tab(format!("{path}?status=revoked"), "Revoked", gone, revoked)}
            </nav>
            {list}
        </div>
        {credentials(&scope, &request.origin, request.outcome.secret.is_some(), &may_edit)}
        {related(&["tokens", "securing"])}
    };
    view! {
        {page_title(&format!("Tokens · {}", scope.name()))}
        {frame(Some(Place::new(&scope, Area::Tokens)), &scopes, None, body.into_any())}
    }
}

fn tab(href: String, word: &'static str, count: usize, current: bool) -> AnyView {
    let count = words::number(count as u64);
    view! {
        <a href=href aria-current=current.then_some("page")>{word}" "<span class="pill num">{count}</span></a>
    }
    .into_any()
}

fn new_token(scope: &Scope, request: &PageRequest) -> Option<AnyView> {
    match Right::of(request.viewer.as_ref(), Permission::DelegateEdit, scope, None) {
        Right::Nobody => None,
        Right::Denied(why) => Some(refused("New token", &why)),
        Right::Held => {
            let sent = Sent::of(&request.outcome, &NEW);
            Some(
                view! {
                    <details class="panel sheet fold" open=sent.failed()>
                        <summary>"New token"</summary>
                        <form method="post" action=Area::Tokens.path(scope) class="fields">
                            {sent.alert()}
                            {Field::new(sent, "token", "name", "Name")
                                .required()
                                .hint("Unique in this scope. Names of revoked tokens are taken for 30 days.")
                                .line("text")}
                            {Field::new(sent, "token", "days", "Revoke by itself after days")
                                .between(1, 3_650)
                                .hint("1 to 3650. Empty: never.")
                                .line("number")}
                            <p class="buttons"><button class="btn primary">"Create token"</button></p>
                        </form>
                    </details>
                }
                .into_any(),
            )
        }
    }
}

fn row(token: &Token, scope: &Scope, may_delete: &Right, request: &PageRequest) -> AnyView {
    let now = request.now;
    let status = if token.active {
        view! { <span class="badge ok">"Active"</span> }.into_any()
    } else {
        let purge = token.purged_at.map(|at| format!("Name free on {}", at.to_utc().format("%Y-%m-%d")));
        view! { <span class="badge">"Revoked"</span><span class="sub below">{purge}</span> }.into_any()
    };
    let end = if token.active {
        instant_cell(token.revoke_after, now, "never")
    } else {
        instant_cell(token.revoked_at, now, "not known")
    };
    view! {
        <tr>
            <th scope="row">{token.name.to_string()}</th>
            <td>{token.created_by.clone().unwrap_or_else(|| "SYSTEM".to_owned())}</td>
            {instant_cell(Some(token.created_at), now, "")}
            <td>{status}</td>
            {end}
            {instant_cell(token.last_used, now, "never")}
            <td class="num">{words::count(token.instances, "instance", "instances")}</td>
            <td class="acts">{action(token, scope, may_delete)}</td>
        </tr>
    }
    .into_any()
}

fn action(token: &Token, scope: &Scope, may_delete: &Right) -> Option<AnyView> {
    let name = &token.name;
    match (may_delete, token.active) {
        (Right::Nobody, _) => None,
        (Right::Held, true) => {
            let href = links::token_revoke_path(scope, &token.id);
            let label = format!("Revoke… {name}");
            Some(
                view! { <a class="btn small" href=href aria-label=label data-dialog>"Revoke…"</a> }
                    .into_any(),
            )
        }
        (Right::Held, false) => {
            let action = format!("{}/{}/delete", Area::Tokens.path(scope), links::encode(&token.id));
            Some(press(action, &[], "Delete", format!("Delete revoked token {name}")))
        }
        (Right::Denied(why), active) => {
            let word = if active { "Revoke…" } else { "Delete" };
            let label = format!("{word} {name}. {why}");
            let why = why.clone();
            Some(
                view! {
                    <button type="button" class="btn small" aria-disabled="true" aria-label=label title=why>{word}</button>
                }
                .into_any(),
            )
        }
    }
}
