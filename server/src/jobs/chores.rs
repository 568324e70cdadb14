//! What the server does by itself with tokens, sessions, the audit log and history.

use std::sync::Arc;
use std::time::Duration;

use fleet::scope::Scope;
use fleet::time::Timestamp;
use tokio::time::{MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;

use crate::agent::AgentState;
use crate::auth::session::{ABSOLUTE, IDLE};
use crate::clock::Clock;
use crate::deeds::{Actor, DeedError, tokens};
use crate::roster::Roster;
use crate::store::access::Change;
use crate::store::{SharedStore, TokenStatus};
use crate::tokens::book::TokenBook;

/// A token that is to be revoked by itself is revoked within a minute; it is refused at its instant all the same.
const EVERY: Duration = Duration::from_secs(20);

/// How often what is old is cleared away: it reads whole tables.
const CLEAR_EVERY: Duration = Duration::from_hours(1);

/// Lines of history that go in one transaction, so that delegates never wait long for theirs.
const PURGE_BATCH: u32 = 5_000;

/// What the chores work with.
pub struct Chores {
    /// The live fleet.
    pub roster: Arc<Roster>,
    /// The durable record.
    pub store: SharedStore,
    /// Delegate tokens.
    pub tokens: Arc<TokenBook>,
    /// Knows who was blocked.
    pub agent: AgentState,
    /// Tells the time.
    pub clock: Clock,
}

impl Chores {
    /// Runs until `stop`.
    pub async fn run(self, stop: CancellationToken) {
        let (mut tick, mut clear) = (interval(EVERY), interval(CLEAR_EVERY));
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        clear.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let done = tokio::select! {
                () = stop.cancelled() => return,
                _ = tick.tick() => self.what_is_due(self.clock.now()).await,
                _ = clear.tick() => self.clear(self.clock.now()).await,
            };
            if let Err(error) = done {
                tracing::error!(%error, "a regular chore failed; it is tried again");
            }
        }
    }

    /// Notes who was blocked and revokes the tokens whose time has come.
    ///
    /// # Errors
    /// The store cannot be read or written.
    pub async fn what_is_due(&self, now: Timestamp) -> Result<(), DeedError> {
        self.note_blocked().await?;
        if let Some(_alone) = self.store.alone("what is due").await? {
            self.store.forget_news().await?;
            self.revoke_due(now).await?;
        }
        Ok(())
    }

    /// Clears away revoked tokens, ended sessions, old lines of the audit log and old history.
    ///
    /// # Errors
    /// The store cannot be read or written.
    pub async fn clear(&self, now: Timestamp) -> Result<(), DeedError> {
        let Some(_alone) = self.store.alone("clear").await? else { return Ok(()) };
        let keep = self.roster.reference().keep.clone();
        self.purge_tokens(now, keep.revoked_tokens).await?;
        let expire =
            Change::ExpireSessions { created_before: now.plus(-ABSOLUTE), seen_before: now.plus(-IDLE) };
        self.store.commit(&[expire, Change::PurgeAudit(now.plus(-keep.audit))]).await?;
        self.purge_history(now.plus(-keep.history)).await
    }

    /// Removes history from before this instant, batch by batch (`product 3.6`, P6).
    async fn purge_history(&self, before: Timestamp) -> Result<(), DeedError> {
        while self.store.purge_history(before, PURGE_BATCH).await? >= u64::from(PURGE_BATCH) {
            tokio::task::yield_now().await;
        }
        Ok(())
    }

    async fn note_blocked(&self) -> Result<(), DeedError> {
        let actor = Actor::system();
        let lines = self.agent.take_blocked().into_iter().map(|blocked| {
            let address =
                blocked.address.map_or_else(|| "an unknown address".to_owned(), |ip| ip.to_string());
            let scope = Scope::new(&blocked.account, None, None).ok();
            actor
                .line(blocked.at, "delegate.blocked", "delegate", &*address, scope.as_ref())
                .says(format!("A registration from {address} was blocked: it is not on the allowlist"))
                .change()
        });
        let lines: Vec<Change> = lines.collect();
        if !lines.is_empty() {
            self.store.commit(&lines).await?;
        }
        Ok(())
    }

    async fn revoke_due(&self, now: Timestamp) -> Result<(), DeedError> {
        let due = self.tokens.due(now);
        if due.is_empty() {
            return Ok(());
        }
        for row in self.store.tokens().await? {
            if row.status == TokenStatus::Active && due.contains(&row.id) {
                let system = Actor::system();
                tokens::revoke(&self.store, &self.tokens, &self.roster, &system, &row, now).await?;
            }
        }
        Ok(())
    }

    async fn purge_tokens(&self, now: Timestamp, keep: i64) -> Result<(), DeedError> {
        for row in self.store.tokens().await? {
            let old = row.revoked_at.is_some_and(|at| at.age(now) > keep);
            if row.status == TokenStatus::Revoked && old {
                tokens::delete(&self.store, &self.tokens, &Actor::system(), &row, now).await?;
            }
        }
        Ok(())
    }
}
