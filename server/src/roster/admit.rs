//! Registrations, and heartbeats that must stand for one (`agent-protocol 2.2`, `8.2`, `8.3`).

use std::sync::Arc;
use std::sync::atomic::Ordering;

use fleet::delegate::{Approval, GroupFacts, Identity, InstanceFacts, UNIDENTIFIED, is_delegate_id};
use fleet::scope::Scope;
use fleet::time::Timestamp;

use super::account::{Account, Members};
use super::beat::Previous;
use super::cell::Cell;
use super::draft::Draft;
use super::gate::{RETURNED, returned, told};
use super::graves::Standing;
use super::ids::{group_id, instance_id, new_id};
use super::report::Report;
use super::{Admitted, AgentStatus, Roster, RosterError};
use crate::store::{Alias, Batch, Cause, State, Transition};
use crate::tokens::Caller;

/// How a delegate came in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Entry {
    Register,
    Heartbeat,
    /// A WebSocket frame: no name, no host.
    Stream,
}

impl Roster {
    /// Admits a registration; durable before it returns (`agent-protocol 2.2`).
    ///
    /// # Errors
    /// [`RosterError`].
    pub async fn register(
        &self,
        caller: &Caller,
        report: &Report<'_>,
        now: Timestamp,
    ) -> Result<Admitted, RosterError> {
        let draft = Draft::new(caller, report, &self.interner, now);
        self.admit(caller, &draft, Entry::Register, report.delegate_id.as_deref(), now).await
    }

    /// Takes a REST heartbeat with an unknown id: the row is made from the body, durably (`agent-protocol 8.3`).
    ///
    /// # Errors
    /// [`RosterError`].
    pub async fn upsert(
        &self,
        caller: &Caller,
        report: &Report<'_>,
        now: Timestamp,
    ) -> Result<Admitted, RosterError> {
        if let Some(admitted) = self.known_elsewhere(|| self.beat(caller, report, now), now).await {
            return Ok(admitted);
        }
        let draft = Draft::new(caller, report, &self.interner, now);
        self.admit(caller, &draft, Entry::Heartbeat, report.delegate_id.as_deref(), now).await
    }

    /// Takes a WebSocket frame with an unknown id as a placeholder row (`agent-protocol 7.5`, A13).
    ///
    /// # Errors
    /// [`RosterError`].
    pub async fn placeholder(
        &self,
        caller: &Caller,
        report: &Report<'_>,
        now: Timestamp,
    ) -> Result<Admitted, RosterError> {
        if let Some(admitted) = self.known_elsewhere(|| self.stream_beat(caller, report, now), now).await {
            return Ok(admitted);
        }
        let known = Report {
            name: Some(UNIDENTIFIED.into()),
            host_name: report.delegate_id.clone(),
            version: report.version.clone(),
            location: report.location.clone(),
            connection: report.connection.clone(),
            polling: Some(false),
            ..Report::default()
        };
        let draft = Draft::new(caller, &known, &self.interner, now);
        self.admit(caller, &draft, Entry::Stream, report.delegate_id.as_deref(), now).await
    }

    async fn admit(
        &self,
        caller: &Caller,
        draft: &Draft,
        entry: Entry,
        sent_id: Option<&str>,
        now: Timestamp,
    ) -> Result<Admitted, RosterError> {
        if entry != Entry::Register && !sent_id.is_some_and(is_delegate_id) {
            return Err(RosterError::BadId);
        }
        let account = self.account_or_new(&caller.account);
        let owner = &caller.token.scope;
        let placed =
            account.write(|members| self.place(members, &account, owner, draft, entry, sent_id, now))?;
        let sent = sent_id.filter(|_| entry != Entry::Register);
        let placed = match placed {
            Placement::Listed(placed) => placed,
            Placement::TurnedAway { group, cell, standing } => {
                let status = self.gate(&account, &group, cell.as_ref(), standing, caller, now);
                let status = status.unwrap_or(AgentStatus::Deleted);
                let target = account.read(|members| members.barred(&group, cell.as_ref()));
                let admitted = Self::turn_away(&account, target.clone(), status, sent);
                if sent.is_none() && self.store.is_shared() {
                    // Its next call may reach another node, under an id that stands for nothing there.
                    let known = account.refusals().get(&target).cloned();
                    if let Some(known) = known {
                        let given = Some(Arc::clone(&admitted.id));
                        self.writer.tell_turned_away(told(&account, &target.1, &known, given)).await;
                    }
                }
                return Ok(admitted);
            }
        };
        if placed.returned {
            account.refusals().forget(&placed.facts.group);
        }
        let admitted = placed.admitted(sent);
        if !placed.news {
            self.writer.beat(&account, &placed.cell);
            return Ok(admitted);
        }
        account.changed();
        // When this is not confirmed, memory keeps the row and the flusher writes it when it can.
        let confirmed = self.writer.confirm((Arc::clone(&account), placed.cell), placed.along).await;
        if confirmed { Ok(admitted) } else { Err(RosterError::NotStored) }
    }

