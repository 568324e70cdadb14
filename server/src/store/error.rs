//! What an error of a driver means to the rest of the server.

use std::io;

use fleet::scope::Scope;
use sqlx::postgres::PgDatabaseError;
use sqlx::sqlite::SqliteError;

use super::{StoreError, TokenRow};

/// Primary result codes of `SQLite` that may pass: busy, locked, read-only, I/O error, disk full, cannot open.
const SQLITE_PASSING: [i32; 6] = [5, 6, 8, 10, 13, 14];

/// Of these, the ones that end with somebody else's transaction.
const SQLITE_BUSY: [i32; 2] = [5, 6];

/// `SQLSTATE`s of PostgreSQL that may pass, by their beginning: connection, rolled back (serialization, deadlock),
/// resources, shutdown and cancellation, lock not available, read-only transaction (a standby), system error.
const POSTGRES_PASSING: [&str; 7] = ["08", "40", "53", "57", "55P03", "25006", "58"];

/// Sorts an error of the driver: what may pass is [`StoreError::Unavailable`].
pub(super) fn failed(error: sqlx::Error) -> StoreError {
    if may_pass(&error) { StoreError::Unavailable(error) } else { StoreError::Database(error) }
}

fn may_pass(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Io(_)
        | sqlx::Error::Tls(_)
        | sqlx::Error::PoolTimedOut
        | sqlx::Error::PoolClosed
        | sqlx::Error::WorkerCrashed
        | sqlx::Error::BeginFailed => true,
        sqlx::Error::Database(error) => {
            let code = error.code().unwrap_or_default();
            if error.try_downcast_ref::<SqliteError>().is_some() {
                // The extended code holds the primary one in its lowest byte.
                code.parse::<i32>().is_ok_and(|code| SQLITE_PASSING.contains(&(code & 0xff)))
            } else if error.try_downcast_ref::<PgDatabaseError>().is_some() {
                POSTGRES_PASSING.iter().any(|beginning| code.starts_with(beginning))
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

/// There is no active token of that name.
pub(super) fn no_active_token(scope: &Scope, name: &str) -> StoreError {
    StoreError::Missing(format!("an active token {name} of {scope}"))
}
