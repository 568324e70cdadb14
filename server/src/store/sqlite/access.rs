//! People, keys and deeds.

use async_trait::async_trait;
use sqlx::sqlite::SqliteRow;

use super::{Sqlite, bump, query};
use crate::store::StoreError;
use crate::store::access::adapter::access_store;
use crate::store::columns::Fields;
use crate::store::error::failed;

access_store!(Sqlite, SqliteRow, readers);
