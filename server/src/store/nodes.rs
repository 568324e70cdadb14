//! What several nodes on one database need of each other (`architecture 6`).

use std::any::Any;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use fleet::time::MINUTE;
use futures::StreamExt as _;
use futures::stream::{self, BoxStream};
use serde::{Deserialize, Serialize};

use super::{LoadSink, StoreError};

/// A node without a sign of life for so long counts as gone.
pub const SILENT_AFTER: Duration = Duration::from_secs(5);

/// What a node heard before a goodbye reaches the database at most so long after it, in milliseconds. A goodbye that lies
/// further ahead was said under another clock.
pub const CROSSING: i64 = 2 * MINUTE;

/// How far a node has followed the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Followed {
    /// Up to this change.
    UpTo(i64),
    /// What it missed is not told any more: it must read the fleet anew.
    TooFarBehind,
}

/// A call of a deleted or rejected delegate (`agent-protocol 9.4`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnedAway {
    /// Account identifier.
    pub account: Arc<str>,
    /// `GroupFacts::id`.
    pub group: Arc<str>,
    /// Delegate id where a single one is meant; empty for the whole group.
    pub instance: Arc<str>,
    /// The id that it was given, which stands for no row.
    pub given: Option<Arc<str>>,
    /// When it was deleted, or heard last before it was rejected; milliseconds.
    pub deleted_at: i64,
    /// When it called; milliseconds.
    pub called_at: i64,
    /// Whether a person rejected it, rather than deleted it.
    pub rejected: bool,
    /// The token it called with: internal id and name.
    pub token: Option<(Arc<str>, Arc<str>)>,
}

/// A node that serves the database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeRow {
    /// Random, new at each start.
    pub id: Box<str>,
    /// Of its program.
    pub version: Box<str>,
    /// The newest change that it follows.
    pub applied: i64,
    /// Since its last sign of life, by the clock of the database.
    pub silent: Duration,
}

/// Holds others off a job until it is dropped.
#[derive(Debug)]
#[must_use = "others are held off only while it lives"]
pub struct Alone {
    _lock: Option<Box<dyn Any + Send>>,
}

impl Alone {
    /// Nobody else could be at it.
    const UNDISPUTED: Self = Self { _lock: None };

    pub(super) fn holding(lock: impl Any + Send) -> Self {
        Self { _lock: Some(Box::new(lock)) }
    }
}

/// What nodes tell each other. A store for a single process has nobody to tell: the methods that are given here.
///
/// Every write that others must know of takes the next number of the topic `fleet` before anything else and keeps it
/// locked until it is committed, so numbers follow the order of commits, and writers of several nodes queue up in place of
/// deadlocking.
#[async_trait]
pub trait NodeStore: Send + Sync + 'static {
    /// Whether other nodes may change what this one has read.
    fn is_shared(&self) -> bool {
        false
    }

    /// Tells `sink` what other nodes changed behind `after`: rows as they are now, then removed instances, heartbeats, uses
    /// of tokens, calls that were turned away, and where people did something. Whoever drops it before it is ready is told
    /// all of it again, but for calls at the door. Where it is [`Followed::TooFarBehind`], nothing was told.
    async fn follow(&self, after: i64, _sink: &mut dyn LoadSink) -> Result<Followed, StoreError> {
        Ok(Followed::UpTo(after))
    }

    /// Gives a sign of life, and tells up to which change this node follows.
    async fn sign(&self, _applied: i64) -> Result<(), StoreError> {
        Ok(())
    }

    /// Takes the sign away: nobody waits for this node any more.
    async fn sign_off(&self) -> Result<(), StoreError> {
        Ok(())
    }

    /// Nodes with a sign of life within [`SILENT_AFTER`], by id.
    async fn nodes(&self) -> Result<Vec<NodeRow>, StoreError> {
        Ok(Vec::new())
    }

    /// An item whenever others may have changed something. One that is lost loses nothing: changes are counted.
    fn bell(&self) -> BoxStream<'static, ()> {
        stream::pending().boxed()
    }

    /// Lets one node at a time do a job; none while another one is at it.
    async fn alone(&self, _job: &'static str) -> Result<Option<Alone>, StoreError> {
        Ok(Some(Alone::UNDISPUTED))
    }

    /// Waits until no other node is at a job.
    async fn turn(&self, _job: &'static str) -> Result<Alone, StoreError> {
        Ok(Alone::UNDISPUTED)
    }

    /// Forgets what every node had the time to read, and nodes that are gone.
    async fn forget_news(&self) -> Result<(), StoreError> {
        Ok(())
    }
}
