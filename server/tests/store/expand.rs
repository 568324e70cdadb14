//! Migrations leave programs of the version before at work: they only ever add.

use std::time::Duration;

use sqlx::migrate::Migrator;
use sqlx::{AssertSqlSafe, Connection as _, PgConnection};
use tokio_util::sync::CancellationToken;

use crate::server::fresh_database;

/// Statements of programs of each version, as they were: version, table, and an insertion that holds `#` where rows
/// differ. Only ever added to.
const OLD_WRITES: &[(i64, &str, &str)] = &[
    (1, "scopes", "INSERT INTO scopes (account, organization, project, created_at) VALUES ('#', '', '', 1)"),
    (
        1,
        "tokens",
        "INSERT INTO tokens (account, organization, project, id, name, sealed, hash, status, created_at, created_by, \
         revoke_after, revoked_at, last_used) \
         VALUES ('#', '', '', 't#', 'edge', '\\x00', 'h', 'ACTIVE', 1, NULL, NULL, NULL, NULL)",
    ),
    (
        1,
        "delegate_groups",
        "INSERT INTO delegate_groups (account, id, organization, project, name, identifier, kind, family, description, \
         tags, first_seen, last_active, upgrader_seen, by_choice, token_name) \
         VALUES ('#', 'g', '', '', 'edge', '_edge', 'DOCKER', 'GO', '', '[]', 1, 1, NULL, false, 'edge')",
    ),
    (
        1,
        "instances",
        "INSERT INTO instances (account, id, group_id, last_heartbeat, registered_at, goodbye_at, host_name, ip, ng, \
         kind, family, version, version_since, tags, transport, token_id, immutable, capacity, clock_skew, incomplete, \
         double_seen, heartbeat_as_object, details) VALUES ('#', 'i', 'g', 1, 1, NULL, 'h', '', true, 'DOCKER', 'GO', \
         NULL, 1, '[]', 'POLLING', 't#', NULL, NULL, NULL, false, NULL, false, '{}')",
    ),
    (1, "instances", "UPDATE instances SET last_heartbeat = last_heartbeat + 1"),
    (1, "aliases", "INSERT INTO aliases (account, alias, instance_id) VALUES ('#', 'a', 'i')"),
    (
        1,
        "transitions",
        "INSERT INTO transitions (account, group_id, instance_id, happened_at, from_state, to_state, cause, note) \
         VALUES ('#', 'g', 'i', 1, NULL, 'CONNECTED', 'registered', '')",
    ),
    (
        1,
        "tombstones",
        "INSERT INTO tombstones (account, group_id, instance_id, deleted_at, deleted_by, lifted_at) \
         VALUES ('#', 'g', 'i', 1, 'x', 2)",
    ),
    (1, "catalog", "INSERT INTO catalog (imported_at, document) VALUES (1, '{}')"),
    (
        1,
        "settings",
        "INSERT INTO settings (account, organization, project, name, value, changed_at) VALUES ('#', '', '', 'a', 'b', 1)",
    ),
    (1, "revisions", "UPDATE revisions SET revision = revision + 1 WHERE topic = 'tokens'"),
    (
        2,
        "users",
        "INSERT INTO users (id, email, name, kind, password, external_id, disabled, created_at, created_by, last_sign_in) \
         VALUES ('u#', 'e#', '', 'PERSON', NULL, NULL, 0, 1, NULL, NULL)",
    ),
    (
        2,
        "assignments",
        "INSERT INTO assignments (id, user_id, account, organization, project, role, resources, external, created_at, \
         created_by) VALUES ('a#', 'u#', '', '', '', 'admin', NULL, 0, 1, NULL)",
    ),
    (
        2,
        "sessions",
        "INSERT INTO sessions (hash, user_id, created_at, last_seen, agent, address) VALUES ('s#', 'u#', 1, 1, '', '')",
    ),
    (
        2,
        "audit",
        "INSERT INTO audit (happened_at, actor_id, actor, action, resource, name, account, organization, project, summary, \
         before_values, after_values, request_id) VALUES (1, '', '', 'a', 'b', 'c', '#', '', '', '', '{}', '{}', '')",
    ),
    (6, "heartbeats", "INSERT INTO heartbeats (entries) VALUES ('\\x00')"),
    (
        3,
        "saved_filters",
        "INSERT INTO saved_filters (id, account, organization, project, user_id, name, everyone, query, created_at, \
         changed_at) VALUES ('f#', '#', '', '', 'u#', 'n', 1, '', 1, 1)",
    ),
];

/// Does everything that a program of this version writes, once.
async fn write_as(version: i64, connection: &mut PgConnection, mark: &str) {
    for (since, table, sql) in OLD_WRITES {
        if *since <= version {
            let written = sqlx::query(AssertSqlSafe(sql.replace('#', mark))).execute(&mut *connection).await;
            written.unwrap_or_else(|error| {
                panic!("a program of version {version} cannot write {table}: {error}")
            });
        }
    }
}

async fn counts(connection: &mut PgConnection, version: i64) -> Vec<(&'static str, i64)> {
    let mut counts = Vec::new();
    for (since, table, _) in OLD_WRITES {
        if *since <= version {
            let count = AssertSqlSafe(format!("SELECT count(*) FROM {table}"));
            counts.push((*table, sqlx::query_scalar(count).fetch_one(&mut *connection).await.unwrap()));
        }
    }
    counts
}

#[tokio::test]
async fn a_program_of_the_version_before_goes_on_during_and_after_each_migration() {
    let folder = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../migrations/postgres"));
    let all = Migrator::new(folder).await.unwrap();
    let url = fresh_database().await;
    let mut connection = PgConnection::connect(&url).await.unwrap();
    for migration in all.iter() {
        let version = migration.version - 1;
        let before = counts(&mut connection, version).await;
        let stop = CancellationToken::new();
        let old = tokio::spawn({
            let (url, stop) = (url.clone(), stop.clone());
            async move {
                let mut connection = PgConnection::connect(&url).await.unwrap();
                let mut rounds = 0;
                // At least once while it migrates, and once after.
                loop {
                    let last = stop.is_cancelled();
                    write_as(version, &mut connection, &format!("{version}-{rounds}")).await;
                    rounds += 1;
                    if last {
                        return rounds;
                    }
                    tokio::time::sleep(Duration::from_millis(5)).await;
                }
            }
        });
        tokio::time::sleep(Duration::from_millis(20)).await;
        let mut next = Migrator::new(folder).await.unwrap();
        next.migrations.to_mut().retain(|other| other.version <= migration.version);
        next.run_direct(None, &mut connection, false).await.unwrap();
        stop.cancel();
        let rounds: i64 = old.await.unwrap();
        for ((table, now), (_, then)) in counts(&mut connection, version).await.into_iter().zip(before) {
            // Migrations add topics.
            if table != "revisions" {
                assert_eq!(now - then, rounds, "{table}");
            }
        }
    }
}
