//! Single changes of settings and catalog.

use async_trait::async_trait;
use fleet::scope::Scope;
use fleet::time::Timestamp;
use server::store::access::Change;
use server::store::{Store, StoreError};

#[async_trait]
pub(crate) trait Shortcuts: Store {
    async fn put_catalog(&self, document: &str, at: Timestamp) -> Result<(), StoreError> {
        self.commit(&[Change::PutCatalog { document: document.to_owned(), at }]).await
    }

    async fn put_setting(
        &self,
        scope: Option<&Scope>,
        key: &str,
        value: Option<&str>,
        at: Timestamp,
    ) -> Result<(), StoreError> {
        let value = value.map(ToOwned::to_owned);
        self.commit(&[Change::PutSetting { scope: scope.cloned(), key: key.to_owned(), value, at }]).await
    }
}

impl<S: Store + ?Sized> Shortcuts for S {}
