//! Pages and JSON of 10,000, 100,000 and 1,000,000 delegates while 2,000 heartbeats a second arrive.

#[expect(dead_code, reason = "shared with other benchmarks")]
mod house;

use std::sync::Arc;
use std::time::{Duration, Instant};

use reqwest::{Client, StatusCode};

use house::House;

/// Fleets, the smallest first.
const SIZES: [u32; 3] = [10_000, 100_000, 1_000_000];
/// Heartbeats a second meanwhile.
const HEARTBEATS: u32 = 2_000;
/// For how long each question is asked, one request after the other over one connection.
const ASKING: Duration = Duration::from_secs(10);

/// What is asked: its name, its path, and the slowest of a hundred that is allowed by size.
const QUESTIONS: [(&str, &str, [Option<f64>; 3]); 5] = [
    ("overview", "/a/ACC/delegates", [Some(20.0), Some(20.0), Some(100.0)]),
    ("group", "/a/ACC/delegates/_group_000001", [None; 3]),
    ("page 5 of the list, JSON", "/api/v1/accounts/ACC/delegates?view=page&page=5&size=50", [None; 3]),
    ("what is expired, JSON", "/api/v1/accounts/ACC/delegates?view=page&health=expired", [None; 3]),
    ("export, JSON", "/api/v1/accounts/ACC/delegates", [None; 3]),
];

/// The answers to one question.
struct Answers {
    /// Sorted.
    times: Vec<Duration>,
    bytes: usize,
}

impl Answers {
    /// In milliseconds.
    fn at(&self, part: usize) -> f64 {
        self.times[(self.times.len() - 1) * part / 100].as_secs_f64() * 1_000.0
    }
}

#[tokio::main]
async fn main() {
    println!("\n| instances | what | requests | p50 | p99 | bytes | goal for p99 | |");
    println!("|---:|---|---:|---:|---:|---:|---|---|");
    let mut missed = false;
    for (place, size) in SIZES.into_iter().enumerate() {
        let house = Arc::new(House::build(size, None).await);
        for (what, path, goals) in QUESTIONS {
            let answers = ask(&house, path).await;
            let p99 = answers.at(99);
            let (goal, verdict) = match goals[place] {
                None => (String::new(), ""),
                Some(goal) if p99 < goal => (format!("< {goal} ms"), "pass"),
                Some(goal) => {
                    missed = true;
                    (format!("< {goal} ms"), "MISS")
                }
            };
            println!(
                "| {size} | {what} | {} | {:.1} ms | {p99:.1} ms | {} | {goal} | {verdict} |",
                answers.times.len(),
                answers.at(50),
                answers.bytes
            );
        }
        println!(
            "| {size} | memory, start | | {} MiB | {:.1} s | | | |",
            house.rss() / 1_024,
            house.started_in.as_secs_f64()
        );
        Arc::into_inner(house).expect("nobody asks any more").end().await;
    }
    assert!(!missed, "a goal was missed");
}

/// Asks again and again while heartbeats arrive; the first answer is not counted.
async fn ask(house: &Arc<House>, path: &str) -> Answers {
    let beating = tokio::spawn({
        let house = Arc::clone(house);
        async move { house.beat(HEARTBEATS, ASKING + Duration::from_secs(1), false).await }
    });
    let client = Client::new();
    let (mut times, mut bytes) = (Vec::new(), 0);
    let begun = Instant::now();
    while begun.elapsed() < ASKING || times.len() < 2 {
        let started = Instant::now();
        let mut answer = house.get(&client, path).send().await.expect("answer");
        assert_eq!(answer.status(), StatusCode::OK, "{path}");
        bytes = 0;
        while let Some(piece) = answer.chunk().await.expect("piece") {
            bytes += piece.len();
        }
        times.push(started.elapsed());
    }
    beating.await.expect("heartbeats");
    times.remove(0);
    times.sort_unstable();
    Answers { times, bytes }
}
