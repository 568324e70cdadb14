//! A group as another node stored it, beside what this node knows.

use std::sync::Arc;

use fleet::delegate::{GroupFacts, InstanceFacts};

use super::account::Members;
use super::cell::Cell;

/// What became of a group that another node stored.
#[derive(Debug, Default)]
pub(super) struct Adopted {
    /// Whether it was unknown here.
    pub(super) added: bool,
    /// As it was known, if it changed.
    pub(super) before: Option<Arc<GroupFacts>>,
    /// Instances whose rows could not be stored as they were, and can be now.
    pub(super) to_write: Vec<Arc<Cell>>,
}

impl Members {
    /// Takes over a group as it is stored.
    ///
    /// Two nodes may meet delegates of new groups at the same time and give one name two ids, or two names one
    /// identifier. The database takes the first of them; the other one gives way here.
    pub(super) fn adopt_group(&mut self, stored: GroupFacts) -> Adopted {
        let mut adopted = Adopted::default();
        if let Some(known) = self.group(&stored.id).map(|group| Arc::clone(&group.facts)) {
            let stored = match self.group(&known.id) {
                Some(group) if group.unsaved => said_here(stored, &known),
                _ => stored,
            };
            // These only move forward, and this node may have moved them.
            let merged = GroupFacts {
                first_seen: stored.first_seen.min(known.first_seen),
                last_active: stored.last_active.max(known.last_active),
                upgrader_seen: stored.upgrader_seen.max(known.upgrader_seen),
                returned_at: stored.returned_at.max(known.returned_at),
                ..stored
            };
            if merged == *known {
                return adopted;
            }
            if merged.identifier != known.identifier {
                self.release_identifier(&known);
                adopted.to_write = self.give_way(&merged);
            }
            self.put_group(Arc::new(merged));
            adopted.before = Some(known);
            return adopted;
        }
        adopted.added = true;
        adopted.to_write = self.give_way(&stored);
        let twin = self.group_named(&stored.scope, &stored.name).map(|group| Arc::clone(&group.facts));
        let id = Arc::clone(&stored.id);
        self.put_group(Arc::new(stored));
        if let Some(twin) = twin {
            adopted.added = false;
            adopted.to_write.extend(self.move_members(&twin, &id));
        }
        adopted
    }

    /// Gives another identifier to the group of another name that has the one of `stored`.
    fn give_way(&mut self, stored: &GroupFacts) -> Vec<Arc<Cell>> {
        let clash = self.groups().find(|group| {
            group.facts.scope == stored.scope
                && group.facts.identifier == stored.identifier
                && group.facts.id != stored.id
                && group.facts.name != stored.name
        });
        let Some(group) = clash.cloned() else { return Vec::new() };
        let identifier = self.identifier_for(&group.facts.scope, &group.facts.name).into();
        self.put_group(Arc::new(GroupFacts { identifier, ..(*group.facts).clone() }));
        group.members.iter().filter(|cell| cell.try_again()).cloned().collect()
    }

    /// Moves everybody from a group that was never stored to the one of its name that is.
    fn move_members(&mut self, twin: &GroupFacts, to: &Arc<str>) -> Vec<Arc<Cell>> {
        let moving = self.group(&twin.id).map(|group| Arc::clone(&group.members)).unwrap_or_default();
        for cell in moving.iter() {
            let facts = cell.facts();
            self.reidentify(cell, InstanceFacts { group: Arc::clone(to), ..(*facts).clone() });
        }
        self.forget_group(twin);
        moving.to_vec()
    }
}

/// A stored group with what registrations and people said of it here, which is on its way to the store.
fn said_here(stored: GroupFacts, known: &GroupFacts) -> GroupFacts {
    GroupFacts {
        kind: known.kind.clone(),
        family: known.family,
        description: Arc::clone(&known.description),
        tags: Arc::clone(&known.tags),
        token_name: Arc::clone(&known.token_name),
        ..stored
    }
}
