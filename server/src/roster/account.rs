//! The groups and instances of one account, and the ways to find them.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use fleet::delegate::{GroupFacts, Identity, InstanceFacts, free_identifier, group_identifier};
use fleet::scope::Scope;
use hashbrown::HashTable;
use parking_lot::{Mutex, MutexGuard, RwLock};
use tokio::sync::watch;

use super::cell::Cell;
use super::graves::Graves;
use super::refusals::Refusals;

/// Second ids that one account may have; beyond, a heartbeat under an unknown id is matched anew each time.
const MAX_ALIASES: usize = 100_000;

/// One account. Its members are reached through [`Account::members`].
#[derive(Debug)]
pub(super) struct Account {
    pub(super) id: Arc<str>,
    members: RwLock<Members>,
    /// Never taken while waiting for the members.
    refusals: Mutex<Refusals>,
    /// Counts changes that a viewer could see, heartbeats alone excepted.
    changes: watch::Sender<u64>,
    /// Counts what people did: nobody waits to see that.
    deeds: AtomicU64,
}

impl Account {
    pub(super) fn new(id: Arc<str>) -> Self {
        Self {
            id,
            members: RwLock::default(),
            refusals: Mutex::default(),
            changes: watch::Sender::new(0),
            deeds: AtomicU64::new(0),
        }
    }

    pub(super) fn read<T>(&self, read: impl FnOnce(&Members) -> T) -> T {
        read(&self.members.read())
    }

    pub(super) fn write<T>(&self, write: impl FnOnce(&mut Members) -> T) -> T {
        write(&mut self.members.write())
    }

    pub(super) fn refusals(&self) -> MutexGuard<'_, Refusals> {
        self.refusals.lock()
    }

    /// Tells viewers that something changed.
    pub(super) fn changed(&self) {
        self.changes.send_modify(|count| *count = count.wrapping_add(1));
    }

    /// Tells viewers that a person changed something.
    pub(super) fn changed_by_hand(&self) {
        self.deeds.fetch_add(1, Ordering::Release);
        self.changed();
    }

    pub(super) fn version(&self) -> Version {
        Version { deeds: self.deeds.load(Ordering::Acquire), changes: *self.changes.borrow() }
    }
}

/// How often an account changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Version {
    /// By people.
    pub(super) deeds: u64,
    /// In all.
    pub(super) changes: u64,
}

/// A group with its instances; the list is shared with readers and copied only when it changes under one.
#[derive(Clone, Debug)]
pub(super) struct Group {
    pub(super) facts: Arc<GroupFacts>,
    /// What registrations and people say of it has changed here, and the store has not confirmed it yet.
    pub(super) unsaved: bool,
    pub(super) members: Arc<Vec<Arc<Cell>>>,
}

/// Groups and instances with their indexes. The tables of instances hold one pointer each, no keys.
#[derive(Debug, Default)]
pub(super) struct Members {
    groups: HashMap<Arc<str>, Group>,
    by_name: HashMap<(Arc<Scope>, Arc<str>), Arc<str>>,
    identifiers: HashSet<(Arc<Scope>, Arc<str>)>,
    by_id: HashTable<Arc<Cell>>,
    by_identity: HashTable<Arc<Cell>>,
    aliases: HashMap<Arc<str>, Arc<Cell>>,
    pub(super) graves: Graves,
    hasher: RandomState,
}

impl Members {
    pub(super) fn groups(&self) -> impl Iterator<Item = &Group> {
        self.groups.values()
    }

    pub(super) fn group(&self, id: &str) -> Option<&Group> {
        self.groups.get(id)
    }

    pub(super) fn group_named(&self, scope: &Arc<Scope>, name: &Arc<str>) -> Option<&Group> {
        let id = self.by_name.get(&(Arc::clone(scope), Arc::clone(name)))?;
        self.groups.get(id)
    }

    /// The first free identifier for a name in a scope (`agent-protocol 8.1`, A15).
    pub(super) fn identifier_for(&self, scope: &Arc<Scope>, name: &str) -> String {
        free_identifier(&group_identifier(name), |candidate| {
            self.identifiers.contains(&(Arc::clone(scope), Arc::from(candidate)))
        })
    }

    /// Adds a group or replaces the facts of a known one.
    pub(super) fn put_group(&mut self, facts: Arc<GroupFacts>) {
        self.identifiers.insert((Arc::clone(&facts.scope), Arc::clone(&facts.identifier)));
        if let Some(group) = self.groups.get_mut(&facts.id) {
            group.facts = facts;
            return;
        }
        self.by_name.insert((Arc::clone(&facts.scope), Arc::clone(&facts.name)), Arc::clone(&facts.id));
        self.groups.insert(Arc::clone(&facts.id), Group { facts, unsaved: false, members: Arc::default() });
    }

    /// The same where what registrations and people say of it is what changed: that is written, too.
    pub(super) fn put_changed_group(&mut self, facts: Arc<GroupFacts>) {
        let id = Arc::clone(&facts.id);
        self.put_group(facts);
        if let Some(group) = self.groups.get_mut(&id) {
            group.unsaved = true;
        }
    }

