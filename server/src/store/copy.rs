//! Everything of one database into another, empty one, whatever their kinds.
//!
//! Rows travel as JSON objects that each database makes and reads by itself, so that nothing is converted here. It is
//! one transaction on either side: the source is read as of one instant, the target has all or nothing.

use futures::TryStreamExt as _;
use sqlx::{AssertSqlSafe, Connection as _, Executor as _, PgConnection, Row as _, SqliteConnection};

use super::error::failed;
use super::{StoreError, open};

/// Every table, those that others refer to first.
pub const TABLES: [&str; 22] = [
    "scopes",
    "tokens",
    "delegate_groups",
    "instances",
    "heartbeats",
    "aliases",
    "transitions",
    "tombstones",
    "catalog",
    "settings",
    "users",
    "roles",
    "assignments",
    "sessions",
    "api_keys",
    "embed_keys",
    "links",
    "audit",
    "saved_filters",
    "mirrors",
    "mirror_lists",
    REVISIONS,
];
/// The table that a new schema fills by itself.
const REVISIONS: &str = "revisions";
/// Rows that are inserted by one statement.
const CHUNK: u64 = 1_000;
/// Bytes after which a statement takes no more: batches of heartbeats are long.
const FULL: usize = 8 << 20;

/// Why nothing was copied. The target is as it was, but for its schema.
#[derive(Debug, thiserror::Error)]
pub enum CopyError {
    /// One of the two cannot be opened, read or written.
    #[error("{side}: {error}")]
    Store {
        /// `source` or `target`.
        side: &'static str,
        /// What went wrong.
        error: StoreError,
    },
    /// There is nothing to copy from.
    #[error("source: there is no file {0}")]
    NoSource(String),
    /// The source was written by an older program.
    #[error("source: its schema is {0} migrations behind; run `rollcall migrate` on it first")]
    Behind(usize),
    /// The target holds something, which a copy would mix with the source.
    #[error("target: it is not empty, {0} has rows; nothing was changed")]
    NotEmpty(&'static str),
    /// A row was lost on the way.
    #[error("target: {table} has {found} rows in place of {wanted}; nothing was kept")]
    Lost {
        /// Table.
        table: &'static str,
        /// Rows of the source.
        wanted: u64,
        /// Rows of the target.
        found: u64,
    },
}

/// Copies every table; tells how many rows each has. Servers on either database must be stopped.
///
/// # Errors
/// See [`CopyError`]. The target is left without a row.
pub async fn copy(from: &str, to: &str) -> Result<Vec<(&'static str, u64)>, CopyError> {
    check_source(from).await?;
    let target = open(to).await.map_err(of_target)?;
    target.migrate().await.map_err(of_target)?;
    target.close().await;
    let mut source = Side::connect(from).await.map_err(of_source)?;
    let mut target = Side::connect(to).await.map_err(of_target)?;
    source.execute(source.begin_reading()).await.map_err(of_source)?;
    target.execute("BEGIN").await.map_err(of_target)?;
    let copied = copy_all(&mut source, &mut target).await;
    let end = if copied.is_ok() { "COMMIT" } else { "ROLLBACK" };
    let ended = target.execute(end).await.map_err(of_target);
    let copied = copied?;
    ended?;
    source.close().await.map_err(of_source)?;
    target.close().await.map_err(of_target)?;
    Ok(copied)
}

async fn check_source(from: &str) -> Result<(), CopyError> {
    if let Some(rest) = from.strip_prefix("sqlite:") {
        let path = rest.strip_prefix("//").unwrap_or(rest);
        // Opening would create it.
        if !tokio::fs::try_exists(path).await.unwrap_or(false) {
            return Err(CopyError::NoSource(path.to_owned()));
        }
    }
    let store = open(from).await.map_err(of_source)?;
    let behind = store.pending_migrations().await.map_err(of_source)?;
    store.close().await;
    if behind == 0 { Ok(()) } else { Err(CopyError::Behind(behind)) }
}

async fn copy_all(source: &mut Side, target: &mut Side) -> Result<Vec<(&'static str, u64)>, CopyError> {
    for table in TABLES.into_iter().filter(|table| *table != REVISIONS) {
        if target.count(table).await.map_err(of_target)? > 0 {
            return Err(CopyError::NotEmpty(table));
        }
    }
    target.execute("DELETE FROM revisions").await.map_err(of_target)?;
    let mut copied = Vec::with_capacity(TABLES.len());
    for table in TABLES {
        let wanted = copy_table(source, target, table).await?;
        let found = target.count(table).await.map_err(of_target)?;
        if found != wanted {
            return Err(CopyError::Lost { table, wanted, found });
        }
        copied.push((table, wanted));
    }
    Ok(copied)
}

async fn copy_table(source: &mut Side, target: &mut Side, table: &'static str) -> Result<u64, CopyError> {
    let columns = target.columns(table).await.map_err(of_target)?;
    let insert = target.insert(table, &columns);
    let mut rows = 0;
    let mut chunk = String::new();
    let select = source.select(table, &columns);
    let mut stream = source.texts(&select);
    loop {
        let row = stream.try_next().await.map_err(|error| of_source(failed(error)))?;
        let full = row.is_none() || rows % CHUNK == 0 || chunk.len() >= FULL;
        if full && !chunk.is_empty() {
            chunk.push(']');
            target.insert_rows(&insert, &chunk).await.map_err(of_target)?;
            chunk.clear();
        }
        let Some(row) = row else { break };
        chunk.push(if chunk.is_empty() { '[' } else { ',' });
        chunk.push_str(&row);
        rows += 1;
    }
    drop(stream);
    if let Some(sql) = continue_counting(table, &columns) {
        target.execute(&sql).await.map_err(of_target)?;
    }
    Ok(rows)
}

const fn of_source(error: StoreError) -> CopyError {
    CopyError::Store { side: "source", error }
}

const fn of_target(error: StoreError) -> CopyError {
    CopyError::Store { side: "target", error }
}

/// A column as the target knows it.
struct Column {
    name: String,
    is_blob: bool,
    is_identity: bool,
}

/// What lets the next row of a table follow the copied ones.
fn continue_counting(table: &str, columns: &[Column]) -> Option<String> {
    let name = &columns.iter().find(|column| column.is_identity)?.name;
    Some(format!(
        "SELECT setval(pg_get_serial_sequence('{table}', '{name}'), coalesce(max({name}), 1), max({name}) IS NOT NULL) \
         FROM {table}"
    ))
}

/// One database. Texts of SQL are made of names in the schema alone.
enum Side {
    Sqlite(SqliteConnection),
    Postgres(PgConnection),
}

impl Side {
    async fn connect(url: &str) -> Result<Self, StoreError> {
        let connected = if url.starts_with("sqlite:") {
            SqliteConnection::connect(url).await.map(Self::Sqlite)
        } else {
            PgConnection::connect(url).await.map(Self::Postgres)
        };
        connected.map_err(failed)
    }

