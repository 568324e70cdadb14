//! The files and steps of the choice.

use fleet::install::{File, Plan, Step};
use leptos::prelude::*;

use crate::components::code::{code_block, command_block};
use crate::components::icons;
use crate::port::access::Token;

/// Where the value of the token can be shown, and whether it is.
#[derive(Clone, Copy)]
pub struct Shown<'a> {
    /// The token of the choice; none if the scope has no active one.
    pub token: Option<&'a Token>,
    /// Name of the token whose value stands in the files.
    pub name: Option<&'a str>,
    /// Path and query of the page.
    pub path: &'a str,
    /// Its query alone.
    pub query: &'a str,
}

/// Everything to copy, download and run. It stays as it is while the page is live: a value that was shown is not
/// masked again under the eyes of who copies it.
#[must_use]
pub fn files(plan: &Plan, shown: &Shown<'_>) -> AnyView {
    let secret = plan.files.iter().any(|file| file.secret);
    let blocks: Vec<_> = plan.files.iter().map(|file| block(file, shown)).collect();
    let steps: Vec<_> = plan.steps.iter().map(step).collect();
    let notes: Vec<_> = plan.notes.iter().map(|note| view! { <li>{*note}</li> }).collect();
    let update = (!plan.update.is_empty()).then(|| {
        let steps: Vec<_> = plan.update.iter().map(step).collect();
        view! {
            <details class="later">
                <summary>"Later: bring a newer image by hand"</summary>
                <ol class="todo">{steps}</ol>
            </details>
        }
    });
    let notes = (!plan.notes.is_empty()).then(|| view! { <ul class="consequences">{notes}</ul> });
    view! {
        <div class="made" data-own="files">
            {secret.then(|| token(shown))}
            {blocks}
            <ol class="todo">{steps}</ol>
            {notes}
            {update}
        </div>
    }
    .into_any()
}

/// Says whether the token is shown, and how to show it.
fn token(shown: &Shown<'_>) -> AnyView {
    match (shown.name, shown.token) {
        (Some(name), _) => {
            let text = format!("The value of token {name} stands in these files. This is in the audit log.");
            view! { <div class="banner info" role="status">{icons::icon(icons::SHIELD)}<p>{text}</p></div> }.into_any()
        }
        (None, Some(token)) => view! {
            <form method="post" action=shown.path.to_owned() class="reveal">
                <input type="hidden" name="token" value=token.id.to_string()/>
                <p class="sub">"The token is masked. Showing or downloading it is written into the audit log."</p>
                <button class="btn">"Show with the token"</button>
            </form>
        }
        .into_any(),
        (None, None) => {
            let text = "No token of this scope is active, so a mark stands in its place. Create one on the Tokens page.";
            view! { <div class="banner warn">{icons::icon(icons::NEAR)}<p>{text}</p></div> }.into_any()
        }
    }
}

fn block(file: &File, shown: &Shown<'_>) -> AnyView {
    let id = shown.token.map(|token| token.id.to_string());
    let download = (!file.secret || id.is_some()).then(|| {
        let label = format!("Download {}", file.name);
        let (path, _) = shown.path.split_once('?').unwrap_or((shown.path, ""));
        view! {
            <form method="post" action=format!("{path}/download?{}", shown.query) class="press">
                <input type="hidden" name="token" value=id.unwrap_or_default()/>
                <input type="hidden" name="file" value=file.name/>
                <button class="btn small" aria-label=label>"Download"</button>
            </form>
        }
        .into_any()
    });
    code_block(file.name, file.text.clone(), download)
}

fn step(step: &Step) -> AnyView {
    let command = step.command.clone().map(|text| command_block(step.title, text));
    let detail = (!step.detail.is_empty()).then(|| view! { <p class="sub">{step.detail}</p> });
    view! { <li><p>{step.title}</p>{detail}{command}</li> }.into_any()
}
