//! Cards, lists and what stands around them.

use fleet::access::BuiltIn;
use fleet::summary::Counts;
use leptos::prelude::*;

use super::fleet::{Fleet, NOW};
use crate::components::group_head::{Tab, group_head};
use crate::components::list::list;
use crate::components::pager::pager;
use crate::components::table as facts_table;
use crate::components::{cards as components, facts as fact_list, toolbar as bar};
use crate::context::PageRequest;
use crate::port::Target;

pub(super) fn cards(_: &PageRequest) -> AnyView {
    components::cards(
        &Fleet::new("", BuiltIn::Admin).listing(),
        &Counts { expired: 2, near_expiry: 1_040, ..Counts::default() },
    )
}

pub(super) fn cards_current(_: &PageRequest) -> AnyView {
    components::cards(&Fleet::new("health=expired", BuiltIn::Admin).listing(), &Counts::default())
}

pub(super) fn cards_zero(_: &PageRequest) -> AnyView {
    components::cards(&Fleet::empty().listing(), &Counts::default())
}

pub(super) fn toolbar(_: &PageRequest) -> AnyView {
    let fleet = Fleet::new("health=expired&search=e", BuiltIn::Admin);
    bar::toolbar(&fleet.listing(), &fleet.selection)
}

pub(super) fn table(_: &PageRequest) -> AnyView {
    panel(&Fleet::new("sort=name", BuiltIn::Admin))
}

pub(super) fn table_open(_: &PageRequest) -> AnyView {
    panel(&Fleet::new("open=g-near-expiry&open=g-mixed&open=g-unknown", BuiltIn::Admin))
}

pub(super) fn table_denied(_: &PageRequest) -> AnyView {
    panel(&Fleet::new("open=g-mixed", BuiltIn::Viewer))
}

fn panel(fleet: &Fleet) -> AnyView {
    let listing = fleet.listing();
    let pager = pager(&listing, &fleet.selection, 128, "groups");
    view! { <div class="panel">{list(&listing, &fleet.selection)}{pager}</div> }.into_any()
}

pub(super) fn group(_: &PageRequest) -> AnyView {
    let fleet = Fleet::single("mixed");
    let listing = fleet.listing();
    let Some(group) = fleet.snapshot.groups.first() else { return ().into_any() };
    view! { {group_head(group, &listing, Tab::Overview)}{panel(&fleet)} }.into_any()
}

pub(super) fn facts(_: &PageRequest) -> AnyView {
    let fleet = Fleet::single("near-expiry");
    let listing = fleet.listing();
    let Some(group) = fleet.snapshot.groups.first() else { return ().into_any() };
    let target = Target { chosen: None, from: "the version catalog".to_owned() };
    fact_list::facts(group, &listing, &target, None).into_any()
}

pub(super) fn data(_: &PageRequest) -> AnyView {
    let rows = vec![
        view! {
            <tr>
                <th scope="row">"edge"</th>
                {facts_table::instant_cell(Some(NOW), NOW, "never")}
                {facts_table::instant_cell(None, NOW, "never")}
                <td><span class="badge ok">"Active"</span></td>
            </tr>
        }
        .into_any(),
    ];
    view! {
        <div class="panel">{facts_table::table("cap", "Tokens".to_owned(), &["Name", "Created", "Last used", "State"], rows)}</div>
        <div class="panel">{facts_table::nothing("There is no token yet.".to_owned())}</div>
    }
    .into_any()
}
