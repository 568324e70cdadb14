//! The timing of each client family (`agent-protocol 5`, `6`, `13.3`).

use std::time::Duration;

use fleet::time::Timestamp;
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at, sleep, sleep_until};

use super::World;
use super::process::{Client, Halt};
use crate::answer::{self, Answer};
use crate::client::{Go, JavaRest, JavaStream, Runner};
use crate::clock;
use crate::http::CallError;

/// When a Go client or runner tries to register, in milliseconds; then it gives up for good.
const GO_ATTEMPTS: [u64; 10] = [0, 600, 1_600, 3_000, 4_500, 7_000, 11_400, 14_600, 20_300, 27_900];
/// Pause of a Java delegate between two attempts to register, in seconds; it never gives up.
const JAVA_ATTEMPTS: u64 = 60;
/// Time between heartbeats of Go clients and runners, in seconds; the first comes after this time.
const GO_BEAT: u64 = 10;
/// Time between heartbeats of a Java delegate, in seconds; the first comes at once.
const JAVA_BEAT: u64 = 50;
/// Time between polls of all families, in seconds.
const POLL: u64 = 3;
/// Time between reports of daemons of a runner, in seconds.
const RECONCILE: u64 = 60;
/// Pause before a lost stream is opened again, in seconds.
const RECONNECT: u64 = 5;
/// A stream without an acknowledgement for this long is taken for dead, in seconds.
const DEAD_STREAM: u64 = 300;

/// Registers as the family does until it succeeds, gives up or is stopped.
pub(super) async fn register(world: &World, client: &Client) -> Result<(), Halt> {
    match client {
        Client::Go(go) => register_go(world, async |now| go.register(now).await).await,
        Client::Runner(runner) => register_go(world, async |now| runner.register(now).await).await,
        Client::JavaRest(java) => register_java(world, async |now| java.register(now).await).await,
        Client::JavaStream(java) => register_java(world, async |now| java.register(now).await).await,
    }
}

/// Whether an answer to a registration is one.
fn is_registered(outcome: &Result<Answer, CallError>) -> bool {
    outcome.as_ref().is_ok_and(|answer| answer.delegate_id().is_some())
}

async fn register_go<F>(world: &World, attempt: F) -> Result<(), Halt>
where
    F: AsyncFn(Timestamp) -> Result<Answer, CallError>,
{
    let start = Instant::now();
    for at in GO_ATTEMPTS {
        if at > 0 {
            sleep_until(start + world.pace.millis(at)).await;
        }
        if is_registered(&attempt(clock::now()).await) {
            return Ok(());
        }
    }
    Err(Halt::GaveUp)
}

async fn register_java<F>(world: &World, attempt: F) -> Result<(), Halt>
where
    F: AsyncFn(Timestamp) -> Result<Answer, CallError>,
{
    loop {
        let outcome = attempt(clock::now()).await;
        if is_registered(&outcome) {
            return Ok(());
        }
        if is_stopping(&outcome) {
            return Err(Halt::Stopped);
        }
        sleep(world.pace.seconds(JAVA_ATTEMPTS)).await;
    }
}

/// Whether a Java delegate stops beating when it reads this.
fn is_stopping(outcome: &Result<Answer, CallError>) -> bool {
    outcome.as_ref().is_ok_and(|answer| answer.reaction().is_some())
}

/// Beats and polls as the family does. Ends only when the server's words stop the process.
///
/// `beat_every`: another time between heartbeats than the family has.
pub(super) async fn beat(
    world: &World,
    client: &mut Client,
    builds: Option<u32>,
    beat_every: Option<Duration>,
) -> Halt {
    let every = |seconds| beat_every.map_or(world.pace.seconds(seconds), |every| world.pace.of(every));
    match client {
        Client::Go(go) => beat_go(world, go, builds, every(GO_BEAT)).await,
        Client::Runner(runner) => beat_runner(world, runner, every(GO_BEAT)).await,
        Client::JavaRest(java) => beat_java(world, java, every(JAVA_BEAT)).await,
        Client::JavaStream(java) => beat_stream(world, java, every(JAVA_BEAT)).await,
    }
}

