//! Problems that come up again and again.

use fleet::troubleshoot::PROBLEMS;
use leptos::prelude::*;

/// All of them.
#[must_use]
pub fn problems() -> AnyView {
    let items: Vec<_> = PROBLEMS
        .iter()
        .map(|problem| {
            let text: Vec<_> = problem.text.iter().map(|text| view! { <p>{*text}</p> }).collect();
            let help = format!("Help: {}", crate::help::title(problem.help));
            view! {
                <li class="panel problem" id=problem.id>
                    <h2>{problem.title}</h2>
                    {text}
                    <p><a href=format!("/help/{}", problem.help)>{help}</a></p>
                </li>
            }
        })
        .collect();
    view! { <ul class="problems" data-key="problems">{items}</ul> }.into_any()
}
