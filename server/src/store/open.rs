//! Choosing the adapter by URL.

use std::sync::Arc;

use super::{SharedStore, StoreError, postgres, sqlite};

/// Opens the store of a URL: `sqlite://data/rollcall.db`, `sqlite:///var/lib/rollcall.db` or
/// `postgres://user:password@host/database`. The schema is left as it is: see [`super::Store::migrate`].
///
/// A missing `SQLite` file is created together with its folder.
///
/// # Errors
/// [`StoreError::Url`] for any other URL, [`StoreError::NotADatabase`] for a file that is something else,
/// [`StoreError::Unavailable`] if the database cannot be reached. None of them tells the URL.
pub async fn open(url: &str) -> Result<SharedStore, StoreError> {
    match url.split_once(':') {
        Some(("sqlite", rest)) => Ok(Arc::new(sqlite::open(url, rest).await?)),
        Some(("postgres" | "postgresql", _)) => Ok(Arc::new(postgres::open(url).await?)),
        _ => Err(StoreError::Url("it must start with sqlite: or postgres:".to_owned())),
    }
}
