//! Deleting, taking that back, and letting back in (`product 4.2`, `11.3`, `agent-protocol 9.4`).
//!
//! Each deed has two steps, so that its tombstone is stored together with its line in the audit log in between: one
//! that only looks, and [`Roster::apply_tombstone`], which makes memory follow.

use std::sync::Arc;

use fleet::delegate::{Approval, GroupFacts};
use fleet::health::connectivity;
use fleet::policy::{DeletedPolicy, Policy};
use fleet::retention::{instance_visible, undoable};
use fleet::scope::Scope;
use fleet::time::Timestamp;

use super::Roster;
use super::account::Account;
use super::cell::Cell;
use super::graves::Standing;
use super::refusals::Refusal;
use crate::store::{Cause, State, Tombstone, Transition};

/// What a deletion would do.
#[derive(Clone, Debug)]
pub struct Deletion {
    /// To be stored, then handed to [`Roster::apply_tombstone`].
    pub tombstone: Tombstone,
    /// The group.
    pub facts: Arc<GroupFacts>,
    /// Host name of the instance when a single one is meant.
    pub host_name: Option<Arc<str>>,
    /// Visible instances that would go.
    pub instances: u64,
    /// Those of them that are connected.
    pub connected: u64,
}

/// A deletion that stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deleted {
    /// Scope of the group.
    pub scope: Arc<Scope>,
    /// Internal id of the group.
    pub group: Arc<str>,
    /// Delegate id of a single instance; empty for the whole group.
    pub instance: Arc<str>,
    /// For addresses.
    pub identifier: Arc<str>,
    /// Delegate name.
    pub name: Arc<str>,
    /// Host name of a single instance.
    pub host_name: Option<Arc<str>>,
    /// When.
    pub at: Timestamp,
    /// By whom.
    pub by: Box<str>,
}

/// Why a deletion cannot be taken back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UndoError {
    /// It is not deleted, or has come back by itself.
    #[error("it is not deleted")]
    NotDeleted,
    /// It was deleted more than ten minutes ago.
    #[error("a deletion can be taken back for ten minutes")]
    TooLate,
}

/// What lets a delegate back in.
#[derive(Clone, Debug)]
pub struct Allowance {
    /// The group.
    pub facts: Arc<GroupFacts>,
    /// Lifted tombstones to be stored, then handed to [`Roster::apply_tombstone`] one by one.
    pub tombstones: Vec<Tombstone>,
    /// Whether it was rejected, so that its approval must be set as well.
    pub rejected: bool,
}

impl Roster {
    /// What is known of a group, deleted and rejected ones included.
    #[must_use]
    pub fn group_facts(&self, account: &str, group: &str) -> Option<Arc<GroupFacts>> {
        self.account(account)?.read(|members| members.group(group).map(|group| Arc::clone(&group.facts)))
    }

    /// The internal id of the group of this identifier in exactly this scope, deleted and rejected ones included.
    #[must_use]
    pub fn group_id(&self, scope: &Scope, identifier: &str) -> Option<Arc<str>> {
        self.account(scope.account())?.read(|members| {
            let named = |group: &&super::account::Group| {
                &*group.facts.identifier == identifier && *group.facts.scope == *scope
            };
            members.groups().find(named).map(|group| Arc::clone(&group.facts.id))
        })
    }

    /// The same by the name, exactly as reported: lists of other servers show no identifier (`management-api 2.4`, M8).
    #[must_use]
    pub fn group_id_by_name(&self, scope: &Scope, name: &str) -> Option<Arc<str>> {
        self.account(scope.account())?.read(|members| {
            let named =
                |group: &&super::account::Group| &*group.facts.name == name && *group.facts.scope == *scope;
            members.groups().find(named).map(|group| Arc::clone(&group.facts.id))
        })
    }

    /// What deleting a group, or one of its instances, would do; nothing changes. None if it is not there, or no
    /// longer.
    #[must_use]
    pub fn deletion(
        &self,
        account: &str,
        group: &str,
        instance: Option<&str>,
        by: &str,
        now: Timestamp,
    ) -> Option<Deletion> {
        let account = self.account(account)?;
        let reference = self.reference();
        account.read(|members| {
            let facts = &members.group(group)?.facts;
            if matches!(members.standing(facts), Standing::Rejected | Standing::Deleted) {
                return None;
            }
            let tombstone = Tombstone {
                account: Arc::clone(&account.id),
                group: Arc::clone(&facts.id),
                instance: instance.unwrap_or_default().into(),
                at: now,
                by: by.into(),
                lifted_at: None,
            };
            let mut cells = members.cells_of(&tombstone);
            cells.retain(|cell| !cell.is_deleted());
            let host_name = cells.first().map(|cell| cell.with_facts(|facts| Arc::clone(&facts.host_name)));
            if instance.is_some() && (cells.is_empty() || tombstone.instance.is_empty()) {
                return None;
            }
            let (instances, connected) = tally(&cells, &reference.policy, now);
            let host_name = host_name.filter(|_| instance.is_some());
            Some(Deletion { tombstone, facts: Arc::clone(facts), host_name, instances, connected })
        })
    }

