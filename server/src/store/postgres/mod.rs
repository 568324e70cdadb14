//! The store in a PostgreSQL database, for several nodes.

mod access;
mod nodes;
mod open;
pub(super) mod sql;
mod write;

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

use async_trait::async_trait;
use fleet::scope::Scope;
use fleet::time::Timestamp;
use futures::TryStreamExt;
use sqlx::migrate::{AppliedMigration, Migrate, Migrator};
use sqlx::postgres::PgArguments;
use sqlx::query::Query;
use sqlx::{PgConnection, PgPool, Transaction};

pub(super) use self::open::open;
use super::columns::{Columns as _, Fields};
use super::error::{failed, token_refused};
use super::fleet_reader::FleetReader;
use super::journal::Journal;
use super::news::News;
use super::records::{Records, last_beats};
use super::request::{Request, Value};
use super::{
    Batch, Beat, HistoryWanted, LoadSink, NewScope, Revisions, Store, StoreError, TokenRow, Transition,
    decode, migrations, sql as common,
};

static MIGRATOR: Migrator = sqlx::migrate!("../migrations/postgres");

/// Any connection reads and writes.
#[derive(Debug)]
pub(super) struct Postgres {
    pool: PgPool,
    /// Tells its changes from those of other processes.
    node: Arc<str>,
}

impl Postgres {
    async fn begin(&self) -> Result<Transaction<'static, sqlx::Postgres>, StoreError> {
        self.pool.begin().await.map_err(failed)
    }

    async fn applied(connection: &mut PgConnection) -> Result<Vec<AppliedMigration>, StoreError> {
        let recorded: i64 =
            sqlx::query_scalar(sql::HAS_MIGRATIONS).fetch_one(&mut *connection).await.map_err(failed)?;
        if recorded == 0 {
            return Ok(Vec::new());
        }
        Ok(connection.list_applied_migrations(migrations::TABLE).await?)
    }
}

/// Rows with a sign of life since then, or those without.
async fn instances(
    connection: &mut PgConnection,
    since: Timestamp,
    alive: bool,
    reader: &mut FleetReader<'_>,
) -> Result<(), StoreError> {
    let mut rows = sqlx::query(sql::LOAD_INSTANCES).bind(since.millis()).bind(alive).fetch(connection);
    while let Some(row) = rows.try_next().await.map_err(failed)? {
        reader.instance(&Fields::new(&row, "instances"))?;
    }
    Ok(())
}

async fn bump(connection: &mut PgConnection, topic: &str) -> Result<(), StoreError> {
    query(Request::bump(topic)).execute(connection).await.map_err(failed)?;
    Ok(())
}

