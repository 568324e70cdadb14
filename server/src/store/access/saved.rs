//! Changes of saved filters as statements with their values.

use super::request::Step;
use super::{SavedFilterRow, sql};
use crate::store::request::{Request, Value};

/// What must be there to be changed.
const WHAT: &str = "this saved filter";

/// What a filter is called where its name is taken.
fn named(filter: &SavedFilterRow) -> String {
    format!("a filter {} of yours", filter.name)
}

/// Stores a new filter.
pub(super) fn insertion(filter: &SavedFilterRow) -> Step<'_> {
    let request = Request::of_scope(sql::INSERT_SAVED_FILTER, (&filter.scope).into())
        .with(&*filter.id)
        .with(&*filter.owner)
        .with(&*filter.name)
        .with(Value::Integer(filter.everyone.into()))
        .with(&*filter.query)
        .with(filter.created_at)
        .with(filter.changed_at);
    Step::new(request).unique(named(filter))
}

/// Gives a filter another name, query or circle of viewers.
pub(super) fn replacement(filter: &SavedFilterRow) -> Step<'_> {
    let request = Request::of(sql::CHANGE_SAVED_FILTER)
        .with(&*filter.id)
        .with(&*filter.name)
        .with(Value::Integer(filter.everyone.into()))
        .with(&*filter.query)
        .with(filter.changed_at);
    Step::new(request).unique(named(filter)).wanted(WHAT)
}

/// Removes a filter.
pub(super) fn removal(id: &str) -> Step<'_> {
    Step::new(Request::of(sql::REMOVE_SAVED_FILTER).with(id)).wanted(WHAT)
}