    /// Makes memory follow a tombstone that is stored: an open one hides at once, a lifted one shows again.
    pub fn apply_tombstone(&self, stone: &Tombstone) {
        let Some(account) = self.account(&stone.account) else { return };
        let lines = match stone.lifted_at {
            None => self.hide(&account, stone),
            Some(at) => self.show(&account, stone, at),
        };
        self.writer.history(lines);
        account.changed_by_hand();
    }

    fn hide(&self, account: &Arc<Account>, stone: &Tombstone) -> Vec<Transition> {
        let (hidden, changed) = account.write(|members| {
            let hidden = members.bury(stone.clone());
            // A group is listed for a while after its last member is gone, however that went.
            let heard = hidden.iter().filter_map(|(cell, _)| cell.last_heartbeat()).max();
            let changed = members.change_group(&stone.group, |facts| GroupFacts {
                last_active: heard.map_or(facts.last_active, |heard| heard.max(facts.last_active)),
                ..facts.clone()
            });
            (hidden, changed)
        });
        if let Some(changed) = changed {
            self.writer.group(account, &changed.id);
        }
        let line = |(cell, from): &(Arc<Cell>, State)| {
            line(account, &stone.group, cell, stone.at, *from, State::Hidden, Cause::Deleted, "")
        };
        hidden.iter().map(line).collect()
    }

    fn show(&self, account: &Account, stone: &Tombstone, at: Timestamp) -> Vec<Transition> {
        let back = account.write(|members| members.unbury(&stone.group, &stone.instance));
        account.refusals().forget(&stone.group);
        self.shown(account, &stone.group, &back, at, "deletion taken back")
    }

    /// History of instances that are listed again although they have not called.
    fn shown(
        &self,
        account: &Account,
        group: &Arc<str>,
        back: &[Arc<Cell>],
        at: Timestamp,
        note: &str,
    ) -> Vec<Transition> {
        let policy = &self.reference().policy;
        let line = |cell: &Arc<Cell>| {
            let connected = connectivity(cell.last_heartbeat(), policy, at).is_connected();
            let to = if connected { State::Connected } else { State::NotConnected };
            let from = cell.record(to);
            line(account, group, cell, at, from, to, Cause::Restored, note)
        };
        back.iter().map(line).collect()
    }

    /// What takes a deletion back: its tombstone, lifted, to be stored and applied. `instance` is empty for a whole
    /// group.
    ///
    /// # Errors
    /// [`UndoError`].
    pub fn undo(
        &self,
        account: &str,
        group: &str,
        instance: &str,
        now: Timestamp,
    ) -> Result<Tombstone, UndoError> {
        let account = self.account(account).ok_or(UndoError::NotDeleted)?;
        let stone = account.read(|members| members.graves.get(group, instance).cloned());
        let stone = stone.ok_or(UndoError::NotDeleted)?;
        if !undoable(stone.at, now) {
            return Err(UndoError::TooLate);
        }
        Ok(Tombstone { lifted_at: Some(now), ..stone })
    }

    /// What lets a deleted or rejected group back in, at any time. None if nothing is in its way.
    ///
    /// Of single deleted instances those are let in that were turned away; all if none has called yet.
    #[must_use]
    pub fn allow(&self, account: &str, group: &str, now: Timestamp) -> Option<Allowance> {
        let account = self.account(account)?;
        let callers = account.refusals().callers(group);
        account.read(|members| {
            let facts = Arc::clone(&members.group(group)?.facts);
            let called = |stone: &&Tombstone| {
                stone.instance.is_empty() || callers.is_empty() || callers.contains(&stone.instance)
            };
            let stones = members.graves.of(group).filter(called);
            let tombstones: Vec<_> =
                stones.map(|stone| Tombstone { lifted_at: Some(now), ..stone.clone() }).collect();
            let rejected = facts.approval == Approval::Rejected;
            (rejected || !tombstones.is_empty()).then_some(Allowance { facts, tombstones, rejected })
        })
    }

