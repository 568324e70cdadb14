//! Opening a PostgreSQL database.

use std::time::Duration;

use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{ConnectOptions, Connection, PgConnection};

use super::Postgres;
use crate::roster::new_id;
use crate::store::StoreError;
use crate::store::error::failed;
use crate::store::postgres::sql;

/// Connections of one node. Writers are the flusher and people; a load takes one for its duration, the bell one for ever,
/// a job that must run alone one while it runs.
const CONNECTIONS: u32 = 10;
/// How long a caller waits for a connection.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(10);

/// Opens the database of `url` and makes sure that it answers.
pub(in crate::store) async fn open(url: &str) -> Result<Postgres, StoreError> {
    // The driver's complaint is left out: it may quote the URL.
    let options: PgConnectOptions = url.parse().map_err(|_| {
        StoreError::Url(
            "it cannot be read; are special characters in user and password percent-encoded?".to_owned(),
        )
    })?;
    let options = options.application_name("rollcall");
    // A single connection first: a pool tries again until its timeout and then tells only that time is up.
    let connect = tokio::time::timeout(ACQUIRE_TIMEOUT, options.connect()).await;
    let connection = connect.map_err(|_| failed(sqlx::Error::PoolTimedOut))?.map_err(failed)?;
    connection.close().await.map_err(failed)?;
    let pool = PgPoolOptions::new()
        .max_connections(CONNECTIONS)
        .acquire_timeout(ACQUIRE_TIMEOUT)
        .after_release(|connection, _| Box::pin(async move { is_at_rest(connection).await }))
        .connect_lazy_with(options);
    Ok(Postgres { pool, node: new_id() })
}

/// Whether a connection may be used again. Whoever gives up in the middle of a BEGIN, as a request does whose client is
/// gone, leaves a transaction that the driver does not know of: the next user would write into it, and nobody commit it.
async fn is_at_rest(connection: &mut PgConnection) -> Result<bool, sqlx::Error> {
    use sqlx::Row as _;
    // As one message: a statement that is prepared first begins later than its transaction.
    sqlx::raw_sql(sql::IS_AT_REST).fetch_one(connection).await?.try_get(0)
}
