//! Rows and heartbeats of other nodes, taken over into memory.
//!
//! The database is right: a row that is read replaces what memory holds, except where this node has something newer to
//! write. History is not told; states follow from the heartbeats.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use fleet::delegate::{Approval, GroupFacts, InstanceFacts};
use fleet::health::connectivity;
use fleet::policy::Policy;
use fleet::time::Timestamp;
use fleet::troubleshoot::Attempt;
use fleet::version::Version;

use super::Roster;
use super::account::Account;
use super::cell::{AHEAD, Cell};
use super::refusals::Refusal;
use crate::store::{Alias, CROSSING, LoadSink, State, Tombstone, TurnedAway};

/// Takes rows and heartbeats of other nodes over. Viewers are told when it is dropped.
pub(super) struct Following<'a> {
    roster: &'a Roster,
    pub(super) policy: Policy,
    now: Timestamp,
    /// Accounts that changed, and whether people did it.
    touched: HashMap<Arc<str>, (Arc<Account>, bool)>,
    /// Tombstones that are lifted, for the end: members that stay deleted have theirs by then.
    lifted: Vec<Tombstone>,
    /// Instances that the store has, where everything is read.
    pub(super) seen: Option<HashSet<(Arc<str>, Arc<str>)>>,
}

impl<'a> Following<'a> {
    pub(super) fn new(roster: &'a Roster, now: Timestamp) -> Self {
        let policy = roster.reference().policy.clone();
        Self { roster, policy, now, touched: HashMap::new(), lifted: Vec::new(), seen: None }
    }

    fn touch(&mut self, account: &Arc<Account>, by_hand: bool) {
        let entry = self.touched.entry(Arc::clone(&account.id));
        entry.or_insert_with(|| (Arc::clone(account), false)).1 |= by_hand;
    }

    fn find(&self, account: &str, id: &str) -> Option<(Arc<Account>, Arc<Cell>)> {
        let account = self.roster.account(account)?;
        let cell = account.read(|members| members.find(id).filter(|cell| &*cell.id == id).cloned())?;
        Some((account, cell))
    }

    /// What a listed instance is by its last heartbeat.
    fn state_of(&self, cell: &Cell) -> State {
        let connected = connectivity(cell.last_heartbeat(), &self.policy, self.now).is_connected();
        if connected { State::Connected } else { State::NotConnected }
    }

    fn turn_to(&self, cell: &Cell, to: State, at: Timestamp) {
        if cell.record(to) != to {
            cell.turned(at, to, self.now);
        }
    }

    /// A person let a group in or turned it away.
    fn approval_changed(&self, account: &Account, group: &str, approval: Approval) {
        let cells = account.read(|members| members.group(group).map(|group| Arc::clone(&group.members)));
        for cell in cells.iter().flat_map(|cells| cells.iter()).filter(|cell| !cell.is_deleted()) {
            let to = if approval == Approval::Rejected { State::Hidden } else { self.state_of(cell) };
            self.turn_to(cell, to, self.now);
        }
        account.refusals().forget(group);
    }

    fn create(&mut self, account: &Arc<Account>, facts: InstanceFacts, last_heartbeat: Option<Timestamp>) {
        let said_goodbye = facts.goodbye_at.is_some();
        let cell = account.write(|members| {
            // It may have registered here in this very moment.
            if members.find(&facts.id).is_some_and(|cell| cell.id == facts.id) {
                return None;
            }
            let group = members.group(&facts.group)?;
            let hidden = said_goodbye || group.facts.approval == Approval::Rejected;
            let deleted =
                members.is_buried(&facts.group) || members.graves.get(&facts.group, &facts.id).is_some();
            let state = if hidden || deleted { State::Hidden } else { State::Connected };
            let cell = Arc::new(Cell::new(Arc::new(facts), last_heartbeat, state, true));
            cell.set_deleted(deleted);
            members.put_instance(&cell);
            Some(cell)
        });
        if cell.is_some() {
            self.roster.instances.fetch_add(1, Ordering::Relaxed);
            self.touch(account, false);
        }
    }

