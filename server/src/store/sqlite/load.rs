//! The fleet out of a `SQLite` file.

use fleet::time::Timestamp;
use futures::TryStreamExt;
use sqlx::SqliteConnection;
use tokio::sync::mpsc;

use super::packed::unpack;
use super::sql;
use crate::store::columns::{Columns as _, Fields};
use crate::store::error::failed;
use crate::store::fleet_reader::FleetReader;
use crate::store::journal::Journal;
use crate::store::{LoadSink, StoreError, sql as common};

/// Instances of one packed text.
const PACK: i64 = 1_000;

/// Reads the fleet inside the caller's transaction.
pub(super) async fn load(
    connection: &mut SqliteConnection,
    since: Timestamp,
    sink: &mut dyn LoadSink,
) -> Result<(), StoreError> {
    let mut journal = Journal::default();
    let mut rows = sqlx::query(common::BEATS).fetch(&mut *connection);
    while let Some(row) = rows.try_next().await.map_err(failed)? {
        journal.add(Fields::new(&row, "heartbeats").bytes(0)?)?;
    }
    drop(rows);
    let reader = &mut FleetReader::with_journal(sink, journal, since);
    let mut rows = sqlx::query(common::LOAD_GROUPS).fetch(&mut *connection);
    while let Some(row) = rows.try_next().await.map_err(failed)? {
        reader.group(&Fields::new(&row, "delegate_groups"))?;
    }
    drop(rows);
    instances(connection, since, true, reader).await?;
    if reader.wants_the_rest() {
        instances(connection, since, false, reader).await?;
    }
    let mut rows = sqlx::query(common::LOAD_ALIASES).fetch(&mut *connection);
    while let Some(row) = rows.try_next().await.map_err(failed)? {
        reader.alias(&Fields::new(&row, "aliases"))?;
    }
    drop(rows);
    let mut rows = sqlx::query(common::LOAD_TOMBSTONES).fetch(connection);
    while let Some(row) = rows.try_next().await.map_err(failed)? {
        reader.tombstone(&Fields::new(&row, "tombstones"))?;
    }
    Ok(())
}

/// Rows with a sign of life since then, or those without. The driver's thread packs the next text while this one is taken apart.
async fn instances(
    connection: &mut SqliteConnection,
    since: Timestamp,
    alive: bool,
    reader: &mut FleetReader<'_>,
) -> Result<(), StoreError> {
    let (packed, mut packs) = mpsc::channel::<String>(1);
    let pack = async move {
        let mut behind = i64::MIN;
        loop {
            let query = sqlx::query_as(sql::PACKED_INSTANCES)
                .bind(behind)
                .bind(since.millis())
                .bind(PACK)
                .bind(alive);
            let (last, json): (Option<i64>, String) =
                query.fetch_one(&mut *connection).await.map_err(failed)?;
            let Some(last) = last else { return Ok(()) };
            behind = last;
            if packed.send(json).await.is_err() {
                return Ok(());
            }
        }
    };
    let unpack = async {
        while let Some(json) = packs.recv().await {
            for row in &unpack(&json)? {
                reader.instance(&row)?;
            }
        }
        Ok(())
    };
    futures::try_join!(pack, unpack).map(|((), ())| ())
}
