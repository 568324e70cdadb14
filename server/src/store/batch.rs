//! How batches are put together.

use std::collections::HashMap;
use std::hash::Hash;

use super::Batch;

impl Batch {
    /// Whether there is nothing to write.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.groups.is_empty()
            && self.companions.is_empty()
            && self.instances.is_empty()
            && self.aliases.is_empty()
            && self.removed.is_empty()
            && self.beats.is_empty()
            && self.transitions.is_empty()
            && self.tombstones.is_empty()
            && self.token_uses.is_empty()
            && self.turned_away.is_empty()
            && self.attempts.is_empty()
    }

    /// Adds the changes of `later` behind these.
    pub fn append(&mut self, mut later: Self) {
        self.groups.append(&mut later.groups);
        self.companions.append(&mut later.companions);
        self.instances.append(&mut later.instances);
        self.aliases.append(&mut later.aliases);
        self.removed.append(&mut later.removed);
        self.beats.append(&mut later.beats);
        self.transitions.append(&mut later.transitions);
        self.tombstones.append(&mut later.tombstones);
        self.token_uses.append(&mut later.token_uses);
        self.turned_away.append(&mut later.turned_away);
        self.attempts.append(&mut later.attempts);
    }

    /// Drops groups, instances, aliases and token uses that a later row of the same key replaces.
    pub fn dedupe(&mut self) {
        keep_last(&mut self.groups, |group| (group.scope.account().to_owned(), group.id.clone()));
        keep_last(&mut self.companions, |group| (group.scope.account().to_owned(), group.id.clone()));
        keep_last(&mut self.instances, |row| (row.account.clone(), row.facts.id.clone()));
        keep_last(&mut self.aliases, |alias| (alias.account.clone(), alias.alias.clone()));
        keep_last(&mut self.token_uses, |(id, _)| id.clone());
    }
}

fn keep_last<T, K: Eq + Hash>(rows: &mut Vec<T>, key: impl Fn(&T) -> K) {
    let mut last = HashMap::with_capacity(rows.len());
    for (place, row) in rows.iter().enumerate() {
        last.insert(key(row), place);
    }
    let mut place = 0;
    rows.retain(|row| {
        place += 1;
        last.get(&key(row)) == Some(&(place - 1))
    });
}
