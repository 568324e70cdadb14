//! A million delegates that beat 20,000 times a second for ten minutes, on SQLite: memory, and the slowest answer.

#[expect(dead_code, reason = "shared with other benchmarks")]
mod house;

use std::time::Duration;

use house::House;
use house::wrk::hold;

const INSTANCES: u32 = 1_000_000;
const HEARTBEATS: u32 = 20_000;
const LASTING: Duration = Duration::from_mins(10);
/// No answer may take longer.
const SLOWEST: Duration = Duration::from_millis(250);
/// Resident memory at its highest, in MiB.
const MEMORY: u64 = 800;
/// Connecting takes a little of it, and what is on its way at the end has no answer yet.
const PACE: f64 = 0.999;

#[tokio::main]
async fn main() {
    let house = House::build(INSTANCES, None).await;
    let at_start = house.rss() / 1_024;
    house.forget_peak();
    let busy = house.processor_time();
    let pace = hold(&house.address(), INSTANCES, HEARTBEATS, LASTING).await;
    let busy = house.processor_time().saturating_sub(busy).as_secs_f64() / LASTING.as_secs_f64();
    let peak = house.peak() / 1_024;
    let started_in = house.started_in.as_secs_f64();
    house.end().await;

    println!("\n| {INSTANCES} instances for {} s | found | goal | |", LASTING.as_secs());
    println!("|---|---:|---|---|");
    let verdict = |held: bool| if held { "pass" } else { "MISS" };
    let enough = pace.per_second >= f64::from(HEARTBEATS) * PACE;
    println!("| heartbeats a second | {:.0} | {HEARTBEATS} | {} |", pace.per_second, verdict(enough));
    println!("| the slowest of a hundred | {:.1} ms | | |", pace.p99.as_secs_f64() * 1_000.0);
    let fast = pace.slowest <= SLOWEST;
    let slowest = pace.slowest.as_secs_f64() * 1_000.0;
    println!(
        "| the slowest of all | {slowest:.0} ms | at most {} ms | {} |",
        SLOWEST.as_millis(),
        verdict(fast)
    );
    let small = peak < MEMORY;
    println!("| memory at its highest | {peak} MiB | < {MEMORY} MiB | {} |", verdict(small));
    println!("| memory at the start | {at_start} MiB | | |");
    println!("| processor | {busy:.2} cores | | |");
    println!("| serves after | {started_in:.1} s | 10 s | {} |", verdict(started_in < 10.0));
    assert!(enough && fast && small && started_in < 10.0, "a goal was missed");
}