/// Ticks that are never made up for.
fn ticks(first: Duration, every: Duration) -> Interval {
    let mut ticks = interval_at(Instant::now() + first, every);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    ticks
}

/// Go clients log failures and go on (`agent-protocol 6`); here they are counted by the sender.
async fn repeat<F>(first: Duration, every: Duration, step: F) -> Halt
where
    F: AsyncFn(Timestamp) -> Result<Answer, CallError>,
{
    let mut ticks = ticks(first, every);
    loop {
        ticks.tick().await;
        let _ = step(clock::now()).await;
    }
}

async fn beat_go(world: &World, go: &Go, builds: Option<u32>, every: Duration) -> Halt {
    if let Some(builds) = builds {
        let _ = go.tell_capacity(builds, clock::now()).await;
    }
    let poll = world.pace.seconds(POLL);
    tokio::select! {
        halt = repeat(every, every, async |now| go.beat(now).await) => halt,
        halt = repeat(Duration::ZERO, poll, async |now| go.poll(now).await) => halt,
    }
}

async fn beat_runner(world: &World, runner: &Runner, every: Duration) -> Halt {
    let (poll, reconcile) = (world.pace.seconds(POLL), world.pace.seconds(RECONCILE));
    tokio::select! {
        halt = repeat(every, every, async |now| runner.beat(now).await) => halt,
        halt = repeat(Duration::ZERO, poll, async |now| runner.poll(now).await) => halt,
        halt = repeat(reconcile, reconcile, async |now| runner.reconcile(now).await) => halt,
    }
}

async fn beat_java(world: &World, java: &JavaRest, every: Duration) -> Halt {
    let beats = async {
        let mut ticks = ticks(Duration::ZERO, every);
        loop {
            ticks.tick().await;
            if is_stopping(&java.beat(clock::now()).await) {
                return Halt::Stopped;
            }
        }
    };
    let poll = world.pace.seconds(POLL);
    tokio::select! {
        halt = beats => halt,
        halt = repeat(poll, poll, async |now| java.poll(now).await) => halt,
    }
}

/// Keeps a stream open, for ever with pauses.
async fn beat_stream(world: &World, java: &mut JavaStream, every: Duration) -> Halt {
    loop {
        if java.connect(clock::now()).await.is_ok()
            && let Some(halt) = talk(world, java, every).await
        {
            return halt;
        }
        java.drop_stream();
        sleep(world.pace.seconds(RECONNECT)).await;
    }
}

/// Beats on an open stream until it is lost, or the server's words stop the process.
async fn talk(world: &World, java: &mut JavaStream, every: Duration) -> Option<Halt> {
    let id = java.delegate_id()?;
    let connection_id = java.connection_id().to_owned();
    let mut ticks = ticks(Duration::ZERO, every);
    let patience = world.pace.seconds(DEAD_STREAM).max(every * 2);
    let mut heard = Instant::now();
    let mut sent: Option<Instant> = None;
    loop {
        tokio::select! {
            _ = ticks.tick() => {
                if let Some(unanswered) = sent.replace(Instant::now()) {
                    java.count(&Err(CallError::Timeout), unanswered.elapsed());
                }
                if let Err(error) = java.send_beat(clock::now()).await {
                    java.count(&Err(error), Duration::ZERO);
                    return None;
                }
            }
            frame = java.next_frame() => {
                let is_ack = frame.as_ref().is_ok_and(|frame| answer::is_ack(frame, &id));
                if let Some(at) = sent.take_if(|_| is_ack || frame.is_err()) {
                    java.count(&frame, at.elapsed());
                }
                heard = if is_ack { Instant::now() } else { heard };
                let frame = frame.ok()?;
                if answer::is_self_destruct(&frame, &id, &connection_id) || answer::reaction(&frame).is_some() {
                    return Some(Halt::Stopped);
                }
            }
            () = sleep_until(heard + patience) => return None,
        }
    }
}
