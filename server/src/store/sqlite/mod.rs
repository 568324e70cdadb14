//! The store in one `SQLite` file, for one machine.

mod access;
mod load;
mod open;
mod packed;
pub(super) mod sql;
mod write;

use std::collections::BTreeMap;

use async_trait::async_trait;
use fleet::scope::Scope;
use fleet::time::Timestamp;
use futures::TryStreamExt;
use sqlx::migrate::{AppliedMigration, Migrate, Migrator};
use sqlx::query::Query;
use sqlx::sqlite::SqliteArguments;
use sqlx::{SqliteConnection, SqlitePool, Transaction};

pub(super) use self::open::open;
use super::columns::Fields;
use super::error::{failed, token_refused};
use super::records::{Records, last_beats};
use super::request::{Request, Value};
use super::{
    Batch, Beat, HistoryWanted, LoadSink, NewScope, NodeStore, Revisions, Store, StoreError, TokenRow,
    Transition, decode, migrations, sql as common,
};

static MIGRATOR: Migrator = sqlx::migrate!("../migrations/sqlite");

/// One connection that writes, a few that read; write-ahead logging lets them work at the same time.
#[derive(Debug)]
pub(super) struct Sqlite {
    writer: SqlitePool,
    readers: SqlitePool,
}

impl Sqlite {
    /// A transaction that may write. It takes the lock at once: one that starts by reading cannot wait for it later.
    async fn begin(&self) -> Result<Transaction<'static, sqlx::Sqlite>, StoreError> {
        self.writer.begin_with("BEGIN IMMEDIATE").await.map_err(failed)
    }

    async fn applied(connection: &mut SqliteConnection) -> Result<Vec<AppliedMigration>, StoreError> {
        let recorded: i64 =
            sqlx::query_scalar(sql::HAS_MIGRATIONS).fetch_one(&mut *connection).await.map_err(failed)?;
        if recorded == 0 {
            return Ok(Vec::new());
        }
        Ok(connection.list_applied_migrations(migrations::TABLE).await?)
    }
}

async fn bump(connection: &mut SqliteConnection, topic: &str) -> Result<(), StoreError> {
    query(Request::bump(topic)).execute(connection).await.map_err(failed)?;
    Ok(())
}

