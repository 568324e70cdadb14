//! The help page about what scripts and tools may call, made from the OpenAPI document.

use std::sync::Arc;

use leptos::prelude::*;

use crate::components::code::code_block;
use crate::components::frame::frame;
use crate::components::page_title::page_title;
use crate::help::table;
use crate::pages::help::contents;
use crate::pages::{Asked, answer};
use crate::port::ScopeNode;
use crate::port::api::{ApiReference, Operation, Section};

/// The address of the page below `/help/`.
pub const SLUG: &str = "api";
/// Its heading.
pub const TITLE: &str = "API";

/// Every operation with its parameters and examples.
#[component]
pub fn ApiPage() -> impl IntoView {
    let asked = Asked::from_context();
    answer(asked.clone(), async move {
        let reference = asked.port()?.api();
        Ok(move |scopes| view! { <ApiView reference scopes/> }.into_any())
    })
}

/// The page itself.
#[component]
pub fn ApiView(
    /// What can be called.
    reference: Arc<ApiReference>,
    /// For the scope switcher.
    scopes: Arc<Vec<ScopeNode>>,
) -> impl IntoView {
    let sections: Vec<_> = reference.sections.iter().map(section).collect();
    let body = view! {
        <div class="helped">
            {contents(Some(SLUG))}
            <article class="panel prose">
                <h1>{TITLE}</h1>
                <p class="lead">
                    "What scripts and tools may call: Rollcall's own API, and the management API that existing clients of the vendor speak. Each operation opens with a click."
                </p>
                <p>
                    "Send an API key in the header " <code>"x-api-key"</code> "; you make one under " <a href="/me">"Profile"</a>
                    ". Every path of the management API is served below " <code>"/gateway"</code> " too. The same as a document for machines: "
                    <a href=reference.document>"OpenAPI 3.1"</a> "."
                </p>
                {sections}
            </article>
        </div>
    };
    view! {
        {page_title(&format!("{TITLE} · Help"))}
        {frame(None, &scopes, None, body.into_any())}
    }
}

fn section(section: &Section) -> AnyView {
    let operations: Vec<_> = section.operations.iter().map(operation).collect();
    view! { <h2>{section.title.clone()}</h2>{operations} }.into_any()
}

fn operation(operation: &Operation) -> AnyView {
    let parameters = (!operation.parameters.is_empty()).then(|| {
        let rows: Vec<[String; 3]> = operation
            .parameters
            .iter()
            .map(|parameter| {
                let need = if parameter.required { "required" } else { "optional" };
                let place = format!("{}, {need}", parameter.place);
                [format!("`{}`", parameter.name), place, parameter.about.clone()]
            })
            .collect();
        table(format!("{}-parameters", operation.id), "Parameters", &["Name", "Where", "What"], &rows)
    });
    let statuses: Vec<[String; 2]> =
        operation.statuses.iter().map(|(status, about)| [format!("`{status}`"), about.clone()]).collect();
    let named = |what: &str| format!("{what} of {}", operation.id);
    view! {
        <details class="operation" id=operation.id.clone()>
            <summary>
                <span class=format!("method {}", operation.method.to_lowercase())>{operation.method}</span>
                <code>{operation.path.clone()}</code>
                <span class="sub">{operation.summary.clone()}</span>
            </summary>
            {parameters}
            {operation.body.clone().map(|body| code_block(&named("Body"), body, None))}
            {operation.answer.clone().map(|answer| code_block(&named("Answer"), answer, None))}
            {table(format!("{}-statuses", operation.id), "Statuses", &["Status", "Meaning"], &statuses)}
        </details>
    }
    .into_any()
}
