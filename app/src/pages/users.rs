//! People with a role in a scope.

use std::sync::Arc;

use fleet::scope::Scope;
use leptos::prelude::*;

use crate::components::assignments::assigned;
use crate::components::form::field::Field;
use crate::components::form::{Sent, press, refused, stray};
use crate::components::frame::{Place, frame};
use crate::components::links;
use crate::components::nav::Area;
use crate::components::page_title::page_title;
use crate::components::table::{instant_cell, nothing, table};
use crate::context::PageRequest;
use crate::pages::{Asked, answer, scope_in_path};
use crate::port::ScopeNode;
use crate::port::access::{Assignment, People, Person, Role};

/// Names of the form that gives a role.
const NEW: [&str; 2] = ["", "users"];

/// Asks the port who has a role.
#[component]
pub fn UsersPage() -> impl IntoView {
    let asked = Asked::from_context();
    let (scope, access) = (scope_in_path(), asked.access());
    answer(asked, async move {
        let scope = scope?;
        let people = access?.people(&scope).await?;
        Ok(move |scopes| view! { <UsersView scope people scopes/> }.into_any())
    })
}

/// The page itself.
#[component]
pub fn UsersView(
    /// Whose page it is.
    scope: Scope,
    /// The people, and the roles that can be given.
    people: People,
    /// For the scope switcher.
    scopes: Arc<Vec<ScopeNode>>,
) -> impl IntoView {
    let request = use_context::<PageRequest>().unwrap_or_default();
    let rows: Vec<_> = people.people.iter().map(|person| row(person, &scope, &request)).collect();
    let list = if rows.is_empty() {
        nothing(format!("Nobody has a role in {scope}."))
    } else {
        table("cap", format!("People with a role in {scope}"), &["Person", "Roles", "Last sign-in", ""], rows)
    };
    let body = view! {
        <div class="head"><h1>"Users"</h1><p class="sub">{format!("of {scope}")}</p></div>
        {stray(&request.outcome, &NEW)}
        {new_user(&scope, &people.roles, &request)}
        <div class="panel">{list}</div>
    };
    view! {
        {page_title(&format!("Users · {}", scope.name()))}
        {frame(Some(Place::new(&scope, Area::Users)), &scopes, None, body.into_any())}
    }
}

fn new_user(scope: &Scope, roles: &[Role], request: &PageRequest) -> AnyView {
    let sent = Sent::of(&request.outcome, &NEW);
    let roles = roles.iter().map(|role| (role_value(role), role_label(role))).collect();
    view! {
        <details class="panel sheet fold" open=sent.failed()>
            <summary>"Give a role"</summary>
            <form method="post" action=Area::Users.path(scope) class="fields">
                {sent.alert()}
                {Field::new(sent, "user", "email", "E-mail")
                    .required()
                    .hint("Somebody new is added; somebody who is known gets one more role.")
                    .line("email")}
                {Field::new(sent, "user", "name", "Name").hint("For somebody new. May stay empty.").line("text")}
                {Field::new(sent, "user", "password", "First password")
                    .autocomplete("new-password")
                    .hint("For somebody new. Empty: they can sign in through the identity provider only.")
                    .line("password")}
                {Field::new(sent, "user", "role", "Role")
                    .hint(format!("It holds in {scope} and every scope below."))
                    .choice(roles)}
                {Field::new(sent, "user", "resources", "Only for these delegates")
                    .hint("Identifiers, separated by commas. Empty: all.")
                    .line("text")}
                <p class="buttons"><button class="btn primary">"Give role"</button></p>
            </form>
        </details>
    }
    .into_any()
}

/// The word of a built-in role, `id@scope` of a custom one.
fn role_value(role: &Role) -> String {
    match &role.scope {
        None => role.id.to_string(),
        Some(scope) => format!("{}@{scope}", role.id),
    }
}

fn role_label(role: &Role) -> String {
    match &role.scope {
        None => role.name.to_string(),
        Some(scope) => format!("{} ({scope})", role.name),
    }
}

fn row(person: &Person, scope: &Scope, request: &PageRequest) -> AnyView {
    let path = format!("{}/{}", Area::Users.path(scope), links::encode(&person.id));
    let roles: Vec<_> =
        person.assignments.iter().map(|assignment| role_line(assignment, person, &path)).collect();
    let badge = |on: bool, word: &'static str| on.then(|| view! { " "<span class="badge">{word}</span> });
    let name = (!person.name.is_empty() && person.name != person.email)
        .then(|| view! { <span class="sub below">{person.name.to_string()}</span> });
    let own = request.viewer.as_ref().is_some_and(|viewer| viewer.id == person.id);
    view! {
        <tr>
            <th scope="row">
                {person.email.to_string()}
                {badge(own, "You")}
                {badge(person.disabled, "Disabled")}
                {badge(person.external, "SSO")}
                {badge(person.service, "Service account")}
                {name}
            </th>
            <td><ul class="assigned">{roles}</ul></td>
            {instant_cell(person.last_sign_in, request.now, "never")}
            <td class="acts">{(!own).then(|| actions(person, &path))}</td>
        </tr>
    }
    .into_any()
}

fn role_line(assignment: &Assignment, person: &Person, path: &str) -> AnyView {
    let remove = assignment.removable.then(|| {
        let action = format!("{path}/assignments/{}/remove", links::encode(&assignment.id));
        press(action, &[], "Remove", format!("Remove {} from {}", assignment.role, person.email))
    });
    view! { <li>{assigned(assignment)}{remove}</li> }.into_any()
}

fn actions(person: &Person, path: &str) -> AnyView {
    let who = &person.email;
    if let Err(why) = &person.manage {
        return refused(if person.disabled { "Enable" } else { "Disable" }, why);
    }
    let shut = if person.disabled {
        press(format!("{path}/enable"), &[], "Enable", format!("Enable {who}"))
    } else {
        press(format!("{path}/disable"), &[], "Disable", format!("Disable {who}"))
    };
    let out = (!person.service && !person.disabled)
        .then(|| press(format!("{path}/sign-out"), &[], "Sign out", format!("Sign out {who} everywhere")));
    view! { <div class="row">{shut}{out}</div> }.into_any()
}
