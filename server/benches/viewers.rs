//! What people and tools cost a real server with 100,000 delegates: pages, exports, a thousand live viewers.
//!
//! The server runs in a process of its own, so that its memory and its processor time can be told from the clients'.
//! Every figure stands beside its goal; a missed goal is said, and ends the run with a failure.

#[expect(dead_code, reason = "shared with other benchmarks")]
mod house;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use futures::future::join_all;
use reqwest::{Client, StatusCode};

use house::House;

/// Delegates of the account.
const INSTANCES: u32 = 100_000;
/// Requests for the overview, one after the other.
const PAGES: usize = 1_500;
/// Browsers with an open page.
const VIEWERS: usize = 1_000;
/// Different pages that they look at.
const VIEWS: usize = 10;
/// Heartbeats a second while they look.
const HEARTBEATS: u32 = 2_000;
/// How long they look.
const LOOKING: Duration = Duration::from_secs(20);
/// What a browser asks for to refresh a page.
const PART: &str = "text/vnd.rollcall.part+html, text/html;q=0.9";

/// One figure and its goal.
struct Figure {
    what: String,
    found: f64,
    goal: Option<f64>,
    unit: &'static str,
}

impl Figure {
    fn new(what: impl Into<String>, found: f64, goal: Option<f64>, unit: &'static str) -> Self {
        Self { what: what.into(), found, goal, unit }
    }

    fn missed(&self) -> bool {
        self.goal.is_some_and(|goal| self.found >= goal)
    }
}

#[tokio::main]
async fn main() {
    let house = House::build(INSTANCES, None).await;
    let started = Figure::new("start", house.started_in.as_secs_f64(), None, "s");
    let mut figures = vec![started];
    figures.extend(overview(&house).await);
    figures.extend(exports(&house).await);
    figures.extend(viewers(&house).await);
    println!("\n| what | found | goal | |\n|---|---|---|---|");
    for figure in &figures {
        let goal = figure.goal.map_or_else(String::new, |goal| format!("< {goal} {}", figure.unit));
        let verdict = match (figure.goal, figure.missed()) {
            (None, _) => "",
            (Some(_), false) => "pass",
            (Some(_), true) => "MISS",
        };
        println!("| {} | {:.2} {} | {goal} | {verdict} |", figure.what, figure.found, figure.unit);
    }
    let missed = figures.iter().any(Figure::missed);
    house.end().await;
    assert!(!missed, "a goal was missed");
}

/// The Delegates page, whole and as a refresh, one request after the other over one connection.
async fn overview(house: &House) -> Vec<Figure> {
    let client = Client::new();
    let mut figures = Vec::new();
    for (what, accept) in [("overview", "text/html"), ("overview, refresh", PART)] {
        let mut times = Vec::with_capacity(PAGES);
        for _ in 0..PAGES {
            let started = Instant::now();
            let request = house.get(&client, "/a/ACC/delegates").header("accept", accept);
            let answer = request.send().await.expect("answer");
            assert_eq!(answer.status(), StatusCode::OK);
            let body = answer.text().await.expect("body");
            assert!(body.contains("data-live"), "{body}");
            times.push(started.elapsed());
        }
        times.sort_unstable();
        let at = |part: usize| times[(times.len() - 1) * part / 100].as_secs_f64() * 1_000.0;
        figures.push(Figure::new(format!("{what}, {INSTANCES} instances, p50"), at(50), None, "ms"));
        figures.push(Figure::new(format!("{what}, {INSTANCES} instances, p99"), at(99), Some(20.0), "ms"));
    }
    figures
}

/// The whole scope in each form: time to the last byte, and how far the memory of the server rises above idle.
async fn exports(house: &House) -> Vec<Figure> {
    let client = Client::new();
    let mut figures = Vec::new();
    for format in ["json", "ndjson", "csv"] {
        let mut best = f64::MAX;
        let mut bytes = 0;
        let idle = house.rss();
        house.forget_peak();
        for _ in 0..3 {
            let started = Instant::now();
            let path = format!("/api/v1/accounts/ACC/delegates?format={format}");
            let mut answer = house.get(&client, &path).send().await.expect("answer");
            assert_eq!(answer.status(), StatusCode::OK);
            bytes = 0;
            while let Some(piece) = answer.chunk().await.expect("piece") {
                bytes += piece.len();
            }
            best = best.min(started.elapsed().as_secs_f64());
        }
        #[expect(clippy::cast_precision_loss, reason = "a figure to read")]
        let (rise, size) = (house.peak().saturating_sub(idle) as f64 / 1_024.0, bytes as f64 / 1e6);
        figures.push(Figure::new(format!("export as {format}, {size:.0} MB"), best, Some(1.0), "s"));
        figures.push(Figure::new(format!("export as {format}, memory above idle"), rise, Some(64.0), "MiB"));
    }
    figures
}

/// Processor time of the server while viewers look: with heartbeats alone, and with a change every second.
async fn viewers(house: &House) -> Vec<Figure> {
    let ended = Arc::new(AtomicBool::new(false));
    let refreshed = Arc::new(AtomicU64::new(0));
    let looking: Vec<_> = (0..VIEWERS)
        .map(|number| {
            let client = house.client.clone();
            let (open, ended, refreshed) = (house.address(), Arc::clone(&ended), Arc::clone(&refreshed));
            let cookie = house.cookies[number % house.cookies.len()].clone();
            tokio::spawn(async move {
                let view = format!("{open}/a/ACC/delegates?page={}", number % VIEWS + 1);
                let live = client.get(format!("{open}/a/ACC/live")).header("cookie", &cookie);
                let mut live = live.send().await.expect("stream");
                assert_eq!(live.status(), StatusCode::OK);
                while let Ok(Some(_)) = live.chunk().await {
                    if ended.load(Ordering::Relaxed) {
                        break;
                    }
                    let part = client.get(&view).header("cookie", &cookie).header("accept", PART);
                    let part = part.header("accept-encoding", "gzip, br").send().await.expect("part");
                    assert_eq!(part.status(), StatusCode::OK);
                    part.bytes().await.expect("body");
                    refreshed.fetch_add(1, Ordering::Relaxed);
                }
            })
        })
        .collect();
    while refreshed.load(Ordering::Relaxed) < VIEWERS as u64 {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let mut figures = Vec::new();
    for (what, changes, goal) in
        [("heartbeats alone", false, Some(1.0)), ("a change every second", true, None)]
    {
        let before = (refreshed.load(Ordering::Relaxed), house.processor_time(), Instant::now());
        let beats = house.beat(HEARTBEATS, LOOKING, changes).await;
        let seconds = before.2.elapsed().as_secs_f64();
        let cores = house.processor_time().checked_sub(before.1).unwrap().as_secs_f64() / seconds;
        #[expect(clippy::cast_precision_loss, reason = "figures to read")]
        let (beats, fetched) =
            (beats as f64 / seconds, (refreshed.load(Ordering::Relaxed) - before.0) as f64 / seconds);
        let who = format!("{VIEWERS} viewers, {beats:.0} heartbeats/s, {what}");
        figures.push(Figure::new(format!("{who}: refreshes"), fetched, None, "/s"));
        figures.push(Figure::new(format!("{who}: processor"), cores, goal, "cores"));
    }
    ended.store(true, Ordering::Relaxed);
    looking.iter().for_each(tokio::task::JoinHandle::abort);
    join_all(looking).await;
    figures
}
