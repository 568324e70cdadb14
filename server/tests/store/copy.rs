//! A whole database in another one, of either kind.

use std::collections::BTreeSet;

use server::store::Batch;
use server::store::copy::{CopyError, TABLES, copy};
use sqlx::{AssertSqlSafe, Connection as _, PgConnection, SqliteConnection};

use crate::fixture::{Fixture, at, beat, new_scope, small_fleet};
use crate::history::transition;
use crate::shortcuts::Shortcuts as _;

/// Every row of every table as one text each, in an order of their own.
async fn dump(url: &str) -> Vec<(&'static str, BTreeSet<String>)> {
    let mut tables = Vec::new();
    for table in TABLES {
        let rows: Vec<String> = if url.starts_with("sqlite:") {
            let mut connection = SqliteConnection::connect(url).await.unwrap();
            let columns: Vec<String> =
                sqlx::query_scalar("SELECT name FROM pragma_table_info($1) ORDER BY name")
                    .bind(table)
                    .fetch_all(&mut connection)
                    .await
                    .unwrap();
            let texts: Vec<String> = columns.iter().map(|name| format!("quote({name})")).collect();
            let sql = format!("SELECT {} FROM {table}", texts.join(" || ',' || "));
            sqlx::query_scalar(AssertSqlSafe(sql)).fetch_all(&mut connection).await.unwrap()
        } else {
            let mut connection = PgConnection::connect(url).await.unwrap();
            let sql = format!("SELECT to_jsonb({table})::text FROM {table}");
            sqlx::query_scalar(AssertSqlSafe(sql)).fetch_all(&mut connection).await.unwrap()
        };
        tables.push((table, rows.into_iter().collect()));
    }
    tables
}

async fn fill(fixture: &Fixture) {
    let mut batch = small_fleet();
    batch.beats = vec![beat("acme", "a", at(77))];
    batch.transitions = (1..2_500).map(|millis| transition("edge", "a", millis)).collect();
    fixture.write(batch).await;
    fixture.store.create_scopes(&[new_scope("acme")]).await.unwrap();
    fixture.store.put_catalog("{\"note\":\"Grüße, \u{1f980}\"}", at(1)).await.unwrap();
    fixture.store.put_setting(None, "a", Some("b"), at(1)).await.unwrap();
}

pub(crate) async fn a_copy_and_the_copy_of_it_hold_the_same(fixture: Fixture) {
    fill(&fixture).await;
    for kind in ["sqlite", "postgres"] {
        let there = Fixture::fresh(kind).await;
        let copied = copy(&fixture.url, &there.url).await.unwrap();
        assert!(copied.contains(&("transitions", 2_499)), "{copied:?}");
        assert!(copied.contains(&("instances", 2)) && copied.contains(&("tokens", 1)), "{copied:?}");
        let back = Fixture::fresh(fixture.store.kind()).await;
        copy(&there.url, &back.url).await.unwrap();
        assert_eq!(dump(&back.url).await, dump(&fixture.url).await, "by way of {kind}");
    }
}

pub(crate) async fn a_copy_goes_on_where_the_source_ended(fixture: Fixture) {
    fill(&fixture).await;
    for kind in ["sqlite", "postgres"] {
        let there = Fixture::fresh(kind).await;
        copy(&fixture.url, &there.url).await.unwrap();
        let store = there.again().await;
        let later = Batch {
            transitions: vec![transition("edge", "a", 9_999)],
            beats: vec![beat("acme", "a", at(9_999))],
            ..Batch::default()
        };
        store.write(&later).await.unwrap();
        store.put_catalog("{}", at(2)).await.unwrap();
        assert_eq!(store.catalog().await.unwrap().as_deref(), Some("{}"));
        assert_eq!(
            store.transitions("acme", "edge", None, 1).await.unwrap(),
            [transition("edge", "a", 9_999)]
        );
        store.close().await;
    }
}

pub(crate) async fn a_target_with_anything_in_it_is_left_alone(fixture: Fixture) {
    fill(&fixture).await;
    let there = Fixture::fresh(fixture.store.kind()).await;
    there.store.create_scopes(&[new_scope("other")]).await.unwrap();
    let before = dump(&there.url).await;
    let refused = copy(&fixture.url, &there.url).await.unwrap_err();
    assert!(matches!(refused, CopyError::NotEmpty("scopes")), "{refused}");
    assert_eq!(dump(&there.url).await, before);
    let itself = copy(&fixture.url, &fixture.url).await.unwrap_err();
    assert!(matches!(itself, CopyError::NotEmpty(_)), "{itself}");
}

pub(crate) async fn a_source_of_an_older_program_is_refused(fixture: Fixture) {
    fixture.tamper("DELETE FROM _sqlx_migrations WHERE version > 1").await;
    let target = Fixture::fresh(fixture.store.kind()).await;
    let refused = copy(&fixture.url, &target.url).await.unwrap_err();
    assert!(matches!(refused, CopyError::Behind(1..)), "{refused}");
}

pub(crate) async fn every_table_is_copied(fixture: Fixture) {
    let tables: Vec<String> = if fixture.store.kind() == "sqlite" {
        let mut connection = SqliteConnection::connect(&fixture.url).await.unwrap();
        let sql = "SELECT name FROM sqlite_schema WHERE type = 'table'";
        sqlx::query_scalar(sql).fetch_all(&mut connection).await.unwrap()
    } else {
        let mut connection = PgConnection::connect(&fixture.url).await.unwrap();
        let sql = "SELECT table_name::text FROM information_schema.tables WHERE table_schema = current_schema() AND table_type = 'BASE TABLE'";
        sqlx::query_scalar(sql).fetch_all(&mut connection).await.unwrap()
    };
    // What running nodes tell each other is nothing to take along.
    let of_nodes = ["_sqlx_migrations", "nodes", "news"];
    let own = |name: &&str| !name.starts_with("sqlite_") && !of_nodes.contains(name);
    let tables: BTreeSet<&str> = tables.iter().map(String::as_str).filter(own).collect();
    assert_eq!(tables, BTreeSet::from(TABLES));
}

#[tokio::test]
async fn a_file_that_is_not_there_is_no_empty_source() {
    let target = Fixture::sqlite().await;
    let missing = target.url.replace("fleet.db", "missing.db");
    let refused = copy(&missing, &target.url).await.unwrap_err();
    assert!(matches!(&refused, CopyError::NoSource(path) if path.ends_with("missing.db")), "{refused}");
    assert!(!std::path::Path::new(missing.trim_start_matches("sqlite://")).exists());
}
