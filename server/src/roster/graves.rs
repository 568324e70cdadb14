//! Open tombstones of an account, and what they hide (`agent-protocol 9.4`).

use std::collections::HashMap;
use std::sync::Arc;

use fleet::delegate::{Approval, GroupFacts};
use fleet::time::Timestamp;

use super::account::Members;
use super::cell::Cell;
use super::refusals::Target;
use crate::store::{State, Tombstone};

/// Tombstones that are not lifted, by group, then by instance; an empty instance is the whole group.
#[derive(Debug, Default)]
pub(super) struct Graves(HashMap<Arc<str>, HashMap<Arc<str>, Tombstone>>);

impl Graves {
    pub(super) fn get(&self, group: &str, instance: &str) -> Option<&Tombstone> {
        self.0.get(group)?.get(instance)
    }

    /// The tombstones of a group and of its instances.
    pub(super) fn of(&self, group: &str) -> impl Iterator<Item = &Tombstone> {
        self.0.get(group).into_iter().flat_map(HashMap::values)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Tombstone> {
        self.0.values().flat_map(HashMap::values)
    }

    fn put(&mut self, stone: Tombstone) {
        let of_group = self.0.entry(Arc::clone(&stone.group)).or_default();
        of_group.insert(Arc::clone(&stone.instance), stone);
    }

    fn take(&mut self, group: &str, instance: &str) -> Option<Tombstone> {
        let of_group = self.0.get_mut(group)?;
        let stone = of_group.remove(instance);
        if of_group.is_empty() {
            self.0.remove(group);
        }
        stone
    }
}

/// Whether a delegate may be listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    /// Nothing is in its way.
    Enabled,
    /// It waits for a person.
    Pending,
    /// A person turned it away.
    Rejected,
    /// A person deleted it, or its group.
    Deleted,
}

impl Members {
    /// Where a group stands as a whole.
    pub(super) fn standing(&self, group: &GroupFacts) -> Standing {
        match group.approval {
            Approval::Rejected => Standing::Rejected,
            _ if self.is_buried(&group.id) => Standing::Deleted,
            Approval::Pending => Standing::Pending,
            Approval::Approved => Standing::Enabled,
        }
    }

    /// Where a member of a group stands. Runs on every heartbeat: looks nothing up.
    pub(super) fn standing_of(group: &GroupFacts, cell: &Cell) -> Standing {
        match group.approval {
            Approval::Rejected => Standing::Rejected,
            _ if cell.is_deleted() => Standing::Deleted,
            Approval::Pending => Standing::Pending,
            Approval::Approved => Standing::Enabled,
        }
    }

    /// What stands between a delegate and its place: that of `group`, where it belongs, or a deletion of the instance
    /// alone. Tells which group it is about.
    pub(super) fn barrier(
        &self,
        group: Option<Arc<GroupFacts>>,
        cell: Option<&Arc<Cell>>,
    ) -> Option<(Arc<GroupFacts>, Standing)> {
        let own = cell.and_then(|cell| {
            let own = cell.with_facts(|facts| Arc::clone(&facts.group));
            self.graves.get(&own, &cell.id)?;
            Some(Arc::clone(&self.group(&own)?.facts))
        });
        match group.map(|group| (self.standing(&group), group)) {
            Some((standing @ (Standing::Rejected | Standing::Deleted), group)) => Some((group, standing)),
            Some((_, group)) if own.is_some() => Some((group, Standing::Deleted)),
            _ => Some((own?, Standing::Deleted)),
        }
    }

    /// Whom a refusal means: the instance alone, or the group as a whole.
    pub(super) fn barred(&self, group: &GroupFacts, cell: Option<&Arc<Cell>>) -> Target {
        self.grave_of(group, cell).0
    }

    /// The tombstone that stands in the way, and whom it means.
    pub(super) fn grave_of(
        &self,
        group: &GroupFacts,
        cell: Option<&Arc<Cell>>,
    ) -> (Target, Option<Tombstone>) {
        let alone = cell.and_then(|cell| {
            let own = cell.with_facts(|facts| Arc::clone(&facts.group));
            self.graves.get(&own, &cell.id)
        });
        match (self.graves.get(&group.id, ""), alone) {
            (None, Some(stone)) => {
                ((Arc::clone(&stone.group), Arc::clone(&stone.instance)), Some(stone.clone()))
            }
            (stone, _) => ((Arc::clone(&group.id), "".into()), stone.cloned()),
        }
    }

    /// Whether a group was deleted as a whole.
    pub(super) fn is_buried(&self, group: &str) -> bool {
        self.graves.get(group, "").is_some()
    }

    /// Takes an open tombstone over; returns the instances that it hides and that were not hidden before, each with
    /// what history knew of it.
    pub(super) fn bury(&mut self, stone: Tombstone) -> Vec<(Arc<Cell>, State)> {
        let mut hidden = Vec::new();
        for cell in self.cells_of(&stone) {
            if !cell.is_deleted() {
                cell.set_deleted(true);
                let before = cell.record(State::Hidden);
                hidden.push((cell, before));
            }
        }
        self.graves.put(stone);
        hidden
    }

    /// Forgets a tombstone that a person lifted; returns the instances that are no longer hidden.
    pub(super) fn unbury(&mut self, group: &str, instance: &str) -> Vec<Arc<Cell>> {
        let Some(stone) = self.graves.take(group, instance) else { return Vec::new() };
        let mut back = self.cells_of(&stone);
        back.retain(|cell| !self.is_buried(group) && self.graves.get(group, &cell.id).is_none());
        for cell in &back {
            cell.set_deleted(false);
        }
        back
    }

    /// Lifts what hides an instance and, with it, a group, because it calls again. Returns tombstones to store: the
    /// lifted ones, and one for each member of a deleted group that did not call and so stays hidden.
    pub(super) fn resurrect(&mut self, group: &str, caller: &Arc<Cell>, now: Timestamp) -> Vec<Tombstone> {
        let lifted = |stone: Tombstone| Tombstone { lifted_at: Some(now), ..stone };
        let own = caller.with_facts(|facts| Arc::clone(&facts.group));
        let mut rows: Vec<Tombstone> = self.graves.take(&own, &caller.id).map(lifted).into_iter().collect();
        caller.set_deleted(false);
        let Some(stone) = self.graves.take(group, "") else { return rows };
        for other in self.cells_of(&stone) {
            if !Arc::ptr_eq(caller, &other) && self.graves.get(group, &other.id).is_none() {
                let own = Tombstone { instance: Arc::clone(&other.id), ..stone.clone() };
                self.graves.put(own.clone());
                rows.push(own);
            }
        }
        self.change_group(group, |facts| GroupFacts { returned_at: Some(now), ..facts.clone() });
        rows.push(lifted(stone));
        rows
    }

    /// Replaces the facts of a known group.
    pub(super) fn change_group(
        &mut self,
        group: &str,
        change: impl FnOnce(&GroupFacts) -> GroupFacts,
    ) -> Option<Arc<GroupFacts>> {
        let changed = Arc::new(change(&self.group(group)?.facts));
        self.put_group(Arc::clone(&changed));
        Some(changed)
    }

    /// The instances in memory that a tombstone speaks of.
    pub(super) fn cells_of(&self, stone: &Tombstone) -> Vec<Arc<Cell>> {
        let Some(group) = self.group(&stone.group) else { return Vec::new() };
        let meant = |cell: &&Arc<Cell>| stone.instance.is_empty() || cell.id == stone.instance;
        group.members.iter().filter(meant).cloned().collect()
    }
}
