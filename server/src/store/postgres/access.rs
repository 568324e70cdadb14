//! People, keys and deeds.

use async_trait::async_trait;
use sqlx::PgConnection;
use sqlx::postgres::PgRow;

use super::{Postgres, bump, query};
use crate::store::StoreError;
use crate::store::access::adapter::access_store;
use crate::store::columns::Fields;
use crate::store::error::failed;
use crate::store::mirrors::mirror_store;
use crate::store::news::News;

access_store!(Postgres, PgConnection, PgRow, pool);
mirror_store!(Postgres);

impl Postgres {
    /// Returns when the other nodes follow, or after a second.
    async fn commit_all(
        &self,
        changes: &[Change],
        done: &mut (dyn FnMut() + Send),
    ) -> Result<(), StoreError> {
        let news = News::from(changes);
        let is_news = !news.is_empty() || !request::topics(changes).is_empty();
        let mut transaction = self.begin().await?;
        let number = if is_news { Some(Self::next_number(&mut transaction).await?) } else { None };
        Self::apply(&mut transaction, changes).await?;
        if let Some(number) = number {
            self.tell(&mut transaction, number, &news).await?;
        }
        transaction.commit().await.map_err(failed)?;
        done();
        if let Some(number) = number {
            self.wait_for_others(number).await;
        }
        Ok(())
    }
}
