//! Other servers whose fleets are shown beside ours, read-only (`management-api 7`).
//!
//! Whichever node is first to note that it takes a look takes it, and keeps what was listed in the database; every node
//! shows what it finds there.

mod cycle;
mod reading;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use client::{Client, ClientError, Key};
use fleet::mirror::{Cycle, Memory, Source, Trouble};
use fleet::time::{MINUTE, Timestamp};
use parking_lot::Mutex;
use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;

use self::cycle::{Found, look, outcome};
use self::reading::{List, Past, Reading};
use crate::clock::Clock;
use crate::roster::{Roster, ToldFleet};
use crate::store::access::Change;
use crate::store::mirrors::{Kept, Look, MirrorChange, MirrorRow};
use crate::store::{Batch, SharedStore, StoreError, Transition};
use crate::tokens::vault::Vault;

/// How soon a node shows what another one has read.
const LOOK_EVERY: Duration = Duration::from_secs(2);
/// For how long a look is one node's alone: longer than ten calls that time out.
const LEASE: i64 = 11 * MINUTE;
/// Lines of history of one batch.
const LINES: usize = 5_000;

/// Keeps every mirror up to date.
pub struct Mirrors {
    roster: Arc<Roster>,
    store: SharedStore,
    vault: Arc<Vault>,
    clock: Clock,
    /// What this node shows, by mirror.
    shown: Mutex<HashMap<Arc<str>, Shown>>,
    /// One task after the other follows the store: else one that read earlier could show less than another.
    turn: tokio::sync::Mutex<()>,
}

/// What is shown of one mirror.
#[derive(Clone)]
struct Shown {
    as_of: Timestamp,
    past: Arc<Past>,
    fleet: Arc<ToldFleet>,
}

impl Mirrors {
    /// Nothing is shown yet.
    #[must_use]
    pub fn new(roster: Arc<Roster>, store: SharedStore, vault: Arc<Vault>, clock: Clock) -> Self {
        Self { roster, store, vault, clock, shown: Mutex::default(), turn: tokio::sync::Mutex::default() }
    }

    /// Runs until `stop`.
    pub async fn run(self: Arc<Self>, stop: CancellationToken) {
        let mut tick = interval(LOOK_EVERY);
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let (mut looks, mut failing) = (JoinSet::new(), false);
        loop {
            tokio::select! {
                () = stop.cancelled() => return,
                _ = tick.tick() => {}
            }
            while looks.try_join_next().is_some() {}
            match self.follow().await {
                Ok(rows) => {
                    failing = false;
                    self.begin(rows, &mut looks).await;
                }
                Err(error) if !std::mem::replace(&mut failing, true) => {
                    tracing::error!(%error, "mirrors cannot be read: what they show stays as it is");
                }
                Err(_) => {}
            }
        }
    }

    /// Takes every look that is due, one after the other, and shows what it brought.
    ///
    /// # Errors
    /// The store cannot be read.
    pub async fn catch_up(self: &Arc<Self>) -> Result<(), StoreError> {
        let mut looks = JoinSet::new();
        let rows = self.follow().await?;
        self.begin(rows, &mut looks).await;
        looks.join_all().await;
        self.follow().await.map(drop)
    }

    /// Begins the looks that are due; each in a task of its own, so that a slow source holds up no other.
    async fn begin(self: &Arc<Self>, rows: Vec<MirrorRow>, looks: &mut JoinSet<()>) {
        let now = self.clock.now();
        for row in rows.into_iter().filter(|row| row.due_at <= now) {
            let claim =
                MirrorChange::Claim { id: Arc::clone(&row.id), was: row.due_at, due_at: now.plus(LEASE) };
            match self.store.commit(&[Change::Mirror(claim)]).await {
                Ok(()) => {
                    let mirrors = Arc::clone(self);
                    looks.spawn(async move { mirrors.look(row).await });
                }
                // Another node was first, or it is gone.
                Err(StoreError::Missing(_)) => {}
                Err(error) => tracing::error!(%error, mirror = %row.name, "a look cannot be noted"),
            }
        }
    }

    /// Shows what the store holds; returns every mirror.
    async fn follow(&self) -> Result<Vec<MirrorRow>, StoreError> {
        let _turn = self.turn.lock().await;
        let rows = self.store.mirrors().await?;
        for row in &rows {
            self.show(row).await?;
        }
        let ids: HashSet<&str> = rows.iter().map(|row| &*row.id).collect();
        let gone: Vec<Arc<str>> =
            self.shown.lock().keys().filter(|id| !ids.contains(&***id)).cloned().collect();
        for id in gone {
            self.shown.lock().remove(&id);
            self.roster.set_told(&id, None);
        }
        Ok(rows)
    }

    async fn show(&self, row: &MirrorRow) -> Result<(), StoreError> {
        let Some(as_of) = row.as_of else { return Ok(()) };
        let known = self.shown.lock().get(&row.id).cloned();
        let source = Source { name: Arc::clone(&row.name), as_of, trouble: row.trouble };
        let known = known.filter(|known| known.as_of == as_of);
        let shown = match known {
            Some(known) if known.fleet.source == source => return Ok(()),
            Some(known) => Shown { fleet: Arc::new(known.fleet.with(source)), ..known },
            None => {
                let Some(body) = self.store.mirror_list(&row.id).await? else { return Ok(()) };
                let Some(shown) = self.read(row, source, body).await else { return Ok(()) };
                shown
            }
        };
        self.roster.set_told(&row.id, Some(Arc::clone(&shown.fleet)));
        self.shown.lock().insert(Arc::clone(&row.id), shown);
        Ok(())
    }

