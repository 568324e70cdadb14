//! What a person or a script asks of a list: filter, order, page; its form in a URL (`product 6.2`, `11.1`).
//!
//! Page and API read the same parameters, so that the query of a page works in `/api/v1`.

mod matching;
mod paging;
mod selecting;
mod text;
mod url;
mod words;

pub use paging::select_members;
pub use selecting::{select, select_all};
pub use words::UnknownWord;

use crate::health::{Standing, Status};
use crate::upgrade::State;
use crate::view::{Extent, GroupView};

/// Sizes of a page of groups (`product 11.1`, P28); the first is the default.
pub const PAGE_SIZES: [u32; 4] = [10, 25, 50, 100];
/// The longest search text, in characters.
pub const MAX_SEARCH: usize = 256;
/// Tags of one filter: every link of a page repeats them.
pub const MAX_FILTER_TAGS: usize = 10;
/// Open rows of one page: as many as the longest page has.
pub const MAX_OPEN: usize = 100;

/// A card or figure that the list is narrowed to; the words are the keys of `counts`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Health {
    /// Instances of one standing: `expired`, `nearExpiry`, `unsupported`, `active`, `unknown`, `unreachable`.
    Standing(Standing),
    /// `connected` instances.
    Connected,
    /// `autoUpgradeOff`: groups that the fourth card counts.
    AutoUpgradeOff,
}

impl Health {
    /// Every value.
    pub const ALL: [Self; 8] = [
        Self::Standing(Standing::Expired),
        Self::Standing(Standing::NearExpiry),
        Self::Standing(Standing::Unsupported),
        Self::AutoUpgradeOff,
        Self::Standing(Standing::Active),
        Self::Standing(Standing::Unknown),
        Self::Standing(Standing::Unreachable),
        Self::Connected,
    ];
}

/// `status` of `management-api 2.1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum InstanceStatus {
    /// `CONNECTED`.
    Connected,
    /// `DISCONNECTED`.
    Disconnected,
    /// `ENABLED`: every instance that is neither pending, nor rejected, nor deleted.
    Enabled,
    /// `WAITING_FOR_APPROVAL`.
    WaitingForApproval,
    /// `DISABLED`.
    Disabled,
    /// `DELETED`.
    Deleted,
}

/// Which delegates; all given conditions must hold. Empty texts count as absent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// `health`: a card or figure.
    pub health: Option<Health>,
    /// `search`: part of name, identifier, a tag or a host name, without regard to case.
    pub search: Option<String>,
    /// `status`, on instances.
    pub status: Option<InstanceStatus>,
    /// `versionStatus`, on instances.
    pub version_status: Option<Status>,
    /// `autoUpgrade`, on groups.
    pub auto_upgrade: Option<State>,
    /// `delegateName`: part of the name, without regard to case.
    pub name: Option<String>,
    /// `delegateType`: part of the type, without regard to case.
    pub kind: Option<String>,
    /// `delegateTags`, repeatable or separated by commas: all must be present, the implicit tag included.
    pub tags: Vec<String>,
    /// `hostName`, equal, on instances.
    pub host_name: Option<String>,
}

/// Columns that have an order (`product 11.1`, P28).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Column {
    /// `name`.
    Name,
    /// `connectivity`.
    Connectivity,
    /// `version`.
    Version,
    /// `expiry`.
    Expiry,
    /// `lastHeartbeat`.
    LastHeartbeat,
}

/// `sort=expiry` or `sort=-expiry`; none is the default order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Sort {
    /// By what.
    pub column: Column,
    /// Largest first.
    pub descending: bool,
}

/// The whole question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    /// Which delegates.
    pub filter: Filter,
    /// In what order.
    pub sort: Option<Sort>,
    /// `page`, from 1.
    pub page: u32,
    /// `size`, one of [`PAGE_SIZES`].
    pub size: u32,
    /// `all=true`: scopes below too (`product 2.1`).
    pub below: bool,
    /// `usable=true`: scopes above too, whose delegates can be used from here (`product 2.2`). Never with `below`.
    pub usable: bool,
    /// `open`: ids of groups whose instances are shown. Page only.
    pub open: Vec<String>,
}

/// A parameter that cannot be understood.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {message}")]
pub struct QueryError {
    /// The parameter.
    pub field: &'static str,
    /// What it may be.
    pub message: String,
}

