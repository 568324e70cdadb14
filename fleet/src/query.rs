//! What a person or a script asks of a list: filter, order, page; its form in a URL (`product 6.2`, `11.1`).
//!
//! Page and API read the same parameters, so that the query of a page works in `/api/v1`.

mod facets;
mod filter;
mod fixing;
mod matching;
mod paging;
mod selecting;
mod text;
mod url;
mod words;

pub use facets::{Choice, Facets, MAX_CHOICES, facets};
pub use filter::Filter;
pub use matching::{NO_VERSION, OWN_VERSION, has_mark};
pub use paging::select_members;
pub use selecting::{select, select_all};
pub use words::UnknownWord;

use crate::health::Standing;
use crate::summary::Counts;
use crate::view::{Extent, GroupView, Sight};

/// Sizes of a page of groups (`product 11.1`, P28); the first is the default.
pub const PAGE_SIZES: [u32; 4] = [10, 25, 50, 100];
/// The longest search text, in characters.
pub const MAX_SEARCH: usize = 256;
/// Values of one condition, such as tags: every link of a page repeats them.
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

    /// How many it has among `counts`: instances, and groups for `autoUpgradeOff`.
    #[must_use]
    pub const fn count(self, counts: &Counts) -> u64 {
        match self {
            Self::Standing(Standing::Expired) => counts.expired,
            Self::Standing(Standing::NearExpiry) => counts.near_expiry,
            Self::Standing(Standing::Unsupported) => counts.unsupported,
            Self::Standing(Standing::Active) => counts.active,
            Self::Standing(Standing::Unknown) => counts.unknown,
            Self::Standing(Standing::Unreachable) => counts.unreachable,
            Self::Connected => counts.connected,
            Self::AutoUpgradeOff => counts.auto_upgrade_off,
        }
    }
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

/// How many connected instances a group can lean on (`product 9.1`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Redundancy {
    /// `none`: nothing is connected.
    None,
    /// `single`: exactly one is connected.
    Single,
    /// `several`: it can lose at least one.
    Several,
}

/// What deserves a second look in a group; the badges of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mark {
    /// `late`: a connected instance has not been heard of for 180 s (`product 3.1`).
    Late,
    /// `unstable`: an instance comes and goes (`product 3.6`).
    Unstable,
    /// `differ`: members differ (`product 9.2`).
    Differ,
    /// `double`: looks like two delegates under one name (`product 9.2`).
    Double,
    /// `incomplete`: an identity rebuilt from a heartbeat (`agent-protocol 7.5`).
    Incomplete,
    /// `pending`: waits for approval (`product 10.4`).
    Pending,
    /// `returned`: called again after it was deleted (`agent-protocol 9.4`).
    Returned,
    /// `byChoice`: updated by hand on purpose (`product 7`).
    ByChoice,
    /// `clock`: an instance's clock is off by more than 60 s (`product 11.2`).
    Clock,
}

/// Which generation of delegate (`product 11.4`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Generation {
    /// `classic`, the embedded Go client included.
    Classic,
    /// `3.x`.
    Runner,
}

/// Where a group is from (`product 11.4`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Origin {
    /// Its instances register here.
    Own,
    /// Another server told of it.
    Mirror,
}

impl Origin {
    /// That of a group.
    #[must_use]
    pub const fn of(group: &GroupView) -> Self {
        if group.source.is_some() { Self::Mirror } else { Self::Own }
    }
}

/// `delegateInstanceFilter` of `management-api 2.1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Availability {
    /// `AVAILABLE`: connected and not expired.
    Available,
    /// `EXPIRED`.
    Expired,
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
    /// `autoUpgrade`: on, detecting, off.
    AutoUpgrade,
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
#[expect(clippy::struct_excessive_bools, reason = "each is a parameter of its own")]
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
    /// `hidden=true`: delegates that retention no longer lists, too (`product 4.1`).
    pub hidden: bool,
    /// `open`: ids of groups whose instances are shown. Page only.
    pub open: Vec<String>,
    /// `fold=true`: a filter that speaks of instances opens no row (`product 6.2`). Page only.
    pub folded: bool,
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
    /// Places of the matching members in [`crate::view::GroupView::members`].
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
            hidden: false,
            open: Vec::new(),
            folded: false,
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

    /// Reads the parameters of a URL inside a question that somebody else fixed (`product 15.2`): its filters hold
    /// whatever the URL says, its scopes are never widened, its order and size are what the URL may change.
    ///
    /// # Errors
    /// A parameter has a value that it cannot have.
    pub fn parse_within(query: &str, fixed: &Self) -> Result<Self, QueryError> {
        fixing::parse_within(query, fixed)
    }

    /// The conditions alone: what is asked about, without order, page and open rows.
    #[must_use]
    pub fn conditions(&self) -> Self {
        let filter = self.filter.clone();
        Self { filter, below: self.below, usable: self.usable, hidden: self.hidden, ..Self::default() }
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

    /// What is asked about: which scopes, and whether hidden delegates too.
    #[must_use]
    pub const fn sight(&self) -> Sight {
        Sight { extent: self.extent(), hidden: self.hidden }
    }

    /// What is worth keeping of it under a name: filter, order and what is asked about, but no place on a page.
    #[must_use]
    pub fn lasting(&self) -> Self {
        Self { page: 1, size: PAGE_SIZES[0], ..self.closed() }
    }

    /// Whether it narrows or widens what is listed; a filter that does neither is none (`product 11.4`).
    #[must_use]
    pub fn is_plain(&self) -> bool {
        self.filter.is_empty() && !self.hidden
    }

    /// The same question with hidden delegates, or without; page 1.
    #[must_use]
    pub fn with_hidden(&self, hidden: bool) -> Self {
        Self { hidden, page: 1, ..self.clone() }
    }

    /// The same rows, whatever was opened or folded.
    #[must_use]
    pub fn closed(&self) -> Self {
        Self { open: Vec::new(), folded: false, ..self.clone() }
    }

    /// The same rows with all matching instances shown, or none.
    #[must_use]
    pub fn with_folded(&self, folded: bool) -> Self {
        Self { folded, open: Vec::new(), ..self.clone() }
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
