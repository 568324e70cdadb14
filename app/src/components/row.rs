//! One group of the list, and its instances where they are open.

use fleet::query::Row;
use fleet::view::GroupView;
use leptos::prelude::*;

use crate::components::cells::{auto_upgrade, connectivity, heartbeat, name, status, tags, version};
use crate::components::columns::Optional;
use crate::components::icons;
use crate::components::instances::instances;
use crate::components::links;
use crate::components::list::Listing;
use crate::components::row_menu::row_menu;

/// The rows of one group; `place` is its number on the page, from which the ids of its popovers are made.
#[must_use]
pub fn row(group: &GroupView, row: &Row, place: usize, listing: &Listing<'_>) -> AnyView {
    let as_of = listing.snapshot.as_of;
    let has_instances = !row.members.is_empty();
    let open = has_instances && listing.is_open(&group.facts.id);
    let menu = (!listing.embedded).then(|| {
        if listing.single { view! { <td></td> }.into_any() } else { row_menu(group, place, listing) }
    });
    let cells: Vec<_> = listing
        .shown
        .iter()
        .map(|column| match column {
            Optional::Connectivity => connectivity::group_cell(group, as_of),
            Optional::Tags => tags::tags_cell(&group.facts, place),
            Optional::Version => version::group_cell(group),
            Optional::Status => status::group_cell(group, listing),
            Optional::Heartbeat => heartbeat::group_cell(group.rollup.last_heartbeat, as_of),
            Optional::AutoUpgrade => auto_upgrade::auto_upgrade_cell(group),
        })
        .collect();
    view! {
        <tr class=if group.hidden { "g dim" } else { "g" } data-key=group.facts.id.to_string()>
            {choice(group, listing)}
            <td class="xc">{arrow(group, place, has_instances, open, listing)}</td>
            {name::name_cell(group, listing)}
            {cells}
            {menu}
        </tr>
        {open.then(|| instances(group, place, &row.members, listing))}
    }
    .into_any()
}

/// The checkbox that puts the group into the form of the toolbar; none where it cannot be deleted from here.
fn choice(group: &GroupView, listing: &Listing<'_>) -> Option<AnyView> {
    if !listing.chooses() {
        return None;
    }
    let facts = &group.facts;
    let within = listing.snapshot.scope.contains(&facts.scope) && listing.may_delete(group).held();
    let check = within.then(|| {
        let label = format!("Select {}", facts.name);
        view! {
            <label>
                <input
                    type="checkbox"
                    name="id"
                    value=facts.id.to_string()
                    form="bulk"
                    autocomplete="off"
                    aria-label=label
                />
            </label>
        }
    });
    Some(view! { <td class="sel">{check}</td> }.into_any())
}

/// Opens and closes the instances. Where all rows are open because of a filter there is nothing to press.
fn arrow(
    group: &GroupView,
    place: usize,
    has_instances: bool,
    open: bool,
    listing: &Listing<'_>,
) -> Option<AnyView> {
    if !has_instances {
        return None;
    }
    if listing.all_open() {
        let still = view! { <span class="xp open" aria-hidden="true">{icons::icon(icons::ARROW)}</span> };
        return Some(still.into_any());
    }
    let href = links::href(listing.path, &listing.query.toggled_open(&group.facts.id));
    let label = format!("Instances of {}", group.facts.name);
    let class = if open { "xp open" } else { "xp" };
    let expanded = if open { "true" } else { "false" };
    let controls = open.then(|| format!("x{place}"));
    let link = view! {
        <a
            class=class
            role="button"
            href=href
            aria-expanded=expanded
            aria-controls=controls
            aria-label=label
            data-nav
        >
            {icons::icon(icons::ARROW)}
        </a>
    };
    Some(link.into_any())
}