    const fn begin_reading(&self) -> &'static str {
        match self {
            Self::Sqlite(_) => "BEGIN",
            Self::Postgres(_) => "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
        }
    }

    async fn execute(&mut self, sql: &str) -> Result<(), StoreError> {
        let sql = sqlx::raw_sql(AssertSqlSafe(sql.to_owned()));
        let done = match self {
            Self::Sqlite(connection) => connection.execute(sql).await.map(drop),
            Self::Postgres(connection) => connection.execute(sql).await.map(drop),
        };
        done.map_err(failed)
    }

    async fn count(&mut self, table: &str) -> Result<u64, StoreError> {
        let sql = AssertSqlSafe(format!("SELECT count(*) FROM {table}"));
        let count: Result<i64, sqlx::Error> = match self {
            Self::Sqlite(connection) => sqlx::query_scalar(sql).fetch_one(connection).await,
            Self::Postgres(connection) => sqlx::query_scalar(sql).fetch_one(connection).await,
        };
        count.map(i64::unsigned_abs).map_err(failed)
    }

    async fn columns(&mut self, table: &str) -> Result<Vec<Column>, StoreError> {
        const IN_SQLITE: &str = "SELECT name, type = 'BLOB', false FROM pragma_table_info($1) ORDER BY cid";
        const IN_POSTGRES: &str = "SELECT column_name::text, data_type = 'bytea', is_identity = 'YES' \
            FROM information_schema.columns WHERE table_schema = current_schema() AND table_name = $1 \
            ORDER BY ordinal_position";
        let rows: Result<Vec<(String, bool, bool)>, sqlx::Error> = match self {
            Self::Sqlite(connection) => sqlx::query_as(IN_SQLITE).bind(table).fetch_all(connection).await,
            Self::Postgres(connection) => sqlx::query_as(IN_POSTGRES).bind(table).fetch_all(connection).await,
        };
        let column = |(name, is_blob, is_identity)| Column { name, is_blob, is_identity };
        rows.map(|rows| rows.into_iter().map(column).collect()).map_err(failed)
    }

