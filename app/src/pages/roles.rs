//! Roles that can be given in a scope (`product 2.4`, `2.5`).

use std::sync::Arc;

use fleet::access::{Permission, PermissionSet};
use fleet::scope::Scope;
use leptos::prelude::*;

use crate::components::form::field::Field;
use crate::components::form::{Sent, press, stray};
use crate::components::frame::{Place, frame};
use crate::components::links;
use crate::components::nav::Area;
use crate::components::page_title::page_title;
use crate::context::{FormOutcome, PageRequest};
use crate::pages::{Asked, answer, scope_in_path};
use crate::port::ScopeNode;
use crate::port::access::Role;
use crate::words;

/// Names of the form for a new role.
const NEW: [&str; 2] = ["", "roles"];

/// Asks the port for the roles.
#[component]
pub fn RolesPage() -> impl IntoView {
    let asked = Asked::from_context();
    let (scope, access) = (scope_in_path(), asked.access());
    answer(asked, async move {
        let scope = scope?;
        let roles = access?.roles(&scope).await?;
        Ok(move |scopes| view! { <RolesView scope roles scopes/> }.into_any())
    })
}

/// The page itself.
#[component]
pub fn RolesView(
    /// Whose page it is.
    scope: Scope,
    /// Built-in roles, own ones, those of scopes above.
    roles: Vec<Role>,
    /// For the scope switcher.
    scopes: Arc<Vec<ScopeNode>>,
) -> impl IntoView {
    let request = use_context::<PageRequest>().unwrap_or_default();
    let own = |role: &Role| role.scope.as_ref() == Some(&scope);
    let kept = roles.iter().any(|role| own(role) && sent_for(role, &request.outcome).failed());
    let shown: &[&str] = if kept { &["", "roles", "change"] } else { &NEW };
    let cards: Vec<_> = roles.iter().map(|role| card(role, &scope, &request)).collect();
    let sent = Sent::of(&request.outcome, &NEW);
    let body = view! {
        <div class="head"><h1>"Roles"</h1><p class="sub">{format!("that can be given in {scope}")}</p></div>
        {stray(&request.outcome, shown)}
        <details class="panel sheet fold" open=sent.failed()>
            <summary>"New role"</summary>
            {editor(sent, "new", Area::Roles.path(&scope), None, "Create role")}
        </details>
        <ul class="roles">{cards}</ul>
    };
    view! {
        {page_title(&format!("Roles · {}", scope.name()))}
        {frame(Some(Place::new(&scope, Area::Roles)), &scopes, None, body.into_any())}
    }
}

fn card(role: &Role, scope: &Scope, request: &PageRequest) -> AnyView {
    let own = role.scope.as_ref() == Some(scope);
    let origin = match &role.scope {
        None => view! { <span class="badge">"Built in"</span> }.into_any(),
        Some(_) if own => ().into_any(),
        Some(above) => {
            let text = format!("from {above}");
            view! { <a class="badge" href=Area::Roles.path(above)>{text}</a> }.into_any()
        }
    };
    let used = words::count(role.assignments, "assignment", "assignments");
    let held: Vec<_> = role
        .permissions
        .iter()
        .map(|permission| view! { <li>{permission.label()}" "<code class="sub">{permission.as_str()}</code></li> })
        .collect();
    view! {
        <li class="panel sheet">
            <div class="head">
                <h2>{role.name.to_string()}</h2>
                {origin}
                <span class="sub num">{used}</span>
                <span class="grow"></span>
                {own.then(|| delete(role, scope))}
            </div>
            <ul class="held">{held}</ul>
            {own.then(|| edit(role, scope, request))}
        </li>
    }
    .into_any()
}

fn edit(role: &Role, scope: &Scope, request: &PageRequest) -> AnyView {
    let sent = sent_for(role, &request.outcome);
    let action = format!("{}/{}", Area::Roles.path(scope), links::encode(&role.id));
    view! {
        <details class="fold" open=sent.failed()>
            <summary>{format!("Change {}", role.name)}</summary>
            {editor(sent, &role.id, action, Some(role), "Save role")}
        </details>
    }
    .into_any()
}

fn delete(role: &Role, scope: &Scope) -> AnyView {
    if role.assignments > 0 {
        let why = "Somebody still has this role. Remove it from them on the page Users first.";
        let label = format!("Delete role {}. {why}", role.name);
        return view! {
            <button type="button" class="btn small" aria-disabled="true" aria-label=label title=why>"Delete"</button>
        }
        .into_any();
    }
    let action = format!("{}/{}/delete", Area::Roles.path(scope), links::encode(&role.id));
    press(action, &[], "Delete", format!("Delete role {}", role.name))
}

/// What became of the form of this role: all of them are called `change` and send the id.
fn sent_for<'a>(role: &Role, outcome: &'a FormOutcome) -> Sent<'a> {
    let sent = Sent::of(outcome, &["change"]);
    if sent.value("id") == Some(&*role.id) { sent } else { Sent::never() }
}

/// Name and permissions; `id` keeps the ids of several such forms apart.
fn editor(sent: Sent<'_>, id: &str, action: String, role: Option<&Role>, button: &'static str) -> AnyView {
    let chosen: PermissionSet = if sent.failed() {
        sent.values("permission").filter_map(|word| word.parse().ok()).collect()
    } else {
        role.map(|role| role.permissions).unwrap_or_default()
    };
    let boxes: Vec<_> = Permission::ALL.into_iter().map(|permission| check(permission, chosen, id)).collect();
    let wrong = sent.error("permission").map(str::to_owned);
    let wrong_id = format!("role-{id}-permission-error");
    let described = wrong.is_some().then(|| wrong_id.clone());
    let name = role.map(|role| role.name.to_string()).unwrap_or_default();
    view! {
        <form method="post" action=action class="fields">
            {sent.alert()}
            {role.map(|role| view! { <input type="hidden" name="id" value=role.id.to_string()/> })}
            {Field::new(sent, &format!("role-{id}"), "name", "Name").or(name).required().line("text")}
            <fieldset class="checks" aria-describedby=described>
                <legend>"Permissions"</legend>
                {boxes}
                {wrong.map(|text| view! { <p class="wrong" id=wrong_id>{text}</p> })}
            </fieldset>
            <p class="buttons"><button class="btn primary">{button}</button></p>
        </form>
    }
    .into_any()
}

/// One permission. View cannot be switched off (`product 2.4`, P2).
fn check(permission: Permission, chosen: PermissionSet, id: &str) -> AnyView {
    let fixed = permission == Permission::DelegateView;
    let checked = fixed || chosen.contains(permission);
    let hint_id = format!("role-{id}-fixed");
    let described = fixed.then(|| hint_id.clone());
    let hint = fixed.then(|| {
        view! { <p class="sub" id=hint_id>"Always on: whoever has any role in a scope sees its delegates."</p> }
    });
    view! {
        <label class="check">
            <input
                type="checkbox"
                name="permission"
                value=permission.as_str()
                checked=checked
                disabled=fixed
                aria-describedby=described
            />
            <span>{permission.label()}" "<code class="sub">{permission.as_str()}</code></span>
        </label>
        {hint}
    }
    .into_any()
}