/// What a query selects of a snapshot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selection {
    /// Rows of the page that was asked for, in order.
    pub rows: Vec<Row>,
    /// Matching groups on all pages.
    pub groups: usize,
    /// Matching instances on all pages.
    pub instances: usize,
    /// The page shown: the asked one, or the last if that lies behind it.
    pub page: u32,
    /// Number of pages, at least 1.
    pub pages: u32,
}

/// One group row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Place in [`crate::view::Snapshot::groups`].
    pub group: usize,
    /// Places of the matching members in [`GroupView::members`].
    pub members: Vec<u32>,
}

impl Default for Query {
    fn default() -> Self {
        Self {
            filter: Filter::default(),
            sort: None,
            page: 1,
            size: PAGE_SIZES[0],
            below: false,
            usable: false,
            open: Vec::new(),
        }
    }
}

impl Query {
    /// Reads the parameters of a URL, with or without `?`; unknown ones are ignored.
    ///
    /// Of a parameter that is given twice the last one counts, `delegateTags` and `open` excepted.
    ///
    /// # Errors
    /// A parameter has a value that it cannot have.
    pub fn parse(query: &str) -> Result<Self, QueryError> {
        url::parse(query)
    }

    /// The shortest query string with this meaning, without `?`; defaults are left out.
    #[must_use]
    pub fn to_url(&self) -> String {
        url::write(self)
    }

    /// The same question narrowed to a card, or to none; page 1.
    #[must_use]
    pub fn with_health(&self, health: Option<Health>) -> Self {
        Self { filter: Filter { health, ..self.filter.clone() }, page: 1, ..self.clone() }
    }

    /// The same question for another text; page 1.
    #[must_use]
    pub fn with_search(&self, search: &str) -> Self {
        let search = Some(search.trim().to_owned()).filter(|search| !search.is_empty());
        Self { filter: Filter { search, ..self.filter.clone() }, page: 1, ..self.clone() }
    }

    /// The same rows in another order; page 1.
    #[must_use]
    pub fn with_sort(&self, sort: Option<Sort>) -> Self {
        Self { sort, page: 1, ..self.clone() }
    }

    /// Another page of the same rows.
    #[must_use]
    pub fn with_page(&self, page: u32) -> Self {
        Self { page: page.max(1), ..self.clone() }
    }

    /// The same rows on pages of another size; page 1. A size that is not offered becomes the default.
    #[must_use]
    pub fn with_size(&self, size: u32) -> Self {
        let size = if PAGE_SIZES.contains(&size) { size } else { PAGE_SIZES[0] };
        Self { size, page: 1, ..self.clone() }
    }

    /// The same question with the scopes below, or without; page 1.
    #[must_use]
    pub fn with_below(&self, below: bool) -> Self {
        Self { below, usable: self.usable && !below, page: 1, ..self.clone() }
    }

    /// The same question with the scopes above, whose delegates can be used from here, or without; page 1.
    #[must_use]
    pub fn with_usable(&self, usable: bool) -> Self {
        Self { usable, below: self.below && !usable, page: 1, ..self.clone() }
    }

    /// Which scopes are asked about.
    #[must_use]
    pub const fn extent(&self) -> Extent {
        match (self.below, self.usable) {
            (true, _) => Extent::Below,
            (false, true) => Extent::Usable,
            (false, false) => Extent::Exact,
        }
    }

    /// The same rows with the instances of one group shown, or hidden again.
    #[must_use]
    pub fn toggled_open(&self, group_id: &str) -> Self {
        let mut query = self.clone();
        query.open.retain(|id| id != group_id);
        if query.open.len() == self.open.len() {
            query.open.push(group_id.to_owned());
        }
        query
    }

    /// Whether the instances of this group were asked to be shown.
    #[must_use]
    pub fn is_open(&self, group_id: &str) -> bool {
        self.open.iter().any(|id| id == group_id)
    }
}

impl Filter {
    /// Whether it lets everything through.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Whether a condition speaks of instances, so that groups without a matching one are left out.
    ///
    /// `search` does not: a group that is found by its name stays, whatever its instances are.
    #[must_use]
    pub fn narrows_instances(&self) -> bool {
        matches!(self.health, Some(Health::Standing(_) | Health::Connected))
            || self.status.is_some()
            || self.version_status.is_some()
            || self.host_name.is_some()
    }

    /// Places of the matching members; none when the group does not match.
    #[must_use]
    pub fn matches(&self, group: &GroupView) -> Option<Vec<u32>> {
        matching::Matcher::new(self).places(group)
    }
}
