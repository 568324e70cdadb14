//! Batches into PostgreSQL: one array per column.

use sqlx::PgConnection;
use sqlx::postgres::{PgArguments, PgBindIterExt};
use sqlx::query::Query;

use super::sql;
use crate::store::error::failed;
use crate::store::records::{
    AliasRecord, BeatRecord, CHUNK, GroupRecord, InstanceRecord, KeyRecord, Records, TombstoneRecord,
    TransitionRecord, UseRecord,
};
use crate::store::{CROSSING, StoreError, journal, sql as common};

type PgQuery = Query<'static, sqlx::Postgres, PgArguments>;

/// Writes everything inside the caller's transaction. Groups come before their instances, and removals after both, so that
/// what was put in and taken away between two batches is gone.
pub(super) async fn write(connection: &mut PgConnection, records: &Records<'_>) -> Result<(), StoreError> {
    send(connection, &records.transitions, transitions).await?;
    send(connection, &records.companions, |rows| groups(sql::ADVANCE_GROUPS, rows)).await?;
    send(connection, &records.groups, |rows| groups(sql::UPSERT_GROUPS, rows)).await?;
    send(connection, &records.instances, instances).await?;
    send(connection, &records.aliases, aliases).await?;
    send(connection, &records.removed, |rows| keys(sql::REMOVE_INSTANCES, rows)).await?;
    send(connection, &records.removed, |rows| keys(sql::REMOVE_ALIASES, rows)).await?;
    if !records.beats.is_empty() {
        let entries = journal::pack(&records.beats);
        sqlx::query(common::INSERT_BEATS).bind(entries).execute(&mut *connection).await.map_err(failed)?;
    }
    send(connection, &records.tombstones, tombstones).await?;
    send(connection, &records.token_uses, token_uses).await
}

/// Moves last heartbeats into rows.
pub(super) async fn settle(connection: &mut PgConnection, rows: &[BeatRecord<'_>]) -> Result<(), StoreError> {
    send(connection, rows, beats).await
}

async fn send<R: Sync>(
    connection: &mut PgConnection,
    rows: &[R],
    query: impl Fn(&[R]) -> PgQuery + Send,
) -> Result<(), StoreError> {
    for chunk in rows.chunks(CHUNK) {
        query(chunk).execute(&mut *connection).await.map_err(failed)?;
    }
    Ok(())
}

/// A query with one array of each named column, in this order.
macro_rules! bind_columns {
    ($sql:expr, $rows:ident, $($column:expr),+ $(,)?) => {
        sqlx::query($sql)$(.bind($rows.iter().map($column).bind_iter()))+
    };
}

fn groups(sql: &'static str, rows: &[GroupRecord<'_>]) -> PgQuery {
    bind_columns!(
        sql,
        rows,
        |row| &*row.account,
        |row| &*row.id,
        |row| row.organization,
        |row| row.project,
        |row| &*row.name,
        |row| &*row.identifier,
        |row| &*row.kind,
        |row| row.family,
        |row| &*row.description,
        |row| &*row.tags,
        |row| row.first_seen,
        |row| row.last_active,
        |row| row.upgrader_seen,
        |row| row.by_choice,
        |row| &*row.token_name,
        |row| row.approval,
        |row| row.returned_at,
    )
}

fn instances(rows: &[InstanceRecord<'_>]) -> PgQuery {
    bind_columns!(
        sql::UPSERT_INSTANCES,
        rows,
        |row| &*row.account,
        |row| &*row.id,
        |row| &*row.group_id,
        |row| row.last_heartbeat,
        |row| row.registered_at,
        |row| row.goodbye_at,
        |row| &*row.host_name,
        |row| &*row.ip,
        |row| row.ng,
        |row| &*row.kind,
        |row| row.family,
        |row| row.version.as_deref(),
        |row| row.version_since,
        |row| &*row.tags,
        |row| row.transport,
        |row| &*row.token_id,
        |row| row.immutable,
        |row| row.capacity,
        |row| row.clock_skew,
        |row| row.incomplete,
        |row| row.double_seen,
        |row| row.heartbeat_as_object,
        |row| &*row.details,
    )
    .bind(CROSSING)
}

fn aliases(rows: &[AliasRecord<'_>]) -> PgQuery {
    bind_columns!(sql::UPSERT_ALIASES, rows, |row| &*row.account, |row| &*row.alias, |row| &*row.instance_id)
}

fn keys(sql: &'static str, rows: &[KeyRecord<'_>]) -> PgQuery {
    bind_columns!(sql, rows, |row| &*row.account, |row| &*row.id)
}

fn beats(rows: &[BeatRecord<'_>]) -> PgQuery {
    bind_columns!(sql::SETTLE, rows, |row| &*row.account, |row| &*row.id, |row| row.at)
}

fn transitions(rows: &[TransitionRecord<'_>]) -> PgQuery {
    bind_columns!(
        sql::INSERT_TRANSITIONS,
        rows,
        |row| &*row.account,
        |row| &*row.group_id,
        |row| &*row.instance_id,
        |row| row.happened_at,
        |row| row.from_state,
        |row| row.to_state,
        |row| row.cause,
        |row| &*row.note,
    )
}

fn tombstones(rows: &[TombstoneRecord<'_>]) -> PgQuery {
    bind_columns!(
        sql::UPSERT_TOMBSTONES,
        rows,
        |row| &*row.account,
        |row| &*row.group_id,
        |row| &*row.instance_id,
        |row| row.deleted_at,
        |row| &*row.deleted_by,
        |row| row.lifted_at,
    )
}

fn token_uses(rows: &[UseRecord<'_>]) -> PgQuery {
    bind_columns!(sql::TOKEN_USES, rows, |row| &*row.id, |row| row.at)
}
