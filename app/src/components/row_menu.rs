//! The menu of a row (`product 11.3`).

use fleet::view::GroupView;
use leptos::prelude::*;

use crate::components::group_head::Tab;
use crate::components::list::Listing;
use crate::components::rights::Right;
use crate::components::{icons, links};

/// The cell with the menu; `place` is the row's number on the page.
#[must_use]
pub fn row_menu(group: &GroupView, place: usize, listing: &Listing<'_>) -> AnyView {
    let facts = &group.facts;
    let id = format!("m{place}");
    let label = format!("Actions for {}", facts.name);
    // That of a mirrored one is known here alone.
    let copy = group.source.is_none().then(|| {
        view! {
            <button type="button" role="menuitem" class="js" data-copy=facts.identifier.to_string()>
                "Copy identifier"
            </button>
        }
    });
    view! {
        <td class="act">
            <button
                type="button"
                class="btn icon"
                popovertarget=id.clone()
                aria-haspopup="menu"
                aria-label=label.clone()
            >
                {icons::icon(icons::DOTS)}
            </button>
            <div popover id=id class="menu" role="menu" aria-label=label>
                <a role="menuitem" href=links::group_path(facts)>"Details"</a>
                {troubleshooter(group)}
                {copy}
                {delete(group, listing)}
            </div>
        </td>
    }
    .into_any()
}

/// The troubleshooter, for Kubernetes types (`product 11.3`, P29).
fn troubleshooter(group: &GroupView) -> Option<AnyView> {
    (group.facts.kind.is_kubernetes() && group.source.is_none()).then(|| {
        let href = Tab::Troubleshoot.path(&links::group_path(&group.facts));
        view! { <a role="menuitem" href=href>"Open troubleshooter"</a> }.into_any()
    })
}

/// Deleting, or who could allow it; nothing where nobody is signed in.
fn delete(group: &GroupView, listing: &Listing<'_>) -> Option<AnyView> {
    match listing.may_delete(group) {
        Right::Nobody => None,
        Right::Held => {
            let href = links::delete_path(&group.facts);
            Some(view! { <a role="menuitem" class="last" href=href data-dialog>"Delete…"</a> }.into_any())
        }
        Right::Denied(why) => Some(
            view! {
                <span role="menuitem" class="last off" aria-disabled="true" tabindex="0">
                    "Delete…"<span class="sub">{why}</span>
                </span>
            }
            .into_any(),
        ),
    }
}
