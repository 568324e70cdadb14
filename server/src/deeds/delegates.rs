//! Deleting delegates, taking that back, letting in (`product 4.2`, `10.4`, `11.3`, `agent-protocol 9.4`).

use std::sync::Arc;

use fleet::access::Permission;
use fleet::delegate::{Approval, GroupFacts, MAX_TAG, MAX_TAGS, clean_tags, implicit_tag};
use fleet::scope::Scope;
use fleet::time::Timestamp;

use super::{Actor, DeedError};
use crate::roster::Roster;
use crate::roster::deletion::Deletion;
use crate::store::SharedStore;
use crate::store::access::Change;

/// Most groups that one deletion of a selection takes.
pub const MAX_BULK: usize = 100;

/// What the deeds work with.
#[derive(Clone, Copy)]
pub struct Delegates<'a> {
    /// The live fleet.
    pub roster: &'a Roster,
    /// The durable record.
    pub store: &'a SharedStore,
    /// Who does it.
    pub actor: &'a Actor,
    /// When.
    pub now: Timestamp,
}

/// What becomes of the custom tags of a delegate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TagChange {
    /// These come to those it has.
    Add(Vec<String>),
    /// These stand in place of those it has.
    Replace(Vec<String>),
}

/// Whether these can be tags: what delegates report is cut, what people send is refused.
///
/// # Errors
/// There are too many, or one is blank, too long, or holds a character that nobody sees.
pub fn checked_tags(tags: &[String]) -> Result<(), DeedError> {
    let message = if tags.len() > MAX_TAGS {
        format!("must be at most {MAX_TAGS}")
    } else if tags.iter().any(|tag| tag.trim().is_empty()) {
        "must not be blank".to_owned()
    } else if tags.iter().any(|tag| tag.trim().chars().count() > MAX_TAG) {
        format!("must have at most {MAX_TAG} characters each")
    } else if tags.iter().any(|tag| tag.contains(fleet::text::is_hidden)) {
        "must not hold characters that nobody sees".to_owned()
    } else {
        return Ok(());
    };
    Err(DeedError::Field { field: "tags", message })
}