fn query(request: Request<'_>) -> Query<'_, sqlx::Sqlite, SqliteArguments> {
    request.values.into_iter().fold(sqlx::query(request.sql), |query, value| match value {
        Value::Text(text) => query.bind(text),
        Value::OptionalText(text) => query.bind(text),
        Value::Integer(number) => query.bind(number),
        Value::OptionalInteger(number) => query.bind(number),
        Value::Bytes(bytes) => query.bind(bytes),
    })
}

/// One process uses the file: nobody else has anything to tell.
impl NodeStore for Sqlite {}

#[async_trait]
impl Store for Sqlite {
    fn kind(&self) -> &'static str {
        "sqlite"
    }

    async fn migrate(&self) -> Result<(), StoreError> {
        // One transaction around all: the driver has no lock of its own for this database.
        let mut transaction = self.begin().await?;
        MIGRATOR.run_direct(None, &mut *transaction, false).await?;
        transaction.commit().await.map_err(failed)
    }

    async fn pending_migrations(&self) -> Result<usize, StoreError> {
        let mut reader = self.readers.acquire().await.map_err(failed)?;
        let applied = Self::applied(&mut reader).await?;
        Ok(migrations::pending(&MIGRATOR, &applied)?)
    }

    async fn ping(&self) -> Result<(), StoreError> {
        self.begin().await?.rollback().await.map_err(failed)
    }

    async fn close(&self) {
        // The last connection that closes folds the log back, and only one that writes can.
        self.readers.close().await;
        self.writer.close().await;
    }

    async fn write(&self, batch: &Batch) -> Result<(), StoreError> {
        if batch.is_empty() {
            return Ok(());
        }
        let records = Records::try_from(batch)?;
        let mut transaction = self.begin().await?;
        write::write(&mut transaction, &records).await?;
        transaction.commit().await.map_err(failed)
    }

    async fn load(&self, since: Timestamp, sink: &mut dyn LoadSink) -> Result<i64, StoreError> {
        // A transaction, so that all tables are read as of one moment.
        let mut transaction = self.readers.begin().await.map_err(failed)?;
        load::load(&mut transaction, since, sink).await?;
        transaction.commit().await.map_err(failed)?;
        Ok(0)
    }

    async fn newest_beats(&self) -> Result<i64, StoreError> {
        sqlx::query_scalar(common::NEWEST_BEATS).fetch_one(&self.readers).await.map_err(failed)
    }

    async fn settle(&self, beats: &[Beat]) -> Result<(), StoreError> {
        let mut transaction = self.begin().await?;
        write::settle(&mut transaction, &last_beats(beats)).await?;
        transaction.commit().await.map_err(failed)
    }

    async fn forget_beats(&self, until: i64, limit: u32) -> Result<u64, StoreError> {
        let mut transaction = self.begin().await?;
        let gone = query(Request::forget_beats(until, limit)).execute(&mut *transaction).await;
        let gone = gone.map_err(failed)?.rows_affected();
        transaction.commit().await.map_err(failed)?;
        Ok(gone)
    }

    async fn turns(&self, since: Timestamp, sink: &mut dyn LoadSink) -> Result<(), StoreError> {
        let mut rows = sqlx::query(common::TURNS).bind(since.millis()).fetch(&self.readers);
        while let Some(row) = rows.try_next().await.map_err(failed)? {
            decode::turn(&Fields::new(&row, "transitions"), sink)?;
        }
        Ok(())
    }

    async fn create_scopes(&self, missing: &[NewScope]) -> Result<Vec<Scope>, StoreError> {
        let mut transaction = self.begin().await?;
        let mut created = Vec::new();
        for new in missing {
            let scope = query(Request::insert_scope(new)).execute(&mut *transaction).await.map_err(failed)?;
            if scope.rows_affected() > 0 {
                let token = query(Request::insert_token(&new.token)).execute(&mut *transaction).await;
                token.map_err(|error| token_refused(error, &new.token))?;
                created.push(new.scope.clone());
            }
        }
        if !created.is_empty() {
            bump(&mut transaction, "scopes").await?;
            bump(&mut transaction, "tokens").await?;
        }
        transaction.commit().await.map_err(failed)?;
        Ok(created)
    }

    async fn scopes(&self) -> Result<Vec<Scope>, StoreError> {
        let rows = sqlx::query(common::SCOPES).fetch_all(&self.readers).await.map_err(failed)?;
        decode::scopes(rows.iter().map(|row| Fields::new(row, "scopes")))
    }

    async fn tokens(&self) -> Result<Vec<TokenRow>, StoreError> {
        let rows = sqlx::query(common::TOKENS).fetch_all(&self.readers).await.map_err(failed)?;
        decode::tokens(rows.iter().map(|row| Fields::new(row, "tokens")))
    }

    async fn catalog(&self) -> Result<Option<String>, StoreError> {
        sqlx::query_scalar(common::CATALOG).fetch_optional(&self.readers).await.map_err(failed)
    }

    async fn settings(&self) -> Result<BTreeMap<(Option<Scope>, String), String>, StoreError> {
        let rows = sqlx::query(common::SETTINGS).fetch_all(&self.readers).await.map_err(failed)?;
        decode::settings(rows.iter().map(|row| Fields::new(row, "settings")))
    }

    async fn history(&self, wanted: &HistoryWanted<'_>) -> Result<Vec<Transition>, StoreError> {
        let rows = query(Request::history(wanted)).fetch_all(&self.readers).await.map_err(failed)?;
        rows.iter().map(|row| decode::transition(&Fields::new(row, "transitions"))).collect()
    }

    async fn purge_history(&self, before: Timestamp, limit: u32) -> Result<u64, StoreError> {
        let mut transaction = self.begin().await?;
        let gone = query(Request::purge_history(before, limit)).execute(&mut *transaction).await;
        let gone = gone.map_err(failed)?.rows_affected();
        transaction.commit().await.map_err(failed)?;
        Ok(gone)
    }

    async fn revisions(&self) -> Result<Revisions, StoreError> {
        let rows = sqlx::query(common::REVISIONS).fetch_all(&self.readers).await.map_err(failed)?;
        decode::revisions(rows.iter().map(|row| Fields::new(row, "revisions")))
    }
}
