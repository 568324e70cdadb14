//! What a source listed (`management-api 2.3`).

use client::{Delegate, Latest};
use fleet::scope::Scope;
use fleet::time::Timestamp;
use serde::{Deserialize, Serialize};

/// One list.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct List {
    pub(super) entries: Vec<Entry>,
    /// The instant of it, on the clock of the source.
    pub(super) remote_now: Timestamp,
    /// The same on ours.
    pub(super) now: Timestamp,
    /// What the source says its delegates should run.
    pub(super) latest: Option<Latest>,
    /// What could not be understood.
    pub(super) skipped: u32,
}

/// One entry of a list.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Entry {
    /// What was asked for; the delegate may be below it.
    pub(super) scope: Scope,
    pub(super) delegate: Delegate,
}

impl Entry {
    /// Organization and project, those of what was asked for where the entry names none.
    pub(super) fn names(&self) -> (Option<&str>, Option<&str>) {
        let delegate = &self.delegate;
        let given = |name: &&str| !name.is_empty();
        let organization = delegate.org_name.as_deref().filter(given).or(self.scope.organization());
        let project = delegate.project_name.as_deref().filter(given).or(self.scope.project());
        (organization, project)
    }
}

impl List {
    /// The same with an instant behind that of the list before: the clock of the node that read that may have been ahead.
    pub(super) fn after(self, before: Option<Timestamp>) -> Self {
        let now = before.map_or(self.now, |before| self.now.max(before.plus(1)));
        Self { remote_now: self.remote_now.plus(self.now.age(now)), now, ..self }
    }

    /// An instant of the source's clock; 0 stands for never, and so does what lies before it.
    pub(super) fn on_our_clock(&self, millis: i64) -> Option<Timestamp> {
        instant(millis).map(|at| at.plus(self.remote_now.age(self.now)))
    }
}

/// The year 10000: what lies behind it is no time.
const END: i64 = 253_402_300_800_000;

/// 0 stands for never, and so does what lies before it.
pub(super) fn instant(millis: i64) -> Option<Timestamp> {
    (1..END).contains(&millis).then(|| Timestamp::from_millis(millis))
}
