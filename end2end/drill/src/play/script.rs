//! What a replica does over time: the behaviours of a scenario.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::task::JoinSet;
use tokio::time::sleep;

use super::World;
use super::process::{Ending, Process};
use crate::cast::{Cast, Pod};
use crate::client::{Upgrader, UpgraderCall};
use crate::clock;
use crate::scenario::Behaviour;

/// Default schedule of an upgrader, in seconds.
const UPGRADER_EVERY: u64 = 3_600;
/// The image repository that upgraders name.
const REPOSITORY: &str = "harness/delegate";

/// Plays one replica from its start after `delay` to the end of the play.
pub(super) async fn perform(world: World, cast: Arc<Cast>, replica: u32, delay: Duration) {
    tokio::select! {
        () = world.stopped() => return,
        () = sleep(delay) => {}
    }
    let pod = Pod { replica, ..Pod::default() };
    let behaviour = if cast.group.behaves(replica) { &cast.group.behaviour } else { &Behaviour::Steady };
    let mut process = Process::new(&world, &cast, pod);
    match behaviour {
        Behaviour::Steady | Behaviour::Late { .. } | Behaviour::Old => {
            process.run(&world, world.until_stop()).await;
        }
        Behaviour::Silent { after } => {
            process.run(&world, world.until(after.0, Ending::Silence)).await;
        }
        Behaviour::Goodbye { after } => {
            process.run(&world, world.until(after.0, Ending::Goodbye)).await;
        }
        Behaviour::Flapping { up, down } => flap(&world, &mut process, up.0, down.0).await,
        Behaviour::Churn { every } => {
            let turns = Turns { first: every.0 * (replica + 1), period: Some(every.0 * cast.group.replicas) };
            replace(&world, &cast, process, turns, pod).await;
        }
        Behaviour::Rollout { every, to } => {
            let turns = Turns { first: every.0 * (replica + 1), period: None };
            replace(&world, &cast, process, turns, Pod { rolled_to: Some(to), ..pod }).await;
        }
    }
}

/// Beats and is silent in turn.
async fn flap(world: &World, process: &mut Process, up: Duration, down: Duration) {
    while process.run(world, world.until(up, Ending::Silence)).await == Ending::Silence {
        if !world.wait(down).await {
            return;
        }
    }
}

/// When a replica gets a new pod.
struct Turns {
    first: Duration,
    /// None: once.
    period: Option<Duration>,
}

/// A pod that runs beside its successor for a moment.
struct Running {
    end: oneshot::Sender<Ending>,
    joined: oneshot::Receiver<()>,
}

/// Lets new pods take over: each joins first, then the old one says goodbye (`product 7`).
async fn replace(world: &World, cast: &Arc<Cast>, first: Process, turns: Turns, pod: Pod<'_>) {
    let mut pods = JoinSet::new();
    let mut current = launch(&mut pods, world, first);
    let mut turn = Some(turns.first);
    let mut generation = 0;
    while let Some(pause) = turn
        && world.wait(pause).await
    {
        generation += 1;
        let mut next = launch(&mut pods, world, Process::new(world, cast, Pod { generation, ..pod }));
        tokio::select! {
            () = world.stopped() => break,
            _ = &mut next.joined => {}
        }
        // A pod that has ended by itself needs no word.
        let _ = current.end.send(Ending::Goodbye);
        current = next;
        turn = turns.period;
        while pods.try_join_next().is_some() {}
    }
    while pods.join_next().await.is_some() {}
}

fn launch(pods: &mut JoinSet<()>, world: &World, mut process: Process) -> Running {
    let (end, ended) = oneshot::channel();
    let joined = process.joining();
    let world = world.clone();
    pods.spawn(async move {
        let until = async {
            tokio::select! {
                ending = world.until_stop() => ending,
                Ok(ending) = ended => ending,
            }
        };
        process.run(&world, until).await;
    });
    Running { end, joined }
}

/// Plays the upgrader of a group.
pub(super) async fn upgrade(world: World, cast: Arc<Cast>, delay: Duration) {
    let upgrader =
        Upgrader::new(world.http.clone(), cast.scope.account(), &cast.group.name, cast.token.clone());
    let call =
        if cast.group.behaviour == Behaviour::Old { UpgraderCall::Unnamed } else { UpgraderCall::Named };
    let image = format!("{REPOSITORY}:{}", cast.group.version(0).unwrap_or("latest"));
    tokio::select! {
        () = world.stopped() => return,
        () = sleep(delay) => {}
    }
    // The group should exist when its upgrader calls for the first time.
    let mut pause = Duration::from_secs(2);
    while world.wait(pause).await {
        let _ = upgrader.ask(call, &image, clock::now()).await;
        pause = Duration::from_secs(UPGRADER_EVERY);
    }
}