impl Delegates<'_> {
    /// What deleting a group, or one of its instances, would do. The group is that of `scope` with this internal id.
    ///
    /// # Errors
    /// There is none, or it may not be seen, or not be deleted.
    pub fn deletion(
        &self,
        scope: &Scope,
        group: &str,
        instance: Option<&str>,
    ) -> Result<Deletion, DeedError> {
        let found = self.roster.deletion(scope.account(), group, instance, &self.actor.name, self.now);
        let found =
            found.filter(|found| scope.contains(&found.facts.scope)).ok_or(DeedError::Unknown("delegate"))?;
        self.may(Permission::DelegateDelete, &found.facts)?;
        Ok(found)
    }

    /// Deletes a group or an instance from the list; durable before it returns.
    ///
    /// # Errors
    /// As [`Delegates::deletion`]; or it is connected, and `delegates.delete_connected` does not allow that.
    pub async fn delete(&self, found: Deletion) -> Result<(), DeedError> {
        self.delete_all(vec![found]).await
    }

    /// The same for one that may be connected, whatever `delegates.delete_connected` says: the caller has said so twice.
    ///
    /// # Errors
    /// Nothing was stored.
    pub async fn delete_connected(&self, found: Deletion) -> Result<(), DeedError> {
        self.bury(vec![found]).await
    }

    /// Deletes several, all or none.
    ///
    /// # Errors
    /// As [`Delegates::delete`].
    pub async fn delete_all(&self, all: Vec<Deletion>) -> Result<(), DeedError> {
        for found in &all {
            if found.connected > 0 && !self.roster.reference().delete_connected(&found.facts.scope) {
                return Err(DeedError::Refused(connected(found)));
            }
        }
        self.bury(all).await
    }

    async fn bury(&self, all: Vec<Deletion>) -> Result<(), DeedError> {
        let mut changes = Vec::with_capacity(all.len() * 2);
        for found in &all {
            let scope = &*found.facts.scope;
            let (action, resource, name) = match &found.host_name {
                None => ("delegate.delete", "delegate", found.facts.name.to_string()),
                Some(host) => ("instance.delete", "instance", format!("{} / {host}", found.facts.name)),
            };
            let line = self
                .actor
                .line(self.now, action, resource, &*name, Some(scope))
                .says(format!("{name} was deleted from the list; nothing was uninstalled"))
                .before("identifier", &*found.facts.identifier)
                .before("instances", found.instances.to_string())
                .before("connected", found.connected.to_string());
            changes.push(Change::Bury(found.tombstone.clone()));
            changes.push(line.change());
        }
        let mut apply = || all.iter().for_each(|found| self.roster.apply_tombstone(&found.tombstone));
        Ok(self.store.commit_then(&changes, &mut apply).await?)
    }

    /// Takes a deletion back within ten minutes. `instance` is empty for a whole group.
    ///
    /// # Errors
    /// It is not deleted, not to be seen, or too long ago.
    pub async fn undo(&self, scope: &Scope, group: &str, instance: &str) -> Result<(), DeedError> {
        let facts = self.facts(scope, group)?;
        self.may(Permission::DelegateDelete, &facts)?;
        let lifted = self.roster.undo(scope.account(), group, instance, self.now);
        let lifted = lifted.map_err(|error| DeedError::Refused(format!("{}: {error}", facts.name)))?;
        let name =
            if instance.is_empty() { facts.name.to_string() } else { format!("{} / {instance}", facts.name) };
        let line = self
            .actor
            .line(self.now, "delegate.undo_delete", "delegate", &*name, Some(&facts.scope))
            .says(format!("The deletion of {name} was taken back"));
        let changes = [Change::Lift(lifted.clone()), line.change()];
        Ok(self.store.commit_then(&changes, &mut || self.roster.apply_tombstone(&lifted)).await?)
    }

    /// Lets a deleted or rejected delegate back in.
    ///
    /// # Errors
    /// Nothing is in its way, or it may not be seen or changed.
    pub async fn allow(&self, scope: &Scope, group: &str) -> Result<(), DeedError> {
        let facts = self.facts(scope, group)?;
        self.may(Permission::DelegateEdit, &facts)?;
        let allowance = self.roster.allow(scope.account(), group, self.now);
        let allowance =
            allowance.ok_or_else(|| DeedError::Refused(format!("{} is not turned away", facts.name)))?;
        let line = self
            .actor
            .line(self.now, "delegate.allow", "delegate", &*facts.name, Some(&facts.scope))
            .says(format!("{} may return", facts.name));
        let mut changes: Vec<Change> = allowance.tombstones.iter().cloned().map(Change::Lift).collect();
        if allowance.rejected {
            changes.push(approval(&facts, Approval::Rejected, Approval::Approved));
        }
        changes.push(line.change());
        let mut apply = || {
            allowance.tombstones.iter().for_each(|stone| self.roster.apply_tombstone(stone));
            if allowance.rejected {
                self.roster.set_approval(scope.account(), group, Approval::Approved, self.now);
            }
        };
        Ok(self.store.commit_then(&changes, &mut apply).await?)
    }

    /// Approves or rejects a delegate that waits (`product 10.4`).
    ///
    /// # Errors
    /// It does not wait, or may not be seen or changed.
    pub async fn decide(&self, scope: &Scope, group: &str, approve: bool) -> Result<(), DeedError> {
        let facts = self.facts(scope, group)?;
        self.may(Permission::DelegateEdit, &facts)?;
        if facts.approval != Approval::Pending {
            return Err(DeedError::Refused(format!("{} does not wait for approval", facts.name)));
        }
        let (action, words, verdict) = if approve {
            ("delegate.approve", "was approved", Approval::Approved)
        } else {
            ("delegate.reject", "was rejected: it leaves the list and is turned away", Approval::Rejected)
        };
        let line = self
            .actor
            .line(self.now, action, "delegate", &*facts.name, Some(&facts.scope))
            .says(format!("{} {words}", facts.name));
        let changes = [approval(&facts, Approval::Pending, verdict), line.change()];
        let mut apply = || {
            self.roster.set_approval(scope.account(), group, verdict, self.now);
        };
        Ok(self.store.commit_then(&changes, &mut apply).await?)
    }

    /// Marks a delegate as updated by hand on purpose, or ends that (`product 7`, P20).
    ///
    /// # Errors
    /// That is so already, or it may not be seen or changed.
    pub async fn by_choice(&self, scope: &Scope, group: &str, by_choice: bool) -> Result<(), DeedError> {
        let facts = self.facts(scope, group)?;
        self.may(Permission::DelegateEdit, &facts)?;
        let words = if by_choice {
            "is updated by hand on purpose"
        } else {
            "is no longer updated by hand on purpose"
        };
        if facts.by_choice == by_choice {
            return Err(DeedError::Refused(format!("{} {words} already", facts.name)));
        }
        let line = self
            .actor
            .line(self.now, "delegate.by_choice", "delegate", &*facts.name, Some(&facts.scope))
            .says(format!("{} {words}", facts.name))
            .before("byChoice", facts.by_choice.to_string())
            .after("byChoice", by_choice.to_string());
        let (account, id) = (facts.scope.account().into(), Arc::clone(&facts.id));
        let change = Change::SetByChoice { account, group: id, by_choice };
        let mut apply = || {
            self.roster.set_by_choice(scope.account(), group, by_choice);
        };
        Ok(self.store.commit_then(&[change, line.change()], &mut apply).await?)
    }

    /// Changes the custom tags of a delegate, until one of its instances registers again (`management-api 3`). The
    /// implicit tag is neither stored nor removed.
    ///
    /// # Errors
    /// It may not be seen or changed, a tag cannot be one, or nothing was stored.
    pub async fn change_tags(
        &self,
        scope: &Scope,
        group: &str,
        change: &TagChange,
    ) -> Result<GroupFacts, DeedError> {
        let facts = self.facts(scope, group)?;
        self.may(Permission::DelegateEdit, &facts)?;
        let (TagChange::Add(tags) | TagChange::Replace(tags)) = change;
        checked_tags(tags)?;
        let account = facts.scope.account();
        let implicit = implicit_tag(&facts.name);
        // One after the other, on all nodes: each goes on from what the one before left.
        let mut turn = Some(self.roster.turn_for_tags(self.now).await?);
        let (before, after) = self
            .roster
            .with_tags(account, group, |known| {
                let kept = known.iter().map(|tag| &**tag).filter(|_| matches!(change, TagChange::Add(_)));
                let given = tags.iter().map(String::as_str).filter(|tag| tag.trim() != implicit);
                clean_tags(kept.chain(given))
            })
            .ok_or(DeedError::Unknown("delegate"))?;
        let line = self
            .actor
            .line(self.now, "delegate.tags", "delegate", &*facts.name, Some(&facts.scope))
            .says(format!("The tags of {} were changed, until it registers again", facts.name))
            .before("tags", before.tags.join(", "))
            .after("tags", after.tags.join(", "));
        let tags = after.tags.iter().map(ToString::to_string).collect();
        let change = Change::SetTags { account: account.into(), group: Arc::clone(&facts.id), tags };
        let mut apply = || {
            self.roster.set_tags(account, group, &after.tags);
            turn.take();
        };
        self.store.commit_then(&[change, line.change()], &mut apply).await?;
        Ok(after)
    }

    /// A group that lies in reach of the scope and may be seen; deleted and rejected ones too.
    fn facts(&self, scope: &Scope, group: &str) -> Result<Arc<GroupFacts>, DeedError> {
        let facts = self.roster.group_facts(scope.account(), group);
        facts.filter(|facts| scope.contains(&facts.scope)).ok_or(DeedError::Unknown("delegate"))
    }

    /// Whoever may not see a delegate must not learn that it is there.
    fn may(&self, permission: Permission, facts: &GroupFacts) -> Result<(), DeedError> {
        let Some(grants) = &self.actor.grants else { return Ok(()) };
        if !grants.see(&facts.scope, &facts.identifier) {
            return Err(DeedError::Unknown("delegate"));
        }
        Ok(grants.decide(permission, &facts.scope, Some(&facts.identifier))?)
    }
}

fn approval(facts: &GroupFacts, from: Approval, to: Approval) -> Change {
    Change::SetApproval { account: facts.scope.account().into(), group: Arc::clone(&facts.id), from, to }
}

/// Why a connected delegate stays.
fn connected(found: &Deletion) -> String {
    let name = &found.facts.name;
    match (&found.host_name, found.connected) {
        (Some(host), _) => format!(
            "{host} of {name} is connected and would come back with its next heartbeat. Stop it first, or allow this \
             with the setting delegates.delete_connected"
        ),
        (None, connected) => format!(
            "{connected} of {} instances of {name} are connected and would come back with their next heartbeat. Stop \
             them first, or allow this with the setting delegates.delete_connected",
            found.instances
        ),
    }
}
