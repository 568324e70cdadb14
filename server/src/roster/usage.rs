//! Which delegates use which token (`product 10.5`, `11.6`).

use std::collections::HashMap;
use std::sync::Arc;

use fleet::delegate::{Approval, GroupFacts};
use fleet::scope::Scope;
use fleet::time::Timestamp;

use super::Roster;
use super::account::Group;
use super::cell::Cell;
use super::deletion::tally;

/// A group with instances that used a token last.
#[derive(Clone, Debug)]
pub struct TokenUser {
    /// The group.
    pub facts: Arc<GroupFacts>,
    /// Visible instances on this token.
    pub instances: u64,
    /// Those of them that are connected.
    pub connected: u64,
}

impl Roster {
    /// The groups of an account with visible instances that used this token last, by name.
    #[must_use]
    pub fn token_use(&self, account: &str, token: &str, now: Timestamp) -> Vec<TokenUser> {
        let policy = &self.reference().policy;
        let mut users: Vec<TokenUser> = self
            .listed(account)
            .into_iter()
            .filter_map(|group| {
                let uses = |cell: &&Arc<Cell>| cell.with_facts(|facts| *facts.token == *token);
                let cells: Vec<Arc<Cell>> = group.members.iter().filter(uses).cloned().collect();
                let (instances, connected) = tally(&cells, policy, now);
                (instances > 0).then_some(TokenUser { facts: group.facts, instances, connected })
            })
            .collect();
        users.sort_by(|a, b| (&a.facts.name, &a.facts.scope).cmp(&(&b.facts.name, &b.facts.scope)));
        users
    }

    /// Visible instances in a scope and below by the internal id of the token that they used last: a token reaches
    /// no further than its scope (`agent-protocol 1.7`).
    #[must_use]
    pub fn token_counts(&self, scope: &Scope, now: Timestamp) -> HashMap<Arc<str>, u64> {
        let policy = &self.reference().policy;
        let mut counts = HashMap::new();
        for group in self.listed(scope.account()) {
            if !scope.contains(&group.facts.scope) {
                continue;
            }
            for cell in group.members.iter() {
                let (visible, _) = tally(std::slice::from_ref(cell), policy, now);
                if visible > 0 {
                    *counts.entry(cell.with_facts(|facts| Arc::clone(&facts.token))).or_insert(0) += visible;
                }
            }
        }
        counts
    }

    /// The groups of an account that are neither deleted nor rejected.
    fn listed(&self, account: &str) -> Vec<Group> {
        let Some(account) = self.account(account) else { return Vec::new() };
        account.read(|members| {
            let listed = |group: &&Group| {
                group.facts.approval != Approval::Rejected && !members.is_buried(&group.facts.id)
            };
            members.groups().filter(listed).cloned().collect()
        })
    }
}
