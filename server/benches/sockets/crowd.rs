//! Many delegates of one node, in a process of their own: it may have as many open files as the node itself.
//!
//! The process is told what to do by lines on its input and answers each with a line of figures: how many are open, how
//! many failed meanwhile, the slowest and all of it, in milliseconds.

use std::io;
use std::net::SocketAddr;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;

use super::socket::Socket;

/// What makes this program a crowd: the address of its node, its first number and its size follow.
pub(crate) const FLAG: &str = "--crowd";
/// Delegates send a frame so often.
pub(crate) const EVERY: Duration = Duration::from_secs(50);
/// Handshakes at once.
const OPENING: u32 = 64;

/// What a crowd did.
#[derive(Clone, Copy, Default)]
pub(crate) struct Done {
    pub(crate) open: u32,
    pub(crate) failed: u32,
    pub(crate) slowest: Duration,
    pub(crate) took: Duration,
}

impl Done {
    /// Both at the same time.
    pub(crate) fn and(self, other: Self) -> Self {
        Self {
            open: self.open + other.open,
            failed: self.failed + other.failed,
            slowest: self.slowest.max(other.slowest),
            took: self.took.max(other.took),
        }
    }
}

/// A crowd, seen from the outside. It ends with this value.
pub(crate) struct Crowd {
    orders: ChildStdin,
    answers: Lines<BufReader<ChildStdout>>,
    _process: Child,
}

impl Crowd {
    /// Delegates `first..first + count`, none of which has called yet.
    pub(crate) fn gather(server: &str, first: u32, count: u32) -> Self {
        let mut process = Command::new(std::env::current_exe().expect("this program"))
            .args([FLAG, server, &first.to_string(), &count.to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .expect("crowd");
        let answers = BufReader::new(process.stdout.take().expect("output")).lines();
        Self { orders: process.stdin.take().expect("input"), answers, _process: process }
    }

    /// All of them connect, evenly over a time; from addresses of this network, whose ports nobody holds.
    pub(crate) async fn open(&mut self, network: u8, over: Duration) -> Done {
        self.order(&format!("open {network} {}", over.as_millis())).await
    }

    /// All of them beat for so long.
    pub(crate) async fn hold(&mut self, lasting: Duration) -> Done {
        self.order(&format!("hold 0 {}", lasting.as_millis())).await
    }

    /// All of them hang up.
    pub(crate) async fn close(&mut self) -> Done {
        self.order("close 0 0").await
    }

    async fn order(&mut self, order: &str) -> Done {
        self.orders.write_all(format!("{order}\n").as_bytes()).await.expect("a crowd that listens");
        let line = self.answers.next_line().await.expect("output").expect("an answer");
        let figures: Vec<u32> = line.split(' ').map(|figure| figure.parse().expect("a figure")).collect();
        let [open, failed, slowest, took] = figures[..] else { panic!("{line}") };
        let time = |millis: u32| Duration::from_millis(u64::from(millis));
        Done { open, failed, slowest: time(slowest), took: time(took) }
    }
}

/// What became of the sockets since it was last told.
#[derive(Default)]
struct Tally {
    /// Of all time.
    open: AtomicU32,
    failed: AtomicU32,
    slowest: AtomicU64,
}

impl Tally {
    fn took(&self, time: Duration) {
        self.slowest.fetch_max(u64::try_from(time.as_millis()).unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    fn failed(&self, error: &io::Error) {
        // One says what they all would.
        if self.failed.fetch_add(1, Ordering::Relaxed) == 0 {
            eprintln!("{error}");
        }
    }

    /// Open, failed and slowest.
    fn tell(&self) -> (u32, u32, u64) {
        let open = self.open.load(Ordering::Relaxed);
        (open, self.failed.swap(0, Ordering::Relaxed), self.slowest.swap(0, Ordering::Relaxed))
    }
}

/// Is a crowd until its input ends.
pub(crate) async fn be(server: SocketAddr, first: u32, count: u32) {
    let (tally, mut sockets) = (Arc::new(Tally::default()), JoinSet::new());
    let next = || tokio::task::spawn_blocking(|| std::io::stdin().lines().next());
    while let Some(order) = next().await.expect("no panic") {
        let order = order.expect("input");
        let words: Vec<&str> = order.split(' ').collect();
        let [what, network, millis] = words[..] else { panic!("{order}") };
        let over = Duration::from_millis(millis.parse().expect("milliseconds"));
        let started = Instant::now();
        match what {
            "open" => {
                let (begun, turns) =
                    (tokio::time::Instant::now(), Arc::new(Semaphore::new(OPENING as usize)));
                let network = network.parse().expect("a network");
                for place in 0..count {
                    tokio::time::sleep_until(begun + over.mul_f64(f64::from(place) / f64::from(count))).await;
                    let turn = Arc::clone(&turns).acquire_owned().await.expect("a turn");
                    sockets.spawn(live(server, first + place, network, turn, Arc::clone(&tally)));
                }
                let _all = turns.acquire_many(OPENING).await.expect("every turn");
            }
            "hold" => tokio::time::sleep(over).await,
            _ => {
                sockets.shutdown().await;
                tally.open.store(0, Ordering::Relaxed);
            }
        }
        let took = started.elapsed().as_millis();
        let (open, failed, slowest) = tally.tell();
        println!("{open} {failed} {slowest} {took}");
    }
}

/// Connects in its turn, then beats as delegates do for as long as the connection lives.
async fn live(server: SocketAddr, number: u32, network: u8, turn: OwnedSemaphorePermit, tally: Arc<Tally>) {
    let started = Instant::now();
    let mut socket = match Socket::open(server, number, network).await {
        Ok(socket) => socket,
        Err(error) => return tally.failed(&error),
    };
    tally.took(started.elapsed());
    tally.open.fetch_add(1, Ordering::Relaxed);
    drop(turn);
    loop {
        tokio::time::sleep(EVERY).await;
        let started = Instant::now();
        if let Err(error) = socket.beat().await {
            tally.open.fetch_sub(1, Ordering::Relaxed);
            return tally.failed(&error);
        }
        tally.took(started.elapsed());
    }
}
