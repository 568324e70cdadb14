//! How far this node follows the others on the same database (`architecture 6`).

use std::collections::HashSet;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

use fleet::time::{SECOND, Timestamp};
use tokio::sync::Mutex;

use super::Roster;
use super::following::Following;
use crate::store::{Followed, StoreError};

/// A node that could not follow the others for so long does not know who is silent.
const DEAF_AFTER: i64 = 10 * SECOND;
/// How long somebody waits for what other nodes did; then memory must do.
const PATIENCE: Duration = Duration::from_secs(2);

/// How far this node follows the others.
#[derive(Debug)]
pub(super) struct Others {
    /// The newest change that memory holds.
    followed: AtomicI64,
    /// Since when it cannot follow; 0 while it can.
    failing_since: AtomicI64,
    /// Until when it could not follow.
    deaf_until: AtomicI64,
    /// Calls of [`Roster::catch_up`].
    asked: AtomicU64,
    /// How many of them are answered.
    answered: Mutex<u64>,
}

impl Others {
    pub(super) fn new(number: i64) -> Self {
        Self {
            followed: AtomicI64::new(number),
            failing_since: AtomicI64::new(0),
            deaf_until: AtomicI64::new(i64::MIN),
            asked: AtomicU64::new(0),
            answered: Mutex::new(0),
        }
    }

    /// Since when it cannot follow, if that is long enough to matter.
    fn deaf_since(&self, now: Timestamp) -> Option<Timestamp> {
        let since = self.failing_since.load(Ordering::Acquire);
        let since = (since != 0).then(|| Timestamp::from_millis(since))?;
        (since.age(now) >= DEAF_AFTER).then_some(since)
    }

    /// The newest change that memory holds.
    pub(super) fn followed(&self) -> i64 {
        self.followed.load(Ordering::Acquire)
    }

    fn follows(&self, number: i64, now: Timestamp) {
        self.followed.store(number, Ordering::Release);
        if self.deaf_since(now).is_some() {
            self.deaf_until.store(now.millis(), Ordering::Release);
        }
        self.failing_since.store(0, Ordering::Release);
    }
}

impl Roster {
    /// Brings memory up to what other nodes had stored when this was called; many who ask at once share one look. Gives
    /// up after two seconds, or when the store does not answer.
    pub async fn catch_up(&self, now: Timestamp) {
        if !self.store.is_shared() || self.deaf_since(now).is_some() {
            return;
        }
        let ticket = self.others.asked.fetch_add(1, Ordering::AcqRel) + 1;
        let look = async {
            let mut answered = self.others.answered.lock().await;
            if *answered < ticket {
                let asked = self.others.asked.load(Ordering::Acquire);
                // Whoever follows regularly tells what goes wrong.
                if self.follow(now).await.is_ok() {
                    *answered = asked;
                }
            }
        };
        let _ = tokio::time::timeout(PATIENCE, look).await;
    }

    /// Looks again after a catch-up where somebody is unknown here: another node may have met them.
    pub(super) async fn known_elsewhere<T>(&self, find: impl Fn() -> Option<T>, now: Timestamp) -> Option<T> {
        if !self.store.is_shared() {
            return None;
        }
        self.catch_up(now).await;
        find()
    }

    /// Reads what other nodes changed; returns the newest change that memory holds.
    ///
    /// # Errors
    /// The store cannot be read; what was read is kept, and read again the next time.
    pub async fn follow(&self, now: Timestamp) -> Result<i64, StoreError> {
        if !self.store.is_shared() {
            return Ok(0);
        }
        let followed = self.read_others(now).await;
        if followed.is_err() {
            self.cannot_follow(now);
        }
        followed
    }

    /// Notes that what other nodes hear does not reach this one.
    pub fn cannot_follow(&self, now: Timestamp) {
        let since = &self.others.failing_since;
        // Only the first failure counts.
        let _ = since.compare_exchange(0, now.millis(), Ordering::AcqRel, Ordering::Acquire);
    }

    /// Notes that time went by in which nobody could be heard: the machine slept, or its clock was set.
    pub fn slept(&self, until: Timestamp) {
        self.others.deaf_until.store(until.millis(), Ordering::Release);
    }

    async fn read_others(&self, now: Timestamp) -> Result<i64, StoreError> {
        // With nothing on its way to the store, whatever facts are newer in memory than in the row are marked so.
        let _still = self.writer.still().await;
        let after = self.others.followed();
        let mut following = Following::new(self, now);
        let newest = match self.store.follow(after, &mut following).await? {
            Followed::UpTo(newest) => newest,
            Followed::TooFarBehind => {
                tracing::warn!(after, "too far behind the other nodes; the whole fleet is read again");
                following.seen = Some(HashSet::new());
                let since = now.plus(-following.policy.group_retention);
                let newest = self.store.load(since, &mut following).await?;
                following.drop_unseen();
                newest
            }
        };
        // While others are held off: they would read the same changes again.
        self.others.follows(newest, now);
        Ok(newest)
    }

    /// Since when this node does not know what the others hear.
    #[must_use]
    pub fn deaf_since(&self, now: Timestamp) -> Option<Timestamp> {
        self.others.deaf_since(now)
    }

    /// The instant before which silence proves nothing: this server was away, or apart from the others, and that was
    /// not long ago.
    pub(super) fn deaf_until(&self, now: Timestamp) -> Option<Timestamp> {
        if self.deaf_since(now).is_some() {
            return Some(now);
        }
        let regained = Timestamp::from_millis(self.others.deaf_until.load(Ordering::Acquire));
        let hold = self.reference.read().policy.start_hold;
        // One that lies ahead was noted before the clock went back.
        let regained = (0..=hold).contains(&regained.age(now)).then_some(regained);
        self.restarted_at(now).max(regained)
    }
}
