//! A database server that dies, and its standby that takes over.

use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::Arc;
use std::time::Duration;

use server::store;
use sqlx::{Connection as _, PgConnection};
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use crate::caller::Callers;
use crate::database::{Binaries, Server, free_port, is_ready};
use crate::house::{House, client, sign_in};
use crate::ledger::Ledger;
use crate::proxy::{Proxy, port_of};

/// How long anything may take.
const PATIENCE: Duration = Duration::from_mins(3);

/// A server that repeats what another one commits.
struct Standby {
    port: u16,
    /// Ends the server when it is dropped.
    _guard: Child,
}

impl Standby {
    /// Of the server behind this URL, which from now on acknowledges nothing that the standby does not have.
    async fn of(url: &str) -> Self {
        let binaries = Binaries::find();
        // Its guard deletes the folder.
        let folder = tempfile::Builder::new().prefix("rollcall-standby-").tempdir().expect("folder").keep();
        let owner = std::fs::metadata(data_folder(url).await).expect("data");
        std::os::unix::fs::chown(&folder, Some(owner.uid()), Some(owner.gid())).expect("owner");
        let words = binaries.command("pg_basebackup");
        let output = Command::new(&words[0])
            .args(&words[1..])
            .args(["--no-sync", "--checkpoint=fast", "--write-recovery-conf", "--dbname", url, "--pgdata"])
            .arg(folder.join("data"))
            .current_dir(&folder)
            .output()
            .expect("pg_basebackup");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let port = free_port();
        let guard = binaries.serve(&folder, port);
        until("the standby runs", async || is_ready(&folder)).await;
        ask(url, "ALTER SYSTEM SET synchronous_standby_names = '*'").await;
        ask(url, "SELECT pg_reload_conf()").await;
        let follows = "SELECT (count(*) FILTER (WHERE sync_state = 'sync'))::int8 FROM pg_stat_replication";
        until("the standby follows", async || number(url, follows).await == Some(1)).await;
        Self { port, _guard: guard }
    }
}

/// Where the server keeps its data.
async fn data_folder(url: &str) -> PathBuf {
    let mut connection = PgConnection::connect(url).await.expect("connection");
    let folder: String =
        sqlx::query_scalar("SHOW data_directory").fetch_one(&mut connection).await.expect("folder");
    folder.into()
}

async fn ask(url: &str, sql: &'static str) {
    let mut connection = PgConnection::connect(url).await.expect("connection");
    sqlx::raw_sql(sql).execute(&mut connection).await.expect(sql);
}

/// None while nobody answers.
async fn number(url: &str, sql: &'static str) -> Option<i64> {
    let mut connection = PgConnection::connect(url).await.ok()?;
    sqlx::query_scalar(sql).fetch_one(&mut connection).await.ok()
}

async fn until(what: &str, mut good: impl AsyncFnMut() -> bool) -> Duration {
    let started = Instant::now();
    while !good().await {
        assert!(started.elapsed() < PATIENCE, "{what}: it never happened");
        sleep(Duration::from_millis(50)).await;
    }
    started.elapsed()
}

/// Ends the server as a power cut does.
async fn pull_the_plug(folder: &Path) {
    let lock = std::fs::read_to_string(folder.join("postmaster.pid")).expect("a running server");
    let process = lock.lines().next().expect("its process");
    assert!(Command::new("kill").args(["-QUIT", process]).status().expect("kill").success());
    until("the server ends", async || !folder.join("postmaster.pid").exists()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_standby_takes_over_and_nothing_acknowledged_is_lost() {
    let primary = Server::start();
    ask(&primary.url("postgres"), "CREATE DATABASE fleet").await;
    let url = primary.url("fleet");
    let folder = data_folder(&url).await;
    let house = House::new(Some(url.clone())).await;
    let standby = Standby::of(&url).await;
    let proxy = Proxy::to(port_of(&url)).await;
    let way = proxy.by(&url);
    let node = house.start_on(&way).await;
    let callers = Callers {
        client: client(),
        url: node.url.clone(),
        cookie: sign_in(&client(), &node.url).await,
        ledger: Arc::new(Ledger::default()),
        store: store::open(&way).await.expect("store"),
    };
    let stop = CancellationToken::new();
    let takeover = async {
        let before = async || callers.ledger.has_every_kind();
        until("everything is done once", before).await;
        pull_the_plug(&folder).await;
        let counts = callers.ledger.counts();
        let own = format!("{}:{}/fleet", url.rsplit_once(':').expect("a port").0, standby.port);
        ask(&own, "SELECT pg_promote()").await;
        proxy.lead_to(standby.port);
        let back = until("ready again", async || node.is_ready().await).await;
        let more = async || {
            let now = callers.ledger.counts();
            now.iter().zip(&counts).all(|((_, now), (_, then))| now > then)
        };
        until("everything is done again", more).await;
        stop.cancel();
        println!("\na standby takes over: ready {} ms after it was promoted", back.as_millis());
    };
    tokio::join!(callers.run(8, 1, &stop), takeover);
    assert_eq!(callers.ledger.lost(&callers.store).await, [], "{}", house.log());
}
