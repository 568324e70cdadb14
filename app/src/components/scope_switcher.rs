//! The way from one scope to another (`product 1.3`).

use fleet::scope::Scope;
use leptos::prelude::*;

use crate::components::{icons, links};
use crate::port::ScopeNode;

/// Up to this many scopes the list is complete; beyond it, only the branch of the current scope opens.
const COMPLETE_UP_TO: usize = 200;
/// From this many scopes on, a filter box helps.
const FILTER_FROM: usize = 9;

/// A button that names the current scope and opens the list of all.
#[must_use]
pub fn scope_switcher(current: Option<&Scope>, scopes: &[ScopeNode]) -> AnyView {
    let count = scopes.iter().map(size).sum::<usize>();
    let complete = count <= COMPLETE_UP_TO;
    let nodes: Vec<_> = scopes.iter().map(|node| entry(node, current, complete)).collect();
    let filter = (count >= FILTER_FROM).then(|| {
        view! {
            <label class="search js">
                {icons::icon(icons::SEARCH)}
                <span class="vh">"Find a scope"</span>
                <input type="search" placeholder="Find a scope" autocomplete="off" data-filter="scopes"/>
            </label>
        }
    });
    view! {
        <button type="button" class="btn scope" popovertarget="scopes" aria-haspopup="dialog">
            <span class="sub">"Scope"</span>
            {face(current)}
        </button>
        <div popover id="scopes" class="menu scopes" role="dialog" aria-label="Scopes">
            {filter}
            <nav aria-label="Scopes"><ul>{nodes}</ul></nav>
        </div>
    }
    .into_any()
}

fn face(current: Option<&Scope>) -> AnyView {
    let Some(scope) = current else {
        return view! { <span class="crumb">"Choose"</span> }.into_any();
    };
    let parts = [Some(scope.account()), scope.organization(), scope.project()];
    let crumbs: Vec<_> = parts
        .into_iter()
        .flatten()
        .enumerate()
        .map(|(at, part)| {
            let separator = (at > 0).then(|| icons::icon(icons::ARROW));
            view! { {separator}<span class="crumb">{part.to_owned()}</span> }
        })
        .collect();
    crumbs.into_any()
}

fn entry(node: &ScopeNode, current: Option<&Scope>, complete: bool) -> AnyView {
    let here = current == Some(&node.scope);
    let opens = complete || current.is_some_and(|current| node.scope.contains(current));
    let below = (opens && !node.children.is_empty()).then(|| {
        let nodes: Vec<_> = node.children.iter().map(|child| entry(child, current, complete)).collect();
        view! { <ul>{nodes}</ul> }
    });
    let name = node.scope.name().to_owned();
    let name = if node.reachable {
        let href = links::delegates_path(&node.scope);
        view! { <a href=href aria-current=here.then_some("true")>{name}</a> }.into_any()
    } else {
        view! { <span class="closed">{name}</span> }.into_any()
    };
    view! { <li>{name}{below}</li> }.into_any()
}

fn size(node: &ScopeNode) -> usize {
    1 + node.children.iter().map(size).sum::<usize>()
}
