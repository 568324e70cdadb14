//! A hundred thousand open WebSockets: what they cost, how fast they come, and all of them coming back at once.

#[expect(dead_code, reason = "shared with other benchmarks")]
mod house;

use std::io;
use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use house::House;
use house::credential::JWE;

/// Connections, where the system allows as many open files; delegates of the fleet.
const SOCKETS: u32 = 100_000;
/// Files that are left for everything else.
const OTHER_FILES: u64 = 1_000;
/// Connections from one address: it has no more than 28,000 ports.
const FROM_ONE: u32 = 20_000;
/// Handshakes at once.
const OPENING: usize = 256;
/// Delegates send a frame so often.
const EVERY: Duration = Duration::from_secs(50);
/// The time in which all of them come back.
const STORM: Duration = Duration::from_mins(1);
/// Memory that all of them may take, in MiB.
const MEMORY: f64 = 2_048.0;

/// The connection of one delegate.
struct Socket {
    stream: TcpStream,
    number: u32,
}

impl Socket {
    /// Opens it from an address of this machine and sends the first frame.
    async fn open(server: SocketAddr, number: u32, network: u8) -> io::Result<Self> {
        let socket = TcpSocket::new_v4()?;
        let host = u8::try_from(number / FROM_ONE + 2).unwrap_or(u8::MAX);
        socket.bind(SocketAddr::V4(SocketAddrV4::new(Ipv4Addr::new(127, 0, network, host), 0)))?;
        let mut stream = socket.connect(server).await?;
        let request = format!(
            "GET /stream/delegate/ACC?delegateId=d-{number:08}&token={JWE} HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade\r\n\
             upgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
        );
        stream.write_all(request.as_bytes()).await?;
        let mut head = Vec::with_capacity(256);
        while !head.ends_with(b"\r\n\r\n") {
            head.push(stream.read_u8().await?);
        }
        if !head.starts_with(b"HTTP/1.1 101") {
            return Err(io::Error::other(String::from_utf8_lossy(&head).into_owned()));
        }
        let mut this = Self { stream, number };
        this.beat().await?;
        Ok(this)
    }

    /// Sends a frame and waits for its acknowledgement.
    async fn beat(&mut self) -> io::Result<()> {
        let text = format!(
            r#"{{"accountId":"ACC","delegateId":"d-{:08}","version":"26.11.90604","token":"{JWE}"}}"#,
            self.number
        );
        let length = u16::try_from(text.len()).map_err(io::Error::other)?;
        // One whole text frame under a mask of zeros.
        let mut frame = vec![0x81, 0x80 | 0x7e];
        frame.extend(length.to_be_bytes());
        frame.extend([0; 4]);
        frame.extend(text.as_bytes());
        self.stream.write_all(&frame).await?;
        let mut head = [0; 2];
        self.stream.read_exact(&mut head).await?;
        let length = match head[1] {
            126 => self.stream.read_u16().await?,
            short => u16::from(short),
        };
        let mut answer = vec![0; usize::from(length)];
        self.stream.read_exact(&mut answer).await?;
        if head[0] == 0x81 { Ok(()) } else { Err(io::Error::other("no acknowledgement")) }
    }
}

/// Opens all of them, evenly over a time; gives them, what failed, and the slowest of all.
async fn open_all(
    server: SocketAddr,
    count: u32,
    network: u8,
    over: Duration,
) -> (Vec<Socket>, u64, Duration) {
    let turns = Arc::new(Semaphore::new(OPENING));
    let (failed, slowest) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
    let mut opening = JoinSet::new();
    let (mut open, begun) = (Vec::new(), tokio::time::Instant::now());
    for number in 0..count {
        if number % 100 == 0 {
            tokio::time::sleep_until(begun + over.mul_f64(f64::from(number) / f64::from(count))).await;
            while let Some(done) = opening.try_join_next() {
                open.extend(done.expect("opening"));
            }
        }
        let turn = Arc::clone(&turns).acquire_owned().await.expect("a turn");
        let (failed, slowest) = (Arc::clone(&failed), Arc::clone(&slowest));
        opening.spawn(async move {
            let started = Instant::now();
            let opened = Socket::open(server, number, network).await;
            slowest.fetch_max(
                u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
                Ordering::Relaxed,
            );
            drop(turn);
            opened
                .inspect_err(|_| {
                    failed.fetch_add(1, Ordering::Relaxed);
                })
                .ok()
        });
    }
    while let Some(done) = opening.join_next().await {
        open.extend(done.expect("opening"));
    }
    (open, failed.load(Ordering::Relaxed), Duration::from_millis(slowest.load(Ordering::Relaxed)))
}

