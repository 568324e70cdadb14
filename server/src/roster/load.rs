//! The fleet as the store remembers it.

use std::collections::HashMap;
use std::sync::Arc;

use fleet::delegate::{Approval, GroupFacts, InstanceFacts};
use fleet::history::{RECENT, Turn};
use fleet::policy::Policy;
use fleet::time::Timestamp;
use fleet::version::Version;

use super::account::Account;
use super::cell::Cell;
use super::intern::Interner;
use crate::store::{Alias, LoadSink, State, Store, StoreError, Tombstone};

/// What [`load`] found.
#[derive(Default)]
pub(super) struct Loaded {
    pub(super) accounts: HashMap<Arc<str>, Arc<Account>>,
    pub(super) interner: Interner,
    pub(super) groups: usize,
    pub(super) instances: usize,
    /// The newest change that was seen.
    pub(super) number: i64,
    /// The newest heartbeat of all.
    newest: Timestamp,
    now: Timestamp,
}

/// Reads every group, instances that retention has not yet dropped from memory, and what they were in the past day.
pub(super) async fn load(store: &dyn Store, policy: &Policy, now: Timestamp) -> Result<Loaded, StoreError> {
    let mut loaded = Loaded { now, ..Loaded::default() };
    loaded.number = store.load(now.plus(-policy.group_retention), &mut loaded).await?;
    store.turns(now.plus(-RECENT), &mut loaded).await?;
    loaded.recall_losses(policy);
    Ok(loaded)
}

impl Loaded {
    /// Whoever was silent for too long while others were still heard was lost before the server went away.
    fn recall_losses(&self, policy: &Policy) {
        for account in self.accounts.values() {
            let groups: Vec<_> =
                account.read(|members| members.groups().map(|group| Arc::clone(&group.members)).collect());
            for cell in groups.iter().flat_map(|members| members.iter()) {
                let Some(lost_at) = cell.last_heartbeat().map(|last| last.plus(policy.timeout)) else {
                    continue;
                };
                if lost_at < self.newest && cell.record_if(State::Connected, State::NotConnected) {
                    cell.turned(lost_at, State::NotConnected, self.now);
                }
            }
        }
    }

    fn account(&mut self, id: &str) -> Arc<Account> {
        if let Some(account) = self.accounts.get(id) {
            return Arc::clone(account);
        }
        let id: Arc<str> = id.into();
        let account = Arc::new(Account::new(Arc::clone(&id)));
        self.accounts.insert(id, Arc::clone(&account));
        account
    }
}

impl LoadSink for Loaded {
    fn intern(&mut self, text: &str) -> Arc<str> {
        self.interner.text(text)
    }

    fn intern_version(&mut self, text: &str) -> Arc<Version> {
        self.interner.version(&Version::parse(text))
    }

    fn intern_tags(&mut self, tags: Vec<String>) -> Arc<[Arc<str>]> {
        self.interner.tags(tags.iter().map(String::as_str))
    }

    fn group(&mut self, facts: GroupFacts) {
        self.groups += 1;
        let account = self.account(facts.scope.account());
        account.write(|members| members.put_group(Arc::new(facts)));
    }

    fn instance(&mut self, account: &str, facts: InstanceFacts, last_heartbeat: Option<Timestamp>) {
        self.instances += 1;
        // What lies ahead was heard under a clock that has gone back since.
        let last_heartbeat = last_heartbeat.map(|last| last.min(self.now));
        self.newest = self.newest.max(last_heartbeat.unwrap_or_default());
        // A loss is recorded under its own time, and the same line twice is one: noticing it again does no harm.
        let gone = facts.goodbye_at.is_some();
        self.account(account).write(|members| {
            let group = members.group(&facts.group);
            let rejected = group.is_some_and(|group| group.facts.approval == Approval::Rejected);
            let recorded = if gone || rejected { State::Hidden } else { State::Connected };
            let cell = Arc::new(Cell::new(Arc::new(facts), last_heartbeat, recorded, true));
            members.put_instance(&cell);
        });
    }

    fn alias(&mut self, alias: Alias) {
        self.account(&alias.account).write(|members| {
            if let Some(cell) = members.find(&alias.id).cloned() {
                members.put_alias(alias.alias, cell);
            }
        });
    }

    fn turn(&mut self, account: &str, instance: &str, turn: Turn) {
        if let Some(account) = self.accounts.get(account)
            && let Some(cell) = account.read(|members| members.find(instance).cloned())
        {
            cell.turned(turn.at, turn.to, self.now);
        }
    }

    fn tombstone(&mut self, tombstone: Tombstone) {
        if tombstone.lifted_at.is_none() {
            let account = self.account(&tombstone.account);
            account.write(|members| members.bury(tombstone));
        }
    }
}
