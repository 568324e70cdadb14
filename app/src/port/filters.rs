//! What the filter page and saved filters need to know.

use std::sync::Arc;

use fleet::query::Facets;
use fleet::time::Timestamp;

/// What a filter of a scope can be made of.
#[derive(Clone, Debug)]
pub struct FilterPage {
    /// The choices of every condition.
    pub facets: Facets,
    /// Groups that the filter lists as it stands.
    pub listed: u64,
    /// Groups without any filter.
    pub groups: u64,
    /// Instances that retention hides; see [`super::Notes::hidden`].
    pub hidden: u64,
}

/// A filter that somebody keeps under a name, as one viewer sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a separate fact that a page shows")]
pub struct SavedFilter {
    /// Internal id.
    pub id: Arc<str>,
    /// What its owner calls it.
    pub name: Arc<str>,
    /// Query of the Delegates page.
    pub query: String,
    /// Offered to everyone who sees the scope, or to its owner alone.
    pub everyone: bool,
    /// E-mail of its owner.
    pub owner: Arc<str>,
    /// Whether the viewer made it.
    pub mine: bool,
    /// Whether the viewer may give it another name, visibility or query.
    pub changeable: bool,
    /// Whether the viewer may delete it.
    pub deletable: bool,
    /// Newest change.
    pub changed_at: Timestamp,
}
