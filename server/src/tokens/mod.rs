//! Delegate tokens: their keys, how they are sealed, and who calls with them.

pub mod book;
pub mod issue;
pub mod key;
pub mod vault;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};

use fleet::scope::Scope;
use fleet::time::Timestamp;
use tokio::sync::Notify;

/// A token as authentication found it; shared by everything that came in with it.
#[derive(Debug)]
pub struct KnownToken {
    /// Internal id.
    pub id: Arc<str>,
    /// Name in its scope.
    pub name: Arc<str>,
    /// Its owner scope, which decides where its delegates belong (`agent-protocol 1.7`).
    pub scope: Arc<Scope>,
    active: AtomicBool,
    /// `i64::MAX` for never.
    revoke_after: AtomicI64,
    last_used: AtomicI64,
    /// The last use that [`KnownToken::take_use`] gave out.
    taken_use: AtomicI64,
    shut: Notify,
}

impl KnownToken {
    /// An active token that was last used at `last_used`.
    #[must_use]
    pub fn new(id: Arc<str>, name: Arc<str>, scope: Arc<Scope>, last_used: Option<Timestamp>) -> Self {
        let last_used = last_used.map_or(0, Timestamp::millis);
        Self {
            id,
            name,
            scope,
            active: AtomicBool::new(true),
            revoke_after: AtomicI64::new(i64::MAX),
            last_used: AtomicI64::new(last_used),
            taken_use: AtomicI64::new(last_used),
            shut: Notify::new(),
        }
    }

    /// Whether it still opens anything; false from the moment it is revoked.
    #[must_use]
    pub fn is_active(&self) -> bool {
        self.active.load(Ordering::Acquire)
    }

    /// Whether it opens anything at `now`: active, and the instant of its automatic revocation lies ahead.
    #[must_use]
    pub fn is_open(&self, now: Timestamp) -> bool {
        self.is_active() && now.millis() < self.revoke_after.load(Ordering::Relaxed)
    }

    /// Sets or clears the automatic revocation.
    pub fn set_revoke_after(&self, at: Option<Timestamp>) {
        self.revoke_after.store(at.map_or(i64::MAX, Timestamp::millis), Ordering::Relaxed);
    }

    /// Shuts everything out that holds this token, and wakes what waits in [`KnownToken::revoked`].
    pub fn revoke(&self) {
        self.active.store(false, Ordering::Release);
        self.shut.notify_waiters();
    }

    /// Returns once the token is revoked; at once if it is already.
    pub async fn revoked(&self) {
        let shut = self.shut.notified();
        tokio::pin!(shut);
        // Waiting starts before the look, so that a revocation in between is not missed.
        shut.as_mut().enable();
        if self.is_active() {
            shut.await;
        }
    }

    /// Notes a successful authentication.
    pub fn touch(&self, now: Timestamp) {
        // A plain load first: most calls come within one millisecond of each other, and writing would make
        // every core fetch the line anew.
        if self.last_used.load(Ordering::Relaxed) < now.millis() {
            self.last_used.fetch_max(now.millis(), Ordering::Relaxed);
        }
    }

    /// Notes one on another node, which has stored it.
    pub fn heard(&self, at: Timestamp) {
        self.taken_use.fetch_max(at.millis(), Ordering::Relaxed);
        self.last_used.fetch_max(at.millis(), Ordering::Relaxed);
    }

    /// Newest successful authentication.
    #[must_use]
    pub fn last_used(&self) -> Option<Timestamp> {
        match self.last_used.load(Ordering::Relaxed) {
            0 => None,
            millis => Some(Timestamp::from_millis(millis)),
        }
    }

    /// The newest use, if there was one since the previous call.
    pub fn take_use(&self) -> Option<Timestamp> {
        let last_used = self.last_used.load(Ordering::Relaxed);
        let taken = self.taken_use.fetch_max(last_used, Ordering::Relaxed);
        (taken < last_used).then(|| Timestamp::from_millis(last_used))
    }
}

/// An authenticated delegate process.
#[derive(Clone, Debug)]
pub struct Caller {
    /// The account it speaks for.
    pub account: Arc<str>,
    /// The token that opened its credential.
    pub token: Arc<KnownToken>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token() -> KnownToken {
        KnownToken::new("t".into(), "edge".into(), Arc::new("ACC".parse().unwrap()), None)
    }

    #[test]
    fn revoke_after_closes_at_its_instant() {
        let token = token();
        token.set_revoke_after(Some(Timestamp::from_millis(1_000)));
        assert!(token.is_open(Timestamp::from_millis(999)));
        assert!(!token.is_open(Timestamp::from_millis(1_000)));
        token.set_revoke_after(None);
        assert!(token.is_open(Timestamp::from_millis(i64::MAX - 1)));
    }

    #[tokio::test]
    async fn revocation_wakes_who_waits_and_who_comes_late() {
        let token = Arc::new(token());
        let waiter = tokio::spawn({
            let token = Arc::clone(&token);
            async move { token.revoked().await }
        });
        tokio::task::yield_now().await;
        token.revoke();
        waiter.await.unwrap();
        token.revoked().await;
        assert!(!token.is_active());
    }

    #[test]
    fn a_use_is_given_out_once() {
        let token = token();
        assert_eq!(token.take_use(), None);
        token.touch(Timestamp::from_millis(5));
        token.touch(Timestamp::from_millis(3));
        assert_eq!(token.take_use(), Some(Timestamp::from_millis(5)));
        assert_eq!(token.take_use(), None);
        token.touch(Timestamp::from_millis(6));
        assert_eq!(token.take_use(), Some(Timestamp::from_millis(6)));
    }
}
