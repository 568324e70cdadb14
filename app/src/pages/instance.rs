//! The page of one instance: what it is, and what it was (`product 3.6`, `11.5`).

use std::sync::Arc;

use fleet::access::Permission;
use fleet::history::known;
use leptos::prelude::*;

use crate::components::banners::banners;
use crate::components::frame::{Feed, Place, frame};
use crate::components::group_head::Tab;
use crate::components::instance_facts::instance_facts;
use crate::components::mirrored::source_note;
use crate::components::nav::Area;
use crate::components::page_title::page_title;
use crate::components::rights::Right;
use crate::components::strip::{Strip, legend, window_words, windows};
use crate::components::timeline::{MAX_LISTED, bar, changes};
use crate::components::{form, icons, links, status, time};
use crate::context::{PageRequest, Viewer};
use crate::pages::{Asked, answer, named_in_path, scope_in_path, window_in_url};
use crate::port::ScopeNode;
use crate::port::history::{InstancePage as Answer, Presence};
use crate::words;

/// Reads scope, group, instance and window from the address, asks the port, draws the answer.
#[component]
pub fn InstancePage() -> impl IntoView {
    let asked = Asked::from_context();
    let (scope, window) = (scope_in_path(), window_in_url());
    let (identifier, instance) = (named_in_path("group"), named_in_path("instance"));
    let port = asked.port().cloned();
    answer(asked, async move {
        let (scope, window) = (scope?, window?);
        let page = port?.instance(&scope, &identifier, &instance, window).await?;
        Ok(move |scopes| view! { <InstanceView page scopes/> }.into_any())
    })
}

/// The page itself.
#[component]
pub fn InstanceView(
    /// What is known of it.
    page: Answer,
    /// For the scope switcher.
    scopes: Arc<Vec<ScopeNode>>,
) -> impl IntoView {
    let request = use_context::<PageRequest>().unwrap_or_default();
    let viewer = request.viewer.as_ref();
    let scope = &*page.group.scope;
    let as_of = page.history.as_of;
    let facts = page.member.as_ref().map(|member| {
        let (source, policy) = (page.source.as_deref(), &page.notes.policy);
        instance_facts(&page.group, member, page.token.as_ref(), source, policy, as_of)
    });
    let body = view! {
        {head(&page, viewer)}
        {page.source.as_deref().map(|source| source_note(source, as_of))}
        {banners(&page.notes, as_of, viewer)}
        {note(&page)}
        {past(&page)}
        {facts}
    };
    let feed = Feed { scope, below: false, usable: false, as_of };
    view! {
        {page_title(&format!("{} · {}", name(&page), page.group.name))}
        {frame(Some(Place::new(scope, Area::Delegates)), &scopes, Some(feed), body.into_any())}
    }
    .into_any()
}

/// The host name, while it is known.
fn name(page: &Answer) -> String {
    page.member.as_ref().map_or_else(|| page.id.to_string(), |member| member.facts.host_name.to_string())
}

fn head(page: &Answer, viewer: Option<&Viewer>) -> AnyView {
    let group = &page.group;
    let path = links::group_path(group);
    let group_href = if page.group_listed { path.clone() } else { Tab::Activity.path(&path) };
    let marks = page.member.as_ref().map(|member| {
        let connected = member.assessment.connectivity.is_connected();
        let mark = if connected { status::CONNECTED } else { status::NOT_CONNECTED };
        let standing = status::standing(member.assessment.standing).map(status::Mark::view);
        let unstable = member.unstable.then(|| view! { <span class="badge warn">"Unstable"</span> });
        view! { <span class="cn">{mark.view()}</span>{standing}{unstable} }
    });
    let activity = format!("{}?instance={}", Tab::Activity.path(&path), links::encode(&page.id));
    view! {
        <nav aria-label="Breadcrumb" data-key="trail">
            <ol class="trail">
                <li><a href=links::delegates_path(&group.scope)>"Delegates"</a></li>
                <li><a href=group_href>{group.name.to_string()}</a></li>
                <li aria-current="page">{name(page)}</li>
            </ol>
        </nav>
        <div class="head" data-key="head">
            <h1 class="any">{name(page)}</h1>
            {marks}
            <span class="grow"></span>
            <a class="btn" href=activity>"All activity"</a>
            {delete(page, viewer)}
        </div>
    }
    .into_any()
}

fn delete(page: &Answer, viewer: Option<&Viewer>) -> Option<AnyView> {
    if !matches!(page.presence, Presence::Listed | Presence::Hidden)
        || !page.group_listed
        || page.source.is_some()
    {
        return None;
    }
    let group = &page.group;
    match Right::of(viewer, Permission::DelegateDelete, &group.scope, Some(&group.identifier)) {
        Right::Nobody => None,
        Right::Held => {
            let href = links::instance_delete_path(group, &page.id);
            Some(
                view! { <a class="btn" href=href data-key="delete" data-dialog>"Delete instance…"</a> }
                    .into_any(),
            )
        }
        Right::Denied(why) => Some(form::refused("Delete instance…", &why)),
    }
}

/// Why it is in no list.
fn note(page: &Answer) -> Option<AnyView> {
    let text = match page.presence {
        Presence::Listed => return None,
        Presence::Hidden => {
            "This instance is hidden: it said goodbye, or has been silent for too long. It returns with its next heartbeat."
        }
        Presence::Deleted => "This instance was deleted from the list. Its history can still be read.",
        Presence::Gone => "This instance was last heard of so long ago that only its history is left.",
    };
    Some(
        view! { <div class="banner info" data-key="presence">{icons::icon(icons::HALF)}<p>{text}</p></div> }
            .into_any(),
    )
}

/// Strip, timeline and changes within the window.
fn past(page: &Answer) -> Option<AnyView> {
    let line = page.history.lines.first()?;
    let (window, as_of) = (page.history.window, page.history.as_of);
    let strip = Strip::new(&known(&line.runs), line.registered_at, window, as_of);
    let path = links::instance_path(&page.group, &page.id);
    let host = name(page);
    let sum = strip.availability;
    let share = sum.permille().map_or_else(
        || format!("It was not listed in the past {}.", window_words(window)),
        |_| {
            format!(
                "Connected {} of the {} in which it was listed.",
                strip.percent(),
                words::duration(sum.listed)
            )
        },
    );
    let cut = (page.changes.len() > MAX_LISTED)
        .then(|| view! { <p class="hint">{format!("The newest {MAX_LISTED} are listed; All activity has the rest.")}</p> });
    Some(
        view! {
            <section class="panel" aria-labelledby="past" data-key="past">
                <div class="facts-head with-sizes">
                    <h2 id="past">{format!("Past {}", window_words(window))}</h2>
                    <span class="grow"></span>
                    {windows(&path, window)}
                </div>
                <div class="past">
                    <p data-key="share">{share}</p>
                    <h3>"Heartbeats"</h3>
                    {strip.drawing(&host)}
                    <h3>"Timeline"</h3>
                    {bar(&line.runs, window.from(as_of), as_of, &host)}
                    <p class="ends sub num">
                        {time::exact(window.from(as_of))}<span class="grow"></span>{time::exact(as_of)}
                    </p>
                    {legend()}
                </div>
                {changes(&page.changes, as_of)}
                {cut}
            </section>
        }
        .into_any(),
    )
}