fn query(request: Request<'_>) -> Query<'_, sqlx::Postgres, PgArguments> {
    request.values.into_iter().fold(sqlx::query(request.sql), |query, value| match value {
        Value::Text(text) => query.bind(text),
        Value::OptionalText(text) => query.bind(text),
        Value::Integer(number) => query.bind(number),
        Value::OptionalInteger(number) => query.bind(number),
        Value::Bytes(bytes) => query.bind(bytes),
    })
}

#[async_trait]
impl Store for Postgres {
    fn kind(&self) -> &'static str {
        "postgres"
    }

    async fn migrate(&self) -> Result<(), StoreError> {
        let mut connection = self.pool.acquire().await.map_err(failed)?;
        let migrated = MIGRATOR.run_direct(None, &mut *connection, false).await;
        if migrated.is_err() {
            // Only the end of the session frees the lock of a migration that failed.
            connection.close().await.map_err(failed)?;
        }
        Ok(migrated?)
    }

    async fn pending_migrations(&self) -> Result<usize, StoreError> {
        let mut reader = self.pool.acquire().await.map_err(failed)?;
        let applied = Self::applied(&mut reader).await?;
        Ok(migrations::pending(&MIGRATOR, &applied)?)
    }

    async fn ping(&self) -> Result<(), StoreError> {
        let read_only: String =
            sqlx::query_scalar(sql::READ_ONLY).fetch_one(&self.pool).await.map_err(failed)?;
        if read_only == "off" { Ok(()) } else { Err(failed(io::Error::other("it is read-only").into())) }
    }

    async fn close(&self) {
        self.pool.close().await;
    }

    async fn write(&self, batch: &Batch) -> Result<(), StoreError> {
        if batch.is_empty() {
            return Ok(());
        }
        let mut records = Records::try_from(batch)?;
        let mut transaction = self.begin().await?;
        let number = Self::next_number(&mut transaction).await?;
        self.drop_refuted(&mut transaction, &mut records.transitions, number).await?;
        write::write(&mut transaction, &records).await?;
        self.tell(&mut transaction, number, &News::from(&records)).await?;
        transaction.commit().await.map_err(failed)
    }

    async fn load(&self, since: Timestamp, sink: &mut dyn LoadSink) -> Result<i64, StoreError> {
        // A transaction, so that all tables are read as of one moment.
        let begin = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
        let mut transaction = self.pool.begin_with(begin).await.map_err(failed)?;
        let number = nodes::number(&mut transaction).await?;
        let mut journal = Journal::default();
        let mut rows = sqlx::query(common::BEATS).fetch(&mut *transaction);
        while let Some(row) = rows.try_next().await.map_err(failed)? {
            journal.add(Fields::new(&row, "heartbeats").bytes(0)?)?;
        }
        drop(rows);
        let mut reader = FleetReader::with_journal(sink, journal, since);
        let mut rows = sqlx::query(common::LOAD_GROUPS).fetch(&mut *transaction);
        while let Some(row) = rows.try_next().await.map_err(failed)? {
            reader.group(&Fields::new(&row, "delegate_groups"))?;
        }
        drop(rows);
        instances(&mut transaction, since, true, &mut reader).await?;
        if reader.wants_the_rest() {
            instances(&mut transaction, since, false, &mut reader).await?;
        }
        let mut rows = sqlx::query(common::LOAD_ALIASES).fetch(&mut *transaction);
        while let Some(row) = rows.try_next().await.map_err(failed)? {
            reader.alias(&Fields::new(&row, "aliases"))?;
        }
        drop(rows);
        let mut rows = sqlx::query(common::LOAD_TOMBSTONES).fetch(&mut *transaction);
        while let Some(row) = rows.try_next().await.map_err(failed)? {
            reader.tombstone(&Fields::new(&row, "tombstones"))?;
        }
        drop(rows);
        transaction.commit().await.map_err(failed)?;
        Ok(number)
    }

    async fn newest_beats(&self) -> Result<i64, StoreError> {
        sqlx::query_scalar(common::NEWEST_BEATS).fetch_one(&self.pool).await.map_err(failed)
    }

    async fn settle(&self, beats: &[Beat]) -> Result<(), StoreError> {
        let mut transaction = self.begin().await?;
        // Batches touch the same rows: one after the other.
        sqlx::query(sql::HOLD_NUMBER).execute(&mut *transaction).await.map_err(failed)?;
        write::settle(&mut transaction, &last_beats(beats)).await?;
        transaction.commit().await.map_err(failed)
    }

    async fn forget_beats(&self, until: i64, limit: u32) -> Result<u64, StoreError> {
        let gone = query(Request::forget_beats(until, limit)).execute(&self.pool).await.map_err(failed)?;
        Ok(gone.rows_affected())
    }

    async fn turns(&self, since: Timestamp, sink: &mut dyn LoadSink) -> Result<(), StoreError> {
        let mut rows = sqlx::query(common::TURNS).bind(since.millis()).fetch(&self.pool);
        while let Some(row) = rows.try_next().await.map_err(failed)? {
            decode::turn(&Fields::new(&row, "transitions"), sink)?;
        }
        Ok(())
    }

    async fn create_scopes(&self, missing: &[NewScope]) -> Result<Vec<Scope>, StoreError> {
        let mut transaction = self.begin().await?;
        let number = Self::next_number(&mut transaction).await?;
        let mut created = Vec::new();
        for new in missing {
            let scope = query(Request::insert_scope(new)).execute(&mut *transaction).await.map_err(failed)?;
            if scope.rows_affected() > 0 {
                let token = query(Request::insert_token(&new.token)).execute(&mut *transaction).await;
                token.map_err(|error| token_refused(error, &new.token))?;
                created.push(new.scope.clone());
            }
        }
        if created.is_empty() {
            return Ok(created);
        }
        bump(&mut transaction, "scopes").await?;
        bump(&mut transaction, "tokens").await?;
        self.tell(&mut transaction, number, &News::default()).await?;
        transaction.commit().await.map_err(failed)?;
        self.wait_for_others(number).await;
        Ok(created)
    }

    async fn scopes(&self) -> Result<Vec<Scope>, StoreError> {
        let rows = sqlx::query(common::SCOPES).fetch_all(&self.pool).await.map_err(failed)?;
        decode::scopes(rows.iter().map(|row| Fields::new(row, "scopes")))
    }

    async fn tokens(&self) -> Result<Vec<TokenRow>, StoreError> {
        let rows = sqlx::query(common::TOKENS).fetch_all(&self.pool).await.map_err(failed)?;
        decode::tokens(rows.iter().map(|row| Fields::new(row, "tokens")))
    }

    async fn catalog(&self) -> Result<Option<String>, StoreError> {
        sqlx::query_scalar(common::CATALOG).fetch_optional(&self.pool).await.map_err(failed)
    }

    async fn settings(&self) -> Result<BTreeMap<(Option<Scope>, String), String>, StoreError> {
        let rows = sqlx::query(common::SETTINGS).fetch_all(&self.pool).await.map_err(failed)?;
        decode::settings(rows.iter().map(|row| Fields::new(row, "settings")))
    }

    async fn history(&self, wanted: &HistoryWanted<'_>) -> Result<Vec<Transition>, StoreError> {
        let rows = query(Request::history(wanted)).fetch_all(&self.pool).await.map_err(failed)?;
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
        let rows = sqlx::query(common::REVISIONS).fetch_all(&self.pool).await.map_err(failed)?;
        decode::revisions(rows.iter().map(|row| Fields::new(row, "revisions")))
    }
}
