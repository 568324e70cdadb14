//! What goes wrong in a store, and what an error of a driver means to the rest of the server.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use sqlx::postgres::PgDatabaseError;
use sqlx::sqlite::SqliteError;

use super::TokenRow;

/// What goes wrong in a store. Texts of the driver may hold data: they are logged, never sent to a client.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The database cannot be reached or refuses work for now.
    #[error("the database is unavailable: {0}")]
    Unavailable(#[source] sqlx::Error),
    /// The database URL names no known kind, or cannot be parsed. Never holds the URL, which may hold a password.
    #[error("the database URL cannot be used: {0}")]
    Url(String),
    /// The file exists and is something else. It was not touched.
    #[error("{} is not a SQLite database, it was left as it is", .0.display())]
    NotADatabase(PathBuf),
    /// A migration failed or the schema is newer than this program.
    #[error("the database schema cannot be brought up to date: {0}")]
    Migration(#[from] sqlx::migrate::MigrateError),
    /// A row holds what no version of this program writes.
    #[error("the database holds an unreadable {what} in {table}")]
    Corrupt {
        /// Table.
        table: &'static str,
        /// Column or thing.
        what: String,
    },
    /// The name is taken.
    #[error("{0} already exists")]
    Exists(String),
    /// The thing does not exist.
    #[error("{0} does not exist")]
    Missing(String),
    /// Anything else of the driver.
    #[error("the database failed: {0}")]
    Database(#[source] sqlx::Error),
}

/// What a store answers within this time; one that hangs is as good as one that is away.
///
/// # Errors
/// Those of the store, and [`StoreError::Unavailable`] when it takes longer.
pub async fn within<T>(
    patience: Duration,
    asked: impl Future<Output = Result<T, StoreError>>,
) -> Result<T, StoreError> {
    let late = |_| Err(StoreError::Unavailable(sqlx::Error::PoolTimedOut));
    tokio::time::timeout(patience, asked).await.unwrap_or_else(late)
}

/// Primary result codes of `SQLite` that speak of the data: too big, constraint, mismatch, out of range.
const SQLITE_REFUSALS: [i32; 4] = [18, 19, 20, 25];

/// Those that end with somebody else's transaction.
const SQLITE_BUSY: [i32; 2] = [5, 6];

/// `SQLSTATE`s of PostgreSQL that speak of the data, by their beginning: data exception, constraint, limit exceeded.
const POSTGRES_REFUSALS: [&str; 3] = ["22", "23", "54"];

/// Sorts an error of the driver. Only what speaks of the data itself is [`StoreError::Database`]; anything else
/// (network, password, schema, disk) may pass, and until then nothing may be given up.
pub(super) fn failed(error: sqlx::Error) -> StoreError {
    if is_refusal(&error) { StoreError::Database(error) } else { StoreError::Unavailable(error) }
}

fn is_refusal(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Encode(_) => true,
        sqlx::Error::Database(error) => {
            let code = error.code().unwrap_or_default();
            if error.try_downcast_ref::<SqliteError>().is_some() {
                // The extended code holds the primary one in its lowest byte.
                code.parse::<i32>().is_ok_and(|code| SQLITE_REFUSALS.contains(&(code & 0xff)))
            } else if error.try_downcast_ref::<PgDatabaseError>().is_some() {
                POSTGRES_REFUSALS.iter().any(|beginning| code.starts_with(beginning))
            } else {
                false
            }
        }
        _ => false,
    }
}

/// Whether another process holds a lock on the `SQLite` file.
pub(super) fn is_busy(error: &sqlx::Error) -> bool {
    let Some(code) = error.as_database_error().and_then(sqlx::error::DatabaseError::code) else {
        return false;
    };
    code.parse::<i32>().is_ok_and(|code| SQLITE_BUSY.contains(&(code & 0xff)))
}

/// An error of the file system, told with what was tried.
pub(super) fn io(error: &io::Error, attempt: impl std::fmt::Display) -> StoreError {
    StoreError::Unavailable(sqlx::Error::Io(io::Error::new(error.kind(), format!("{attempt}: {error}"))))
}

/// A value that cannot be written as JSON.
pub(super) fn encode(error: serde_json::Error) -> StoreError {
    StoreError::Database(sqlx::Error::Encode(Box::new(error)))
}

/// What a refused token means: its name is taken, or there is no such scope.
pub(super) fn token_refused(error: sqlx::Error, token: &TokenRow) -> StoreError {
    match error.as_database_error() {
        Some(cause) if cause.is_unique_violation() => {
            StoreError::Exists(format!("a token {} of {}", token.name, token.scope))
        }
        Some(cause) if cause.is_foreign_key_violation() => {
            StoreError::Missing(format!("the scope {}", token.scope))
        }
        _ => failed(error),
    }
}