    #[expect(clippy::too_many_arguments, reason = "one admission, split for length only")]
    /// Finds or makes group and instance. Runs under the account's lock, so that two registrations of one identity
    /// cannot both create it.
    fn place(
        &self,
        members: &mut Members,
        account: &Arc<Account>,
        owner: &Scope,
        draft: &Draft,
        entry: Entry,
        sent_id: Option<&str>,
        now: Timestamp,
    ) -> Result<Placement, RosterError> {
        let named = members.group_named(&draft.scope, &draft.name).map(|group| Arc::clone(&group.facts));
        let known = sent_id.and_then(|id| members.find_within(id, owner)).cloned();
        let foreign = known.is_none() && sent_id.is_some_and(|id| members.find(id).is_some());
        if foreign && entry != Entry::Register {
            tracing::warn!(account = %account.id, scope = %owner, "a delegate uses an id of another scope; it is refused");
            return Err(RosterError::BadId);
        }
        let same = known.or_else(|| {
            let group = named.as_ref().filter(|_| entry != Entry::Stream)?;
            members.find_identity(&group.id, &draft.identity).cloned()
        });
        // Whoever does not move stays where it was, whatever name it gives.
        let stays = same.as_ref().filter(|cell| !moves(entry, cell));
        let home = stays.and_then(|cell| {
            let group = cell.with_facts(|facts| Arc::clone(&facts.group));
            members.group(&group).map(|group| Arc::clone(&group.facts))
        });
        let mut lifted = Vec::new();
        let mut reopens = None;
        if let Some((group, standing)) = members.barrier(home.or(named), same.as_ref()) {
            if self.verdict(&group, standing).is_some() {
                return Ok(Placement::TurnedAway { group, cell: same, standing });
            }
            match &same {
                Some(cell) => lifted = members.resurrect(&group.id, cell, now),
                // Not before the newcomer is in: there may be no room for it.
                None => reopens = Some(Arc::clone(&group.id)),
            }
        } else if let Some(cell) = &same {
            // It may leave a deleted group under another name.
            cell.set_deleted(false);
        }
        let (group, regrouped) = self.place_group(members, draft, entry, now)?;
        let mut placed = match same {
            Some(cell) => renew(members, draft, entry, cell, &group),
            None => self.create(members, draft, entry, sent_id, &group, now)?,
        };
        if let Some(group) = reopens {
            lifted = members.resurrect(&group, &placed.cell, now);
        }
        let comes_back = !lifted.is_empty();
        placed.news |= regrouped || comes_back;
        placed.along.tombstones = lifted;
        if entry != Entry::Register
            && let Some(sent) = sent_id.filter(|id| members.find(id).is_none())
            && members.put_alias(sent.into(), Arc::clone(&placed.cell))
        {
            let id = Arc::clone(&placed.cell.id);
            placed.along.aliases.push(Alias { account: Arc::clone(&account.id), alias: sent.into(), id });
            placed.news = true;
        }
        let followed = self.others.followed();
        let previous = placed.cell.beat(now).map(|at| Previous { at, followed });
        if comes_back {
            placed.comes_back(account, now);
        } else {
            let group = Arc::clone(&placed.facts.group);
            placed.along.transitions.extend(self.observe(account, &placed.cell, &group, previous, now));
        }
        placed.news |= !placed.along.transitions.is_empty();
        let group = members.group(&placed.facts.group);
        placed.waits = group.is_some_and(|group| group.facts.approval == Approval::Pending);
        Ok(Placement::Listed(Box::new(placed)))
    }

    fn place_group(
        &self,
        members: &mut Members,
        draft: &Draft,
        entry: Entry,
        now: Timestamp,
    ) -> Result<(Arc<GroupFacts>, bool), RosterError> {
        let known = members.group_named(&draft.scope, &draft.name).map(|group| Arc::clone(&group.facts));
        let Some(known) = known else {
            if self.groups.fetch_add(1, Ordering::Relaxed) >= self.limits.groups {
                self.groups.fetch_sub(1, Ordering::Relaxed);
                self.full("groups", self.limits.groups);
                return Err(RosterError::NotReady);
            }
            let identifier = members.identifier_for(&draft.scope, &draft.name);
            let approval = self.first_approval(&draft.scope);
            let mut facts =
                draft.new_group(group_id(&draft.scope, &draft.name), identifier.into(), approval, now);
            facts.upgrader_seen = self.pending_upgrader(&draft.scope, &draft.name, now);
            let facts = Arc::new(facts);
            members.put_changed_group(Arc::clone(&facts));
            return Ok((facts, true));
        };
        // Heartbeats change the tags of their instance only (agent-protocol 8.5).
        let changed = (entry == Entry::Register).then(|| draft.regrouped(&known)).flatten().map(Arc::new);
        let Some(changed) = changed else { return Ok((known, false)) };
        members.put_changed_group(Arc::clone(&changed));
        Ok((changed, true))
    }

