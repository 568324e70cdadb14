//! Batches into `SQLite`.

use serde::Serialize;
use sqlx::SqliteConnection;

use super::sql;
use crate::store::StoreError;
use crate::store::error::{encode, failed};
use crate::store::records::{CHUNK, Records};

/// Writes everything inside the caller's transaction. History comes first, to be weighed against the heartbeats of others
/// and not those of this batch; groups come before their instances, and removals after both, so that what was put in and
/// taken away between two batches is gone.
pub(super) async fn write(
    connection: &mut SqliteConnection,
    records: &Records<'_>,
) -> Result<(), StoreError> {
    send(connection, sql::INSERT_TRANSITIONS, &records.transitions).await?;
    send(connection, sql::UPSERT_GROUPS, &records.groups).await?;
    send(connection, sql::UPSERT_INSTANCES, &records.instances).await?;
    send(connection, sql::UPSERT_ALIASES, &records.aliases).await?;
    send(connection, sql::REMOVE_INSTANCES, &records.removed).await?;
    send(connection, sql::REMOVE_ALIASES, &records.removed).await?;
    send(connection, sql::BEAT, &records.beats).await?;
    send(connection, sql::UPSERT_TOMBSTONES, &records.tombstones).await?;
    send(connection, sql::TOKEN_USES, &records.token_uses).await
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
