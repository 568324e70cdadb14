//! The panel of an explanation. It is the whole of a page, or a dialog above another one.

use fleet::explain::{Check, Due, Fact, Value};
use fleet::time::Timestamp;
use leptos::prelude::*;

use crate::components::empty::command_line;
use crate::components::{icons, time};

/// Everything that an explanation says.
pub struct Panel {
    /// What is explained.
    pub title: String,
    /// The state, as it looks elsewhere.
    pub face: AnyView,
    /// How the comparison ended.
    pub because: String,
    /// The rule.
    pub rule: Vec<String>,
    /// What was compared.
    pub facts: Vec<Fact>,
    /// The conditions in order.
    pub checks: Vec<Check>,
    /// What would change it.
    pub changes: Vec<String>,
    /// What time alone changes.
    pub due: Vec<Due>,
    /// What people take it for.
    pub notes: Vec<String>,
    /// The instant of it all.
    pub as_of: Timestamp,
    /// Ways on.
    pub links: Vec<(&'static str, String)>,
    /// The same about instances.
    pub instances: Vec<(String, String)>,
    /// What to do about it.
    pub update: Option<AnyView>,
    /// A command that belongs to it.
    pub command: Option<(&'static str, String)>,
    /// Where the way back leads.
    pub back: String,
}

/// The panel.
#[must_use]
pub fn panel(panel: Panel) -> AnyView {
    let as_of = panel.as_of;
    let facts: Vec<_> = panel.facts.iter().map(|fact| pair(fact, as_of)).collect();
    let notes = (!panel.notes.is_empty()).then(|| view! { <h2>"Good to know"</h2>{sentences(panel.notes)} });
    let command = panel.command.map(|(about, line)| view! { <p>{about}":"</p>{command_line(line)} });
    let links: Vec<_> =
        panel.links.into_iter().map(|(word, href)| view! { <li><a href=href>{word}</a></li> }).collect();
    view! {
        <section class="panel confirm explained" aria-labelledby="confirm-title" data-key="why">
            <h1 id="confirm-title" tabindex="-1" data-first>{panel.title}</h1>
            <p class="verdict">{panel.face}<span>{panel.because}</span></p>
            {panel.update}
            <h2>"Compared"</h2>
            <dl class="kv">{facts}</dl>
            <h2>"Rule"</h2>
            {sentences(panel.rule)}
            {conditions(&panel.checks)}
            <h2>"What would change it"</h2>
            {sentences(panel.changes)}
            <h2>"What time alone changes"</h2>
            {dues(panel.due, as_of)}
            {notes}
            {command}
            {others(panel.instances)}
            <ul class="ways">{links}</ul>
            <p class="buttons">
                <span class="sub">"As of "{time::instant(as_of, as_of)}</span>
                <span class="grow"></span>
                <a class="btn" href=panel.back data-close>"Close"</a>
            </p>
        </section>
    }
    .into_any()
}

/// A list of terms and values.
#[must_use]
pub fn pair(fact: &Fact, as_of: Timestamp) -> AnyView {
    let label = fact.label;
    let value = match &fact.value {
        Value::At(at) => exact(*at, as_of),
        Value::Day(day) => day.to_string().into_any(),
        Value::Text(text) => text.clone().into_any(),
    };
    view! { <dt>{label}</dt><dd class="num">{value}</dd> }.into_any()
}

/// To the second, with its date: what is compared must be readable.
fn exact(at: Timestamp, as_of: Timestamp) -> AnyView {
    let form = if at.date() == as_of.date() { "%H:%M:%S UTC" } else { "%Y-%m-%d %H:%M:%S UTC" };
    view! { <time datetime=time::machine(at)>{at.to_utc().format(form).to_string()}</time> }.into_any()
}

fn sentences(texts: Vec<String>) -> AnyView {
    let items: Vec<_> = texts.into_iter().map(|text| view! { <li>{text}</li> }).collect();
    view! { <ul class="consequences">{items}</ul> }.into_any()
}

fn conditions(checks: &[Check]) -> Option<AnyView> {
    let items: Vec<_> = checks
        .iter()
        .map(|check| {
            let text = format!("{}: {}", check.leads_to, check.condition);
            let met =
                check.met.then(|| view! { <b class="met">{icons::icon(icons::OK)}"this one decides"</b> });
            view! { <li><span class:met=check.met>{text}" "{met}</span></li> }
        })
        .collect();
    (!items.is_empty()).then(|| {
        view! { <p>"Tried in this order, the first that holds decides:"</p><ol class="checks">{items}</ol> }.into_any()
    })
}

fn dues(due: Vec<Due>, as_of: Timestamp) -> AnyView {
    if due.is_empty() {
        return view! { <p>"Nothing."</p> }.into_any();
    }
    let items: Vec<_> =
        due.into_iter().map(|due| view! { <li>{exact(due.at, as_of)}": "{due.what}</li> }).collect();
    view! { <ul class="consequences">{items}</ul> }.into_any()
}

fn others(instances: Vec<(String, String)>) -> Option<AnyView> {
    let items: Vec<_> = instances
        .into_iter()
        .map(|(name, href)| view! { <li><a href=href data-dialog>{name}</a></li> })
        .collect();
    (!items.is_empty())
        .then(|| view! { <h2>"The same of its instances"</h2><ul class="names">{items}</ul> }.into_any())
}
