//! The viewer's own page: password, roles, API keys, places of sign-in.

use std::sync::Arc;

use leptos::prelude::*;

use crate::components::assignments::assigned;
use crate::components::form::field::Field;
use crate::components::form::{Sent, press, stray};
use crate::components::frame::frame;
use crate::components::links;
use crate::components::page_title::page_title;
use crate::components::secret::{GONE, secret_once};
use crate::components::table::{instant_cell, nothing, table};
use crate::components::time;
use crate::context::{PageRequest, SessionEnd};
use crate::pages::{Asked, answer};
use crate::port::ScopeNode;
use crate::port::access::{ApiKey, Me, Session};

/// Asks the port for the viewer's own things.
#[component]
pub fn MePage() -> impl IntoView {
    let asked = Asked::from_context();
    let access = asked.access();
    answer(asked, async move {
        let me = access?.me().await?;
        Ok(move |scopes| view! { <MeView me scopes/> }.into_any())
    })
}

/// The page itself.
#[component]
pub fn MeView(
    /// The viewer's own things.
    me: Me,
    /// For the scope switcher.
    scopes: Arc<Vec<ScopeNode>>,
) -> impl IntoView {
    let request = use_context::<PageRequest>().unwrap_or_default();
    let viewer = request.viewer.clone().unwrap_or_default();
    let once = request.outcome.secret.as_ref().map(|(name, value)| {
        let more = view! { <p class="sub">"Send it in the header "<code>"x-api-key"</code>" with every request under /api."</p> };
        secret_once(&format!("API key {name}"), value, GONE, more.into_any())
    });
    let body = view! {
        <div class="head"><h1>"Your account"</h1></div>
        {stray(&request.outcome, &["password", "keys"])}
        {once}
        <section class="panel sheet" aria-labelledby="who">
            <h2 id="who">{viewer.name.to_string()}</h2>
            <p class="sub">{viewer.email.to_string()}</p>
        </section>
        {me.has_password.then(|| password(&request))}
        {roles(&me)}
        {keys(&me, &request)}
        {sessions(&me.sessions, &request)}
    };
    view! { {page_title("Your account")}{frame(None, &scopes, None, body.into_any())} }
}

fn password(request: &PageRequest) -> AnyView {
    let sent = Sent::of(&request.outcome, &["password"]);
    view! {
        <details class="panel sheet fold" open=sent.failed()>
            <summary>"Change password"</summary>
            <form method="post" action="/me/password" class="fields">
                {sent.alert()}
                <input type="hidden" name="username" autocomplete="username" value=username(request)/>
                {Field::new(sent, "password", "current", "Current password")
                    .autocomplete("current-password")
                    .required()
                    .line("password")}
                {Field::new(sent, "password", "password", "New password")
                    .autocomplete("new-password")
                    .required()
                    .hint("Long is better than complicated. It ends every other sign-in of yours.")
                    .line("password")}
                <p class="buttons"><button class="btn primary">"Change password"</button></p>
            </form>
        </details>
    }
    .into_any()
}

fn username(request: &PageRequest) -> String {
    request.viewer.as_ref().map(|viewer| viewer.email.to_string()).unwrap_or_default()
}

fn roles(me: &Me) -> AnyView {
    let rows: Vec<_> =
        me.assignments.iter().map(|assignment| view! { <li>{assigned(assignment)}</li> }).collect();
    let list = if rows.is_empty() {
        nothing("You have no role yet. An admin can give you one.".to_owned())
    } else {
        view! { <ul class="assigned">{rows}</ul> }.into_any()
    };
    view! { <section class="panel sheet" aria-labelledby="roles"><h2 id="roles">"Your roles"</h2>{list}</section> }.into_any()
}

fn keys(me: &Me, request: &PageRequest) -> AnyView {
    let sent = Sent::of(&request.outcome, &["keys"]);
    let rows: Vec<_> = me.keys.iter().map(|key| key_row(key, request)).collect();
    let list = if rows.is_empty() {
        nothing("You have no API key.".to_owned())
    } else {
        let columns = ["Name", "Scope", "Created", "Ends", "Last used", ""];
        table("keys-cap", "Your API keys".to_owned(), &columns, rows)
    };
    let scopes: Vec<_> = me.scopes.iter().map(|scope| (scope.to_string(), scope.to_string())).collect();
    let form = (!scopes.is_empty()).then(|| {
        view! {
            <details class="fold inset" open=sent.failed()>
                <summary>"New API key"</summary>
                <form method="post" action="/me/keys" class="fields">
                    {sent.alert()}
                    {Field::new(sent, "key", "name", "Name").required().hint("What it is for.").line("text")}
                    {Field::new(sent, "key", "scope", "Scope")
                        .hint("The key reaches this scope and those below, as far as your roles do.")
                        .choice(scopes)}
                    {Field::new(sent, "key", "days", "Ends after days")
                        .or("90")
                        .between(1, 365)
                        .hint("1 to 365. Empty: no end.")
                        .line("number")}
                    <p class="buttons"><button class="btn primary">"Create API key"</button></p>
                </form>
            </details>
        }
    });
    view! {
        <section class="panel" aria-labelledby="keys">
            <h2 id="keys" class="facts-head">"API keys"</h2>
            {list}
            {form}
        </section>
    }
    .into_any()
}

fn key_row(key: &ApiKey, request: &PageRequest) -> AnyView {
    let now = request.now;
    let revoke = format!("/me/keys/{}/revoke", links::encode(&key.id));
    view! {
        <tr>
            <th scope="row">{key.name.to_string()}<code class="sub below">{key.id.to_string()}</code></th>
            <td>{key.scope.to_string()}</td>
            {instant_cell(Some(key.created_at), now, "")}
            {instant_cell(key.expires_at, now, "no end")}
            {instant_cell(key.last_used, now, "never")}
            <td class="acts">{press(revoke, &[], "Revoke", format!("Revoke API key {}", key.name))}</td>
        </tr>
    }
    .into_any()
}

/// Until when this sign-in holds, for those who get no notice in time.
fn ends(session: SessionEnd, request: &PageRequest) -> AnyView {
    let instant = |at| time::instant(at, request.now);
    view! {
        <p class="sub">
            "This sign-in ends at "{instant(session.next())}" unless you go on before, and at "
            {instant(session.latest)}" in any case."
        </p>
    }
    .into_any()
}

fn sessions(sessions: &[Session], request: &PageRequest) -> AnyView {
    let now = request.now;
    let rows: Vec<_> = sessions
        .iter()
        .map(|session| {
            let here = session.current.then(|| view! { " "<span class="badge ok">"This one"</span> });
            view! {
                <tr>
                    <th scope="row">{session.agent.clone()}{here}</th>
                    <td><code>{session.address.clone()}</code></td>
                    {instant_cell(Some(session.created_at), now, "")}
                    {instant_cell(Some(session.last_seen), now, "")}
                </tr>
            }
            .into_any()
        })
        .collect();
    view! {
        <section class="panel" aria-labelledby="sessions">
            <h2 id="sessions" class="facts-head">"Where you are signed in"</h2>
            {table("sessions-cap", "Your sign-ins".to_owned(), &["Browser", "Address", "Since", "Last seen"], rows)}
            <div class="inset">
                {request.session.map(|session| ends(session, request))}
                <form method="post" action="/me/sessions/end">
                    <button class="btn">"Sign out everywhere else"</button>
                </form>
            </div>
        </section>
    }
    .into_any()
}