/// Lets all of them beat as delegates do, for one round; gives them back with what failed.
async fn beat_all(sockets: Vec<Socket>) -> (Vec<Socket>, u64) {
    let mut beating = JoinSet::new();
    let count = u32::try_from(sockets.len()).unwrap_or(u32::MAX);
    for (place, mut socket) in (0_u32..).zip(sockets) {
        beating.spawn(async move {
            tokio::time::sleep(EVERY.mul_f64(f64::from(place) / f64::from(count))).await;
            socket.beat().await.map(|()| socket)
        });
    }
    let (mut alive, mut failed) = (Vec::new(), 0);
    while let Some(done) = beating.join_next().await {
        match done.expect("beating") {
            Ok(socket) => alive.push(socket),
            Err(_) => failed += 1,
        }
    }
    (alive, failed)
}

#[tokio::main]
async fn main() {
    let wanted = u64::from(SOCKETS) + OTHER_FILES;
    // Who runs as root may raise what the system allows; everybody else may use all of it.
    let raised = rlimit::Resource::NOFILE.set(wanted, wanted).map(|()| wanted);
    let files = raised.or_else(|_| rlimit::increase_nofile_limit(wanted)).expect("the limit of open files");
    let count = u32::try_from(files.saturating_sub(OTHER_FILES)).map_or(SOCKETS, |count| count.min(SOCKETS));
    let house = House::build(SOCKETS, None).await;
    let server: SocketAddr = house.address().trim_start_matches("http://").parse().expect("address");
    let idle = house.rss();
    let started = Instant::now();
    let (sockets, failed, slowest) = open_all(server, count, 0, Duration::ZERO).await;
    let took = started.elapsed();
    println!("\n| what | found | goal | |\n|---|---|---|---|");
    let verdict = |held: bool| if held { "pass" } else { "MISS" };
    println!(
        "| opened as fast as they are taken | {} of {count} in {:.1} s, {:.0} a second, the slowest in {} ms | all | {} |",
        sockets.len(),
        took.as_secs_f64(),
        f64::from(count) / took.as_secs_f64(),
        slowest.as_millis(),
        verdict(failed == 0),
    );
    let (sockets, silent) = beat_all(sockets).await;
    let open = house.rss();
    // Where the system does not allow as many, what one costs tells what all would.
    let each = f64::from(u32::try_from(open.saturating_sub(idle)).unwrap_or(u32::MAX)) / f64::from(count);
    let all = f64::from(u32::try_from(idle).unwrap_or(u32::MAX)) + each * f64::from(SOCKETS);
    let fits = all / 1_024.0 < MEMORY;
    let mut missed = failed + silent > 0 || !fits;
    println!(
        "| a frame of each within {} s | {silent} failed | 0 | {} |",
        EVERY.as_secs(),
        verdict(silent == 0)
    );
    println!(
        "| memory of the server | {} MiB with {count}, {each:.1} KiB each above the {} MiB of the fleet: {:.0} MiB with {SOCKETS} \
         | < {MEMORY:.0} MiB | {} |",
        open / 1_024,
        idle / 1_024,
        all / 1_024.0,
        verdict(fits),
    );
    drop(sockets);
    let started = Instant::now();
    // From other addresses: the ports of the first are still held by the system.
    let (sockets, failed, slowest) = open_all(server, count, 1, STORM).await;
    missed |= failed > 0;
    println!(
        "| all come back within {} s | {} in {:.1} s, the slowest in {} ms | all | {} |",
        STORM.as_secs(),
        sockets.len(),
        started.elapsed().as_secs_f64(),
        slowest.as_millis(),
        verdict(failed == 0),
    );
    println!("| memory of the server after that | {} MiB | | |", house.rss() / 1_024);
    drop(sockets);
    house.end().await;
    assert!(!missed, "a goal was missed");
}
