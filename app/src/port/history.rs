//! What pages about the past of a delegate need to know (`product 3.6`, `11.5`).

use std::sync::Arc;

use fleet::delegate::GroupFacts;
use fleet::history::{Change, Run, Window};
use fleet::mirror::Source;
use fleet::time::Timestamp;
use fleet::view::Member;

use super::Notes;

/// The past of some instances of one group within one window.
#[derive(Clone, Debug)]
pub struct History {
    /// How far back.
    pub window: Window,
    /// The end of the window.
    pub as_of: Timestamp,
    /// One for each instance that was asked about.
    pub lines: Vec<Lifeline>,
}

impl History {
    /// The line of one instance.
    #[must_use]
    pub fn of(&self, instance: &str) -> Option<&Lifeline> {
        self.lines.iter().find(|line| &*line.instance == instance)
    }
}

/// What one instance was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lifeline {
    /// Delegate id.
    pub instance: Arc<str>,
    /// First registration, or the earliest that is known of it.
    pub registered_at: Timestamp,
    /// Its runs within the window, oldest first.
    pub runs: Vec<Run>,
}

/// Whether an instance can be seen in a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// Yes.
    Listed,
    /// Retention or a goodbye hides it.
    Hidden,
    /// A person deleted it.
    Deleted,
    /// So long ago that only its history is left.
    Gone,
}

/// The page of one instance.
#[derive(Clone, Debug)]
pub struct InstancePage {
    /// Its group.
    pub group: Arc<GroupFacts>,
    /// Whether the group is listed, so that it has a page.
    pub group_listed: bool,
    /// Delegate id.
    pub id: Arc<str>,
    /// What the rules say of it; none once it is gone.
    pub member: Option<Member>,
    /// Whether it can be seen in a list.
    pub presence: Presence,
    /// Name of the token that it used last, and whether that is active; none if the token is gone.
    pub token: Option<(Arc<str>, bool)>,
    /// Its past; one line.
    pub history: History,
    /// Its changes within the window, newest first.
    pub changes: Vec<Change>,
    /// Where it is read from, if it is not one of ours.
    pub source: Option<Arc<Source>>,
    /// What the page says around the figures.
    pub notes: Notes,
}

/// Which part of what happened to a group.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ActivityQuery {
    /// `instance`: of one instance only.
    pub instance: Option<String>,
    /// `before`: where the page before ended.
    pub before: Option<String>,
}

/// What happened to a group.
#[derive(Clone, Debug)]
pub struct Activity {
    /// The group.
    pub group: Arc<GroupFacts>,
    /// When it was asked.
    pub as_of: Timestamp,
    /// Newest first, 100 at most.
    pub events: Vec<Event>,
    /// Continue here; none at the end.
    pub next: Option<String>,
    /// Known instances, id and host name, for the filter.
    pub instances: Vec<(Arc<str>, Arc<str>)>,
    /// Why what people did is left out; none when it is there.
    pub without_deeds: Option<String>,
}

/// One thing that happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// When.
    pub at: Timestamp,
    /// What.
    pub what: What,
}

/// See [`Event`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// An instance changed.
    Turn {
        /// Delegate id.
        instance: Arc<str>,
        /// Host name, while it is known.
        host_name: Option<Arc<str>>,
        /// How.
        change: Change,
    },
    /// Somebody did something.
    Deed {
        /// E-mail, or `SYSTEM`.
        actor: String,
        /// Such as `delegate.approve`.
        action: String,
        /// In one sentence.
        summary: String,
    },
}
