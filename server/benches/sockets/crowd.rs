//! Many delegates of one node, in a process of their own: it may have as many open files as the node itself.
//!
//! The process is told what to do by lines on its input and answers each with a line of figures: how many are open, how
//! many failed, the slowest in milliseconds, all of it in milliseconds.

use std::net::SocketAddr;
use std::process::Stdio;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use super::socket::Socket;

/// What makes this program a crowd: the address of its node, its first number and its size follow.
pub(crate) const FLAG: &str = "--crowd";
/// Handshakes at once.
const OPENING: usize = 64;

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

    /// All of them send a frame, evenly over a time.
    pub(crate) async fn beat(&mut self, over: Duration) -> Done {
        self.order(&format!("beat 0 {}", over.as_millis())).await
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

/// Is a crowd until its input ends.
pub(crate) async fn be(server: SocketAddr, first: u32, count: u32) {
    let mut sockets = Vec::new();
    let next = || tokio::task::spawn_blocking(|| std::io::stdin().lines().next());
    while let Some(order) = next().await.expect("no panic") {
        let order = order.expect("input");
        let words: Vec<&str> = order.split(' ').collect();
        let [what, network, millis] = words[..] else { panic!("{order}") };
        let over = Duration::from_millis(millis.parse().expect("milliseconds"));
        let started = Instant::now();
        let (failed, slowest);
        (sockets, failed, slowest) = match what {
            "open" => {
                let network = network.parse().expect("a network");
                let open = |number| Socket::open(server, number, network);
                each((first..first + count).collect(), over, OPENING, open).await
            }
            "beat" => {
                let beat = |mut socket: Socket| async move { socket.beat().await.map(|()| socket) };
                each(sockets, over, Semaphore::MAX_PERMITS, beat).await
            }
            _ => (Vec::new(), 0, Duration::ZERO),
        };
        println!("{} {failed} {} {}", sockets.len(), slowest.as_millis(), started.elapsed().as_millis());
    }
}

/// Does the same for each, evenly over a time and so many at once; gives what came of it, the count of failures and the
/// slowest of all.
async fn each<T, F>(
    items: Vec<T>,
    over: Duration,
    at_once: usize,
    work: impl Fn(T) -> F,
) -> (Vec<Socket>, u32, Duration)
where
    F: Future<Output = std::io::Result<Socket>> + Send + 'static,
{
    let turns = Arc::new(Semaphore::new(at_once));
    let count = u32::try_from(items.len()).unwrap_or(u32::MAX);
    let (mut open, mut failed, mut slowest) = (Vec::with_capacity(items.len()), 0, Duration::ZERO);
    let mut note = |done: Result<(std::io::Result<Socket>, Duration), _>| {
        let (socket, took): (_, Duration) = done.expect("no panic");
        slowest = slowest.max(took);
        match socket {
            Ok(socket) => open.push(socket),
            Err(error) => {
                eprintln!("{error}");
                failed += 1;
            }
        }
    };
    let (mut working, begun) = (JoinSet::new(), tokio::time::Instant::now());
    for (place, item) in (0_u32..).zip(items) {
        if place % 10 == 0 {
            tokio::time::sleep_until(begun + over.mul_f64(f64::from(place) / f64::from(count))).await;
            while let Some(done) = working.try_join_next() {
                note(done);
            }
        }
        let turn = Arc::clone(&turns).acquire_owned().await.expect("a turn");
        let work = work(item);
        working.spawn(async move {
            let started = Instant::now();
            let done = work.await;
            drop(turn);
            (done, started.elapsed())
        });
    }
    while let Some(done) = working.join_next().await {
        note(done);
    }
    (open, failed, slowest)
}
