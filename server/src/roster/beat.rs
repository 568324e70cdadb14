//! Heartbeats of known instances: memory only (`agent-protocol 2.3`, `7.3`).

use std::sync::Arc;
use std::sync::atomic::Ordering;

use fleet::delegate::{Details, InstanceFacts, Transport};
use fleet::time::{MINUTE, Timestamp};
use fleet::version;

use super::account::{Account, Members};
use super::admit::version_change;
use super::cell::Cell;
use super::draft::{clean, skew, tags};
use super::graves::Standing;
use super::report::Report;
use super::{Admitted, AgentStatus, Roster};
use crate::store::{Cause, Silence, State, Transition};
use crate::tokens::Caller;

/// A pause longer than this is a line of history of its own (`agent-protocol 2.3`).
const LONG_PAUSE: i64 = 10 * MINUTE;
/// A clock that drifts by less is not worth a new row; answers on a busy network vary that much.
const SKEW_STEP: i64 = 2_000;
/// Longest text that a heartbeat can change.
const MAX_TEXT: usize = 256;

/// The heartbeat before this one.
#[derive(Clone, Copy)]
pub(super) struct Previous {
    pub(super) at: Timestamp,
    /// The newest change of other nodes that memory held when it was looked up.
    pub(super) followed: i64,
}

impl Roster {
    /// Takes a REST heartbeat of a known instance; memory only. None if the id is unknown in the account.
    pub fn beat(&self, caller: &Caller, report: &Report<'_>, now: Timestamp) -> Option<Admitted> {
        self.take(caller, report, Transport::Polling, now)
    }

    /// Takes a WebSocket frame of a known instance; only what A12 allows is used. None if the id is unknown.
    pub fn stream_beat(&self, caller: &Caller, report: &Report<'_>, now: Timestamp) -> Option<Admitted> {
        let allowed = Report {
            delegate_id: report.delegate_id.clone(),
            version: report.version.clone(),
            location: report.location.clone(),
            connection: report.connection.clone(),
            ..Report::default()
        };
        self.take(caller, &allowed, Transport::WebSocket, now)
    }

    fn take(
        &self,
        caller: &Caller,
        report: &Report<'_>,
        transport: Transport,
        now: Timestamp,
    ) -> Option<Admitted> {
        let id = report.delegate_id.as_deref()?;
        let account = self.account(&caller.account)?;
        let found = account.read(|members| {
            let (cell, group) = members.find_with_group(id, &caller.token.scope)?;
            let standing = Members::standing_of(group, cell);
            // Only what is turned away, or comes back, needs to know more.
            let group = matches!(standing, Standing::Rejected | Standing::Deleted).then(|| Arc::clone(group));
            Some((Arc::clone(cell), standing, group))
        });
        let Some((cell, standing, group)) = found else { return self.turned_away(&account, id, caller, now) };
        let (change, incomplete, as_object) = cell.with_facts(|facts| {
            (changed(facts, caller, report, transport, now), facts.incomplete, facts.heartbeat_as_object)
        });
        // A full heartbeat turns a placeholder into the real row, which is more than a heartbeat may do.
        if incomplete && transport == Transport::Polling {
            return None;
        }
        let mut returned = false;
        if let Some(group) = group {
            match self.gate(&account, &group, Some(&cell), standing, caller, now) {
                Some(status) => {
                    return Some(Admitted { id: id.into(), status, heartbeat_as_object: as_object });
                }
                None => returned = self.welcome_back(&account, &group, &cell, now),
            }
        }
        let followed = self.others.followed();
        // Whoever comes back from a deletion was not silent.
        let previous = cell.beat(now).filter(|_| !returned).map(|at| Previous { at, followed });
        self.writer.beat(&account, &cell);
        if cell.is_waiting() {
            self.writer.facts(&account, &cell);
        }
        let pause = self.timeout.load(Ordering::Relaxed).min(LONG_PAUSE);
        if change
            || cell.recorded() != State::Connected
            || previous.is_none_or(|previous| previous.at.age(now) > pause)
        {
            self.note_news(&account, &cell, caller, report, transport, previous, now);
        }
        let id = if *id == *cell.id { Arc::clone(&cell.id) } else { id.into() };
        let waits = standing == Standing::Pending;
        let status = if waits { AgentStatus::WaitingForApproval } else { AgentStatus::Enabled };
        Some(Admitted { id, status, heartbeat_as_object: as_object })
    }

    /// The rare part: facts that changed, a return after a loss.
    #[expect(clippy::too_many_arguments, reason = "one heartbeat, split for length only")]
    fn note_news(
        &self,
        account: &Arc<Account>,
        cell: &Arc<Cell>,
        caller: &Caller,
        report: &Report<'_>,
        transport: Transport,
        previous: Option<Previous>,
        now: Timestamp,
    ) {
        // Read and replaced under one lock: a registration in between must not be undone.
        let mut changed_version = None;
        let updated = cell.update(|before| {
            let after = self.apply(before, caller, report, transport, now);
            changed_version = version_change(&account.id, before, &after);
            (after != *before).then_some(after)
        });
        let group = cell.with_facts(|facts| Arc::clone(&facts.group));
        let mut history = self.observe(account, cell, &group, previous, now);
        history.extend(changed_version);
        let news = !history.is_empty() || updated.is_some();
        if updated.is_some() {
            self.writer.facts(account, cell);
        }
        self.writer.history(history);
        if news {
            account.changed();
        }
    }

