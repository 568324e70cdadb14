//! Heartbeats a second beside what people use today: samples pushed to a Prometheus Pushgateway, with its check that all
//! groups agree and without it. The program is Debian's, in `tools/unpacked`.

#[expect(dead_code, reason = "shared with other benchmarks")]
mod house;

use std::time::Duration;

use house::House;
use house::wrk::{Pace, heartbeats, pushes};
use tokio::net::{TcpListener, TcpStream};
use tokio::process::Command;

const PROGRAM: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../tools/unpacked/prometheus-pushgateway/usr/bin/prometheus-pushgateway"
);
const AGENTS: [u32; 3] = [500, 2_000, 5_000];
/// A server that does not listen by then never will.
const PATIENCE: Duration = Duration::from_secs(10);

#[tokio::main]
async fn main() {
    println!(
        "\n| agents | Pushgateway/s | without its check/s | Rollcall/s | times | p99 of Pushgateway | p99 of Rollcall |"
    );
    println!("|---|---|---|---|---|---|---|");
    for agents in AGENTS {
        let checked = pushgateway(agents, &[]).await;
        let unchecked = pushgateway(agents, &["--push.disable-consistency-check"]).await;
        // Fleets are made of whole thousands.
        let house = House::build(agents.next_multiple_of(1_000), None).await;
        let own = heartbeats(&house.address(), agents).await;
        house.end().await;
        let millis = |pace: Pace| pace.p99.as_secs_f64() * 1_000.0;
        println!(
            "| {agents} | {:.0} | {:.0} | {:.0} | {:.0} / {:.0} | {:.1} ms | {:.1} ms |",
            checked.per_second,
            unchecked.per_second,
            own.per_second,
            own.per_second / checked.per_second,
            own.per_second / unchecked.per_second,
            millis(checked),
            millis(own),
        );
    }
}

async fn pushgateway(agents: u32, flags: &[&str]) -> Pace {
    // The port is free again by the time that it is given away.
    let free = TcpListener::bind("127.0.0.1:0").await.expect("port");
    let address = free.local_addr().expect("address");
    drop(free);
    let mut process = Command::new(PROGRAM)
        .arg(format!("--web.listen-address={address}"))
        .arg("--log.level=error")
        .args(flags)
        .kill_on_drop(true)
        .spawn()
        .expect("prometheus-pushgateway; scripts/install-tools.sh bench brings it");
    let listens = async {
        while TcpStream::connect(address).await.is_err() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(PATIENCE, listens).await.expect("the Pushgateway listens");
    let pace = pushes(&format!("http://{address}"), agents).await;
    process.kill().await.expect("end");
    pace
}