    /// Deletions in a scope that can still be taken back, newest first; `below` adds scopes below.
    #[must_use]
    pub fn recent_deletions(&self, scope: &Scope, below: bool, now: Timestamp) -> Vec<Deleted> {
        let Some(account) = self.account(scope.account()) else { return Vec::new() };
        let mut recent: Vec<Deleted> = account.read(|members| {
            let open = members.graves.iter().filter(|stone| undoable(stone.at, now));
            let told = open.filter_map(|stone| {
                let facts = &members.group(&stone.group)?.facts;
                let listed = if below { scope.contains(&facts.scope) } else { *scope == *facts.scope };
                let cell = members.find(&stone.instance);
                listed.then(|| Deleted {
                    scope: Arc::clone(&facts.scope),
                    group: Arc::clone(&facts.id),
                    instance: Arc::clone(&stone.instance),
                    identifier: Arc::clone(&facts.identifier),
                    name: Arc::clone(&facts.name),
                    host_name: cell.map(|cell| cell.with_facts(|facts| Arc::clone(&facts.host_name))),
                    at: stone.at,
                    by: stone.by.clone(),
                })
            });
            told.collect()
        });
        recent.sort_by(|a, b| {
            b.at.cmp(&a.at).then_with(|| (&a.name, &a.instance).cmp(&(&b.name, &b.instance)))
        });
        recent
    }

    /// Delegates of an account that were deleted or rejected and call all the same: 1,000 at most, newest call
    /// first.
    #[must_use]
    pub fn refusals(&self, account: &str) -> Vec<Refusal> {
        let Some(account) = self.account(account) else { return Vec::new() };
        let mut list = account.refusals().list();
        let reference = self.reference();
        // A policy that has changed since lets them in with their next call.
        list.retain(|refusal| {
            refusal.rejected || reference.deleted_policy(&refusal.scope) == DeletedPolicy::Refuse
        });
        list
    }

    /// Makes memory follow an approval that is stored; false if there is no such group.
    pub fn set_approval(&self, account: &str, group: &str, approval: Approval, now: Timestamp) -> bool {
        let Some(account) = self.account(account) else { return false };
        let changed = account.write(|members| {
            let before = members.group(group)?.facts.approval;
            members.change_group(group, |facts| GroupFacts { approval, ..facts.clone() })?;
            let group = members.group(group)?;
            let mut cells: Vec<Arc<Cell>> = group.members.iter().cloned().collect();
            cells.retain(|cell| !cell.is_deleted());
            Some((before, Arc::clone(&group.facts.id), cells))
        });
        let Some((before, group, cells)) = changed else { return false };
        let lines = match (before, approval) {
            (Approval::Pending | Approval::Approved, Approval::Rejected) => {
                let rejected = |cell: &Arc<Cell>| {
                    let from = cell.record(State::Hidden);
                    line(&account, &group, cell, now, from, State::Hidden, Cause::Deleted, "rejected")
                };
                cells.iter().map(rejected).collect()
            }
            (Approval::Rejected, Approval::Pending | Approval::Approved) => {
                self.shown(&account, &group, &cells, now, "allowed")
            }
            _ => Vec::new(),
        };
        account.refusals().forget(&group);
        self.writer.history(lines);
        account.changed_by_hand();
        true
    }
}

/// Visible instances, and those of them that are connected.
pub(super) fn tally(cells: &[Arc<Cell>], policy: &Policy, now: Timestamp) -> (u64, u64) {
    let mut count = (0, 0);
    for cell in cells.iter().filter(|cell| !cell.is_deleted()) {
        let last = cell.last_heartbeat();
        let visible = cell
            .with_facts(|facts| instance_visible(last, facts.registered_at, facts.goodbye_at, policy, now));
        count.0 += u64::from(visible);
        count.1 += u64::from(visible && connectivity(last, policy, now).is_connected());
    }
    count
}

#[expect(clippy::too_many_arguments, reason = "one line of history")]
fn line(
    account: &Account,
    group: &Arc<str>,
    cell: &Cell,
    at: Timestamp,
    from: State,
    to: State,
    cause: Cause,
    note: &str,
) -> Transition {
    cell.turned(at, to, at);
    Transition {
        account: Arc::clone(&account.id),
        group: Arc::clone(group),
        instance: Arc::clone(&cell.id),
        at,
        from: Some(from),
        to,
        cause,
        note: note.into(),
        silence: None,
    }
}
