//! The list of groups (`product 11.1`, `11.2`, `ux 1.4`).

use fleet::access::Permission;
use fleet::policy::Policy;
use fleet::query::{Column, Query, Selection, Sort};
use fleet::view::{GroupView, Snapshot};
use leptos::prelude::*;

use crate::components::columns::{Columns, Optional};
use crate::components::rights::Right;
use crate::components::row::row;
use crate::components::{icons, links};
use crate::context::{Viewer, framed};
use crate::words;

/// What every row needs to know of the list it stands in.
#[derive(Clone, Copy, Debug)]
pub struct Listing<'a> {
    /// The figures.
    pub snapshot: &'a Snapshot,
    /// What was asked for.
    pub query: &'a Query,
    /// The settings that the figures rest on.
    pub policy: &'a Policy,
    /// The path of the page.
    pub path: &'a str,
    /// The page of one group: always open, without order and menu.
    pub single: bool,
    /// In a frame of another site: without anything that leads out of it.
    pub embedded: bool,
    /// The columns besides the name.
    pub shown: Columns,
    /// Who looks.
    pub viewer: Option<&'a Viewer>,
}

impl<'a> Listing<'a> {
    /// Every group of a scope, with all columns and whatever the viewer may do.
    #[must_use]
    pub fn new(
        snapshot: &'a Snapshot,
        query: &'a Query,
        policy: &'a Policy,
        path: &'a str,
        viewer: Option<&'a Viewer>,
    ) -> Self {
        Self { snapshot, query, policy, path, single: false, embedded: framed(), shown: Columns::ALL, viewer }
    }

    /// The same on a page of one group.
    #[must_use]
    pub fn of_one(self) -> Self {
        Self { single: true, ..self }
    }

    /// Whether the viewer may delete something here, so that rows can be chosen.
    #[must_use]
    pub fn chooses(&self) -> bool {
        let scope = &self.snapshot.scope;
        !self.single
            && !self.embedded
            && Right::of(self.viewer, Permission::DelegateDelete, scope, None).held()
    }

    /// How many columns the table has.
    #[must_use]
    pub fn columns(&self) -> usize {
        let around = if self.chooses() { 3 } else { 2 };
        around + self.shown.iter().count() + usize::from(!self.embedded)
    }

    /// Whether the viewer may delete this group, or instances of it.
    #[must_use]
    pub fn may_delete(&self, group: &GroupView) -> Right {
        self.may(Permission::DelegateDelete, group)
    }

    /// Whether the viewer may approve or reject this group.
    #[must_use]
    pub fn may_edit(&self, group: &GroupView) -> Right {
        self.may(Permission::DelegateEdit, group)
    }

    /// What another server tells of is changed there, by nobody here.
    fn may(&self, permission: Permission, group: &GroupView) -> Right {
        let facts = &group.facts;
        match group.source {
            Some(_) => Right::Nobody,
            None => Right::of(self.viewer, permission, &facts.scope, Some(&facts.identifier)),
        }
    }

    /// Whether every row is open: a filter speaks of instances, so that these are what the list is about.
    #[must_use]
    pub fn all_open(&self) -> bool {
        self.single || (self.query.filter.narrows_instances() && !self.query.folded)
    }

    /// Whether the instances of the group with this id are shown.
    #[must_use]
    pub fn is_open(&self, id: &str) -> bool {
        self.all_open() || self.query.is_open(id)
    }
}

/// The table in its own scroller, so that a narrow page never scrolls sideways itself.
#[must_use]
pub fn list(listing: &Listing<'_>, selection: &Selection) -> AnyView {
    let rows: Vec<_> = selection
        .rows
        .iter()
        .enumerate()
        .filter_map(|(place, chosen)| {
            Some(row(listing.snapshot.groups.get(chosen.group)?, chosen, place, listing))
        })
        .collect();
    let caption = caption(listing, selection);
    let choose = listing.chooses();
    let columns: Vec<_> =
        listing.shown.iter().map(|column| view! { <col class=column_class(column)/> }).collect();
    let headers: Vec<_> =
        listing.shown.iter().map(|column| header(listing, column.title(), column_order(column))).collect();
    let actions = !listing.embedded;
    let choose_column = choose.then(|| view! { <col class="c-sel"/> });
    let choose_all = choose.then(|| {
        view! {
            <th scope="col" class="sel">
                <span class="vh">"Select"</span>
                <label><input type="checkbox" class="js" aria-label="Select all on this page" data-all/></label>
            </th>
        }
    });
    view! {
        <div class="tw" tabindex="0" role="region" aria-labelledby="cap" data-list>
            <table class="list">
                <caption id="cap" class="vh">{caption}</caption>
                <colgroup>
                    {choose_column}
                    <col class="c-x"/>
                    <col class="c-name"/>
                    {columns}
                    {actions.then(|| view! { <col class="c-act"/> })}
                </colgroup>
                <thead>
                    <tr>
                        {choose_all}
                        <th scope="col" class="xc">{fold(listing)}</th>
                        {header(listing, "Delegate", Some(Column::Name))}
                        {headers}
                        {actions.then(|| view! { <th scope="col"><span class="vh">"Actions"</span></th> })}
                    </tr>
                </thead>
                <tbody data-rows>{rows}</tbody>
            </table>
        </div>
    }
    .into_any()
}

