//! What happens because time passes.

mod chores;
pub mod settle;

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;

use crate::clock::{Clock, Leaps};
use crate::roster::Roster;
pub use chores::Chores;

/// How soon a loss is written into the history. Pages do not wait for it: they compute it when they are asked.
const LOOK_EVERY: Duration = Duration::from_secs(5);
/// How often memory lets old rows go.
const EVICT_EVERY: Duration = Duration::from_mins(1);

/// Runs the jobs until `stop`.
pub async fn run(roster: Arc<Roster>, clock: Clock, stop: CancellationToken) {
    let (mut look, mut evict) = (interval(LOOK_EVERY), interval(EVICT_EVERY));
    look.set_missed_tick_behavior(MissedTickBehavior::Delay);
    evict.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut leaps = Leaps::new(&clock);
    loop {
        let looks = tokio::select! {
            () = stop.cancelled() => return,
            _ = look.tick() => true,
            _ = evict.tick() => false,
        };
        let (roster, now) = (Arc::clone(&roster), clock.now());
        if let Some(leap) = leaps.look(&clock) {
            tracing::warn!(seconds = leap.as_secs(), "the clock leapt: silence proves nothing for a while");
            roster.slept(now);
        }
        let work = move || if looks { roster.record_silence(now) } else { roster.evict(now) };
        // A look at a million instances must not hold up heartbeats.
        if let Err(error) = tokio::task::spawn_blocking(work).await {
            tracing::error!(%error, "a job failed");
        }
    }
}
