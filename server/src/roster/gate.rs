//! Who is let in: deleted and rejected delegates call like all others (`agent-protocol 9.4`, `product 10.4`).

use std::sync::Arc;

use fleet::delegate::{Approval, GroupFacts};
use fleet::policy::DeletedPolicy;
use fleet::time::Timestamp;

use super::account::Account;
use super::cell::Cell;
use super::graves::Standing;
use super::refusals::{Refusal, Target};
use super::{Admitted, AgentStatus, Roster};
use crate::store::{Cause, State, Transition, TurnedAway};
use crate::tokens::Caller;

/// What history says of a delegate that calls again.
pub(super) const RETURNED: &str = "returned after delete";

impl Roster {
    /// Whether one of this standing is turned away, and with which word; remembered if so.
    pub(super) fn gate(
        &self,
        account: &Account,
        group: &GroupFacts,
        cell: Option<&Arc<Cell>>,
        standing: Standing,
        caller: &Caller,
        now: Timestamp,
    ) -> Option<AgentStatus> {
        let status = self.verdict(group, standing)?;
        let (target, stone) = account.read(|members| members.grave_of(group, cell));
        let heard = cell.and_then(|cell| cell.last_heartbeat()).unwrap_or(group.last_active);
        let refusal = Refusal {
            scope: Arc::clone(&group.scope),
            group: target.0,
            name: Arc::clone(&group.name),
            deleted_at: stone.map_or(heard, |stone| stone.at),
            called_at: now,
            rejected: status == AgentStatus::Disabled,
            token: Some((Arc::clone(&caller.token.id), Arc::clone(&caller.token.name))),
        };
        if self.store.is_shared() {
            self.writer.turned_away(told(account, &target.1, &refusal, None));
        }
        account.refusals().note(target.1, refusal);
        Some(status)
    }

    /// The word for one who is turned away; none for one who may come in.
    pub(super) fn verdict(&self, group: &GroupFacts, standing: Standing) -> Option<AgentStatus> {
        match standing {
            Standing::Enabled | Standing::Pending => None,
            Standing::Rejected => Some(AgentStatus::Disabled),
            Standing::Deleted => {
                let policy = self.reference().deleted_policy(&group.scope);
                (policy == DeletedPolicy::Refuse).then_some(AgentStatus::Deleted)
            }
        }
    }

    /// Answers one who uses an id that it was given when it was turned away. None for any other id, and once the
    /// delegate may come in.
    pub(super) fn turned_away(
        &self,
        account: &Account,
        id: &str,
        caller: &Caller,
        now: Timestamp,
    ) -> Option<Admitted> {
        let (group, instance) = account.refusals().holder(id)?;
        let (facts, cell, standing) = account.read(|members| {
            let facts = Arc::clone(&members.group(&group)?.facts);
            let cell = members.find(&instance).cloned();
            let alone = members.graves.get(&group, &instance).is_some();
            let standing = match members.standing(&facts) {
                Standing::Enabled | Standing::Pending if alone => Standing::Deleted,
                standing => standing,
            };
            Some((facts, cell, standing))
        })?;
        if !caller.token.scope.contains(&facts.scope) {
            return None;
        }
        let status = self.gate(account, &facts, cell.as_ref(), standing, caller, now)?;
        Some(Admitted { id: id.into(), status, heartbeat_as_object: true })
    }

    /// Answers a registration or heartbeat that is turned away: a registration gets an id that stands for no row.
    pub(super) fn turn_away(
        account: &Account,
        target: Target,
        status: AgentStatus,
        sent: Option<&str>,
    ) -> Admitted {
        let id = sent.map_or_else(super::new_id, Into::into);
        if sent.is_none() {
            account.refusals().give(Arc::clone(&id), target);
        }
        Admitted { id, status, heartbeat_as_object: true }
    }

    /// Lists a deleted instance again because it beats; whether it was deleted at all by now.
    pub(super) fn welcome_back(
        &self,
        account: &Arc<Account>,
        group: &GroupFacts,
        cell: &Arc<Cell>,
        now: Timestamp,
    ) -> bool {
        let stones = account.write(|members| members.resurrect(&group.id, cell, now));
        if stones.is_empty() {
            return false;
        }
        account.refusals().forget(&group.id);
        self.writer.tombstones(stones);
        // Its row takes that of its group along.
        self.writer.facts(account, cell);
        self.writer.history([returned(account, cell, now)]);
        account.changed();
        true
    }

    /// Whether new groups of a scope must wait for a person.
    pub(super) fn first_approval(&self, scope: &fleet::scope::Scope) -> Approval {
        if self.reference().approval_required(scope) { Approval::Pending } else { Approval::Approved }
    }
}

/// What other nodes are told of a call that was turned away.
pub(super) fn told(
    account: &Account,
    instance: &Arc<str>,
    refusal: &Refusal,
    given: Option<Arc<str>>,
) -> TurnedAway {
    TurnedAway {
        account: Arc::clone(&account.id),
        group: Arc::clone(&refusal.group),
        instance: Arc::clone(instance),
        given,
        deleted_at: refusal.deleted_at.millis(),
        called_at: refusal.called_at.millis(),
        rejected: refusal.rejected,
        token: refusal.token.clone(),
    }
}

/// The line of history of one who calls after a deletion; notes its state as known.
pub(super) fn returned(account: &Account, cell: &Cell, now: Timestamp) -> Transition {
    cell.turned(now, State::Connected, now);
    Transition {
        account: Arc::clone(&account.id),
        group: cell.with_facts(|facts| Arc::clone(&facts.group)),
        instance: Arc::clone(&cell.id),
        at: now,
        from: Some(cell.record(State::Connected)),
        to: State::Connected,
        cause: Cause::Return,
        note: RETURNED.into(),
        silence: None,
    }
}
