//! One delegate process from its first call to its end.

use std::future::Future;
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::{Instant, sleep};

use super::World;
use super::families;
use crate::answer::Answer;
use crate::cast::{Cast, Pod};
use crate::client::{Go, JavaRest, JavaStream, Kind, Runner};
use crate::clock;
use crate::http::CallError;
use crate::scenario::{Behaviour, First};
use crate::stats::Event;

/// How long a runner repeats its goodbye (`agent-protocol 2.4`).
const GOODBYE_TRIES: u64 = 30;

/// How a process ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// Planned: it unregisters where its family can.
    Goodbye,
    /// It just is not heard of any more.
    Silence,
}

/// Why a process stops beating although nobody told it to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Halt {
    /// All attempts to register are used up.
    GaveUp,
    /// The server's words stopped it.
    Stopped,
}

/// The program inside the process.
pub(super) enum Client {
    Rest(Rest),
    Stream(JavaStream),
}

/// A program that beats over REST.
pub(super) enum Rest {
    Go(Go),
    Runner(Runner),
    Java(JavaRest),
}

/// A call that is repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Beat,
    Poll,
    /// Runners only; nothing for others.
    Reconcile,
}

/// A played process.
pub(super) struct Process {
    client: Client,
    /// Whether it has made itself known, so that it never registers again.
    known: bool,
    builds: Option<u32>,
    /// Another time between heartbeats than its family has.
    beat_every: Option<Duration>,
    /// Told once when it has made itself known.
    joined: Option<oneshot::Sender<()>>,
}

impl Process {
    /// A process that has not made its first call.
    pub(super) fn new(world: &World, cast: &Cast, pod: Pod<'_>) -> Self {
        let (http, profile, token) = (world.http.clone(), cast.profile(pod), cast.token.clone());
        let client = match cast.group.client {
            Kind::Go => Client::Rest(Rest::Go(Go::new(http, profile, token))),
            Kind::Runner => Client::Rest(Rest::Runner(Runner::new(http, profile, token))),
            Kind::JavaRest => Client::Rest(Rest::Java(JavaRest::new(http, profile, token))),
            Kind::JavaStream => Client::Stream(JavaStream::new(http, profile, token)),
        };
        let known = cast.group.first == First::Heartbeat;
        if known {
            client.set_delegate_id(&cast.delegate_id(pod));
        }
        let beat_every = match &cast.group.behaviour {
            Behaviour::Late { every } if cast.group.behaves(pod.replica) => Some(every.0),
            _ => None,
        };
        Self { client, known, builds: cast.group.capacity, beat_every, joined: None }
    }

    /// Ready when it has made itself known; never, if it is dropped before.
    pub(super) fn joining(&mut self) -> oneshot::Receiver<()> {
        let (sender, receiver) = oneshot::channel();
        self.joined = Some(sender);
        receiver
    }

    /// Beats until `until` is ready and ends as that says. It may be run again, under the same id.
    pub(super) async fn run(&mut self, world: &World, until: impl Future<Output = Ending>) -> Ending {
        tokio::pin!(until);
        let mut counted = false;
        let outcome = tokio::select! {
            biased;
            ending = &mut until => Ok(ending),
            halt = self.live(world, &mut counted) => Err(halt),
        };
        if counted {
            world.http.stats().event(Event::Left);
        }
        let ending = match outcome {
            Ok(ending) => {
                if ending == Ending::Goodbye && self.known {
                    self.client.goodbye(world).await;
                }
                ending
            }
            Err(halt) => {
                world.http.stats().event(halt.event());
                self.client.cut();
                // Such a process hangs about until its host ends it, and has nothing to say then.
                until.await
            }
        };
        self.client.cut();
        ending
    }

    /// First call, then heartbeats and polls.
    async fn live(&mut self, world: &World, counted: &mut bool) -> Halt {
        if !self.known {
            if let Err(halt) = families::register(world, &self.client).await {
                return halt;
            }
            self.known = true;
        }
        world.http.stats().event(Event::Joined);
        *counted = true;
        if let Some(joined) = self.joined.take() {
            // Nobody waits for the first process of a replica.
            let _ = joined.send(());
        }
        families::beat(world, &mut self.client, self.builds, self.beat_every).await
    }
}

impl Halt {
    const fn event(self) -> Event {
        match self {
            Self::GaveUp => Event::GaveUp,
            Self::Stopped => Event::Stopped,
        }
    }
}

impl Client {
    fn set_delegate_id(&self, id: &str) {
        match self {
            Self::Rest(Rest::Go(client)) => client.set_delegate_id(id),
            Self::Rest(Rest::Runner(client)) => client.set_delegate_id(id),
            Self::Rest(Rest::Java(client)) => client.set_delegate_id(id),
            Self::Stream(client) => client.set_delegate_id(id),
        }
    }

    /// One attempt to register.
    pub(super) async fn register(&self) -> Result<Answer, CallError> {
        let now = clock::now();
        match self {
            Self::Rest(Rest::Go(client)) => client.register(now).await,
            Self::Rest(Rest::Runner(client)) => client.register(now).await,
            Self::Rest(Rest::Java(client)) => client.register(now).await,
            Self::Stream(client) => client.register(now).await,
        }
    }

    /// Whether it is a Java delegate, which obeys the server's words.
    pub(super) const fn is_java(&self) -> bool {
        matches!(self, Self::Rest(Rest::Java(_)) | Self::Stream(_))
    }

    /// Says goodbye as the family does. Failures are counted with the requests.
    async fn goodbye(&mut self, world: &World) {
        match self {
            Self::Rest(Rest::Go(_)) => {}
            Self::Rest(Rest::Runner(client)) => {
                let end = Instant::now() + world.pace.seconds(GOODBYE_TRIES);
                while !client.goodbye(clock::now()).await.is_ok_and(|answer| answer.is_success()) {
                    if Instant::now() >= end {
                        return;
                    }
                    sleep(world.pace.seconds(1)).await;
                }
            }
            Self::Rest(Rest::Java(client)) => drop(client.goodbye(clock::now()).await),
            Self::Stream(client) => drop(client.goodbye(clock::now()).await),
        }
    }

    /// Loses its stream, if it has one.
    fn cut(&mut self) {
        if let Self::Stream(client) = self {
            client.drop_stream();
        }
    }
}

impl Rest {
    /// One call of those that are repeated; none where the family does not have it.
    pub(super) async fn call(&self, step: Step) -> Option<Result<Answer, CallError>> {
        let now = clock::now();
        Some(match (self, step) {
            (Self::Go(client), Step::Beat) => client.beat(now).await,
            (Self::Go(client), Step::Poll) => client.poll(now).await,
            (Self::Runner(client), Step::Beat) => client.beat(now).await,
            (Self::Runner(client), Step::Poll) => client.poll(now).await,
            (Self::Runner(client), Step::Reconcile) => client.reconcile(now).await,
            (Self::Java(client), Step::Beat) => client.beat(now).await,
            (Self::Java(client), Step::Poll) => client.poll(now).await,
            (Self::Go(_) | Self::Java(_), Step::Reconcile) => return None,
        })
    }
}
