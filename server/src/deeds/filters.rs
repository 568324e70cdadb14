//! Saved filters (`product 11.4`, P34): a question of the Delegates page under a name, for its owner or for everyone who
//! sees the scope.
//!
//! Nobody but its owner learns of a private one: to others it does not exist, and the audit log tells neither its name nor
//! its query.

use std::sync::Arc;

use fleet::access::Permission;
use fleet::query::Query;
use fleet::scope::Scope;
use fleet::time::Timestamp;

use super::{Actor, DeedError, checked_name};
use crate::auth::directory::Tables;
use crate::roster::new_id;
use crate::store::access::{Change, SavedFilterRow};

/// Private filters of one person in one scope.
pub const MAX_OWN: usize = 50;
/// Filters of one scope that everyone sees.
pub const MAX_SHARED: usize = 200;
/// The longest query, in bytes.
const MAX_QUERY: usize = 4_096;

/// What a form tells of a filter.
#[derive(Clone, Copy, Debug)]
pub struct Told<'a> {
    /// Its name.
    pub name: &'a str,
    /// `me` or `everyone`.
    pub visibility: &'a str,
}

/// The filters of a scope that somebody sees.
pub fn visible<'a>(
    tables: &'a Tables,
    scope: &'a Scope,
    user: &'a str,
) -> impl Iterator<Item = &'a SavedFilterRow> {
    tables
        .saved_filters
        .iter()
        .filter(move |row| row.scope == *scope && (row.everyone || &*row.owner == user))
}

/// Whether somebody may change a filter that they see: what everyone sees needs the permission to edit.
///
/// # Errors
/// The permission is missing.
pub fn may_change(actor: &Actor, row: &SavedFilterRow) -> Result<(), DeedError> {
    if row.everyone {
        actor.may(Permission::DelegateEdit, &row.scope)?;
    }
    Ok(())
}

/// Whether somebody may delete a filter that they see: their own always.
///
/// # Errors
/// The permission is missing.
pub fn may_delete(actor: &Actor, row: &SavedFilterRow) -> Result<(), DeedError> {
    if row.owner == actor.id { Ok(()) } else { may_change(actor, row) }
}

/// The changes that save a new filter, and its query.
///
/// # Errors
/// A field cannot be used, there are too many, or it may not be published.
pub fn create(
    tables: &Tables,
    actor: &Actor,
    scope: &Scope,
    told: Told<'_>,
    query: &str,
    now: Timestamp,
) -> Result<(String, Vec<Change>), DeedError> {
    let row = SavedFilterRow {
        id: new_id(),
        scope: scope.clone(),
        owner: Arc::clone(&actor.id),
        name: checked_name("name", told.name)?.into(),
        everyone: checked_visibility(told.visibility)?,
        query: checked_query(query)?.into(),
        created_at: now,
        changed_at: now,
    };
    may_change(actor, &row)?;
    room(tables, &row)?;
    let line = line(actor, now, "filter.create", &row, "was saved").after("query", told_of(&row, &row.query));
    let query = row.query.to_string();
    Ok((query, vec![Change::InsertSavedFilter(row), line.change()]))
}

/// The changes that give a filter another name or visibility.
///
/// # Errors
/// There is no such filter for the actor, they may not change it, or a field cannot be used.
pub fn change(
    tables: &Tables,
    actor: &Actor,
    scope: &Scope,
    id: &str,
    told: Told<'_>,
    now: Timestamp,
) -> Result<Vec<Change>, DeedError> {
    let before = find(tables, actor, scope, id)?;
    may_change(actor, before)?;
    let row = SavedFilterRow {
        name: checked_name("name", told.name)?.into(),
        everyone: checked_visibility(told.visibility)?,
        changed_at: now,
        ..before.clone()
    };
    may_change(actor, &row)?;
    if row.everyone != before.everyone {
        room(tables, &row)?;
    }
    Ok(changed(actor, before, row, now))
}

/// The changes that let a filter mean another query, and that query.
///
/// # Errors
/// There is no such filter for the actor, they may not change it, or the query cannot be used.
pub fn replace(
    tables: &Tables,
    actor: &Actor,
    scope: &Scope,
    id: &str,
    query: &str,
    now: Timestamp,
) -> Result<(String, Vec<Change>), DeedError> {
    let before = find(tables, actor, scope, id)?;
    may_change(actor, before)?;
    let query = checked_query(query)?;
    let row = SavedFilterRow { query: query.as_str().into(), changed_at: now, ..before.clone() };
    Ok((query, changed(actor, before, row, now)))
}

