//! A store that can be taken away, or made to refuse rows of one host.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use fleet::scope::Scope;
use fleet::time::Timestamp;
use server::store::access::{
    AccessStore, AccessTables, AuditFound, AuditWanted, Change, DeedsWanted, LinkRow, SessionRow,
};
use server::store::mirrors::{MirrorRow, MirrorStore};
use server::store::{
    Batch, Beat, Followed, HistoryWanted, LoadSink, NewScope, NodeStore, Revisions, SharedStore, Store,
    StoreError, TokenRow, Transition,
};

/// Rows of this host are refused for what they hold.
pub(crate) const POISON: &str = "poison";

pub(crate) struct Flaky {
    pub(crate) inner: SharedStore,
    pub(crate) away: AtomicBool,
}

#[async_trait]
impl AccessStore for Flaky {
    async fn commit_then(
        &self,
        changes: &[Change],
        done: &mut (dyn FnMut() + Send),
    ) -> Result<(), StoreError> {
        self.inner.commit_then(changes, done).await
    }

    async fn access(&self) -> Result<AccessTables, StoreError> {
        self.inner.access().await
    }

    async fn session(&self, hash: &str) -> Result<Option<SessionRow>, StoreError> {
        self.inner.session(hash).await
    }

    async fn sessions_of(&self, user: &str) -> Result<Vec<SessionRow>, StoreError> {
        self.inner.sessions_of(user).await
    }

    async fn link(&self, hash: &str) -> Result<Option<LinkRow>, StoreError> {
        self.inner.link(hash).await
    }

    async fn audit(&self, wanted: &AuditWanted) -> Result<Vec<AuditFound>, StoreError> {
        self.inner.audit(wanted).await
    }

    async fn deeds_on(&self, wanted: &DeedsWanted<'_>) -> Result<Vec<AuditFound>, StoreError> {
        self.inner.deeds_on(wanted).await
    }
}

#[async_trait]
impl MirrorStore for Flaky {
    async fn mirrors(&self) -> Result<Vec<MirrorRow>, StoreError> {
        self.inner.mirrors().await
    }

    async fn mirror_list(&self, id: &str) -> Result<Option<String>, StoreError> {
        self.inner.mirror_list(id).await
    }
}

#[async_trait]
impl NodeStore for Flaky {
    fn is_shared(&self) -> bool {
        self.inner.is_shared()
    }

    async fn follow(&self, after: i64, sink: &mut dyn LoadSink) -> Result<Followed, StoreError> {
        if self.away.load(Ordering::Relaxed) {
            return Err(StoreError::Unavailable(sqlx::Error::PoolTimedOut));
        }
        self.inner.follow(after, sink).await
    }
}

#[async_trait]
impl Store for Flaky {
    fn kind(&self) -> &'static str {
        self.inner.kind()
    }

    async fn migrate(&self) -> Result<(), StoreError> {
        self.inner.migrate().await
    }

    async fn pending_migrations(&self) -> Result<usize, StoreError> {
        self.inner.pending_migrations().await
    }

    async fn ping(&self) -> Result<(), StoreError> {
        self.inner.ping().await
    }

    async fn close(&self) {
        self.inner.close().await;
    }

    async fn write(&self, batch: &Batch) -> Result<(), StoreError> {
        if self.away.load(Ordering::Relaxed) {
            return Err(StoreError::Unavailable(sqlx::Error::PoolTimedOut));
        }
        if batch.instances.iter().any(|row| &*row.facts.host_name == POISON) {
            return Err(StoreError::Database(sqlx::Error::RowNotFound));
        }
        self.inner.write(batch).await
    }

    async fn load(&self, since: Timestamp, sink: &mut dyn LoadSink) -> Result<i64, StoreError> {
        self.inner.load(since, sink).await
    }

    async fn newest_beats(&self) -> Result<i64, StoreError> {
        self.inner.newest_beats().await
    }

    async fn settle(&self, beats: &[Beat]) -> Result<(), StoreError> {
        if self.away.load(Ordering::Relaxed) {
            return Err(StoreError::Unavailable(sqlx::Error::PoolTimedOut));
        }
        self.inner.settle(beats).await
    }

    async fn forget_beats(&self, until: i64, limit: u32) -> Result<u64, StoreError> {
        self.inner.forget_beats(until, limit).await
    }

    async fn turns(&self, since: Timestamp, sink: &mut dyn LoadSink) -> Result<(), StoreError> {
        self.inner.turns(since, sink).await
    }

    async fn create_scopes(&self, missing: &[NewScope]) -> Result<Vec<Scope>, StoreError> {
        self.inner.create_scopes(missing).await
    }

    async fn scopes(&self) -> Result<Vec<Scope>, StoreError> {
        self.inner.scopes().await
    }

    async fn tokens(&self) -> Result<Vec<TokenRow>, StoreError> {
        self.inner.tokens().await
    }

    async fn catalog(&self) -> Result<Option<String>, StoreError> {
        self.inner.catalog().await
    }

    async fn settings(&self) -> Result<BTreeMap<(Option<Scope>, String), String>, StoreError> {
        self.inner.settings().await
    }

    async fn history(&self, wanted: &HistoryWanted<'_>) -> Result<Vec<Transition>, StoreError> {
        self.inner.history(wanted).await
    }

    async fn purge_history(&self, before: Timestamp, limit: u32) -> Result<u64, StoreError> {
        self.inner.purge_history(before, limit).await
    }

    async fn revisions(&self) -> Result<Revisions, StoreError> {
        self.inner.revisions().await
    }
}
