//! Files.

use std::path::{Path, PathBuf};

use server::store::{StoreError, open, statements};
use sqlx::{Connection, Executor, Row, SqliteConnection};

use crate::fixture::{Fixture, Loaded, at, small_fleet};

fn url(path: &Path) -> String {
    format!("sqlite://{}", path.display())
}

async fn refused(url: &str) -> StoreError {
    open(url).await.err().unwrap_or_else(|| panic!("{url} was opened"))
}

#[tokio::test]
async fn a_file_that_is_something_else_is_refused_and_untouched() {
    let folder = tempfile::tempdir().unwrap();
    let long = "not a database, ".repeat(1_000);
    for content in ["x", "SQLite format 2\0 and more", "[server]\nlisten = 1\n", &long] {
        let path = folder.path().join("fleet.db");
        std::fs::write(&path, content).unwrap();
        let error = refused(&url(&path)).await;
        assert!(matches!(&error, StoreError::NotADatabase(named) if *named == path), "{error:?}");
        assert!(error.to_string().ends_with("fleet.db is not a SQLite database, it was left as it is"));
        assert_eq!(std::fs::read(&path).unwrap(), content.as_bytes());
        let files: Vec<PathBuf> =
            std::fs::read_dir(folder.path()).unwrap().map(|e| e.unwrap().path()).collect();
        assert_eq!(files, [path]);
    }
}

#[tokio::test]
async fn a_folder_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    assert!(matches!(refused(&url(folder.path())).await, StoreError::NotADatabase(_)));
}

#[tokio::test]
async fn a_folder_that_cannot_be_created_is_named() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("file"), "").unwrap();
    let error = refused(&url(&folder.path().join("file/deeper/fleet.db"))).await;
    assert!(matches!(error, StoreError::Unavailable(_)));
    assert!(error.to_string().contains("file/deeper"), "{error}");
}

#[tokio::test]
async fn a_missing_file_is_created_with_its_folders() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data/of/today/fleet.db");
    let store = open(&url(&path)).await.unwrap();
    store.migrate().await.unwrap();
    store.write(&small_fleet()).await.unwrap();
    assert!(path.is_file());
}

#[tokio::test]
async fn an_empty_file_becomes_a_database() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("fleet.db");
    std::fs::write(&path, "").unwrap();
    open(&url(&path)).await.unwrap().migrate().await.unwrap();
    assert!(std::fs::read(&path).unwrap().len() > 100);
}

#[tokio::test]
async fn a_path_may_hold_any_character_percent_encoded() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite://{}/a%20b%3Fc%23d%25-ü.db", folder.path().display());
    open(&url).await.unwrap().migrate().await.unwrap();
    assert!(folder.path().join("a b?c#d%-ü.db").is_file());
}

#[tokio::test]
async fn a_url_of_no_known_kind_is_refused_without_being_told() {
    let urls = [
        "",
        "fleet.db",
        "mysql://me:hunter2@db/fleet",
        "hunter2",
        "sqlite:",
        "sqlite://",
        "sqlite::memory:",
        "sqlite://fleet.db?mode=memory",
        "postgres://me:hunter2@db:port/fleet",
        "SQLITE://x",
    ];
    for url in urls {
        let error = refused(url).await;
        assert!(matches!(error, StoreError::Url(_)), "{url}: {error:?}");
        assert!(!format!("{error} {error:?}").contains("hunter2"), "{error:?}");
    }
}

/// Everything that a kill leaves behind is in the two files: neither is folded into the other first.
#[tokio::test]
async fn files_copied_at_any_moment_hold_what_was_written() {
    let fixture = Fixture::sqlite().await;
    fixture.write(small_fleet()).await;
    let path = PathBuf::from(fixture.url.strip_prefix("sqlite://").unwrap());
    let copy = tempfile::tempdir().unwrap();
    for suffix in ["", "-wal"] {
        let name = format!("fleet.db{suffix}");
        std::fs::copy(path.with_file_name(&name), copy.path().join(&name)).unwrap();
    }
    let store = open(&url(&copy.path().join("fleet.db"))).await.unwrap();
    assert_eq!(Loaded::of(&store, at(0)).await.unwrap().ids(), ["a", "b"]);
}

#[tokio::test]
async fn closing_folds_the_log_back() {
    let fixture = Fixture::sqlite().await;
    fixture.write(small_fleet()).await;
    fixture.load().await;
    let log = PathBuf::from(format!("{}-wal", fixture.url.strip_prefix("sqlite://").unwrap()));
    assert!(log.is_file(), "writes go to a write-ahead log");
    fixture.store.close().await;
    assert!(!log.exists());
}

#[tokio::test]
async fn settling_finds_rows_by_key() {
    let fixture = Fixture::sqlite().await;
    fixture.write(small_fleet()).await;
    let (_, settle) = statements::sqlite().find(|(name, _)| *name == "SETTLE").unwrap();
    let mut connection = SqliteConnection::connect(&fixture.url).await.unwrap();
    let explain = sqlx::AssertSqlSafe(format!("EXPLAIN QUERY PLAN {}", settle.replace("$1", "'[]'")));
    let rows = connection.fetch_all(explain).await.unwrap();
    let plan: Vec<String> = rows.iter().map(|row| row.get("detail")).collect();
    assert!(plan.iter().any(|step| step.starts_with("SEARCH instances")), "{plan:?}");
    assert!(!plan.iter().any(|step| step.starts_with("SCAN instances")), "{plan:?}");
}
