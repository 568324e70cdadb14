//! Migrations and statements.

use std::collections::BTreeSet;

use server::store::{StoreError, open, statements};
use sqlx::migrate::MigrateError;
use sqlx::{AssertSqlSafe, Connection, Executor, PgConnection, Row, SqlSafeStr, SqliteConnection};

use crate::fixture::{Fixture, at, new_scope};
use crate::server::fresh_database;
use crate::shortcuts::Shortcuts as _;

pub(crate) async fn every_statement_is_understood(fixture: Fixture) {
    if fixture.store.kind() == "sqlite" {
        let mut connection = SqliteConnection::connect(&fixture.url).await.unwrap();
        for (name, sql) in statements::sqlite() {
            let prepared = connection.prepare(AssertSqlSafe(sql).into_sql_str()).await;
            prepared.unwrap_or_else(|error| panic!("{name}: {error}"));
        }
    } else {
        let mut connection = PgConnection::connect(&fixture.url).await.unwrap();
        for (name, sql) in statements::postgres() {
            let prepared = connection.prepare(AssertSqlSafe(sql).into_sql_str()).await;
            prepared.unwrap_or_else(|error| panic!("{name}: {error}"));
        }
    }
}

/// A database of the same kind as the fixture's, not migrated.
async fn empty(fixture: &Fixture) -> String {
    if fixture.store.kind() == "sqlite" {
        fixture.url.replace("fleet.db", "empty.db")
    } else {
        fresh_database().await
    }
}

pub(crate) async fn migrations_are_pending_until_applied(fixture: Fixture) {
    let store = open(&empty(&fixture).await).await.unwrap();
    let all = files("sqlite").len();
    assert_eq!(store.pending_migrations().await.unwrap(), all);
    assert!(all > 0);
    store.migrate().await.unwrap();
    assert_eq!(store.pending_migrations().await.unwrap(), 0);
}

pub(crate) async fn migrating_again_changes_nothing(fixture: Fixture) {
    fixture.store.create_scopes(&[new_scope("acme")]).await.unwrap();
    fixture.store.put_catalog("{}", at(1)).await.unwrap();
    let before = fixture.store.revisions().await.unwrap();
    fixture.store.migrate().await.unwrap();
    fixture.again().await.migrate().await.unwrap();
    assert_eq!(fixture.store.revisions().await.unwrap(), before);
    assert_eq!(fixture.store.catalog().await.unwrap().as_deref(), Some("{}"));
}

pub(crate) async fn several_nodes_may_migrate_at_once(fixture: Fixture) {
    let url = empty(&fixture).await;
    let node = async || {
        let store = open(&url).await?;
        store.migrate().await?;
        store.pending_migrations().await
    };
    for pending in futures::future::join_all([node(), node(), node(), node()]).await {
        assert_eq!(pending.unwrap(), 0);
    }
}

pub(crate) async fn a_schema_of_a_newer_program_is_refused(fixture: Fixture) {
    let newer = "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time) \
        SELECT 9999, 'future', success, checksum, execution_time FROM _sqlx_migrations WHERE version = 1";
    fixture.tamper(newer).await;
    let refused = |error| matches!(error, StoreError::Migration(MigrateError::VersionMissing(9999)));
    assert!(refused(fixture.store.pending_migrations().await.unwrap_err()));
    assert!(refused(fixture.store.migrate().await.unwrap_err()));
    // A lock that the failed attempt left behind would hold up the next one.
    assert!(refused(fixture.again().await.migrate().await.unwrap_err()));
}

pub(crate) async fn a_migration_that_changed_is_refused(fixture: Fixture) {
    let table = "UPDATE _sqlx_migrations SET checksum = (SELECT sealed FROM tokens) WHERE version = 1";
    fixture.store.create_scopes(&[new_scope("acme")]).await.unwrap();
    fixture.tamper(table).await;
    let refused = |error| matches!(error, StoreError::Migration(MigrateError::VersionMismatch(1)));
    assert!(refused(fixture.store.pending_migrations().await.unwrap_err()));
    assert!(refused(fixture.store.migrate().await.unwrap_err()));
}

/// Names of the migration files of a database.
fn files(database: &str) -> BTreeSet<String> {
    let folder = format!("{}/../migrations/{database}", env!("CARGO_MANIFEST_DIR"));
    let entries = std::fs::read_dir(folder).unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn both_databases_have_the_same_migrations() {
    assert_eq!(files("sqlite"), files("postgres"));
}

#[tokio::test]
async fn both_databases_have_the_same_tables_and_columns() {
    let (sqlite, postgres) = (Fixture::sqlite().await, Fixture::postgres().await);
    let mut connection = SqliteConnection::connect(&sqlite.url).await.unwrap();
    let columns = "SELECT t.name, c.name, c.\"notnull\" FROM sqlite_schema AS t, pragma_table_info(t.name) AS c \
        WHERE t.type = 'table' AND t.name NOT LIKE '\\_sqlx%' ESCAPE '\\' AND t.name NOT LIKE 'sqlite\\_%' ESCAPE '\\' \
            AND NOT c.pk";
    let rows = connection.fetch_all(columns).await.unwrap();
    let read = |row: &sqlx::sqlite::SqliteRow| (row.get(0), row.get(1), row.get::<bool, _>(2));
    let in_sqlite: BTreeSet<(String, String, bool)> = rows.iter().map(read).collect();

    let mut connection = PgConnection::connect(&postgres.url).await.unwrap();
    let columns = "SELECT c.table_name::text, c.column_name::text, c.is_nullable = 'NO' \
        FROM information_schema.columns AS c JOIN information_schema.tables AS b USING (table_schema, table_name) \
        WHERE c.table_schema = current_schema() AND b.table_type = 'BASE TABLE' \
            AND c.table_name NOT LIKE '\\_sqlx%' AND NOT EXISTS ( \
                SELECT FROM information_schema.key_column_usage AS k \
                JOIN information_schema.table_constraints AS t USING (constraint_schema, constraint_name) \
                WHERE t.constraint_type = 'PRIMARY KEY' AND k.table_name = c.table_name \
                    AND k.column_name = c.column_name)";
    let rows = connection.fetch_all(columns).await.unwrap();
    let read = |row: &sqlx::postgres::PgRow| (row.get(0), row.get(1), row.get::<bool, _>(2));
    let in_postgres: BTreeSet<(String, String, bool)> = rows.iter().map(read).collect();
    assert_eq!(in_sqlite, in_postgres);
    assert!(in_sqlite.contains(&("instances".to_owned(), "last_heartbeat".to_owned(), false)));
}
