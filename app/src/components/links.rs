//! Addresses. The query of a page is its only state, so every control is a link to a changed query.

use std::fmt::Write as _;

use fleet::delegate::GroupFacts;
use fleet::query::Query;
use fleet::scope::Scope;

/// The path of the Delegates page of a scope.
#[must_use]
pub fn delegates_path(scope: &Scope) -> String {
    format!("{}/delegates", scope.path())
}

/// The path of the page of a group, under the group's own scope.
#[must_use]
pub fn group_path(group: &GroupFacts) -> String {
    format!("{}/{}", delegates_path(&group.scope), encode(&group.identifier))
}

/// The path of the page that deletes a group.
#[must_use]
pub fn delete_path(group: &GroupFacts) -> String {
    format!("{}/delete", group_path(group))
}

/// The path of the page that deletes one instance of a group.
#[must_use]
pub fn instance_delete_path(group: &GroupFacts, instance: &str) -> String {
    format!("{}/instances/{}/delete", group_path(group), encode(instance))
}

/// The path of the page that revokes a token, asked from a scope that it serves.
#[must_use]
pub fn token_revoke_path(scope: &Scope, id: &str) -> String {
    format!("{}/tokens/{}/revoke", scope.path(), encode(id))
}

/// The path with the query that says exactly this; without `?` when nothing needs saying.
#[must_use]
pub fn href(path: &str, query: &Query) -> String {
    let parameters = query.to_url();
    if parameters.is_empty() { path.to_owned() } else { format!("{path}?{parameters}") }
}

/// The query after a change of what is listed: back on the first page.
#[must_use]
pub fn changed(query: &Query, change: impl FnOnce(&mut Query)) -> Query {
    let mut query = query.clone();
    query.page = 1;
    change(&mut query);
    query
}

/// The query without any filter; order, size and the scopes below stay.
#[must_use]
pub fn unfiltered(query: &Query) -> Query {
    changed(query, |query| query.filter = fleet::query::Filter::default())
}

/// Percent-encodes what a path segment cannot hold; identifiers seldom need it.
#[must_use]
pub fn encode(segment: &str) -> String {
    let mut encoded = String::with_capacity(segment.len());
    for byte in segment.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~$".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
}
