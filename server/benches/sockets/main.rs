//! A hundred thousand open WebSockets: what they cost, how fast they come, and all of them coming back at once.
//!
//! Where the system does not allow that many open files to a process, several nodes share them, on PostgreSQL.

mod crowd;
#[expect(dead_code, reason = "shared with other benchmarks")]
#[path = "../house/mod.rs"]
mod house;
#[path = "../../tests/support/postgres.rs"]
mod postgres;
mod socket;

use std::time::Duration;

use futures::future::join_all;
use server::web::listen;

use crowd::{Crowd, Done};
use house::House;

/// Connections, and delegates of the fleet.
const SOCKETS: u32 = 100_000;
/// What a node has room for besides.
const OTHER_CONNECTIONS: u32 = 50;
/// For how long all of them stay: each sends a frame at least once.
const STAYING: Duration = Duration::from_mins(1);
/// The time in which all of them come back: they begin until shortly before its end.
const STORM: Duration = Duration::from_mins(1);
const COMING_BACK: Duration = Duration::from_secs(57);
/// Memory that all of them may take, in MiB.
const MEMORY: u64 = 2_048;

/// The nodes, and the delegates of each.
struct Fleet {
    nodes: Vec<House>,
    crowds: Vec<Crowd>,
}

impl Fleet {
    /// Nodes for all delegates, of which one may have so many.
    async fn build(to_one: u32) -> Self {
        let count = SOCKETS.div_ceil(to_one);
        let url = if count == 1 { None } else { Some(postgres::fresh_database().await) };
        let mut nodes = vec![House::build(SOCKETS, url).await];
        for _ in 1..count {
            let another = nodes[0].another().await;
            nodes.push(another);
        }
        let share = SOCKETS.div_ceil(count);
        let crowds = (0..count).zip(&nodes).map(|(place, node)| {
            let first = place * share;
            Crowd::gather(node.address().trim_start_matches("http://"), first, share.min(SOCKETS - first))
        });
        Self { crowds: crowds.collect(), nodes }
    }

    /// Memory of all nodes, in KiB.
    fn rss(&self) -> u64 {
        self.nodes.iter().map(House::rss).sum()
    }

    /// Processor time of all nodes.
    fn processor_time(&self) -> Duration {
        self.nodes.iter().map(House::processor_time).sum()
    }

    async fn open(&mut self, network: u8, over: Duration) -> Done {
        sum(join_all(self.crowds.iter_mut().map(|crowd| crowd.open(network, over))).await)
    }

    async fn hold(&mut self) -> Done {
        sum(join_all(self.crowds.iter_mut().map(|crowd| crowd.hold(STAYING))).await)
    }

    async fn close(&mut self) -> Done {
        sum(join_all(self.crowds.iter_mut().map(Crowd::close)).await)
    }
}

fn sum(parts: Vec<Done>) -> Done {
    parts.into_iter().fold(Done::default(), Done::and)
}

#[tokio::main]
async fn main() {
    // Raises what the system allows; every process here inherits it.
    let room = u32::try_from(listen::room()).unwrap_or(SOCKETS);
    let to_one = room.saturating_sub(OTHER_CONNECTIONS).clamp(1, SOCKETS);
    let arguments: Vec<String> = std::env::args().collect();
    if let [_, flag, server, first, count] = &arguments[..]
        && flag == crowd::FLAG
    {
        let [first, count] = [first, count].map(|number| number.parse().expect("a number"));
        return crowd::be(server.parse().expect("an address"), first, count).await;
    }
    let mut fleet = Fleet::build(to_one).await;
    let held = measure(&mut fleet).await;
    for node in fleet.nodes {
        node.end().await;
    }
    assert!(held, "a goal was missed");
}

/// Prints the table; tells whether every goal was reached.
async fn measure(fleet: &mut Fleet) -> bool {
    println!("\n| {SOCKETS} WebSockets, nodes: {} | found | goal | |", fleet.nodes.len());
    println!("|---|---|---|---|");
    let verdict = |held: bool| if held { "pass" } else { "MISS" };
    let mib = |kib: u64| kib / 1_024;
    let idle = fleet.rss();
    println!("| memory before | {} MiB | | |", mib(idle));

    let rush = fleet.open(0, Duration::ZERO).await;
    println!(
        "| opened as fast as they are taken | {} in {:.1} s, {:.0} a second, the slowest in {} ms | all | {} |",
        rush.open,
        rush.took.as_secs_f64(),
        f64::from(rush.open) / rush.took.as_secs_f64(),
        rush.slowest.as_millis(),
        verdict(rush.open == SOCKETS),
    );
    let busy = fleet.processor_time();
    let beats = fleet.hold().await;
    let busy = fleet.processor_time().saturating_sub(busy).as_secs_f64() / beats.took.as_secs_f64();
    println!(
        "| a frame of each every {} s, for {} s | {} failed, the slowest in {} ms, {busy:.2} cores | none | {} |",
        crowd::EVERY.as_secs(),
        STAYING.as_secs(),
        beats.failed,
        beats.slowest.as_millis(),
        verdict(beats.open == SOCKETS),
    );
    let open = fleet.rss();
    let each = f64::from(u32::try_from(open.saturating_sub(idle)).unwrap_or(u32::MAX)) / f64::from(SOCKETS);
    let fits = mib(open) < MEMORY;
    println!(
        "| memory of all nodes | {} MiB, {each:.1} KiB a connection | < {MEMORY} MiB | {} |",
        mib(open),
        verdict(fits)
    );
    fleet.close().await;
    // From other addresses: the ports of the first are still held by the system.
    let storm = fleet.open(1, COMING_BACK).await;
    let back = storm.open == SOCKETS && storm.took <= STORM;
    println!(
        "| all come back within {} s | {} in {:.1} s, the slowest in {} ms | all | {} |",
        STORM.as_secs(),
        storm.open,
        storm.took.as_secs_f64(),
        storm.slowest.as_millis(),
        verdict(back),
    );
    println!("| memory after that | {} MiB | | |", mib(fleet.rss()));
    fleet.close().await;
    rush.open == SOCKETS && beats.open == SOCKETS && fits && back
}
