//! The journal of heartbeats is settled.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use crate::clock::Clock;
use crate::roster::{Mark, Roster, SETTLE_EVERY};
use crate::store::StoreError;

/// Settles again and again what came in before the last round, until `stop`.
pub async fn run(roster: Arc<Roster>, clock: Clock, stop: CancellationToken) {
    let rounds = async {
        let mut mark = None;
        loop {
            if let Err(error) = round(&roster, &clock, &mut mark).await {
                tracing::error!(%error, "heartbeats cannot be moved from the journal into rows; they stay in it");
            }
            // From the end of a round: by the next one, whoever is alive must have been heard again.
            tokio::time::sleep(SETTLE_EVERY).await;
        }
    };
    tokio::select! {
        () = stop.cancelled() => {}
        () = rounds => {}
    }
}

async fn round(roster: &Roster, clock: &Clock, mark: &mut Option<Mark>) -> Result<(), StoreError> {
    let settled = match mark.take() {
        Some(before) => roster.settle(before, clock.now()).await,
        None => Ok(()),
    };
    *mark = Some(roster.mark(clock).await?);
    settled
}
