//! The journal of heartbeats is settled and forgotten, and nothing is lost by it.

use std::sync::atomic::Ordering;

use fleet::time::{MINUTE, SECOND, Timestamp};
use rand::rngs::StdRng;
use rand::{Rng as _, SeedableRng as _};
use sqlx::{Connection as _, PgConnection, SqliteConnection};

use crate::support::{House, beat, caller, machine};

const HOSTS: [&str; 6] = ["vm-0", "vm-1", "vm-2", "vm-3", "vm-4", "vm-5"];

/// Delegates by host, as they were told to call themselves.
async fn register_all(house: &House) -> Vec<(&'static str, String)> {
    let mut ids = Vec::new();
    for host in HOSTS {
        let id = house.register(&caller("acme"), &machine("vm", host, "192.0.2.1")).await.id;
        ids.push((host, id.to_string()));
    }
    ids
}

fn hear(house: &House, ids: &[(&'static str, String)]) {
    for (host, id) in ids {
        let report = machine("vm", host, "192.0.2.1");
        house.roster.beat(&caller("acme"), &beat(&report, id), house.now()).expect("known");
    }
}

async fn last_heartbeats(house: &House) -> Vec<Option<Timestamp>> {
    let view = house.view("acme", false).await;
    let members = view.snapshot.groups.first().map(|group| &group.members);
    let last = |host: &&str| {
        let member = members?.iter().find(|member| &*member.facts.host_name == *host)?;
        member.last_heartbeat
    };
    HOSTS.iter().map(last).collect()
}

/// Batches in the journal.
async fn batches(house: &House) -> i64 {
    let count = "SELECT count(*) FROM heartbeats";
    let count = if house.url.starts_with("sqlite:") {
        let mut connection = SqliteConnection::connect(&house.url).await.expect("connection");
        sqlx::query_scalar(count).fetch_one(&mut connection).await
    } else {
        let mut connection = PgConnection::connect(&house.url).await.expect("connection");
        sqlx::query_scalar(count).fetch_one(&mut connection).await
    };
    count.expect("a count")
}

#[tokio::test]
async fn whoever_fell_silent_is_moved_into_its_row_and_the_others_stay_in_the_journal() {
    let house = House::new().await;
    let ids = register_all(&house).await;
    house.clock.advance(MINUTE);
    hear(&house, &ids);
    let silent_at = house.now();
    let house = house.restart().await;
    let mark = house.roster.mark(&house.clock).await.expect("mark");
    house.clock.advance(MINUTE);
    hear(&house, &ids[1..]);
    let alive_at = house.now();
    let house = house.restart().await;
    assert!(batches(&house).await >= 2);
    house.roster.settle(mark, house.now()).await.expect("settled");
    assert_eq!(batches(&house).await, 1, "what came behind the mark");
    let house = house.kill_and_restart().await;
    let expected: Vec<_> = HOSTS.map(|host| Some(if host == "vm-0" { silent_at } else { alive_at })).into();
    assert_eq!(last_heartbeats(&house).await, expected);
}

#[tokio::test]
async fn a_store_that_goes_away_meanwhile_forgets_nothing() {
    let house = House::new().await;
    let ids = register_all(&house).await;
    house.clock.advance(MINUTE);
    hear(&house, &ids);
    let at = house.now();
    let house = house.restart().await;
    let mark = house.roster.mark(&house.clock).await.expect("mark");
    let before = batches(&house).await;
    house.store.away.store(true, Ordering::Relaxed);
    house.clock.advance(2 * MINUTE);
    house.roster.settle(mark, house.now()).await.expect_err("away");
    house.store.away.store(false, Ordering::Relaxed);
    assert_eq!(batches(&house).await, before);
    house.roster.settle(mark, house.now()).await.expect("settled");
    assert_eq!(batches(&house).await, 0, "those whose settling failed are not taken for settled");
    let house = house.kill_and_restart().await;
    assert_eq!(last_heartbeats(&house).await, vec![Some(at); HOSTS.len()]);
}

#[tokio::test]
async fn heartbeats_of_another_node_are_settled_too() {
    let (a, b) = House::pair().await;
    let ids = register_all(&a).await;
    b.follow().await;
    a.clock.advance(MINUTE);
    hear(&b, &ids);
    let at = b.now();
    while batches(&a).await == 0 {
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    let mark = a.roster.mark(&a.clock).await.expect("mark");
    a.clock.advance(2 * MINUTE);
    a.roster.settle(mark, a.now()).await.expect("settled");
    assert_eq!(batches(&a).await, 0);
    let mut connection = PgConnection::connect(&a.url).await.expect("connection");
    let rows: Vec<i64> = sqlx::query_scalar("SELECT last_heartbeat FROM instances")
        .fetch_all(&mut connection)
        .await
        .expect("rows");
    assert_eq!(rows, vec![at.millis(); HOSTS.len()]);
}

/// What was stored is known after every kill, whatever was settled and forgotten in between.
#[tokio::test]
async fn no_order_of_events_loses_a_heartbeat() {
    for seed in 0..4 {
        let mut random = StdRng::seed_from_u64(seed);
        let mut house = House::new().await;
        let ids = register_all(&house).await;
        let mut stored = last_heartbeats(&house).await;
        let mut mark = None;
        for step in 0..60 {
            house.clock.advance(random.random_range(0..200) * SECOND);
            match random.random_range(0..10) {
                0..5 => {
                    let some: Vec<_> = ids.iter().filter(|_| random.random_bool(0.5)).cloned().collect();
                    hear(&house, &some);
                }
                5 => {
                    stored = last_heartbeats(&house).await;
                    house = house.restart().await;
                }
                6 => house = house.kill_and_restart().await,
                7 => mark = Some(house.roster.mark(&house.clock).await.expect("mark")),
                _ => {
                    if let Some(mark) = mark.take() {
                        house.roster.settle(mark, house.now()).await.expect("settled");
                    }
                }
            }
            let known = last_heartbeats(&house).await;
            for (known, stored) in known.iter().zip(&stored) {
                assert!(known >= stored, "seed {seed}, step {step}: {known:?}, stored was {stored:?}");
            }
        }
    }
}