    /// What a stored list shows; none of one that cannot be read, which the next look replaces.
    async fn read(&self, row: &MirrorRow, source: Source, body: String) -> Option<Shown> {
        let reading = Reading::of(row, self.roster.reference().policy.timeout);
        // A list may be long: not on a thread that heartbeats need.
        let read = tokio::task::spawn_blocking(move || {
            let (list, past): (List, Past) = serde_json::from_str(&body)?;
            let latest = list.latest.clone();
            let (groups, past, _) = reading.groups(&list, &past);
            let as_of = source.as_of;
            let fleet = ToldFleet::new(Arc::clone(&reading.account), source, latest, groups);
            Ok::<_, serde_json::Error>(Shown { as_of, past: Arc::new(past), fleet: Arc::new(fleet) })
        });
        match read.await {
            Ok(Ok(shown)) => Some(shown),
            Ok(Err(error)) => {
                tracing::error!(%error, mirror = %row.name, "the last list of a mirror cannot be read");
                None
            }
            Err(_) => None,
        }
    }

    /// One look at a source, and what follows from it.
    async fn look(&self, row: MirrorRow) {
        let found = match self.client(&row) {
            Ok(client) => look(&client, &row.scopes).await,
            Err(error) => Err(error),
        };
        let now = self.clock.now();
        let mut memory: Memory = serde_json::from_str(&row.memory).unwrap_or_default();
        memory.pace = memory.pace.at(self.roster.reference().keep.mirror_interval);
        let (cycle, trouble, detail) = match &found {
            Ok(_) => (Cycle::Good, None, String::new()),
            Err(error) => {
                let (cycle, trouble) = outcome(error);
                (cycle, Some(trouble), error.to_string())
            }
        };
        say(&row, trouble, &detail);
        let wait = memory.pace.after(cycle, rand::random());
        let believed = found.ok().filter(|found| memory.belief.of(found.entries.len()));
        let (list, lines) = match believed {
            None => (None, Vec::new()),
            Some(found) => match self.kept(&row, found, now).await {
                Ok((kept, lines)) => (Some(kept), lines),
                Err(error) => {
                    tracing::error!(%error, mirror = %row.name, "a list cannot be written");
                    return;
                }
            },
        };
        let memory = serde_json::to_string(&memory).unwrap_or_default();
        let look =
            Look { at: now, trouble, detail: detail.into(), due_at: now.plus(wait), memory: memory.into() };
        let change = Change::Mirror(MirrorChange::Looked { id: Arc::clone(&row.id), look, list });
        // History first: what is noted twice is better than what is lost.
        for lines in lines.chunks(LINES) {
            let batch = Batch { transitions: lines.to_vec(), ..Batch::default() };
            if let Err(error) = self.store.write(&batch).await {
                tracing::error!(%error, mirror = %row.name, "history of a mirror cannot be stored");
                return;
            }
        }
        match self.store.commit(&[change]).await {
            // Whoever waits for it sees it now; if it cannot be read, the next tick says so.
            Ok(()) | Err(StoreError::Missing(_)) => drop(self.follow().await),
            Err(error) => tracing::error!(%error, mirror = %row.name, "a list cannot be stored"),
        }
    }

    /// A list as it is kept, with the lines of history that it adds.
    async fn kept(
        &self,
        row: &MirrorRow,
        found: Found,
        now: Timestamp,
    ) -> Result<(Kept, Vec<Transition>), serde_json::Error> {
        // What cannot be read is forgotten, or nothing would ever replace it.
        let past = self.shown.lock().get(&row.id).map(|shown| Arc::clone(&shown.past)).unwrap_or_default();
        let reading = Reading::of(row, self.roster.reference().policy.timeout);
        let made = tokio::task::spawn_blocking(move || {
            let skipped = found.skipped;
            let list = found.list(now);
            let (_, past, lines) = reading.groups(&list, &past);
            let body = serde_json::to_string(&(list, past))?;
            Ok((Kept { skipped, body: body.into() }, lines))
        });
        made.await.map_err(serde::ser::Error::custom)?
    }

    fn client(&self, row: &MirrorRow) -> Result<Client, ClientError> {
        let key = self.vault.unseal_text(&row.sealed, &row.id).map_err(|_| ClientError::Key)?;
        Client::new(&row.url, Key::new(&key))
    }
}

/// Says once what has changed.
fn say(row: &MirrorRow, trouble: Option<Trouble>, detail: &str) {
    match (row.trouble, trouble) {
        (before, Some(now)) if before != Some(now) => {
            tracing::warn!(mirror = %row.name, account = %row.account, error = detail, "a mirrored server cannot be read");
        }
        (Some(_), None) => {
            tracing::info!(mirror = %row.name, account = %row.account, "a mirrored server can be read again");
        }
        _ => {}
    }
}
