//! The help pages (`product 11.8`), for everybody who is signed in.

use std::sync::Arc;

use leptos::prelude::*;
use leptos_router::hooks::use_params_map;

use crate::components::frame::frame;
use crate::components::page_title::page_title;
use crate::help::{Topic, content, topic, topics};
use crate::pages::trouble::Trouble;
use crate::pages::{Asked, answer, api};
use crate::port::ScopeNode;

/// The overview, or the page of a topic.
#[component]
pub fn HelpPage() -> impl IntoView {
    let asked = Asked::from_context();
    let slug = use_params_map().get_untracked().get("topic");
    answer(asked, async move {
        let topic = match slug {
            Some(slug) => Some(topic(&slug).ok_or(Trouble::NoSuchPage)?),
            None => None,
        };
        Ok(move |scopes| view! { <HelpView topic scopes/> }.into_any())
    })
}

/// The page itself.
#[component]
pub fn HelpView(
    /// The topic; none for the overview.
    topic: Option<&'static Topic>,
    /// For the scope switcher.
    scopes: Arc<Vec<ScopeNode>>,
) -> impl IntoView {
    let title = topic.map_or("Help", |topic| topic.title);
    let lead = topic
        .map_or("What delegates are, what is shown here and why, and what to do.", |topic| topic.summary);
    let main = topic.map_or_else(overview, content);
    let body = view! {
        <div class="helped">
            {contents(topic.map(|topic| topic.slug))}
            <article class="panel prose">
                <h1>{title}</h1>
                <p class="lead">{lead}</p>
                {main}
            </article>
        </div>
    };
    view! {
        {page_title(&if topic.is_some() { format!("{title} · Help") } else { title.to_owned() })}
        {frame(None, &scopes, None, body.into_any())}
    }
}

/// Every page, with the one on screen marked.
pub(super) fn contents(current: Option<&'static str>) -> AnyView {
    let here = |slug: Option<&str>| (current == slug).then_some("page");
    let items: Vec<_> = topics()
        .map(|topic| (topic.slug, topic.title))
        .chain([(api::SLUG, api::TITLE)])
        .map(|(slug, title)| {
            let href = format!("/help/{slug}");
            view! { <li><a class="navlink" href=href aria-current=here(Some(slug))>{title}</a></li> }
        })
        .collect();
    view! {
        <nav aria-label="Help pages">
            <ul>
                <li><a class="navlink" href="/help" aria-current=here(None)>"Overview"</a></li>
                {items}
            </ul>
        </nav>
    }
    .into_any()
}

fn overview() -> AnyView {
    let items: Vec<_> = topics()
        .map(|topic| (topic.slug, topic.title, topic.summary))
        .chain([(api::SLUG, api::TITLE, "What scripts and tools may call, with examples.")])
        .map(|(slug, title, summary)| {
            view! { <li><a href=format!("/help/{slug}")>{title}</a><span class="sub">{summary}</span></li> }
        })
        .collect();
    view! { <ul class="topics">{items}</ul> }.into_any()
}
