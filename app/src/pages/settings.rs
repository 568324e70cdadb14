//! The settings of a scope.

use std::sync::Arc;

use fleet::scope::Scope;
use leptos::prelude::*;

use crate::components::form::field::Field;
use crate::components::form::{Sent, press, stray};
use crate::components::frame::{Place, frame};
use crate::components::icons;
use crate::components::nav::Area;
use crate::components::page_title::page_title;
use crate::context::{FormOutcome, PageRequest};
use crate::pages::{Asked, answer, scope_in_path};
use crate::port::ScopeNode;
use crate::port::access::{Setting, SettingSource};

/// Names of the form that changes a setting.
const CHANGE: [&str; 2] = ["", "settings"];

/// Asks the port for the settings.
#[component]
pub fn SettingsPage() -> impl IntoView {
    let asked = Asked::from_context();
    let (scope, access) = (scope_in_path(), asked.access());
    answer(asked, async move {
        let scope = scope?;
        let settings = access?.settings(&scope).await?;
        Ok(move |scopes| view! { <SettingsView scope settings scopes/> }.into_any())
    })
}

/// The page itself.
#[component]
pub fn SettingsView(
    /// Whose settings they are.
    scope: Scope,
    /// All of them.
    settings: Vec<Setting>,
    /// For the scope switcher.
    scopes: Arc<Vec<ScopeNode>>,
) -> impl IntoView {
    let request = use_context::<PageRequest>().unwrap_or_default();
    let outcome = &request.outcome;
    let sent = settings.iter().any(|setting| is_of(outcome, setting.key));
    let shown: &[&str] = if sent { &CHANGE } else { &[] };
    let (server, own): (Vec<&Setting>, Vec<&Setting>) = settings.iter().partition(|setting| setting.server);
    let body = view! {
        <div class="head"><h1>"Settings"</h1><p class="sub">{format!("of {scope}")}</p></div>
        {stray(outcome, shown)}
        {section("own", &format!("Of {scope} and what lies below"), &own, &scope, outcome)}
        {section("server", "Of the whole server", &server, &scope, outcome)}
    };
    view! {
        {page_title(&format!("Settings · {}", scope.name()))}
        {frame(Some(Place::new(&scope, Area::Settings)), &scopes, None, body.into_any())}
    }
}

/// Settings that hold in one place. Why none of them can be changed is said once.
fn section(
    id: &str,
    title: &str,
    settings: &[&Setting],
    scope: &Scope,
    outcome: &FormOutcome,
) -> Option<AnyView> {
    let first = settings.first()?;
    let shared =
        first.change.as_ref().err().filter(|_| settings.iter().all(|other| other.change == first.change));
    let why = shared.map(|why| view! { <p class="sub denied">{icons::icon(icons::SHIELD)}{why.clone()}</p> });
    let rows: Vec<_> =
        settings.iter().map(|setting| row(setting, scope, outcome, shared.is_none())).collect();
    let id = format!("settings-{id}");
    let labelled = id.clone();
    let section = view! {
        <section aria-labelledby=labelled>
            <h2 class="section" id=id>{title.to_owned()}</h2>
            {why}
            <ul class="panel settings">{rows}</ul>
        </section>
    };
    Some(section.into_any())
}

/// Whether the form that was sent is the one of this setting.
fn is_of(outcome: &FormOutcome, key: &str) -> bool {
    Sent::of(outcome, &CHANGE).value("key") == Some(key)
}

fn row(setting: &Setting, scope: &Scope, outcome: &FormOutcome, tell: bool) -> AnyView {
    let control = match &setting.change {
        Ok(()) => change(setting, scope, outcome),
        Err(why) => view! {
            <p><code>{shown(&setting.value)}</code></p>
            {tell.then(|| view! { <p class="sub denied">{icons::icon(icons::SHIELD)}{why.clone()}</p> })}
        }
        .into_any(),
    };
    view! {
        <li>
            <div class="meaning">
                <h3><code>{setting.key}</code></h3>
                <p>{setting.meaning}</p>
                <p class="sub">{source(&setting.source)}</p>
            </div>
            <div class="control">{control}</div>
        </li>
    }
    .into_any()
}

fn change(setting: &Setting, scope: &Scope, outcome: &FormOutcome) -> AnyView {
    let sent = if is_of(outcome, setting.key) { Sent::of(outcome, &CHANGE) } else { Sent::never() };
    let label = view! { <span class="vh">{format!("Value of {}", setting.key)}</span> }.into_any();
    let field = Field::labelled(sent, setting.key, "value", label)
        .or(setting.value.clone())
        .hint(format!("Allowed: {}", setting.allowed));
    let control = if setting.choices.is_empty() {
        field.line("text")
    } else {
        let words = setting.choices.iter().map(|word| ((*word).to_owned(), (*word).to_owned()));
        field.choice(words.collect())
    };
    let here = if setting.server { SettingSource::Server } else { SettingSource::Here };
    let reset = (setting.source == here).then(|| {
        let action = format!("{}/reset", Area::Settings.path(scope));
        press(action, &[("key", setting.key)], "Reset", format!("Reset {}", setting.key))
    });
    let save = format!("Save {}", setting.key);
    view! {
        <form method="post" action=Area::Settings.path(scope)>
            {sent.alert_beside("value")}
            <input type="hidden" name="key" value=setting.key/>
            {control}
            <button class="btn" aria-label=save>"Save"</button>
        </form>
        {reset}
    }
    .into_any()
}

fn shown(value: &str) -> String {
    if value.is_empty() { "empty".to_owned() } else { value.to_owned() }
}

fn source(source: &SettingSource) -> String {
    match source {
        SettingSource::Default => "Not set: this is the default.".to_owned(),
        SettingSource::Here => "Set here.".to_owned(),
        SettingSource::Above(scope) => format!("Inherited from {scope}."),
        SettingSource::Server => "Set for the whole server.".to_owned(),
    }
}
