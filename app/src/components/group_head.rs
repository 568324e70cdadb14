//! What the pages of one group have in common: where they stand, what the group is, and the way between them.

use fleet::delegate::GroupFacts;
use fleet::text;
use fleet::view::GroupView;
use leptos::prelude::*;

use crate::components::cells::connectivity::group_link;
use crate::components::cells::name;
use crate::components::figures::figures;
use crate::components::list::Listing;
use crate::components::mirrored::source_note;
use crate::components::rights::Right;
use crate::components::why::{Of, why_link};
use crate::components::{form, icons, links, status};

/// The pages of a group (`ux 5.6`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tab {
    /// Facts, cards and instances.
    Overview,
    /// Every instance, page by page.
    Instances,
    /// What happened to it and who changed it.
    Activity,
    /// What to try when it does not connect.
    Troubleshoot,
}

impl Tab {
    /// Every tab in order.
    pub const ALL: [Self; 4] = [Self::Overview, Self::Instances, Self::Activity, Self::Troubleshoot];

    const fn word(self) -> &'static str {
        match self {
            Self::Overview => "Overview",
            Self::Instances => "Instances",
            Self::Activity => "Activity",
            Self::Troubleshoot => "Troubleshoot",
        }
    }

    /// The page of a group whose own path is `group_path`.
    #[must_use]
    pub fn path(self, group_path: &str) -> String {
        match self {
            Self::Overview => group_path.to_owned(),
            Self::Instances => format!("{group_path}/instances"),
            Self::Activity => format!("{group_path}/activity"),
            Self::Troubleshoot => format!("{group_path}/troubleshoot"),
        }
    }
}

/// Breadcrumb, title with the state of the group, and the tabs.
#[must_use]
pub fn group_head(group: &GroupView, listing: &Listing<'_>, tab: Tab) -> AnyView {
    let facts = &group.facts;
    let standing = status::standing(group.rollup.standing)
        .map(|mark| why_link(facts, Of::Status, None, mark.view(), mark.word));
    view! {
        <nav aria-label="Breadcrumb" data-key="trail">
            <ol class="trail">
                <li><a href=links::delegates_path(&facts.scope)>"Delegates"</a></li>
                <li aria-current="page">{text::shown(&facts.name)}</li>
            </ol>
        </nav>
        <div class="head" data-key="head">
            {name::logo(facts)}
            <h1>{text::shown(&facts.name)}</h1>
            {name::generation(facts)}
            <span class="cn">{group_link(group)}</span>
            {standing}
            {figures(listing)}
            <span class="grow"></span>
            {delete(group, listing)}
        </div>
        {group.source.as_deref().map(|source| source_note(source, listing.snapshot.as_of))}
        {tabs(&links::group_path(facts), tab, group.source.is_some())}
    }
    .into_any()
}

/// The head of a group that is not listed any more; `why` is a sentence.
#[must_use]
pub fn past_head(facts: &GroupFacts, why: &'static str) -> AnyView {
    view! {
        <nav aria-label="Breadcrumb" data-key="trail">
            <ol class="trail">
                <li><a href=links::delegates_path(&facts.scope)>"Delegates"</a></li>
                <li aria-current="page">{facts.name.to_string()}</li>
            </ol>
        </nav>
        <div class="head" data-key="head">{name::logo(facts)}<h1>{facts.name.to_string()}</h1></div>
        <div class="banner info" data-key="why">{icons::icon(icons::HALF)}<p>{why}</p></div>
    }
    .into_any()
}

fn tabs(group_path: &str, current: Tab, mirrored: bool) -> AnyView {
    let tabs: Vec<_> = Tab::ALL
        .into_iter()
        // What a delegate of another server is told is known there.
        .filter(|tab| !mirrored || *tab != Tab::Troubleshoot)
        .map(|tab| {
            let here = (tab == current).then_some("page");
            view! { <li><a href=tab.path(group_path) aria-current=here>{tab.word()}</a></li> }
        })
        .collect();
    view! { <nav aria-label="Delegate" data-key="tabs"><ul class="tabs">{tabs}</ul></nav> }.into_any()
}

/// The way to delete the group, or who could allow it.
fn delete(group: &GroupView, listing: &Listing<'_>) -> Option<AnyView> {
    match listing.may_delete(group) {
        Right::Nobody => None,
        Right::Held => {
            let href = links::delete_path(&group.facts);
            Some(view! { <a class="btn" href=href data-key="delete" data-dialog>"Delete…"</a> }.into_any())
        }
        Right::Denied(why) => Some(form::refused("Delete…", &why)),
    }
}
