//! Batches into `SQLite`.

use serde::Serialize;
use sqlx::SqliteConnection;

use super::sql;
use crate::store::error::{encode, failed};
use crate::store::records::{BeatRecord, CHUNK, Records};
use crate::store::{StoreError, journal, sql as common};

/// Writes everything inside the caller's transaction. Groups come before their instances, and removals after both, so that
/// what was put in and taken away between two batches is gone.
pub(super) async fn write(
    connection: &mut SqliteConnection,
    records: &Records<'_>,
) -> Result<(), StoreError> {
    send(connection, sql::INSERT_TRANSITIONS, &records.transitions).await?;
    send(connection, sql::ADVANCE_GROUPS, &records.companions).await?;
    send(connection, sql::UPSERT_GROUPS, &records.groups).await?;
    send(connection, sql::UPSERT_INSTANCES, &records.instances).await?;
    send(connection, sql::UPSERT_ALIASES, &records.aliases).await?;
    send(connection, sql::REMOVE_INSTANCES, &records.removed).await?;
    send(connection, sql::REMOVE_ALIASES, &records.removed).await?;
    if !records.beats.is_empty() {
        let entries = journal::pack(&records.beats);
        sqlx::query(common::INSERT_BEATS).bind(entries).execute(&mut *connection).await.map_err(failed)?;
    }
    send(connection, sql::UPSERT_TOMBSTONES, &records.tombstones).await?;
    send(connection, sql::TOKEN_USES, &records.token_uses).await
}

/// Moves last heartbeats into rows.
pub(super) async fn settle(
    connection: &mut SqliteConnection,
    beats: &[BeatRecord<'_>],
) -> Result<(), StoreError> {
    send(connection, sql::SETTLE, beats).await
}

async fn send<R: Serialize>(
    connection: &mut SqliteConnection,
    sql: &'static str,
    rows: &[R],
) -> Result<(), StoreError> {
    for chunk in rows.chunks(CHUNK) {
        let json = serde_json::to_string(chunk).map_err(encode)?;
        sqlx::query(sql).bind(json).execute(&mut *connection).await.map_err(failed)?;
    }
    Ok(())
}
