//! A store that can be taken away, or made to refuse rows of one host.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use fleet::scope::Scope;
use fleet::time::Timestamp;
use server::store::{
    Batch, LoadSink, NewScope, Revisions, SharedStore, Store, StoreError, TokenRow, Transition,
};

/// Rows of this host are refused for what they hold.
pub(crate) const POISON: &str = "poison";

pub(crate) struct Flaky {
    pub(crate) inner: SharedStore,
    pub(crate) away: AtomicBool,
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

    async fn load(&self, since: Timestamp, sink: &mut dyn LoadSink) -> Result<(), StoreError> {
        self.inner.load(since, sink).await
    }

    async fn create_scopes(&self, missing: &[NewScope]) -> Result<Vec<Scope>, StoreError> {
        self.inner.create_scopes(missing).await
    }

    async fn scopes(&self) -> Result<Vec<Scope>, StoreError> {
        self.inner.scopes().await
    }

    async fn insert_token(&self, token: &TokenRow) -> Result<(), StoreError> {
        self.inner.insert_token(token).await
    }

    async fn tokens(&self) -> Result<Vec<TokenRow>, StoreError> {
        self.inner.tokens().await
    }

    async fn revoke_token(&self, scope: &Scope, name: &str, at: Timestamp) -> Result<TokenRow, StoreError> {
        self.inner.revoke_token(scope, name, at).await
    }

    async fn put_catalog(&self, json: &str, at: Timestamp) -> Result<(), StoreError> {
        self.inner.put_catalog(json, at).await
    }

    async fn catalog(&self) -> Result<Option<String>, StoreError> {
        self.inner.catalog().await
    }

    async fn put_setting(
        &self,
        scope: Option<&Scope>,
        key: &str,
        value: Option<&str>,
        at: Timestamp,
    ) -> Result<(), StoreError> {
        self.inner.put_setting(scope, key, value, at).await
    }

    async fn settings(&self) -> Result<BTreeMap<(Option<Scope>, String), String>, StoreError> {
        self.inner.settings().await
    }

    async fn transitions(
        &self,
        account: &str,
        group: &str,
        instance: Option<&str>,
        limit: u32,
    ) -> Result<Vec<Transition>, StoreError> {
        self.inner.transitions(account, group, instance, limit).await
    }

    async fn revisions(&self) -> Result<Revisions, StoreError> {
        self.inner.revisions().await
    }
}