    /// Notes that the store holds these facts.
    pub(super) fn group_saved(&mut self, facts: &Arc<GroupFacts>) {
        let same = |group: &&mut Group| Arc::ptr_eq(&group.facts, facts);
        if let Some(group) = self.groups.get_mut(&facts.id).filter(same) {
            group.unsaved = false;
        }
    }

    /// Takes a group away that has no members; its name belongs to another one by now.
    pub(super) fn forget_group(&mut self, facts: &GroupFacts) {
        self.groups.remove(&facts.id);
        let taken = self
            .groups
            .values()
            .any(|group| group.facts.scope == facts.scope && group.facts.identifier == facts.identifier);
        if !taken {
            self.release_identifier(facts);
        }
    }

    /// Makes the identifier of a group free for another one.
    pub(super) fn release_identifier(&mut self, facts: &GroupFacts) {
        self.identifiers.remove(&(Arc::clone(&facts.scope), Arc::clone(&facts.identifier)));
    }

    /// The instance of an id or alias.
    pub(super) fn find(&self, id: &str) -> Option<&Arc<Cell>> {
        let hash = self.hasher.hash_one(id);
        self.by_id.find(hash, |cell| &*cell.id == id).or_else(|| self.aliases.get(id))
    }

    /// The instance of an id or alias, if it lies within reach of a token of `owner`: a token can neither change nor
    /// take what belongs to another scope.
    pub(super) fn find_within(&self, id: &str, owner: &Scope) -> Option<&Arc<Cell>> {
        self.find_with_group(id, owner).map(|(cell, _)| cell)
    }

    /// Like [`Members::find_within`], with its group.
    pub(super) fn find_with_group(&self, id: &str, owner: &Scope) -> Option<(&Arc<Cell>, &Arc<GroupFacts>)> {
        let cell = self.find(id)?;
        let group = &cell.with_facts(|facts| self.groups.get(&facts.group))?.facts;
        owner.contains(&group.scope).then_some((cell, group))
    }

    /// The instance of an identity inside a group (`agent-protocol 8.2`).
    pub(super) fn find_identity(&self, group: &str, wanted: &Identity) -> Option<&Arc<Cell>> {
        let hash = self.hasher.hash_one((group, &*wanted.host_name));
        self.by_identity.find(hash, |cell| {
            cell.with_facts(|facts| {
                // Whether the address counts is for the one who reports now to say (A18).
                &*facts.group == group
                    && facts.ng == wanted.ng
                    && facts.host_name == wanted.host_name
                    && wanted.ip.as_ref().is_none_or(|ip| *ip == facts.ip)
            })
        })
    }

    /// Adds an instance to its group.
    pub(super) fn put_instance(&mut self, cell: &Arc<Cell>) {
        let hasher = &self.hasher;
        let hash = hasher.hash_one(&*cell.id);
        self.by_id.insert_unique(hash, Arc::clone(cell), |cell| hasher.hash_one(&*cell.id));
        self.aliases.remove(&*cell.id);
        self.enter(cell);
    }

    /// Changes facts that identity or group may rest on.
    pub(super) fn reidentify(&mut self, cell: &Arc<Cell>, facts: InstanceFacts) -> Arc<InstanceFacts> {
        self.leave(cell);
        let facts = cell.update(|_| Some(facts)).unwrap_or_else(|| cell.facts());
        self.enter(cell);
        facts
    }

    /// Removes an instance and the aliases that lead to it.
    pub(super) fn remove(&mut self, cell: &Arc<Cell>) {
        self.leave(cell);
        let hash = self.hasher.hash_one(&*cell.id);
        if let Ok(entry) = self.by_id.find_entry(hash, |other| Arc::ptr_eq(other, cell)) {
            entry.remove();
        }
        self.aliases.retain(|_, other| !Arc::ptr_eq(other, cell));
    }

    /// Remembers a second id; false when there are too many of them already.
    pub(super) fn put_alias(&mut self, alias: Arc<str>, cell: Arc<Cell>) -> bool {
        let room = self.aliases.len() < MAX_ALIASES;
        if room {
            self.aliases.insert(alias, cell);
        }
        room
    }

    fn enter(&mut self, cell: &Arc<Cell>) {
        let hasher = &self.hasher;
        self.by_identity.insert_unique(hash_of(hasher, cell), Arc::clone(cell), |cell| hash_of(hasher, cell));
        let group = cell.with_facts(|facts| Arc::clone(&facts.group));
        if let Some(group) = self.groups.get_mut(&group) {
            Arc::make_mut(&mut group.members).push(Arc::clone(cell));
        }
    }

    fn leave(&mut self, cell: &Arc<Cell>) {
        let hash = hash_of(&self.hasher, cell);
        if let Ok(entry) = self.by_identity.find_entry(hash, |other| Arc::ptr_eq(other, cell)) {
            entry.remove();
        }
        let group = cell.with_facts(|facts| Arc::clone(&facts.group));
        if let Some(group) = self.groups.get_mut(&group) {
            Arc::make_mut(&mut group.members).retain(|other| !Arc::ptr_eq(other, cell));
        }
    }
}

fn hash_of(hasher: &RandomState, cell: &Cell) -> u64 {
    cell.with_facts(|facts| hasher.hash_one((&*facts.group, &*facts.host_name)))
}
