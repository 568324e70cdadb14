//! People, keys and deeds.

use async_trait::async_trait;
use sqlx::SqliteConnection;
use sqlx::sqlite::SqliteRow;

use super::{Sqlite, bump, query};
use crate::store::StoreError;
use crate::store::access::adapter::access_store;
use crate::store::columns::Fields;
use crate::store::error::failed;
use crate::store::mirrors::mirror_store;

access_store!(Sqlite, SqliteConnection, SqliteRow, readers);
mirror_store!(Sqlite);

impl Sqlite {
    async fn commit_all(
        &self,
        changes: &[Change],
        done: &mut (dyn FnMut() + Send),
    ) -> Result<(), StoreError> {
        let mut transaction = self.begin().await?;
        Self::apply(&mut transaction, changes).await?;
        transaction.commit().await.map_err(failed)?;
        done();
        Ok(())
    }
}
