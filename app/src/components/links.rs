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

/// The path of the page that installs a new delegate in a scope.
#[must_use]
pub fn new_path(scope: &Scope) -> String {
    format!("{}/new", scope.path())
}

/// The path of the page on which a filter is put together.
#[must_use]
pub fn filter_path(scope: &Scope) -> String {
    format!("{}/filter", scope.path())
}

/// The path of the page of saved filters.
#[must_use]
pub fn saved_path(scope: &Scope) -> String {
    format!("{}/filters", scope.path())
}

/// The path of the page of one saved filter.
#[must_use]
pub fn saved_filter_path(scope: &Scope, id: &str) -> String {
    format!("{}/{}", saved_path(scope), encode(id))
}

/// The path of the page of a group, under the group's own scope.
#[must_use]
pub fn group_path(group: &GroupFacts) -> String {
    format!("{}/{}", delegates_path(&group.scope), encode(&group.identifier))
}

/// The path of the troubleshooter for a delegate that never appeared in a scope.
#[must_use]
pub fn troubleshoot_path(scope: &Scope) -> String {
    format!("{}/troubleshoot", scope.path())
}

/// The path of the page that deletes a group.
#[must_use]
pub fn delete_path(group: &GroupFacts) -> String {
    format!("{}/delete", group_path(group))
}

/// The path of the page of one instance of a group.
#[must_use]
pub fn instance_path(group: &GroupFacts, instance: &str) -> String {
    format!("{}/instances/{}", group_path(group), encode(instance))
}

/// The path of the Tokens page of a scope.
#[must_use]
pub fn tokens_path(scope: &Scope) -> String {
    format!("{}/tokens", scope.path())
}

/// The path of the page that deletes one instance of a group.
#[must_use]
pub fn instance_delete_path(group: &GroupFacts, instance: &str) -> String {
    format!("{}/delete", instance_path(group, instance))
}

/// The path of the page that revokes a token, asked from a scope that it serves.
#[must_use]
pub fn token_revoke_path(scope: &Scope, id: &str) -> String {
    format!("{}/tokens/{}/revoke", scope.path(), encode(id))
}

/// The path with the query that says exactly this; without `?` when nothing needs saying. A path may have parameters
/// of its own already.
#[must_use]
pub fn href(path: &str, query: &Query) -> String {
    let parameters = query.to_url();
    if parameters.is_empty() {
        return path.to_owned();
    }
    let joint = if path.contains('?') { '&' } else { '?' };
    format!("{path}{joint}{parameters}")
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

/// Names and values of a query string, each read once.
#[must_use]
pub fn parameters(query: &str) -> Vec<(String, String)> {
    let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    pairs.map(|(name, value)| (decode(name), decode(value))).collect()
}

/// Reads the form of a query string back: `+` is a space, `%41` an A.
fn decode(text: &str) -> String {
    let mut bytes = text.bytes();
    let mut decoded = Vec::with_capacity(text.len());
    while let Some(byte) = bytes.next() {
        decoded.push(match byte {
            b'+' => b' ',
            b'%' => {
                let digits = [bytes.next().unwrap_or(b'0'), bytes.next().unwrap_or(b'0')];
                std::str::from_utf8(&digits)
                    .ok()
                    .and_then(|hex| u8::from_str_radix(hex, 16).ok())
                    .unwrap_or(b'?')
            }
            other => other,
        });
    }
    String::from_utf8_lossy(&decoded).into_owned()
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
