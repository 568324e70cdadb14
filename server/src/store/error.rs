//! What an error of a driver means to the rest of the server.

use std::io;

use sqlx::postgres::PgDatabaseError;
use sqlx::sqlite::SqliteError;

use super::{StoreError, TokenRow};

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