    /// One that said goodbye to another node while this one has something newer of it to write.
    fn left(&mut self, account: &Arc<Account>, cell: &Cell, at: Timestamp) {
        // The same that the database says when that is written.
        let crosses = cell.last_heartbeat().is_some_and(|last| (1..=CROSSING).contains(&last.age(at)));
        let left = cell.update(|facts| {
            let news = crosses && facts.goodbye_at < Some(at);
            news.then(|| InstanceFacts { goodbye_at: Some(at), ..facts.clone() })
        });
        if left.is_some() {
            self.turn_to(cell, State::Hidden, at);
            self.touch(account, false);
        }
    }

    fn heard(&mut self, account: &Arc<Account>, cell: &Cell, at: Timestamp) {
        // Clocks of nodes differ, and this look may have waited.
        let at = at.min(self.now.plus(AHEAD));
        let previous = cell.hear(at);
        if previous.is_some_and(|previous| previous >= at) || cell.is_deleted() {
            return;
        }
        let known = cell.recorded();
        if known == State::Connected {
            let lost_at = previous.map(|previous| previous.plus(self.policy.timeout));
            if let Some(lost_at) = lost_at.filter(|lost_at| *lost_at < at) {
                cell.turned(lost_at, State::NotConnected, self.now);
                cell.turned(at, State::Connected, self.now);
                self.touch(account, false);
            }
            return;
        }
        let (group, goodbye_at) = cell.with_facts(|facts| (Arc::clone(&facts.group), facts.goodbye_at));
        let rejected = account.read(|members| {
            members.group(&group).is_some_and(|group| group.facts.approval == Approval::Rejected)
        });
        let left = goodbye_at.is_some_and(|goodbye_at| goodbye_at >= at);
        if !rejected && !left && self.state_of(cell) == State::Connected {
            self.turn_to(cell, State::Connected, at);
            self.touch(account, false);
        }
    }

    /// Lets go what the store does not have.
    pub(super) fn drop_unseen(&mut self) {
        let Some(seen) = self.seen.take() else { return };
        for account in self.roster.all_accounts() {
            let gone: Vec<Arc<Cell>> = account.read(|members| {
                let cells = members.groups().flat_map(|group| group.members.iter());
                let settled = cells.filter(|cell| cell.is_stored() && !cell.is_unsaved());
                settled
                    .filter(|cell| !seen.contains(&(Arc::clone(&account.id), Arc::clone(&cell.id))))
                    .cloned()
                    .collect()
            });
            for cell in gone {
                self.removed(&account.id, &cell.id);
            }
        }
    }
}