/// The changes that delete a filter.
///
/// # Errors
/// There is no such filter for the actor, or they may not delete it.
pub fn delete(
    tables: &Tables,
    actor: &Actor,
    scope: &Scope,
    id: &str,
    now: Timestamp,
) -> Result<Vec<Change>, DeedError> {
    let row = find(tables, actor, scope, id)?;
    may_delete(actor, row)?;
    let line =
        line(actor, now, "filter.delete", row, "was deleted").before("query", told_of(row, &row.query));
    Ok(vec![Change::RemoveSavedFilter(Arc::clone(&row.id)), line.change()])
}

fn changed(actor: &Actor, before: &SavedFilterRow, row: SavedFilterRow, now: Timestamp) -> Vec<Change> {
    // What was or becomes private is told no more than that.
    let hidden = !(before.everyone && row.everyone);
    let told = |text: &str| if hidden { String::new() } else { text.to_owned() };
    let known = if row.everyone { &row } else { before };
    let mut line = line(actor, now, "filter.change", known, "was changed");
    for (name, old, new) in [("name", &*before.name, &*row.name), ("query", &*before.query, &*row.query)] {
        if old != new {
            line = line.before(name, told(old)).after(name, told(new));
        }
    }
    if before.everyone != row.everyone {
        line = line.before("for", audience(before.everyone)).after("for", audience(row.everyone));
    }
    vec![Change::ChangeSavedFilter(row), line.change()]
}

fn line(
    actor: &Actor,
    now: Timestamp,
    action: &'static str,
    row: &SavedFilterRow,
    done: &str,
) -> super::Line {
    let (name, subject) = if row.everyone {
        (row.name.to_string(), format!("Filter {} for everyone", row.name))
    } else {
        ("private filter".to_owned(), "A private filter".to_owned())
    };
    actor.line(now, action, "saved_filter", name, Some(&row.scope)).says(format!("{subject} {done}"))
}

/// What the audit log may know of a filter.
fn told_of(row: &SavedFilterRow, text: &str) -> String {
    if row.everyone { text.to_owned() } else { String::new() }
}

const fn audience(everyone: bool) -> &'static str {
    if everyone { "everyone" } else { "owner" }
}

/// A filter that the actor sees; a private one of somebody else is none.
fn find<'a>(
    tables: &'a Tables,
    actor: &'a Actor,
    scope: &'a Scope,
    id: &str,
) -> Result<&'a SavedFilterRow, DeedError> {
    let found = visible(tables, scope, &actor.id).find(|row| &*row.id == id);
    found.ok_or(DeedError::Unknown("saved filter"))
}

fn room(tables: &Tables, row: &SavedFilterRow) -> Result<(), DeedError> {
    let here = tables.saved_filters.iter().filter(|other| other.scope == row.scope && other.id != row.id);
    let (taken, most, whose) = if row.everyone {
        (here.filter(|other| other.everyone).count(), MAX_SHARED, "filters for everyone")
    } else {
        let own = here.filter(|other| !other.everyone && other.owner == row.owner);
        (own.count(), MAX_OWN, "filters of your own")
    };
    if taken < most {
        return Ok(());
    }
    Err(DeedError::Refused(format!("{} has {most} {whose} already; delete one first", row.scope)))
}

fn checked_visibility(text: &str) -> Result<bool, DeedError> {
    match text {
        "me" => Ok(false),
        "everyone" => Ok(true),
        _ => Err(DeedError::field("visibility", "Choose who sees it: me or everyone.")),
    }
}

/// The query in its shortest form, without a place on a page.
fn checked_query(text: &str) -> Result<String, DeedError> {
    let query = Query::parse(text.trim());
    let query = query.map_err(|error| DeedError::field("query", format!("Parameter {error}.")))?;
    if query.is_plain() {
        return Err(DeedError::field(
            "query",
            "An empty filter cannot be saved. Choose at least one condition.",
        ));
    }
    let url = query.lasting().to_url();
    if url.len() > MAX_QUERY {
        return Err(DeedError::field("query", "This filter is too long to be saved."));
    }
    Ok(url)
}