fn caption(listing: &Listing<'_>, selection: &Selection) -> String {
    if listing.single {
        return "The delegate and its instances".to_owned();
    }
    let order = match listing.query.sort {
        None => "connected first, then by name".to_owned(),
        Some(sort) => {
            let direction = if sort.descending { "descending" } else { "ascending" };
            format!("sorted by {} {direction}", column_word(sort.column))
        }
    };
    let shown = words::number(selection.rows.len() as u64);
    format!("Delegates, {shown} of {}, {order}", words::count(selection.groups as u64, "group", "groups"))
}

const fn column_class(column: Optional) -> &'static str {
    match column {
        Optional::Connectivity => "c-conn",
        Optional::Tags => "c-tags",
        Optional::Version => "c-ver",
        Optional::Status => "c-stat",
        Optional::Heartbeat => "c-beat",
        Optional::AutoUpgrade => "c-auto",
    }
}

const fn column_order(column: Optional) -> Option<Column> {
    match column {
        Optional::Connectivity => Some(Column::Connectivity),
        Optional::Version => Some(Column::Version),
        Optional::Status => Some(Column::Expiry),
        Optional::Heartbeat => Some(Column::LastHeartbeat),
        Optional::AutoUpgrade => Some(Column::AutoUpgrade),
        Optional::Tags => None,
    }
}

const fn column_word(column: Column) -> &'static str {
    match column {
        Column::Name => "name",
        Column::Connectivity => "connectivity",
        Column::Version => "version",
        Column::Expiry => "expiry",
        Column::LastHeartbeat => "last heartbeat",
        Column::AutoUpgrade => "auto-upgrade",
    }
}

/// A column header; a press on one with an order goes from ascending to descending to the default order.
fn header(listing: &Listing<'_>, word: &'static str, column: Option<Column>) -> AnyView {
    let class = (word == "Delegate").then_some("dh");
    match column.filter(|_| !listing.single) {
        Some(column) => ordering(listing, word, column, class),
        None => view! { <th scope="col" class=class>{word}</th> }.into_any(),
    }
}

/// Hides the instances that a filter brings, all at once, or shows them again.
fn fold(listing: &Listing<'_>) -> AnyView {
    if listing.single || !listing.query.filter.narrows_instances() {
        return view! { <span class="vh">"Expand"</span> }.into_any();
    }
    let folded = listing.query.folded;
    let href = links::href(listing.path, &listing.query.with_folded(!folded));
    let (class, label) =
        if folded { ("xp", "Show the instances of all") } else { ("xp open", "Hide the instances of all") };
    view! { <a class=class href=href aria-label=label title=label data-nav>{icons::icon(icons::ARROW)}</a> }
        .into_any()
}

/// A column header that orders the list of the page.
#[must_use]
pub fn ordered(listing: &Listing<'_>, word: &'static str, column: Column) -> AnyView {
    ordering(listing, word, column, None)
}

fn ordering(
    listing: &Listing<'_>,
    word: &'static str,
    column: Column,
    class: Option<&'static str>,
) -> AnyView {
    let current = listing.query.sort.filter(|sort| sort.column == column);
    let (sorted, next) = match current {
        None => (None, Some(Sort { column, descending: false })),
        Some(Sort { descending: false, .. }) => (Some("ascending"), Some(Sort { column, descending: true })),
        Some(Sort { descending: true, .. }) => (Some("descending"), None),
    };
    let href = links::href(listing.path, &listing.query.with_sort(next));
    view! {
        <th scope="col" class=class aria-sort=sorted>
            <a class="order" href=href data-nav>{word}<span class="ord">{icons::icon(icons::ARROW)}</span></a>
        </th>
    }
    .into_any()
}