impl LoadSink for Following<'_> {
    fn intern(&mut self, text: &str) -> Arc<str> {
        self.roster.interner.text(text)
    }

    fn intern_version(&mut self, text: &str) -> Arc<Version> {
        self.roster.interner.version(&Version::parse(text))
    }

    fn intern_tags(&mut self, tags: Vec<String>) -> Arc<[Arc<str>]> {
        self.roster.interner.tags(tags.iter().map(String::as_str))
    }

    fn group(&mut self, facts: GroupFacts) {
        let account = self.roster.account_or_new(&Arc::from(facts.scope.account()));
        let (id, approval) = (Arc::clone(&facts.id), facts.approval);
        let adopted = account.write(|members| members.adopt_group(facts));
        if adopted.added {
            self.roster.groups.fetch_add(1, Ordering::Relaxed);
        }
        for cell in &adopted.to_write {
            self.roster.writer.facts(&account, cell);
        }
        if let Some(before) = adopted.before {
            if before.approval != approval {
                self.approval_changed(&account, &id, approval);
            }
            self.touch(&account, before.approval != approval);
        } else if adopted.added {
            self.touch(&account, false);
        }
    }

    fn instance(&mut self, account: &str, facts: InstanceFacts, last_heartbeat: Option<Timestamp>) {
        if let Some(seen) = &mut self.seen {
            seen.insert((account.into(), Arc::clone(&facts.id)));
        }
        let Some((account, cell)) = self.find(account, &facts.id) else {
            let account = self.roster.account_or_new(&Arc::from(account));
            return self.create(&account, facts, last_heartbeat);
        };
        if self.seen.is_some() {
            cell.stored_anew(last_heartbeat);
        }
        if cell.is_stored() && !cell.is_unsaved() && !cell.with_facts(|known| *known == facts) {
            let goodbye_at = facts.goodbye_at;
            account.write(|members| members.reidentify(&cell, facts));
            if let Some(at) = goodbye_at {
                self.turn_to(&cell, State::Hidden, at);
            }
            self.touch(&account, false);
        } else if let Some(at) = facts.goodbye_at {
            self.left(&account, &cell, at);
        }
        if let Some(at) = last_heartbeat {
            self.heard(&account, &cell, at);
        }
    }

    fn alias(&mut self, alias: Alias) {
        let Some((account, cell)) = self.find(&alias.account, &alias.id) else { return };
        account.write(|members| {
            if members.find(&alias.alias).is_none() {
                members.put_alias(alias.alias, cell);
            }
        });
    }

    fn tombstone(&mut self, tombstone: Tombstone) {
        if tombstone.lifted_at.is_some() {
            return self.lifted.push(tombstone);
        }
        let account = self.roster.account_or_new(&tombstone.account);
        let at = tombstone.at;
        let known =
            account.read(|members| members.graves.get(&tombstone.group, &tombstone.instance).is_some());
        for (cell, before) in account.write(|members| members.bury(tombstone)) {
            if before != State::Hidden {
                cell.turned(at, State::Hidden, self.now);
            }
        }
        if !known {
            self.touch(&account, true);
        }
    }

    fn removed(&mut self, account: &str, instance: &str) {
        let Some((account, cell)) = self.find(account, instance) else { return };
        if cell.is_stored() && !cell.is_unsaved() {
            account.write(|members| members.remove(&cell));
            self.roster.instances.fetch_sub(1, Ordering::Relaxed);
            self.touch(&account, false);
        }
    }

    fn beat(&mut self, account: &str, instance: &str, at: Timestamp) {
        if let Some((account, cell)) = self.find(account, instance) {
            self.heard(&account, &cell, at);
        }
    }

    fn turned_away(&mut self, call: TurnedAway) {
        let Some(account) = self.roster.account(&call.account) else { return };
        let group = account.read(|members| members.group(&call.group).map(|group| Arc::clone(&group.facts)));
        let Some(group) = group else { return };
        let refusal = Refusal {
            scope: Arc::clone(&group.scope),
            group: Arc::clone(&group.id),
            name: Arc::clone(&group.name),
            deleted_at: Timestamp::from_millis(call.deleted_at),
            called_at: Timestamp::from_millis(call.called_at),
            rejected: call.rejected,
            token: call.token,
        };
        let target = (Arc::clone(&group.id), call.instance);
        let mut refusals = account.refusals();
        if let Some(given) = call.given {
            refusals.give(given, target.clone());
        }
        if refusals.get(&target).is_none_or(|known| known.called_at < refusal.called_at) {
            refusals.note(target.1, refusal);
        }
        drop(refusals);
        self.touch(&account, false);
    }

    fn deed(&mut self, account: &str) {
        if let Some(account) = self.roster.account(account) {
            self.touch(&account, true);
        }
    }

    fn attempted(&mut self, account: &str, calls: Attempt) {
        self.roster.attempts.told(&account.into(), calls);
    }

    fn token_use(&mut self, token: &str, at: Timestamp) {
        self.roster.tokens.heard(token, at);
    }
}

impl Drop for Following<'_> {
    fn drop(&mut self) {
        for stone in std::mem::take(&mut self.lifted) {
            let Some(account) = self.roster.account(&stone.account) else { continue };
            let known = account.read(|members| members.graves.get(&stone.group, &stone.instance).is_some());
            if !known {
                continue;
            }
            for cell in account.write(|members| members.unbury(&stone.group, &stone.instance)) {
                self.turn_to(&cell, self.state_of(&cell), self.now);
            }
            account.refusals().forget(&stone.group);
            self.touch(&account, true);
        }
        for (account, by_hand) in self.touched.values() {
            if *by_hand {
                account.changed_by_hand();
            } else {
                account.changed();
            }
        }
    }
}
