//! The timing of each client family (`agent-protocol 5`, `6`, `13.3`).

use std::time::Duration;

use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at, sleep, sleep_until};

use super::World;
use super::process::{Client, Halt, Rest, Step};
use crate::answer::{self, Answer};
use crate::client::JavaStream;
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
    if client.is_java() {
        return register_java(world, client).await;
    }
    let start = Instant::now();
    for at in GO_ATTEMPTS {
        if at > 0 {
            sleep_until(start + world.pace.millis(at)).await;
        }
        if is_registered(&client.register().await) {
            return Ok(());
        }
    }
    Err(Halt::GaveUp)
}

async fn register_java(world: &World, client: &Client) -> Result<(), Halt> {
    loop {
        let outcome = client.register().await;
        if is_registered(&outcome) {
            return Ok(());
        }
        if is_stopping(&outcome) {
            return Err(Halt::Stopped);
        }
        sleep(world.pace.seconds(JAVA_ATTEMPTS)).await;
    }
}

/// Whether an answer to a registration is one.
fn is_registered(outcome: &Result<Answer, CallError>) -> bool {
    outcome.as_ref().is_ok_and(|answer| answer.delegate_id().is_some())
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
    let own = if client.is_java() { JAVA_BEAT } else { GO_BEAT };
    let every = beat_every.map_or(world.pace.seconds(own), |every| world.pace.of(every));
    match client {
        Client::Rest(rest) => beat_over_rest(world, rest, builds, every).await,
        Client::Stream(java) => beat_over_stream(world, java, every).await,
    }
}

/// Beats, polls and reconciles side by side: a slow answer to one holds up none of the others.
async fn beat_over_rest(world: &World, rest: &Rest, builds: Option<u32>, every: Duration) -> Halt {
    if let (Rest::Go(go), Some(builds)) = (rest, builds) {
        let _ = go.tell_capacity(builds, clock::now()).await;
    }
    let is_java = matches!(rest, Rest::Java(_));
    let first = if is_java { Duration::ZERO } else { every };
    let (poll, reconcile) = (world.pace.seconds(POLL), world.pace.seconds(RECONCILE));
    tokio::select! {
        halt = repeat(rest, Step::Beat, first, every) => halt,
        halt = repeat(rest, Step::Poll, poll, poll) => halt,
        halt = repeat(rest, Step::Reconcile, reconcile, reconcile), if matches!(rest, Rest::Runner(_)) => halt,
    }
}

/// Repeats one call. Failures are counted by the sender and otherwise ignored, as agents do.
async fn repeat(rest: &Rest, step: Step, first: Duration, every: Duration) -> Halt {
    let obeys = matches!(rest, Rest::Java(_)) && step == Step::Beat;
    let mut ticks = ticks(first, every);
    loop {
        ticks.tick().await;
        let outcome = rest.call(step).await;
        if obeys && outcome.as_ref().is_some_and(is_stopping) {
            return Halt::Stopped;
        }
    }
}

/// Ticks that are never made up for.
fn ticks(first: Duration, every: Duration) -> Interval {
    let mut ticks = interval_at(Instant::now() + first, every);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    ticks
}

/// Keeps a stream open, for ever with pauses.
async fn beat_over_stream(world: &World, java: &mut JavaStream, every: Duration) -> Halt {
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
