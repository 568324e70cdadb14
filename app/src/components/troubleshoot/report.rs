//! What is known and which way was taken, as plain text for somebody else.

use std::fmt::Write as _;

use fleet::explain::{Fact, Value};
use fleet::time::Timestamp;
use fleet::troubleshoot::Sign;
use fleet::view::GroupView;
use leptos::prelude::*;

use crate::pages::troubleshoot::Plan;
use crate::port::explain::Dossier;

/// The text. It never holds a secret: nothing secret gets to a page.
#[must_use]
pub fn report(
    dossier: &Dossier,
    group: Option<&GroupView>,
    facts: &[Fact],
    signs: &[Sign],
    plan: &Plan,
) -> String {
    let mut text = String::from("Rollcall troubleshooter\n");
    let mut line = |words: String| {
        let _ = writeln!(text, "{}", one_line(&words));
    };
    line(format!("As of: {}", utc(dossier.snapshot.as_of)));
    if let Some(group) = group {
        line(format!("Delegate: {} ({}) of {}", group.facts.name, group.facts.identifier, group.facts.scope));
    }
    line(format!("Guide: {}", plan.guide.platform.word()));
    for fact in facts {
        line(format!("{}: {}", fact.label, words(&fact.value)));
    }
    for sign in signs {
        line(format!("Sign: {}", sign.text));
    }
    for attempt in &dossier.attempts {
        let (code, at) = (attempt.refused.code(), utc(attempt.at));
        let from = attempt.address.as_deref().map(|address| format!(" from {address}")).unwrap_or_default();
        line(format!("Turned away: {code}, {} times, newest {at}{from}", attempt.count));
    }
    for (place, step) in plan.via.iter().chain([&plan.step]).enumerate() {
        line(format!("Step {}: {}", place + 1, step.title));
    }
    text
}

/// Names come from agents: one that holds a line break must not make up a line.
fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

fn words(value: &Value) -> String {
    match value {
        Value::At(at) => utc(*at),
        Value::Day(day) => day.to_string(),
        Value::Text(text) => text.clone(),
    }
}

fn utc(at: Timestamp) -> String {
    at.to_utc().format("%Y-%m-%d %H:%M:%S UTC").to_string()
}

/// The text to copy.
#[must_use]
pub fn view(report: String) -> AnyView {
    let lines = report.lines().count().to_string();
    // What stands in a text area is written as it is: names in it come from agents.
    let shown = report.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    view! {
        <details class="panel report" data-key="report">
            <summary>"Report for somebody else"</summary>
            <label for="report">"What is known, and the way you took. It holds no secret."</label>
            <textarea id="report" readonly rows=lines inner_html=shown></textarea>
            <p>
                <button type="button" class="btn js" data-copy=report>"Copy report"</button>
            </p>
        </details>
    }
    .into_any()
}
