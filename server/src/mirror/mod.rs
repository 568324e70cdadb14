//! Other servers whose fleets are shown beside ours, read-only (`management-api 7`).
//!
//! Whichever node is first to note that it takes a look takes it, and keeps what was listed in the database; every node
//! shows what it finds there.

mod cycle;
mod list;
mod reading;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use client::{Client, ClientError, Key};
use fleet::mirror::{Cycle, Memory, SHORTEST, Source, Trouble};
use fleet::time::{HOUR, MINUTE, Timestamp};
use parking_lot::Mutex;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;

use self::cycle::{look, outcome};
use self::list::List;
use self::reading::{Line, Past, Reading};
use crate::clock::Clock;
use crate::roster::{Roster, ToldFleet};
use crate::store::access::Change;
use crate::store::mirrors::{Kept, Look, MirrorChange, MirrorRow};
use crate::store::{Batch, SharedStore, StoreError};
use crate::tokens::vault::Vault;

/// How soon a node shows what another one has read.
const LOOK_EVERY: Duration = Duration::from_secs(2);
/// How long a whole look may take.
const PATIENCE: Duration = Duration::from_mins(9);
/// For how long a look is one node's alone: longer than it may take.
const LEASE: i64 = 11 * MINUTE;
/// Sources that are asked at once: those that do not answer must not hold up the others.
const AT_ONCE: usize = 16;
/// Lists that are read at once: they may be long.
const READ_AT_ONCE: usize = 2;
/// No look is due later than this: where one is, the clock of whoever noted it was wrong.
const FARTHEST: i64 = 2 * HOUR;
/// Lines of history of one batch.
const LINES: usize = 5_000;

/// A list as it is kept: with what is remembered of it, and the changes that it brought.
type Body = (List, Past, Vec<Line>);

/// Keeps every mirror up to date.
pub struct Mirrors {
    roster: Arc<Roster>,
    store: SharedStore,
    vault: Arc<Vault>,
    clock: Clock,
    /// What this node shows, by mirror.
    shown: Mutex<HashMap<Arc<str>, Shown>>,
    /// Mirrors whose list could not be read the last time.
    unread: Mutex<HashSet<Arc<str>>>,
    /// One task after the other follows the store: else one that read earlier could show less than another.
    turn: tokio::sync::Mutex<()>,
    places: Arc<Semaphore>,
    readers: Semaphore,
    /// Looks that this node has begun, by mirror, with the end of their time.
    begun: Mutex<HashMap<Arc<str>, Timestamp>>,
}

/// What is shown of one mirror.
#[derive(Clone)]
struct Shown {
    as_of: Timestamp,
    past: Arc<Past>,
    /// Those of its list. They are stored after it, so they may be missing.
    lines: Arc<Vec<Line>>,
    /// Whether this node knows that they are stored.
    stored: Arc<AtomicBool>,
    fleet: Arc<ToldFleet>,
}

impl Mirrors {
    /// Nothing is shown yet.
    #[must_use]
    pub fn new(roster: Arc<Roster>, store: SharedStore, vault: Arc<Vault>, clock: Clock) -> Self {
        Self {
            roster,
            store,
            vault,
            clock,
            shown: Mutex::default(),
            unread: Mutex::default(),
            turn: tokio::sync::Mutex::default(),
            places: Arc::new(Semaphore::new(AT_ONCE)),
            readers: Semaphore::new(READ_AT_ONCE),
            begun: Mutex::default(),
        }
    }

