//! People, keys and deeds.

use async_trait::async_trait;
use sqlx::postgres::PgRow;

use super::{Postgres, bump, query};
use crate::store::StoreError;
use crate::store::access::adapter::access_store;
use crate::store::columns::Fields;
use crate::store::error::failed;

access_store!(Postgres, PgRow, pool);
