//! The Delegate column: type, name, identifier, number of instances, generation, scope, badges.

use fleet::delegate::{Approval, DelegateType, Family, GroupFacts};
use fleet::scope::Scope;
use fleet::text;
use leptos::prelude::*;

use crate::components::form::press;
use crate::components::list::Listing;
use crate::components::mirrored::source_badge;
use crate::components::{badges, hidden, icons, links};
use crate::words;
use fleet::view::GroupView;

/// Icon and name of what a group runs on. Virtual-machine runners report Docker, so the family decides first.
#[must_use]
pub fn platform(facts: &GroupFacts) -> (&'static str, String) {
    if facts.family == Family::Go {
        return (icons::MACHINE, "Virtual machine".to_owned());
    }
    kind_words(&facts.kind)
}

/// Icon and name of a type.
#[must_use]
pub fn kind_words(kind: &DelegateType) -> (&'static str, String) {
    match kind {
        DelegateType::Kubernetes => (icons::KUBERNETES, "Kubernetes".to_owned()),
        DelegateType::CeKubernetes => (icons::KUBERNETES, "Kubernetes (community edition)".to_owned()),
        DelegateType::Helm => (icons::HELM, "Helm".to_owned()),
        DelegateType::Docker => (icons::DOCKER, "Docker".to_owned()),
        DelegateType::Ecs => (icons::ECS, "ECS".to_owned()),
        DelegateType::Shell => (icons::SHELL, "Shell script".to_owned()),
        DelegateType::Other(word) if word.is_empty() => (icons::OTHER, "Unknown type".to_owned()),
        DelegateType::Other(word) => (icons::OTHER, word.to_string()),
    }
}

/// The drawing of the type, named for those who do not see it.
#[must_use]
pub fn logo(facts: &GroupFacts) -> AnyView {
    let (drawing, name) = platform(facts);
    view! { <span class="tl" role="img" aria-label=name.clone() title=name>{icons::icon(drawing)}</span> }
        .into_any()
}

/// Marks the 3.x generation.
#[must_use]
pub fn generation(facts: &GroupFacts) -> Option<AnyView> {
    (facts.family == Family::Runner)
        .then(|| view! { <span class="badge" title="Delegate 3.x">"3.x"</span> }.into_any())
}

/// The label of a row from a scope below the page's own: the way from there, such as `payments/checkout`.
#[must_use]
pub fn scope_below(scope: &Scope, page: &Scope) -> Option<String> {
    let (scope, page) = (scope.to_string(), page.to_string());
    let rest = scope.strip_prefix(&page).and_then(|rest| rest.strip_prefix('/'));
    (scope != page).then(|| rest.unwrap_or(&scope).to_owned())
}

/// Says that a group waits for a person, and lets those decide who may (`product 10.4`).
#[must_use]
pub fn approval(group: &GroupView, listing: &Listing<'_>) -> Option<AnyView> {
    let facts = &group.facts;
    if facts.approval != Approval::Pending {
        return None;
    }
    let ask = listing.may_edit(group).held().then(|| {
        let path = links::group_path(facts);
        view! {
            {press(format!("{path}/approve"), &[], "Approve", format!("Approve {}", facts.name))}
            {press(format!("{path}/reject"), &[], "Reject", format!("Reject {}", facts.name))}
        }
    });
    Some(view! { <span class="ask">{badges::pending(facts)}{ask}</span> }.into_any())
}

/// The cell; it is the header of its row.
#[must_use]
pub fn name_cell(group: &GroupView, listing: &Listing<'_>) -> AnyView {
    let facts = &group.facts;
    let scope = scope_below(&facts.scope, &listing.snapshot.scope)
        .map(|label| view! { <span class="badge" title=facts.scope.to_string()>{label}</span> });
    let name = if listing.single || listing.embedded {
        view! { <span class="nm">{text::shown(&facts.name)}</span> }.into_any()
    } else {
        view! { <a class="nm" href=links::group_path(facts)>{text::shown(&facts.name)}</a> }.into_any()
    };
    let instances = format!("({})", words::count(group.rollup.counts.instances, "instance", "instances"));
    view! {
        <th scope="row">
            <div class="dn">
                {logo(facts)}
                <div class="id">
                    <span class="nl">
                        {name}{generation(facts)}{scope}{source_badge(group, listing.snapshot.as_of)}
                        {hidden::group_badge(group, listing.policy)}
                    </span>
                    <span class="sub">
                        <code>{facts.identifier.to_string()}</code>" "<span class="nb">{instances}</span>
                        {badges::badges(group, listing.policy)}
                    </span>
                    {approval(group, listing)}
                </div>
            </div>
        </th>
    }
    .into_any()
}
