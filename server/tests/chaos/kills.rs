//! Servers that are killed at random moments.

use std::sync::Arc;
use std::time::Duration;

use rand::Rng as _;
use server::store;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::caller::Callers;
use crate::database::fresh_database;
use crate::house::{House, client, sign_in};
use crate::ledger::{Ledger, now};
use crate::{is_long, row};

/// Kills of the long form, on each database.
const MANY: u32 = 50;
/// And of the short one.
const FEW: u32 = 3;
/// Deeds that the long form wants acknowledged on each database, so that losing none of them says something.
const ENOUGH: usize = 25_000;
/// Kills after which a run gives up hoping that every kind of deed is acknowledged, and enough of them.
const TOO_MANY: u32 = 100;

/// What one run of kills showed.
#[derive(Default)]
struct Shown {
    /// Of a heartbeat that was answered and lost, at the moment of the kill, in milliseconds.
    oldest: i64,
    lost_heartbeats: usize,
    heartbeats: usize,
    /// From the start of the program until it is ready.
    starts: Vec<Duration>,
}

async fn kills(kind: &str) {
    let postgres = if kind == "PostgreSQL" { Some(fresh_database().await) } else { None };
    let house = House::new(postgres).await;
    let store = store::open(&house.database).await.expect("store");
    let ledger = Arc::new(Ledger::default());
    let mut cookie = String::new();
    let mut shown = Shown::default();
    let (least, enough) = if is_long() { (MANY, ENOUGH) } else { (FEW, 0) };
    let mut count = 0_u32;
    // A slow machine acknowledges little between two kills: what was never acknowledged could not be lost. It gets more
    // kills then, and more time between them.
    while count < least || (count < TOO_MANY && !(ledger.has_every_kind() && ledger.total() >= enough)) {
        count += 1;
        let started = Instant::now();
        let mut node = house.start().await;
        shown.starts.push(started.elapsed());
        if cookie.is_empty() {
            cookie = sign_in(&client(), &node.url).await;
        }
        let callers = Callers {
            client: client(),
            url: node.url.clone(),
            cookie: cookie.clone(),
            ledger: Arc::clone(&ledger),
            store: Arc::clone(&store),
        };
        let stop = CancellationToken::new();
        let moments = if count > least { 3_000..8_000 } else { 300..3_000 };
        let moment = Duration::from_millis(rand::rng().random_range(moments));
        let kill = async {
            tokio::time::sleep(moment).await;
            let at = now();
            node.kill().await;
            stop.cancel();
            at
        };
        let ((), killed_at) = tokio::join!(callers.run(24, 2, &stop), kill);
        let (oldest, lost, all) = ledger.lost_heartbeats(&store, killed_at).await;
        shown.oldest = shown.oldest.max(oldest);
        shown.lost_heartbeats += lost;
        shown.heartbeats += all;
    }
    let lost = ledger.lost(&store).await;
    tell(kind, count, &ledger, enough, &mut shown, lost.len());
    assert_eq!(lost, [], "acknowledged and lost:\n{}", house.log());
    assert!(ledger.has_every_kind() && ledger.total() >= enough, "{:?}", ledger.counts());
}

fn tell(kind: &str, kills: u32, ledger: &Ledger, enough: usize, shown: &mut Shown, lost: usize) {
    shown.starts.sort();
    let counts = ledger.counts();
    let all = ledger.total();
    println!("\n{kind}, {kills} kills at random moments under load\n");
    row(&["what".to_owned(), "acknowledged".to_owned(), "lost".to_owned()]);
    row(&["---".to_owned(), "---:".to_owned(), "---:".to_owned()]);
    for (what, count) in counts {
        row(&[what.to_owned(), count.to_string(), String::new()]);
    }
    let verdict = if lost == 0 && all >= enough { "pass" } else { "MISS" };
    let goal = if enough == 0 { String::new() } else { format!(" of at least {enough}") };
    row(&["all of these".to_owned(), all.to_string(), format!("{lost}{goal} ({verdict})")]);
    let verdict = if shown.oldest <= 1_000 { "pass" } else { "MISS" };
    row(&[
        "heartbeats".to_owned(),
        shown.heartbeats.to_string(),
        format!("{}, the oldest {} ms before the kill ({verdict})", shown.lost_heartbeats, shown.oldest),
    ]);
    let slowest = shown.starts.last().copied().unwrap_or_default();
    let middle = shown.starts[shown.starts.len() / 2];
    println!(
        "\nready again after {} ms at the median, {} ms at most",
        middle.as_millis(),
        slowest.as_millis()
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_acknowledged_is_lost_by_kills_on_sqlite() {
    kills("SQLite").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_acknowledged_is_lost_by_kills_on_postgres() {
    kills("PostgreSQL").await;
}