    /// Runs until `stop`. Looks that are under way then are left to whoever comes next.
    pub async fn run(self: Arc<Self>, stop: CancellationToken) {
        let mut tick = interval(LOOK_EVERY);
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let (mut looks, mut failing) = (JoinSet::new(), false);
        loop {
            let rows = tokio::select! {
                () = stop.cancelled() => break,
                rows = async { tick.tick().await; self.follow().await } => rows,
            };
            while let Some(ended) = looks.try_join_next() {
                if let Err(error) = ended {
                    tracing::error!(%error, "a look at a mirrored server failed");
                }
            }
            match rows {
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
        looks.shutdown().await;
        let (begun, now) = (std::mem::take(&mut *self.begun.lock()), self.clock.now());
        for (id, lease) in begun {
            self.give_back(id, lease, now).await;
        }
    }

    /// Takes every look that is due now, and shows what it brought.
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

    /// Begins the looks that are due, those that wait longest first; each in a task of its own, so that a slow source
    /// holds up no other.
    async fn begin(self: &Arc<Self>, mut rows: Vec<MirrorRow>, looks: &mut JoinSet<()>) {
        let now = self.clock.now();
        rows.retain(|row| row.due_at <= now || row.due_at > now.plus(FARTHEST));
        rows.sort_by_key(|row| row.due_at);
        for row in rows {
            // Before it is claimed: its time does not pass while it waits.
            let Ok(place) = Arc::clone(&self.places).try_acquire_owned() else { return };
            let lease = now.plus(LEASE);
            let claim = MirrorChange::Claim { id: Arc::clone(&row.id), was: row.due_at, due_at: lease };
            match self.store.commit(&[Change::Mirror(claim)]).await {
                Ok(()) => {
                    self.begun.lock().insert(Arc::clone(&row.id), lease);
                    let mirrors = Arc::clone(self);
                    looks.spawn(async move {
                        if !mirrors.look(&row, lease).await {
                            let due_at = mirrors.clock.now().plus(SHORTEST);
                            mirrors.give_back(Arc::clone(&row.id), lease, due_at).await;
                        }
                        mirrors.begun.lock().retain(|id, end| *id != row.id || *end != lease);
                        drop(place);
                    });
                }
                // Another node was first, or it is gone.
                Err(StoreError::Missing(_)) => {}
                Err(error) => tracing::error!(%error, mirror = %row.name, "a look cannot be noted"),
            }
        }
    }

    /// Ends the time of a look that was broken off, so that nobody need wait for that.
    async fn give_back(&self, id: Arc<str>, was: Timestamp, due_at: Timestamp) {
        let change = Change::Mirror(MirrorChange::Claim { id, was, due_at });
        if let Err(error) = self.store.commit(&[change]).await {
            tracing::debug!(%error, "a look is taken up again when its time is over");
        }
    }

    /// Shows what the store holds; returns the mirrors of which that was possible.
    async fn follow(&self) -> Result<Vec<MirrorRow>, StoreError> {
        let _turn = self.turn.lock().await;
        let rows = self.store.mirrors().await?;
        let ids: HashSet<&str> = rows.iter().map(|row| &*row.id).collect();
        let gone: Vec<Arc<str>> =
            self.shown.lock().keys().filter(|id| !ids.contains(&***id)).cloned().collect();
        for id in gone {
            self.shown.lock().remove(&id);
            self.unread.lock().remove(&id);
            self.roster.set_told(&id, None);
        }
        let mut shown = Vec::with_capacity(rows.len());
        for row in rows {
            match self.show(&row).await {
                Ok(()) => {
                    self.unread.lock().remove(&row.id);
                    shown.push(row);
                }
                Err(error) if self.unread.lock().insert(Arc::clone(&row.id)) => {
                    tracing::error!(%error, mirror = %row.name, "a mirror cannot be shown");
                }
                Err(_) => {}
            }
        }
        Ok(shown)
    }

    async fn show(&self, row: &MirrorRow) -> Result<(), StoreError> {
        let Some(as_of) = row.as_of else { return Ok(()) };
        let known = self.shown.lock().get(&row.id).cloned();
        let shown = match known.filter(|known| known.as_of == as_of) {
            Some(known) if known.fleet.source.trouble == row.trouble => return Ok(()),
            Some(known) => Shown { fleet: Arc::new(known.fleet.troubled(row.trouble)), ..known },
            None => {
                let body = self.store.mirror_list(&row.id).await?.unwrap_or_default();
                self.read(row, as_of, body).await?
            }
        };
        self.roster.set_told(&row.id, Some(Arc::clone(&shown.fleet)));
        self.shown.lock().insert(Arc::clone(&row.id), shown);
        Ok(())
    }

    /// What a stored list shows; of one that cannot be read nothing, until the next look replaces it.
    async fn read(&self, row: &MirrorRow, as_of: Timestamp, body: String) -> Result<Shown, StoreError> {
        let _reader = self.readers.acquire().await;
        let reading = Reading::of(row, self.roster.reference().policy.timeout);
        let (name, trouble) = (Arc::clone(&row.name), row.trouble);
        // A list may be long: not on a thread that heartbeats need.
        let read = tokio::task::spawn_blocking(move || {
            let (list, past, lines): Body = serde_json::from_str(&body).unwrap_or_else(|error| {
                tracing::error!(%error, mirror = %name, "the last list of a mirror cannot be read");
                Body::default()
            });
            let latest = list.latest.clone();
            let (groups, past, _) = reading.groups(&list, &past);
            let source = Source { name, as_of, trouble, latest: None };
            let fleet = ToldFleet::new(Arc::clone(&reading.account), source, latest, groups);
            let (past, fleet, stored) = (Arc::new(past), Arc::new(fleet), Arc::default());
            Shown { as_of, past, lines: Arc::new(lines), stored, fleet }
        });
        read.await.map_err(|_| StoreError::Missing("whoever reads it".to_owned()))
    }

    /// One look at a source, and what follows from it; whether it came to its end.
    async fn look(&self, row: &MirrorRow, lease: Timestamp) -> bool {
        // What a node before this one may have left behind; before another list takes its place.
        if !self.store_history(row).await {
            return false;
        }
        let found = self.listed(row).await;
        let mut memory: Memory = serde_json::from_str(&row.memory).unwrap_or_default();
        memory.pace = memory.pace.at(self.roster.reference().keep.mirror_interval);
        let (cycle, trouble, detail) = match &found {
            Ok(_) => (Cycle::Good, None, String::new()),
            Err((error, told)) => {
                memory.belief.interrupted();
                let (cycle, trouble) = outcome(error);
                (cycle, Some(trouble), told.clone())
            }
        };
        say(row, trouble, &detail);
        let wait = memory.pace.after(cycle, rand::random());
        let believed = found.ok().filter(|list| memory.belief.of(list.entries.len()));
        let kept = match believed {
            None => None,
            Some(list) => match self.kept(row, list).await {
                Ok(kept) => Some(kept),
                Err(error) => {
                    tracing::error!(%error, mirror = %row.name, "a list cannot be written");
                    return false;
                }
            },
        };
        let now = self.clock.now();
        let (at, list) = kept.map_or((now, None), |(at, kept)| (at, Some(kept)));
        let memory = serde_json::to_string(&memory).unwrap_or_default();
        let look = Look { at, trouble, detail: detail.into(), due_at: now.plus(wait), memory: memory.into() };
        let change = MirrorChange::Looked { id: Arc::clone(&row.id), lease, look, list };
        match self.store.commit(&[Change::Mirror(change)]).await {
            Ok(()) => {
                // Whoever waits for it sees it now; what cannot be read now is read at the next tick, which says so.
                drop(self.follow().await);
                self.store_history(row).await;
                true
            }
            Err(StoreError::Missing(_)) => {
                tracing::warn!(mirror = %row.name, "a look took too long, or is not wanted any more");
                true
            }
            Err(error) => {
                tracing::error!(%error, mirror = %row.name, "a list cannot be stored");
                false
            }
        }
    }

    /// Stores the changes of the list that is shown; false if that failed. Those that are stored already are passed over,
    /// so a node that was stopped in between, or a store that was away, loses none.
    async fn store_history(&self, row: &MirrorRow) -> bool {
        let Some(Shown { as_of, lines, stored, .. }) = self.shown.lock().get(&row.id).cloned() else {
            return true;
        };
        let old = as_of.age(self.clock.now()) > self.roster.reference().keep.history;
        if old || stored.load(Ordering::Relaxed) {
            return true;
        }
        for some in lines.chunks(LINES) {
            let transitions = some.iter().map(|line| line.transition(&row.account, as_of)).collect();
            if let Err(error) = self.store.write(&Batch { transitions, ..Batch::default() }).await {
                tracing::error!(%error, mirror = %row.name, "history of a mirror waits for the next look");
                return false;
            }
        }
        stored.store(true, Ordering::Relaxed);
        true
    }

    /// What the source lists, or why it does not, and that in words.
    async fn listed(&self, row: &MirrorRow) -> Result<List, (ClientError, String)> {
        let told = |error: ClientError| (error.clone(), error.to_string());
        let key = self.vault.unseal_text(&row.sealed, &row.id).map_err(|_| {
            let why = "the master key of this server does not open the API key of the mirror".to_owned();
            (ClientError::Key, why)
        })?;
        let client = Client::new(&row.url, Key::new(&key)).map_err(told)?;
        let listed = tokio::time::timeout(PATIENCE, look(&client, &row.scopes, &self.clock)).await;
        listed.unwrap_or(Err(ClientError::TimedOut)).map_err(told)
    }

    /// A list as it is kept, and its instant: later than that of the one before, whatever clocks say.
    async fn kept(&self, row: &MirrorRow, list: List) -> Result<(Timestamp, Kept), serde_json::Error> {
        let _reader = self.readers.acquire().await;
        // What cannot be read is forgotten, or nothing would ever replace it.
        let past = self.shown.lock().get(&row.id).map(|shown| Arc::clone(&shown.past)).unwrap_or_default();
        let reading = Reading::of(row, self.roster.reference().policy.timeout);
        let list = list.after(row.as_of);
        let made = tokio::task::spawn_blocking(move || {
            let (at, skipped) = (list.now, list.skipped);
            let (_, past, lines) = reading.groups(&list, &past);
            let body = serde_json::to_string(&(list, past, lines))?;
            Ok((at, Kept { skipped, body: body.into() }))
        });
        made.await.map_err(serde::ser::Error::custom)?
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
