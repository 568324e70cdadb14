//! Planned goodbyes and reported capacity (`agent-protocol 2.4`, `2.6`, `9.2`).

use std::sync::Arc;

use fleet::delegate::{DelegateType, InstanceFacts, identity};
use fleet::time::Timestamp;

use super::account::Members;
use super::cell::Cell;
use super::draft::{host_name, placement};
use super::report::Goodbye;
use super::{Roster, RosterError};
use crate::store::{Batch, Cause, State, Transition};
use crate::tokens::Caller;

impl Roster {
    /// A planned goodbye; durable before it returns (`agent-protocol 2.4`). Returns who left; an unknown instance
    /// changes nothing.
    ///
    /// # Errors
    /// [`RosterError`].
    pub async fn unregister(
        &self,
        caller: &Caller,
        goodbye: &Goodbye<'_>,
        now: Timestamp,
    ) -> Result<Option<Arc<str>>, RosterError> {
        let find = || {
            let account = self.account(&caller.account)?;
            let cell = account.read(|members| leaving(members, caller, goodbye))?;
            Some((account, cell))
        };
        let found = match find() {
            None => self.known_elsewhere(find, now).await,
            found => found,
        };
        let Some((account, cell)) = found else { return Ok(None) };
        let left = cell.update(|facts| Some(InstanceFacts { goodbye_at: Some(now), ..facts.clone() }));
        let facts = left.unwrap_or_else(|| cell.facts());
        let from = cell.record(State::Hidden);
        cell.turned(now, State::Hidden, now);
        account.changed();
        let line = Transition {
            account: Arc::clone(&account.id),
            group: Arc::clone(&facts.group),
            instance: Arc::clone(&facts.id),
            at: now,
            from: Some(from),
            to: State::Hidden,
            cause: Cause::Goodbye,
            note: "".into(),
            silence: None,
        };
        let id = Arc::clone(&cell.id);
        let along = Batch { transitions: vec![line], ..Batch::default() };
        if self.writer.confirm((account, cell), along).await {
            Ok(Some(id))
        } else {
            Err(RosterError::NotStored)
        }
    }

    /// Stores the capacity of an instance; unknown ids are dropped (`agent-protocol 2.6`).
    pub async fn capacity(&self, caller: &Caller, id: &str, builds: i64, now: Timestamp) {
        let find = || {
            let account = self.account(&caller.account)?;
            let cell = account.read(|members| members.find_within(id, &caller.token.scope).cloned())?;
            Some((account, cell))
        };
        let found = match find() {
            None => self.known_elsewhere(find, now).await,
            found => found,
        };
        let Some((account, cell)) = found else { return };
        let changed = cell.update(|facts| {
            (facts.capacity != Some(builds))
                .then(|| InstanceFacts { capacity: Some(builds), ..facts.clone() })
        });
        if changed.is_some() {
            self.writer.facts(&account, &cell);
            account.changed();
        }
    }
}

/// The instance that leaves: by id, else by host name and address inside the scope (`agent-protocol 2.4`, A7).
fn leaving(members: &Members, caller: &Caller, goodbye: &Goodbye<'_>) -> Option<Arc<Cell>> {
    if let Some(cell) =
        goodbye.delegate_id.as_deref().and_then(|id| members.find_within(id, &caller.token.scope))
    {
        return Some(Arc::clone(cell));
    }
    // Matched in the form in which registrations are kept.
    let host_name = host_name(goodbye.host_name.as_deref());
    let scope = placement(&caller.token.scope, goodbye.organization.as_deref(), goodbye.project.as_deref());
    let kind = DelegateType::from(goodbye.kind.as_deref().unwrap_or_default());
    let ip = goodbye.ip.as_deref().unwrap_or_default();
    let wanted = identity(&caller.account, goodbye.ng.unwrap_or(false), &kind, &host_name, ip);
    let groups = members.groups().filter(|group| group.facts.scope == scope);
    let mut found = groups.filter_map(|group| members.find_identity(&group.facts.id, &wanted));
    match (found.next(), found.next()) {
        (Some(cell), None) => Some(Arc::clone(cell)),
        // Two groups with such a member: hiding the wrong one is worse than waiting for silence.
        _ => None,
    }
}