    fn create(
        &self,
        members: &mut Members,
        draft: &Draft,
        entry: Entry,
        sent_id: Option<&str>,
        group: &Arc<GroupFacts>,
        now: Timestamp,
    ) -> Result<Placed, RosterError> {
        if self.instances.fetch_add(1, Ordering::Relaxed) >= self.limits.instances {
            self.instances.fetch_sub(1, Ordering::Relaxed);
            self.full("instances", self.limits.instances);
            return Err(RosterError::NotReady);
        }
        let id = match sent_id {
            Some(id) if entry != Entry::Register => id.into(),
            _ => free_id(members, group, &draft.identity),
        };
        let mut facts = draft.new_instance(id, Arc::clone(&group.id));
        facts.incomplete = entry == Entry::Stream;
        let facts = Arc::new(facts);
        let cell = Arc::new(Cell::new(Arc::clone(&facts), None, State::Connected, false));
        members.put_instance(&cell);
        let line = Transition {
            account: group.scope.account().into(),
            group: Arc::clone(&group.id),
            instance: Arc::clone(&cell.id),
            at: now,
            from: None,
            to: State::Connected,
            cause: Cause::Registered,
            note: "".into(),
            silence: None,
        };
        Ok(Placed::new(cell, facts, true, Some(line)))
    }
}

/// An id for a new instance of a group: the one that every node would give it, unless that means somebody else already.
fn free_id(members: &Members, group: &GroupFacts, identity: &Identity) -> Arc<str> {
    let id = instance_id(group.scope.account(), &group.id, identity);
    let taken = members.find(&id).is_some() || members.graves.get(&group.id, &id).is_some();
    if taken { new_id() } else { id }
}

/// A known instance that registers again: facts are replaced, identity and group followed.
fn renew(
    members: &mut Members,
    draft: &Draft,
    entry: Entry,
    cell: Arc<Cell>,
    group: &Arc<GroupFacts>,
) -> Placed {
    let known = cell.facts();
    let target = if moves(entry, &cell) { Arc::clone(&group.id) } else { Arc::clone(&known.group) };
    let renewed = if entry == Entry::Stream { (*known).clone() } else { draft.renewed(&known, target) };
    let line = version_change(group.scope.account(), &known, &renewed);
    let changed = renewed != *known;
    let facts = if changed { members.reidentify(&cell, renewed) } else { known };
    let news = changed || !cell.is_stored();
    Placed::new(cell, facts, news, line)
}

/// Whether a known instance goes where its name belongs. A heartbeat moves none, except one that turns a placeholder
/// into the real row.
fn moves(entry: Entry, cell: &Cell) -> bool {
    entry == Entry::Register || entry == Entry::Heartbeat && cell.with_facts(|facts| facts.incomplete)
}

/// The line of history of another version.
pub(super) fn version_change(
    account: &str,
    before: &InstanceFacts,
    after: &InstanceFacts,
) -> Option<Transition> {
    let (Some(old), Some(new)) = (&before.version, &after.version) else { return None };
    (old != new).then(|| Transition {
        account: account.into(),
        group: Arc::clone(&after.group),
        instance: Arc::clone(&after.id),
        at: after.version_since,
        from: Some(State::Connected),
        to: State::Connected,
        cause: Cause::Version,
        note: format!("{old} -> {new}").into(),
        silence: None,
    })
}

/// What became of an admission.
enum Placement {
    Listed(Box<Placed>),
    /// A person deleted or rejected it, and nothing may bring it back.
    TurnedAway {
        group: Arc<GroupFacts>,
        /// The instance, if it is known.
        cell: Option<Arc<Cell>>,
        standing: Standing,
    },
}

/// A row that was found or made.
struct Placed {
    cell: Arc<Cell>,
    facts: Arc<InstanceFacts>,
    /// Whether anything must be written before this is answered.
    news: bool,
    /// Whether it was deleted before.
    returned: bool,
    /// Whether its group waits for a person.
    waits: bool,
    /// Aliases, tombstones and history.
    along: Batch,
}

impl Placed {
    fn new(cell: Arc<Cell>, facts: Arc<InstanceFacts>, news: bool, line: Option<Transition>) -> Self {
        let along = Batch { transitions: line.into_iter().collect(), ..Batch::default() };
        Self { cell, facts, news, returned: false, waits: false, along }
    }

    /// Tells history that it comes back from a deletion: a new instance of a deleted group in the line of its
    /// registration.
    fn comes_back(&mut self, account: &Account, now: Timestamp) {
        self.returned = true;
        let first = self.along.transitions.iter_mut().find(|line| line.cause == Cause::Registered);
        match first {
            Some(line) => line.note = RETURNED.into(),
            None => self.along.transitions.push(returned(account, &self.cell, now)),
        }
    }

    fn admitted(&self, sent_id: Option<&str>) -> Admitted {
        let id = match sent_id {
            Some(sent) if *sent != *self.cell.id => sent.into(),
            _ => Arc::clone(&self.cell.id),
        };
        let status = if self.waits { AgentStatus::WaitingForApproval } else { AgentStatus::Enabled };
        Admitted { id, status, heartbeat_as_object: self.facts.heartbeat_as_object }
    }
}
