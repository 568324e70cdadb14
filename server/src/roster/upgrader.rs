//! Upgrader calls stamp their group (`agent-protocol 10.3`).

use std::sync::Arc;

use fleet::delegate::{GroupFacts, implicit_tag};
use fleet::overrides::{Override, choose};
use fleet::retention::group_visible;
use fleet::scope::Scope;
use fleet::time::{HOUR, Timestamp};

use super::Roster;
use super::graves::Standing;
use crate::tokens::Caller;

/// Scope and delegate name of a group.
pub(super) type Key = (Arc<Scope>, Arc<str>);

/// How long a call for a group that does not exist yet is remembered (`agent-protocol 10.3`).
const REMEMBER: i64 = 24 * HOUR;
/// How many such calls are remembered.
const MAX_PENDING: usize = 10_000;

impl Roster {
    /// Notes an upgrader call; without a name it stamps the one visible group of the token (`agent-protocol 10.3`). The
    /// group, if it is known.
    pub fn upgrader_seen(
        &self,
        caller: &Caller,
        group: Option<&str>,
        now: Timestamp,
    ) -> Option<Arc<GroupFacts>> {
        let account = self.account_or_new(&caller.account);
        let stamped = account.write(|members| {
            let facts = match group {
                Some(name) => {
                    members.group_named(&caller.token.scope, &name.into()).map(|group| &group.facts)
                }
                None => self.only_group(members, caller, now),
            }?;
            let stamped = Arc::new(GroupFacts { upgrader_seen: Some(now), ..(**facts).clone() });
            members.put_group(Arc::clone(&stamped));
            Some(stamped)
        });
        match (&stamped, group) {
            (Some(stamped), _) => {
                self.writer.group(&account, &stamped.id);
                account.changed();
            }
            (None, Some(name)) => self.remember(&caller.token.scope, name, now),
            (None, None) => {
                tracing::info!(account = %account.id, "an upgrader gave no name and its token has not exactly one group");
            }
        }
        stamped
    }

    /// The override that speaks of a delegate of this name that a token of `owner` speaks for (`management-api 2.7`):
    /// of a group of that scope, or else of the only one below it; one that is unknown has no tags but its name.
    #[must_use]
    pub fn override_of(&self, owner: &Arc<Scope>, name: Option<&str>, now: Timestamp) -> Option<Override> {
        let known = name.and_then(|name| self.group_below(owner, name));
        match known {
            Some(facts) => self.override_for(&facts.scope, Some(&facts), name, now),
            None => self.override_for(owner, None, name, now),
        }
    }

    /// The override that speaks of a known group, or of one of this name.
    #[must_use]
    pub fn override_for(
        &self,
        scope: &Scope,
        group: Option<&GroupFacts>,
        name: Option<&str>,
        now: Timestamp,
    ) -> Option<Override> {
        let in_force = self.reference().overrides_at(scope, now);
        if in_force.is_empty() {
            return None;
        }
        let implicit = group.map(|facts| &*facts.name).or(name).map(implicit_tag);
        let tags = group.iter().flat_map(|facts| facts.tags.iter().map(|tag| &**tag));
        let tags: Vec<&str> = tags.chain(implicit.as_deref()).collect();
        choose(&in_force, &tags).map(|(_, chosen)| chosen.clone())
    }

    fn group_below(&self, owner: &Arc<Scope>, name: &str) -> Option<Arc<GroupFacts>> {
        self.account(owner.account())?.read(|members| {
            if let Some(group) = members.group_named(owner, &name.into()) {
                return Some(Arc::clone(&group.facts));
            }
            let below = |group: &&super::account::Group| {
                *group.facts.name == *name && owner.contains(&group.facts.scope)
            };
            let mut found = members.groups().filter(below);
            let only = found.next()?;
            found.next().is_none().then(|| Arc::clone(&only.facts))
        })
    }

    /// The group that uses this token, if it is the only one (`agent-protocol 10.3`, A23).
    fn only_group<'a>(
        &self,
        members: &'a super::account::Members,
        caller: &Caller,
        now: Timestamp,
    ) -> Option<&'a Arc<GroupFacts>> {
        let policy = &self.reference().policy;
        let mut users = members.groups().filter(|group| {
            let last_active = group.members.iter().filter_map(|cell| cell.last_heartbeat()).max();
            let last_active = last_active.unwrap_or(group.facts.last_active).max(group.facts.last_active);
            matches!(members.standing(&group.facts), Standing::Enabled | Standing::Pending)
                && group.members.iter().any(|cell| cell.with_facts(|facts| facts.token == caller.token.id))
                && group_visible(last_active, policy, now)
        });
        let only = users.next()?;
        users.next().is_none().then_some(&only.facts)
    }

    fn remember(&self, scope: &Arc<Scope>, name: &str, now: Timestamp) {
        let mut pending = self.pending_upgraders.lock();
        if pending.len() >= MAX_PENDING {
            pending.retain(|_, at| at.age(now) <= REMEMBER);
        }
        if pending.len() < MAX_PENDING {
            pending.insert((Arc::clone(scope), name.into()), now);
        }
    }

    /// The call that came before its group did.
    pub(super) fn pending_upgrader(
        &self,
        scope: &Arc<Scope>,
        name: &Arc<str>,
        now: Timestamp,
    ) -> Option<Timestamp> {
        let at = self.pending_upgraders.lock().remove(&(Arc::clone(scope), Arc::clone(name)))?;
        (at.age(now) <= REMEMBER).then_some(at)
    }
}