    /// The facts after a heartbeat; a field that is absent leaves the stored value (`agent-protocol 2.3`).
    fn apply(
        &self,
        facts: &InstanceFacts,
        caller: &Caller,
        report: &Report<'_>,
        transport: Transport,
        now: Timestamp,
    ) -> InstanceFacts {
        let mut after = facts.clone();
        after.goodbye_at = None;
        after.transport = transport;
        after.token = Arc::clone(&caller.token.id);
        if let Some(text) = report.version.as_deref()
            && let Some(version) = version::reported(Some(&clean(text, MAX_TEXT)), facts.family)
            && facts.version.as_deref() != Some(&version)
        {
            after.version = Some(self.interner.version(&version));
            after.version_since = now;
        }
        if let Some(ip) = report.ip.as_deref()
            && *ip != *facts.ip
        {
            after.ip = clean(ip, MAX_TEXT).into();
        }
        if let Some(reported) = &report.tags {
            after.tags = tags(reported, &self.interner);
        }
        if let Some(capacity) = report.capacity {
            after.capacity = capacity;
        }
        if let Some(location) = report.location.as_deref()
            && facts.details.location.as_deref() != Some(location)
        {
            let location = Some(clean(location, MAX_TEXT).into());
            after.details = Arc::new(Details { location, ..(*after.details).clone() });
        }
        if let Some(skew) = skew(report, now)
            && far(facts.clock_skew, skew)
        {
            after.clock_skew = Some(skew);
        }
        if let Some(connection) = report.connection.as_deref()
            && facts.details.connection.as_deref() != Some(connection)
        {
            // A restart brings a new id once; coming back to the one before means that two processes take turns.
            if facts.details.previous_connection.as_deref() == Some(connection) {
                after.double_seen = Some(now);
            }
            let previous_connection = facts.details.connection.clone();
            let connection = Some(clean(connection, MAX_TEXT).into());
            after.details = Arc::new(Details { connection, previous_connection, ..(*after.details).clone() });
        }
        after
    }

    /// What history has to say about a heartbeat that follows `previous`; notes the state as known.
    pub(super) fn observe(
        &self,
        account: &Account,
        cell: &Cell,
        group: &Arc<str>,
        previous: Option<Previous>,
        now: Timestamp,
    ) -> Vec<Transition> {
        let Some(Previous { at: previous, followed }) = previous else { return Vec::new() };
        let timeout = self.timeout.load(Ordering::Relaxed);
        let gap = previous.age(now);
        let known = cell.record(State::Connected);
        // While this server could not hear, a gap proves nothing (product 3.7).
        let unheard = self.deaf_until(now).is_some_and(|until| previous < until);
        let line = |at, from, to, cause, until| Transition {
            account: Arc::clone(&account.id),
            group: Arc::clone(group),
            instance: Arc::clone(&cell.id),
            at,
            from: Some(from),
            to,
            cause,
            note: "".into(),
            silence: Some(Silence { after: previous, before: until, followed }),
        };
        let turned = |lines: Vec<Transition>| {
            for line in lines.iter().filter(|line| line.from != Some(line.to)) {
                cell.turned(line.at, line.to, now);
            }
            lines
        };
        let cause = if gap > LONG_PAUSE { Cause::LongPause } else { Cause::Return };
        let lost_at = previous.plus(timeout);
        turned(match known {
            State::Connected if gap > timeout && !unheard => vec![
                line(lost_at, State::Connected, State::NotConnected, Cause::Silence, lost_at),
                line(now, State::NotConnected, State::Connected, cause, now),
            ],
            State::Connected if gap > LONG_PAUSE && !unheard => {
                vec![line(now, State::Connected, State::Connected, Cause::LongPause, now)]
            }
            State::Connected => Vec::new(),
            State::NotConnected | State::Hidden => vec![line(now, known, State::Connected, cause, now)],
        })
    }
}

/// Whether a heartbeat says anything new. Runs on every heartbeat: compares, allocates nothing.
fn changed(
    facts: &InstanceFacts,
    caller: &Caller,
    report: &Report<'_>,
    transport: Transport,
    now: Timestamp,
) -> bool {
    let version = report.version.as_deref().filter(|text| !text.trim().is_empty());
    let known = facts.version.as_deref().map_or("", |version| version.as_str());
    facts.goodbye_at.is_some()
        || facts.transport != transport
        || !Arc::ptr_eq(&facts.token, &caller.token.id) && facts.token != caller.token.id
        || version.is_some_and(|text| text != known && version::reported(Some(text), facts.family).is_some())
        || report.ip.as_deref().is_some_and(|ip| *ip != *facts.ip)
        || report.tags.as_ref().is_some_and(|tags| differ(facts, tags))
        || report.capacity.is_some_and(|capacity| capacity != facts.capacity)
        || report.connection.is_some() && report.connection.as_deref() != facts.details.connection.as_deref()
        || skew(report, now).is_some_and(|skew| far(facts.clock_skew, skew))
}

fn differ(facts: &InstanceFacts, reported: &[std::borrow::Cow<'_, str>]) -> bool {
    let cleaned = reported.iter().map(|tag| tag.trim()).filter(|tag| !tag.is_empty());
    !cleaned.eq(facts.tags.iter().map(|tag| &**tag))
}

pub(super) fn far(known: Option<i64>, skew: i64) -> bool {
    known.is_none_or(|known| known.abs_diff(skew) >= SKEW_STEP.unsigned_abs())
}
