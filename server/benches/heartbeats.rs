//! Heartbeats a second, from small fleets to large ones, on both databases, against two floors in the same run.
//!
//! The floors are served by this program in a process of its own: a route that answers a constant, and one that checks
//! the credential, reads the body and stores a time in memory. `wrk` sends the same requests to all of them.

#[expect(dead_code, reason = "shared with other benchmarks")]
mod house;
#[path = "../tests/support/postgres.rs"]
mod postgres;

use std::collections::HashMap;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use aes_gcm::{Aes128Gcm, KeyInit as _};
use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::header::AUTHORIZATION;
use axum::http::{HeaderMap, StatusCode};
use axum::routing::post;
use server::agent::jwe::Jwe;
use server::tokens::key::TokenKey;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::net::TcpListener;
use tokio::process::{Child, Command};

use house::House;
use house::credential::TOKEN;
use house::wrk::{Pace, in_turn};

/// What makes this process serve a floor: its kind and the size of the fleet follow.
const FLOOR: &str = "--floor";
const PATH: &str = "/api/agent/delegates/heartbeat-with-polling";
/// Fleets, the smallest first.
const SIZES: [u32; 3] = [1_000, 100_000, 1_000_000];
/// Rollcall must reach this part of the second floor at 100,000 instances, with its database on.
const PART_OF_FLOOR: f64 = 0.75;
/// What a heartbeat may cost in the largest fleet, against the smallest.
const DEARER: f64 = 1.15;

/// One fleet on one database, beside both floors.
struct Row {
    database: &'static str,
    size: u32,
    constant: Pace,
    memory: Pace,
    own: Pace,
    started_in: Duration,
    /// KiB at the start.
    memory_used: u64,
}

impl Row {
    /// What part of the second floor is reached.
    fn part(&self) -> f64 {
        self.own.per_second / self.memory.per_second
    }

    /// What a heartbeat costs against the smallest fleet, both against the floor of their time.
    fn dearer(&self, smallest: &Self) -> f64 {
        smallest.part() / self.part()
    }

    /// The goal of this size, and whether it is reached.
    fn verdict(&self, smallest: &Self) -> Option<(&'static str, bool)> {
        match self.size {
            100_000 => Some(("at least 0.75 of the floor", self.part() >= PART_OF_FLOOR)),
            1_000_000 => Some(("at most 1.15 of the cost at 1,000", self.dearer(smallest) <= DEARER)),
            _ => None,
        }
    }

    fn print(&self, smallest: &Self) {
        let verdict = self.verdict(smallest).map_or_else(String::new, |(goal, held)| {
            format!("{goal}: {}", if held { "pass" } else { "MISS" })
        });
        println!(
            "| {} | {} | {:.0} | {:.0} | {:.0} | {:.2} | {:.2} | {:.1} ms | {:.1} s | {} MiB | {verdict} |",
            self.database,
            self.size,
            self.constant.per_second,
            self.memory.per_second,
            self.own.per_second,
            self.part(),
            self.dearer(smallest),
            self.own.p99.as_secs_f64() * 1_000.0,
            self.started_in.as_secs_f64(),
            self.memory_used / 1_024,
        );
    }
}

#[tokio::main]
async fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if let [_, flag, kind, size] = &arguments[..]
        && flag == FLOOR
    {
        return serve_floor(kind, size.parse().expect("size")).await;
    }
    println!(
        "\n| database | instances | constant/s | floor/s | Rollcall/s | of the floor | cost against 1,000 | p99 | start | memory at start | |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|");
    let mut missed = false;
    for database in ["SQLite", "PostgreSQL"] {
        let mut rows: Vec<Row> = Vec::new();
        for size in SIZES {
            let row = measure(database, size).await;
            let smallest = rows.first().unwrap_or(&row);
            row.print(smallest);
            missed |= row.verdict(smallest).is_some_and(|(_, held)| !held);
            rows.push(row);
        }
    }
    assert!(!missed, "a goal was missed");
}

async fn measure(database: &'static str, size: u32) -> Row {
    let url = if database == "SQLite" { None } else { Some(postgres::fresh_database().await) };
    let house = House::build(size, url).await;
    let memory_used = house.rss();
    let (constant, memory) = (Floor::serve("constant", size).await, Floor::serve("memory", size).await);
    let paces = in_turn(&[&constant.address, &memory.address, &house.address()], size).await;
    let [constant, memory, own] = paces[..] else { unreachable!("three paces for three addresses") };
    let started_in = house.started_in;
    house.end().await;
    Row { database, size, constant, memory, own, started_in, memory_used }
}

/// A floor in a process of its own, which ends with it.
struct Floor {
    address: String,
    _process: Child,
}

impl Floor {
    async fn serve(kind: &str, size: u32) -> Self {
        let mut process = Command::new(std::env::current_exe().expect("this program"))
            .args([FLOOR, kind, &size.to_string()])
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .expect("floor");
        let mut lines = BufReader::new(process.stdout.take().expect("output")).lines();
        let address = lines.next_line().await.expect("output").expect("address");
        Self { address, _process: process }
    }
}

/// What the second floor knows.
struct Memory {
    key: Aes128Gcm,
    beats: HashMap<String, AtomicI64>,
}

async fn serve_floor(kind: &str, size: u32) {
    let app = if kind == "constant" {
        Router::new().route(PATH, post(|| async { "{}" }))
    } else {
        let key = Aes128Gcm::new_from_slice(TokenKey::parse(TOKEN).expect("token").bytes()).expect("key");
        let beats = (0..size).map(|number| (format!("d-{number:08}"), AtomicI64::new(0))).collect();
        Router::new().route(PATH, post(beat)).with_state(Arc::new(Memory { key, beats }))
    };
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("port");
    println!("http://{}", listener.local_addr().expect("address"));
    axum::serve(listener, app).await.expect("serve");
}

/// The fields that the floor reads.
#[derive(serde::Deserialize)]
#[serde(rename_all = "camelCase")]
struct Beat<'a> {
    delegate_id: &'a str,
}

async fn beat(
    State(memory): State<Arc<Memory>>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<&'static str, StatusCode> {
    let credential = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
    let credential =
        credential.and_then(|text| text.strip_prefix("Delegate ")).ok_or(StatusCode::UNAUTHORIZED)?;
    let mut jwe = Jwe::parse(credential).map_err(|_| StatusCode::UNAUTHORIZED)?;
    if !jwe.open(&memory.key) {
        return Err(StatusCode::UNAUTHORIZED);
    }
    let now = server::clock::Clock::system().now().millis();
    let beat: Beat<'_> = serde_json::from_slice(&body).map_err(|_| StatusCode::BAD_REQUEST)?;
    let cell = memory.beats.get(beat.delegate_id).ok_or(StatusCode::NOT_FOUND)?;
    cell.store(now, Ordering::Relaxed);
    Ok("{}")
}