    /// Every row as a JSON object; bytes as PostgreSQL writes them, `\x00ff`.
    fn select(&self, table: &str, columns: &[Column]) -> String {
        match self {
            Self::Postgres(_) => format!("SELECT to_json({table})::text FROM {table}"),
            Self::Sqlite(_) => {
                let pair = |column: &Column| match column {
                    Column { name, is_blob: true, .. } => format!("'{name}', '\\x' || lower(hex({name}))"),
                    Column { name, .. } => format!("'{name}', {name}"),
                };
                let pairs: Vec<String> = columns.iter().map(pair).collect();
                format!("SELECT json_object({}) FROM {table}", pairs.join(", "))
            }
        }
    }

    /// Takes an array of such objects.
    fn insert(&self, table: &str, columns: &[Column]) -> String {
        let names: Vec<&str> = columns.iter().map(|column| &*column.name).collect();
        let names = names.join(", ");
        match self {
            Self::Postgres(_) => format!(
                "INSERT INTO {table} ({names}) OVERRIDING SYSTEM VALUE \
                 SELECT {names} FROM json_populate_recordset(NULL::{table}, $1::json)"
            ),
            Self::Sqlite(_) => {
                let value = |column: &Column| match column {
                    Column { name, is_blob: true, .. } => format!("unhex(substr(value ->> '{name}', 3))"),
                    Column { name, .. } => format!("value ->> '{name}'"),
                };
                let values: Vec<String> = columns.iter().map(value).collect();
                format!("INSERT INTO {table} ({names}) SELECT {} FROM json_each($1)", values.join(", "))
            }
        }
    }

    async fn insert_rows(&mut self, insert: &str, rows: &str) -> Result<(), StoreError> {
        let insert = AssertSqlSafe(insert.to_owned());
        let done = match self {
            Self::Sqlite(connection) => sqlx::query(insert).bind(rows).execute(connection).await.map(drop),
            Self::Postgres(connection) => sqlx::query(insert).bind(rows).execute(connection).await.map(drop),
        };
        done.map_err(failed)
    }

    fn texts<'a>(&'a mut self, sql: &str) -> futures::stream::BoxStream<'a, Result<String, sqlx::Error>> {
        let sql = AssertSqlSafe(sql.to_owned());
        match self {
            Self::Sqlite(connection) => {
                let rows = sqlx::query(sql).fetch(connection);
                Box::pin(rows.and_then(|row| std::future::ready(row.try_get(0))))
            }
            Self::Postgres(connection) => {
                let rows = sqlx::query(sql).fetch(connection);
                Box::pin(rows.and_then(|row| std::future::ready(row.try_get(0))))
            }
        }
    }

    async fn close(self) -> Result<(), StoreError> {
        let closed = match self {
            Self::Sqlite(connection) => connection.close().await,
            Self::Postgres(connection) => connection.close().await,
        };
        closed.map_err(failed)
    }
}
