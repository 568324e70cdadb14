//! Requests as fast as they are answered, sent by `wrk`.

use std::time::Duration;

use tokio::process::Command;

use super::credential::JWE;
use super::{MEMBERS, VERSIONS};

/// Connections that are kept open, each of which asks as fast as it is answered.
const CONNECTIONS: u32 = 64;
/// Connections that take turns where the pace is given.
const PACED: u32 = 640;
/// How long each is asked, after a warm-up.
const LASTING: Duration = Duration::from_secs(10);
const WARMING_UP: Duration = Duration::from_secs(3);
/// How long each is asked in turn with others, and how often.
const TURN: Duration = Duration::from_secs(4);
const TURNS: usize = 5;

/// What `wrk` found.
#[derive(Clone, Copy)]
pub(crate) struct Pace {
    /// Answers.
    pub(crate) per_second: f64,
    /// The slowest of a hundred.
    pub(crate) p99: Duration,
    /// The slowest of all.
    pub(crate) slowest: Duration,
}

/// Heartbeats of so many delegates.
pub(crate) async fn heartbeats(address: &str, instances: u32) -> Pace {
    ask("heartbeat.lua", address, instances).await
}

/// Heartbeats of so many delegates to several servers in turn, so that a machine that slows down slows all of them down;
/// the middle of what each did.
pub(crate) async fn in_turn(addresses: &[&str], instances: u32) -> Vec<Pace> {
    for address in addresses {
        run("heartbeat.lua", address, instances, WARMING_UP).await;
    }
    let mut paces: Vec<Vec<Pace>> = vec![Vec::new(); addresses.len()];
    for _ in 0..TURNS {
        for (address, paces) in addresses.iter().zip(&mut paces) {
            paces.push(run("heartbeat.lua", address, instances, TURN).await);
        }
    }
    let middle = |mut paces: Vec<Pace>| {
        paces.sort_by(|a, b| a.per_second.total_cmp(&b.per_second));
        paces[TURNS / 2]
    };
    paces.into_iter().map(middle).collect()
}

/// Heartbeats at this pace for so long.
pub(crate) async fn hold(address: &str, instances: u32, per_second: u32, lasting: Duration) -> Pace {
    run_at("heartbeat.lua", address, instances, PACED, per_second, lasting).await
}

/// The same as pushes of one sample each, as a Pushgateway takes them.
pub(crate) async fn pushes(address: &str, instances: u32) -> Pace {
    ask("push.lua", address, instances).await
}

async fn ask(script: &str, address: &str, instances: u32) -> Pace {
    run(script, address, instances, WARMING_UP).await;
    run(script, address, instances, LASTING).await
}

async fn run(script: &str, address: &str, instances: u32, lasting: Duration) -> Pace {
    run_at(script, address, instances, CONNECTIONS, 0, lasting).await
}

/// So many requests a second, each at its instant; 0: as fast as they are answered.
async fn run_at(
    script: &str,
    address: &str,
    instances: u32,
    connections: u32,
    per_second: u32,
    lasting: Duration,
) -> Pace {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/house");
    let script = format!("{folder}/{script}");
    let output = Command::new("wrk")
        .args(["--threads", "1", "--latency", "--connections", &connections.to_string()])
        .args(["--duration", &format!("{}s", lasting.as_secs()), "--script", &script, address])
        .env("INSTANCES", instances.to_string())
        .env("MEMBERS", MEMBERS.to_string())
        .env("VERSIONS", VERSIONS.join(" "))
        .env("JWE", JWE)
        .env("PACE", per_second.to_string())
        .env("RESULT", format!("{folder}/result.lua"))
        .output()
        .await
        .expect("wrk");
    let text = String::from_utf8_lossy(&output.stdout);
    let line = text.lines().find_map(|line| line.strip_prefix("RESULT "));
    let line = line.unwrap_or_else(|| panic!("{text}{}", String::from_utf8_lossy(&output.stderr)));
    let figures: Vec<f64> = line.split(' ').map(|figure| figure.parse().expect("a figure")).collect();
    let [requests, micros, bad, p99, slowest] = figures[..] else { panic!("{line}") };
    assert!(bad.abs() < 0.5, "{bad} requests failed: {text}");
    let time = |micros: f64| Duration::from_secs_f64(micros / 1e6);
    Pace { per_second: requests * 1e6 / micros, p99: time(p99), slowest: time(slowest) }
}
