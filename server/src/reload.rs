//! Brings what other nodes and the command line change into a running server, within two seconds.

use std::sync::Arc;
use std::time::Duration;

use fleet::catalog::Catalog;
use futures::StreamExt as _;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use crate::auth::session::Auth;
use crate::clock::Clock;
use crate::roster::{Reference, Roster};
use crate::settings;
use crate::store::{Revisions, SharedStore, StoreError, within};
use crate::tokens::book::TokenBook;
use crate::tokens::vault::Vault;

/// How often the store is asked whether anything changed.
const POLL_EVERY: Duration = Duration::from_secs(1);

/// A store that takes longer to answer is treated as away.
const PATIENCE: Duration = Duration::from_secs(3);

/// The same for changes of the fleet: a node that was away for long reads all of it.
const PATIENCE_WITH_FLEET: Duration = Duration::from_mins(1);

/// How long somebody waits for a look that they asked for.
const PATIENCE_OF_OTHERS: Duration = Duration::from_secs(2);

/// Those who may wait for a look at the same time.
const MOST_ASKING: usize = 64;

/// Asks a [`Reloader`] for a look at the store.
#[derive(Clone, Debug)]
pub struct Look(mpsc::Sender<oneshot::Sender<()>>);

/// Those who ask.
pub struct Asked(mpsc::Receiver<oneshot::Sender<()>>);

impl Look {
    /// A pair of one who asks and one who is asked.
    #[must_use]
    pub fn new() -> (Self, Asked) {
        let (ask, asked) = mpsc::channel(MOST_ASKING);
        (Self(ask), Asked(asked))
    }

    /// Returns when what was stored before holds in this process; without that if the store does not answer, or not within
    /// two seconds.
    pub async fn taken(&self) {
        let (done, taken) = oneshot::channel();
        let look = async {
            if self.0.send(done).await.is_ok() {
                // It is dropped when the look is over, whatever came of it.
                let _ = taken.await;
            }
        };
        let _ = tokio::time::timeout(PATIENCE_OF_OTHERS, look).await;
    }
}

/// Knows what was read last.
pub struct Reloader {
    store: SharedStore,
    tokens: Arc<TokenBook>,
    vault: Arc<Vault>,
    auth: Arc<Auth>,
    asked: Asked,
    clock: Clock,
    seen: Revisions,
}

impl Reloader {
    /// Reads everything once: tokens go to the book, the rest is returned.
    ///
    /// # Errors
    /// The store cannot be read.
    pub async fn start(
        store: SharedStore,
        tokens: Arc<TokenBook>,
        vault: Arc<Vault>,
        auth: Arc<Auth>,
        asked: Asked,
        clock: Clock,
    ) -> Result<(Self, Reference), StoreError> {
        // Read before the data: a change in between is seen again, not missed.
        let seen = store.revisions().await?;
        let reloader = Self { store, tokens, vault, auth, asked, clock, seen };
        reloader.read_tokens().await?;
        let reference = reloader.read_reference().await?;
        reloader.auth.limit_keys(reference.keep.api_rate);
        Ok((reloader, reference))
    }

    /// Lets other nodes know of this one: from now on their deeds wait until it follows them.
    ///
    /// # Errors
    /// The store cannot be written.
    pub async fn announce(&self) -> Result<(), StoreError> {
        self.store.sign(self.seen.fleet).await
    }

    /// Polls until `stop`.
    pub async fn run(mut self, roster: Arc<Roster>, stop: CancellationToken) {
        let mut tick = tokio::time::interval(POLL_EVERY);
        tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        let mut bell = self.store.bell();
        let (mut failing, mut waiting) = (false, Vec::new());
        loop {
            tokio::select! {
                () = stop.cancelled() => break,
                _ = tick.tick() => {}
                Some(first) = self.asked.0.recv() => waiting.push(first),
                Some(()) = bell.next() => {}
            }
            waiting.extend(std::iter::from_fn(|| self.asked.0.try_recv().ok()));
            match self.look(&roster).await {
                Ok(()) => {
                    self.tokens.confirm();
                    if std::mem::take(&mut failing) {
                        tracing::info!("changes of other processes can be read again");
                    }
                }
                Err(error) => {
                    self.tokens.doubt();
                    roster.cannot_follow(self.clock.now());
                    if !std::mem::replace(&mut failing, true) {
                        tracing::error!(%error, "changes of other processes cannot be read: new tokens and scopes wait");
                    }
                }
            }
            waiting.clear();
        }
        if let Err(error) = self.store.sign_off().await {
            tracing::warn!(%error, "other nodes wait for this one until it counts as silent");
        }
    }

    /// Follows what others changed, and tells them so.
    async fn look(&mut self, roster: &Roster) -> Result<(), StoreError> {
        within(PATIENCE, self.poll(roster)).await?;
        if !self.store.is_shared() {
            return Ok(());
        }
        within(PATIENCE_WITH_FLEET, roster.follow(self.clock.now())).await?;
        // The one that was read first: whatever it counts is followed by now.
        within(PATIENCE, self.store.sign(self.seen.fleet)).await
    }

    /// Reads what changed since the last time.
    ///
    /// # Errors
    /// The store cannot be read; the next call tries again.
    pub async fn poll(&mut self, roster: &Roster) -> Result<(), StoreError> {
        let now = self.store.revisions().await?;
        if now == self.seen {
            return Ok(());
        }
        if now.tokens != self.seen.tokens {
            self.read_tokens().await?;
        }
        if (now.scopes, now.catalog, now.settings)
            != (self.seen.scopes, self.seen.catalog, self.seen.settings)
        {
            let reference = self.read_reference().await?;
            self.auth.limit_keys(reference.keep.api_rate);
            roster.set_reference(reference);
        }
        if now.access != self.seen.access {
            self.auth.reload().await?;
        }
        self.seen = now;
        Ok(())
    }

    async fn read_tokens(&self) -> Result<(), StoreError> {
        let rows = self.store.tokens().await?;
        let unreadable = self.tokens.replace(&rows, &self.vault);
        if !unreadable.is_empty() {
            tracing::error!(
                tokens = unreadable.len(),
                "tokens cannot be opened with this master key; their delegates are turned away"
            );
        }
        Ok(())
    }

    async fn read_reference(&self) -> Result<Reference, StoreError> {
        let mut reference =
            Reference { scopes: self.store.scopes().await?.into_iter().collect(), ..Reference::default() };
        for bad in settings::apply(&self.store.settings().await?, &mut reference) {
            tracing::warn!(%bad, "a stored setting is ignored");
        }
        if let Some(json) = self.store.catalog().await? {
            match Catalog::import(&json) {
                Ok(catalog) => reference.catalog = Arc::new(catalog),
                Err(problems) => {
                    tracing::error!(problems = problems.len(), "the stored catalog cannot be read");
                }
            }
        }
        Ok(reference)
    }
}
