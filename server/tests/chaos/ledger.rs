//! Everything that was acknowledged, and whether the database still knows of it.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use fleet::delegate::{GroupFacts, InstanceFacts};
use fleet::time::Timestamp;
use parking_lot::Mutex;
use server::clock::Clock;
use server::store::{Alias, LoadSink, SharedStore, TokenStatus, Tombstone};

/// What a caller was told is done.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Deed {
    /// This delegate id is registered.
    Registered(String),
    /// It said goodbye.
    Left(String),
    /// The group of this name is deleted.
    Deleted(String),
    /// A token of this name was made.
    Made(String),
    /// It was revoked.
    Revoked(String),
}

/// A heartbeat that was answered.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Heard {
    /// When it was sent.
    pub(crate) sent: i64,
    /// When the answer was there.
    pub(crate) answered: i64,
}

#[derive(Debug, Default)]
pub(crate) struct Ledger {
    deeds: Mutex<Vec<Deed>>,
    /// Heartbeats since the last start.
    heard: Mutex<HashMap<String, Vec<Heard>>>,
}

/// Now, in milliseconds.
pub(crate) fn now() -> i64 {
    Clock::system().now().millis()
}

impl Ledger {
    pub(crate) fn note(&self, deed: Deed) {
        self.deeds.lock().push(deed);
    }

    pub(crate) fn heard(&self, id: &str, heard: Heard) {
        self.heard.lock().entry(id.to_owned()).or_default().push(heard);
    }

    /// How many deeds of each kind were acknowledged.
    pub(crate) fn counts(&self) -> [(&'static str, usize); 5] {
        let mut counts = [
            ("registrations", 0),
            ("goodbyes", 0),
            ("deletions", 0),
            ("tokens made", 0),
            ("tokens revoked", 0),
        ];
        for deed in &*self.deeds.lock() {
            let place = match deed {
                Deed::Registered(_) => 0,
                Deed::Left(_) => 1,
                Deed::Deleted(_) => 2,
                Deed::Made(_) => 3,
                Deed::Revoked(_) => 4,
            };
            counts[place].1 += 1;
        }
        counts
    }

    /// How many deeds were acknowledged.
    pub(crate) fn total(&self) -> usize {
        self.deeds.lock().len()
    }

    /// Every kind of deed was acknowledged at least once.
    pub(crate) fn has_every_kind(&self) -> bool {
        self.counts().iter().all(|(_, count)| *count > 0)
    }

    /// Deeds that the database does not know of.
    pub(crate) async fn lost(&self, store: &SharedStore) -> Vec<Deed> {
        let found = Found::read(store).await;
        self.deeds.lock().iter().filter(|deed| !found.has(deed)).cloned().collect()
    }

    /// The age, in milliseconds at the time of a kill, of the oldest answered heartbeat that the database lost; how many
    /// there were, and how many were answered. Forgets them.
    pub(crate) async fn lost_heartbeats(&self, store: &SharedStore, killed_at: i64) -> (i64, usize, usize) {
        let found = Found::read(store).await;
        let heard = std::mem::take(&mut *self.heard.lock());
        let (mut oldest, mut lost, mut all) = (0, 0, 0);
        for (id, beats) in heard {
            let stored = found.instances.get(&*id).and_then(|(_, last)| *last).map_or(0, Timestamp::millis);
            for beat in beats {
                all += 1;
                // Captured after it was sent: whatever is stored from then on is this one or a later one.
                if stored < beat.sent {
                    lost += 1;
                    oldest = oldest.max(killed_at - beat.answered);
                }
            }
        }
        (oldest, lost, all)
    }
}

/// What a database holds.
#[derive(Default)]
struct Found {
    instances: HashMap<Arc<str>, (bool, Option<Timestamp>)>,
    groups: HashMap<Arc<str>, Arc<str>>,
    buried: HashSet<Arc<str>>,
    tokens: HashMap<Arc<str>, TokenStatus>,
}

impl Found {
    async fn read(store: &SharedStore) -> Self {
        let mut found = Self::default();
        store.load(Timestamp::from_millis(0), &mut found).await.expect("the fleet can be read");
        let tokens = store.tokens().await.expect("tokens can be read");
        found.tokens = tokens.into_iter().map(|token| (token.name, token.status)).collect();
        found
    }

    fn has(&self, deed: &Deed) -> bool {
        match deed {
            Deed::Registered(id) => self.instances.contains_key(&**id),
            Deed::Left(id) => self.instances.get(&**id).is_some_and(|(left, _)| *left),
            Deed::Deleted(name) => self.groups.get(&**name).is_some_and(|group| self.buried.contains(group)),
            Deed::Made(name) => self.tokens.contains_key(&**name),
            Deed::Revoked(name) => self.tokens.get(&**name) == Some(&TokenStatus::Revoked),
        }
    }
}

impl LoadSink for Found {
    fn group(&mut self, facts: GroupFacts) {
        self.groups.insert(facts.name, facts.id);
    }

    fn instance(&mut self, _: &str, facts: InstanceFacts, last_heartbeat: Option<Timestamp>) {
        self.instances.insert(facts.id, (facts.goodbye_at.is_some(), last_heartbeat));
    }

    fn alias(&mut self, _: Alias) {}

    fn tombstone(&mut self, tombstone: Tombstone) {
        if tombstone.lifted_at.is_none() && tombstone.instance.is_empty() {
            self.buried.insert(tombstone.group);
        }
    }
}
