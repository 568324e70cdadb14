//! Opening a `SQLite` file.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use sqlx::sqlite::{
    SqliteConnectOptions, SqliteJournalMode, SqlitePool, SqlitePoolOptions, SqliteSynchronous,
};
use tokio::fs;
use tokio::io::AsyncReadExt;

use super::Sqlite;
use crate::store::StoreError;
use crate::store::error::{self, failed, is_busy};

/// How long a statement waits for another process that writes.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// How long a caller waits for a connection.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(10);
/// Connections that read. Writing has exactly one: `SQLite` allows one writer, and a queue is fairer than retries.
const READERS: u32 = 4;
/// Memory of the writer for pages, in KiB: registrations and those who fell silent touch pages all over the file.
const WRITER_CACHE_KIB: i64 = 64 * 1_024;
/// After how many pages of 4 KiB the write-ahead log is folded back. The journal of heartbeats takes the same pages again
/// and again: folding back less often writes them less often.
const CHECKPOINT_PAGES: i64 = 8_192;
/// To how many bytes a write-ahead log that grew during a long read is cut again.
const WAL_LIMIT: i64 = 64 * 1_024 * 1_024;
/// How many rows per index the planner's statistics may look at when the store is closed.
const ANALYSIS_LIMIT: u32 = 400;
/// Tries to open a file that another process is just creating.
const TRIES: u32 = 100;
/// Pause between two tries.
const TRY_EVERY: Duration = Duration::from_millis(50);
/// The first bytes of every `SQLite` file.
const MAGIC: &[u8; 16] = b"SQLite format 3\0";

/// Opens the file of `rest`, the URL behind `sqlite:`. Creates file and folder if they are missing.
pub(in crate::store) async fn open(url: &str, rest: &str) -> Result<Sqlite, StoreError> {
    let path = rest.strip_prefix("//").unwrap_or(rest);
    if path.is_empty() || path.contains(":memory:") {
        return Err(StoreError::Url("sqlite: needs the path of a file".to_owned()));
    }
    if path.contains('?') {
        return Err(StoreError::Url("sqlite: takes no parameters behind '?'".to_owned()));
    }
    let options: SqliteConnectOptions =
        url.parse().map_err(|_| StoreError::Url("the path is not valid UTF-8".to_owned()))?;
    let file = options.get_filename().to_owned();
    create_folder(&file).await?;
    refuse_other_files(&file).await?;

    let options = options.busy_timeout(BUSY_TIMEOUT).foreign_keys(true);
    let writer = options
        .clone()
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        // The log grows under load; it need not stay that large.
        .pragma("journal_size_limit", "16777216")
        .pragma("cache_size", (-WRITER_CACHE_KIB).to_string())
        .pragma("wal_autocheckpoint", CHECKPOINT_PAGES.to_string())
        .pragma("journal_size_limit", WAL_LIMIT.to_string())
        .optimize_on_close(true, ANALYSIS_LIMIT);
    let writer = connect(writer).await?;
    let readers = pool(READERS).connect_lazy_with(options.read_only(true));
    Ok(Sqlite { writer, readers })
}

/// Connections to a file never go stale, so none is ever replaced.
fn pool(connections: u32) -> SqlitePoolOptions {
    SqlitePoolOptions::new()
        .max_connections(connections)
        .acquire_timeout(ACQUIRE_TIMEOUT)
        .idle_timeout(None)
        .max_lifetime(None)
        .test_before_acquire(false)
}

/// Two processes that create one file at the same time: one switches it to write-ahead logging, and `SQLite` does
/// not make the other wait for that.
async fn connect(options: SqliteConnectOptions) -> Result<SqlitePool, StoreError> {
    let mut tries = 0;
    loop {
        match pool(1).connect_with(options.clone()).await {
            Err(error) if is_busy(&error) && tries < TRIES => {
                tries += 1;
                tokio::time::sleep(TRY_EVERY).await;
            }
            connected => return connected.map_err(failed),
        }
    }
}

async fn create_folder(file: &Path) -> Result<(), StoreError> {
    match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => fs::create_dir_all(folder).await.map_err(|cause| {
            error::io(&cause, format_args!("cannot create the folder {}", folder.display()))
        }),
        _ => Ok(()),
    }
}

/// A file that is something else is never touched. An empty file is a database that was not written yet.
async fn refuse_other_files(file: &Path) -> Result<(), StoreError> {
    let cannot = |cause: io::Error| error::io(&cause, format_args!("cannot read {}", file.display()));
    let other = || Err(StoreError::NotADatabase(PathBuf::from(file)));
    match fs::metadata(file).await {
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(cause) => return Err(cannot(cause)),
        Ok(metadata) if !metadata.is_file() => return other(),
        Ok(metadata) if metadata.len() == 0 => return Ok(()),
        Ok(_) => {}
    }
    let mut beginning = Vec::with_capacity(MAGIC.len());
    let opened = fs::File::open(file).await.map_err(cannot)?;
    opened.take(MAGIC.len() as u64).read_to_end(&mut beginning).await.map_err(cannot)?;
    if beginning == MAGIC { Ok(()) } else { other() }
}
