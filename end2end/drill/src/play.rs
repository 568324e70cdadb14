//! Plays a scenario: one task per replica, bounded in time, number and connections.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use fleet::scope::Scope;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{Instant, MissedTickBehavior, interval_at, sleep, timeout};

use crate::base::Base;
use crate::cast::Cast;
use crate::http::Http;
use crate::scenario::Scenario;
use crate::stats::{Stats, Summary};
use crate::tokens::Tokens;
use pace::Pace;
use process::Ending;

pub use pace::PaceError;

mod families;
mod pace;
mod process;
mod script;

/// How a scenario is played.
#[derive(Clone, Debug)]
pub struct Options {
    /// Where the delegates report to.
    pub base: Base,
    /// When the play ends by itself.
    pub duration: Duration,
    /// The replicas start one after the other over this time.
    pub ramp: Duration,
    /// Every interval is shorter by this factor; 1 is the pace of real agents.
    pub speed: f64,
    /// REST requests at a time, and REST connections that are kept. Streams have their own.
    pub connections: usize,
    /// A scenario with more replicas is refused.
    pub max_instances: u64,
    /// How long goodbyes may take at the end.
    pub grace: Duration,
    /// Time between two progress lines.
    pub report_every: Duration,
}

impl Options {
    /// The defaults of the command line.
    #[must_use]
    pub const fn new(base: Base) -> Self {
        Self {
            base,
            duration: Duration::from_mins(10),
            ramp: Duration::from_secs(10),
            speed: 1.0,
            connections: 256,
            max_instances: 25_000,
            grace: Duration::from_secs(10),
            report_every: Duration::from_secs(10),
        }
    }
}

/// Why a play does not start.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PlayError {
    /// Scopes without a token.
    #[error("no token for {}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "))]
    NoToken(Vec<Scope>),
    /// More than is allowed.
    #[error("the scenario has {found} instances, at most {allowed} are allowed (--max-instances)")]
    TooMany {
        /// Replicas of all groups.
        found: u64,
        /// The limit.
        allowed: u64,
    },
    /// There is nothing to play.
    #[error("the scenario has no instance")]
    Empty,
    /// A speed that cannot be played.
    #[error(transparent)]
    Pace(#[from] PaceError),
}

/// What all tasks share.
#[derive(Clone)]
struct World {
    http: Http,
    pace: Pace,
    stop: watch::Receiver<bool>,
}

impl World {
    /// Waits for the end of the play.
    async fn stopped(&self) {
        // An error means that the player is gone, which is an end as well.
        let _ = self.stop.clone().wait_for(|stop| *stop).await;
    }

    /// Waits until the play ends, with the goodbye that belongs to it.
    async fn until_stop(&self) -> Ending {
        self.stopped().await;
        Ending::Goodbye
    }

    /// Waits for a time of the scenario, then ends as said; a stop of the play comes first.
    async fn until(&self, time: Duration, ending: Ending) -> Ending {
        tokio::select! {
            () = self.stopped() => Ending::Goodbye,
            () = sleep(self.pace.of(time)) => ending,
        }
    }

    /// Waits for a time of the scenario; false when the play ended before.
    async fn wait(&self, time: Duration) -> bool {
        self.until(time, Ending::Silence).await == Ending::Silence
    }
}

/// Plays `scenario` until its duration is over or `stop` is ready; `say` gets the progress lines.
///
/// # Errors
/// The scenario cannot be played as asked; nothing was sent then.
pub async fn play(
    scenario: &Scenario,
    tokens: &Tokens,
    options: &Options,
    stop: impl Future<Output = ()>,
    say: impl Fn(&str),
) -> Result<Summary, PlayError> {
    let casts = casts(scenario, tokens, options.max_instances)?;
    let pace = Pace::new(options.speed)?;
    let stats = Arc::new(Stats::default());
    let (end, stopped) = watch::channel(false);
    let http = Http::new(options.base.clone(), options.connections, Arc::clone(&stats));
    let mut tasks = start(&casts, &World { http, pace, stop: stopped }, options.ramp);
    let begun = Instant::now();
    tokio::select! {
        () = stop => {}
        () = sleep(options.duration) => {}
        () = report(&stats, options.report_every, &say) => {}
    }
    // Nobody listens when every delegate has ended already.
    let _ = end.send(true);
    let all_said = timeout(options.grace, async { while tasks.join_next().await.is_some() {} }).await;
    if all_said.is_err() {
        say(&format!("{} delegates did not end in time and were cut off", tasks.len()));
    }
    tasks.shutdown().await;
    let summary = stats.summary();
    say(&format!("total of {:.0?}: {}", begun.elapsed(), summary.line(begun.elapsed())));
    Ok(summary)
}

/// The groups with their tokens.
fn casts(scenario: &Scenario, tokens: &Tokens, allowed: u64) -> Result<Vec<Arc<Cast>>, PlayError> {
    let found = scenario.instances();
    if found == 0 {
        return Err(PlayError::Empty);
    }
    if found > allowed {
        return Err(PlayError::TooMany { found, allowed });
    }
    let used = scenario.scopes.iter().filter(|plan| !plan.groups.is_empty()).map(|plan| &plan.path);
    let missing: Vec<Scope> = used.filter(|scope| tokens.get(scope).is_none()).cloned().collect();
    if !missing.is_empty() {
        return Err(PlayError::NoToken(missing));
    }
    let cast =
        |(scope, group)| Some(Arc::new(Cast::new(scenario.seed, scope, group, tokens.get(scope)?.clone())));
    Ok(scenario.groups().filter_map(cast).collect())
}

/// One task per replica and one per upgrader, started evenly over `ramp`.
fn start(casts: &[Arc<Cast>], world: &World, ramp: Duration) -> JoinSet<()> {
    let mut tasks = JoinSet::new();
    let total: u64 = casts.iter().map(|cast| u64::from(cast.group.replicas)).sum();
    let share = |started: u64| ramp.mul_f64(fraction(started, total));
    let mut started = 0;
    for cast in casts {
        if cast.group.upgrader {
            tasks.spawn(script::upgrade(world.clone(), Arc::clone(cast), share(started)));
        }
        for replica in 0..cast.group.replicas {
            tasks.spawn(script::perform(world.clone(), Arc::clone(cast), replica, share(started)));
            started += 1;
        }
    }
    tasks
}

/// `part` of `whole`, as precise as a delay needs.
fn fraction(part: u64, whole: u64) -> f64 {
    let small = |value: u64| f64::from(u32::try_from(value).unwrap_or(u32::MAX));
    small(part) / small(whole.max(1))
}

/// Says every so often what happened since the last time. Never ends.
async fn report(stats: &Stats, every: Duration, say: &impl Fn(&str)) {
    let every = every.max(Duration::from_millis(100));
    let mut ticks = interval_at(Instant::now() + every, every);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let (begun, mut last, mut before) = (Instant::now(), Instant::now(), Summary::default());
    loop {
        ticks.tick().await;
        let now = stats.summary();
        say(&format!("{:>6.0?}: {}", begun.elapsed(), now.since(&before).line(last.elapsed())));
        (last, before) = (Instant::now(), now);
    }
}

#[cfg(test)]
mod tests;
