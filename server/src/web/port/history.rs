//! The past of delegates, for their pages: listed, hidden or deleted (`product 3.6`, `4.1`, `11.5`).

use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::Arc;

use app::port::PortError;
use app::port::history::{Activity, ActivityQuery, Event, History, InstancePage, Lifeline, Presence, What};
use fleet::access::Permission;
use fleet::history::{Change, Past, Window, runs};
use fleet::mirror::Source;
use fleet::query::Query;
use fleet::scope::Scope;
use fleet::time::Timestamp;

use super::ViewerPort;
use crate::roster::past::{PastGroup, PastInstance};
use crate::store::access::{AuditFound, DeedsWanted};
use crate::store::{HistoryWanted, StoreError, Transition};

/// Changes of one group that are read for its strips; what came before the oldest of them counts as not known.
const GROUP_LINES: u32 = 10_000;
/// The same for the page of one instance.
const INSTANCE_LINES: u32 = 2_000;
/// Events of one page.
const PAGE: u32 = 100;
/// Events of one instant that pages can be turned in.
const MAX_SKIP: u32 = 10_000;
/// Instances that the filter offers.
const MAX_OFFERED: usize = 500;

impl ViewerPort {
    /// A group that the viewer may see, listed or not.
    fn past(&self, scope: &Scope, identifier: &str) -> Result<PastGroup, PortError> {
        let grants = self.grants(Permission::DelegateView, scope)?;
        if !self.state.roster.has_scope(scope) {
            return Err(PortError::UnknownScope(scope.clone()));
        }
        let past = self.state.roster.past(scope, identifier);
        past.filter(|past| grants.see(&past.facts.scope, &past.facts.identifier)).ok_or_else(|| {
            PortError::UnknownGroup { scope: scope.clone(), identifier: identifier.to_owned() }
        })
    }

    pub(super) async fn group_history(
        &self,
        scope: &Scope,
        identifier: &str,
        window: Window,
    ) -> Result<History, PortError> {
        let group = self.past(scope, identifier)?;
        let now = self.state.clock.now();
        let wanted = HistoryWanted {
            account: scope.account(),
            group: &group.facts.id,
            instance: None,
            from: window.from(now),
            until: now,
            limit: GROUP_LINES,
        };
        let found = self.state.store.history(&wanted).await.map_err(unreadable)?;
        let kept_since = self.kept_since(&found, GROUP_LINES, now);
        let mut changes: HashMap<Arc<str>, Vec<Change>> = HashMap::new();
        for line in found.into_iter().rev() {
            changes.entry(Arc::clone(&line.instance)).or_default().push(change(line));
        }
        let none = Vec::new();
        let lines = group.instances.iter().map(|instance| {
            let changes = changes.get(&instance.facts.id).unwrap_or(&none);
            self.lifeline(instance, group.source.as_deref(), changes, window, kept_since, now)
        });
        Ok(History { window, as_of: now, lines: lines.collect() })
    }

    /// What lies before is not kept, or was too much to read.
    fn kept_since(&self, found: &[Transition], limit: u32, now: Timestamp) -> Timestamp {
        let kept = now.plus(-self.state.roster.reference().keep.history);
        let cut = found.last().filter(|_| found.len() >= limit as usize);
        cut.map_or(kept, |oldest| oldest.at.max(kept))
    }

    fn lifeline(
        &self,
        instance: &PastInstance,
        source: Option<&Source>,
        changes: &[Change],
        window: Window,
        kept_since: Timestamp,
        now: Timestamp,
    ) -> Lifeline {
        let registered_at = instance.facts.registered_at;
        // What another server told ends with its last list.
        let now = source.map_or(now, |source| source.as_of.min(now));
        let past = Past { registered_at, last_heartbeat: instance.last_heartbeat, changes, kept_since };
        let runs = runs(past, window.from(now), self.state.roster.reference().policy.timeout, now);
        Lifeline { instance: Arc::clone(&instance.facts.id), registered_at, runs }
    }

    pub(super) async fn instance_page(
        &self,
        scope: &Scope,
        identifier: &str,
        id: &str,
        window: Window,
    ) -> Result<InstancePage, PortError> {
        let group = self.past(scope, identifier)?;
        let (whole, _) = self.snapshot(scope, &Query::default()).await?;
        let now = whole.as_of;
        let (from, found) = self.changes_of(scope, &group, id, window, now).await?;
        let kept_since = self.kept_since(&found, INSTANCE_LINES, now);
        let mut changes: Vec<Change> = found.into_iter().map(change).collect();
        let known = group.instance(id);
        if known.is_none() && changes.is_empty() {
            let (scope, identifier, instance) = (scope.clone(), identifier.to_owned(), id.to_owned());
            return Err(PortError::UnknownInstance { scope, identifier, instance });
        }
        changes.reverse();
        let line = match known {
            Some(instance) => {
                self.lifeline(instance, group.source.as_deref(), &changes, window, kept_since, now)
            }
            None => gone(id, &changes, window, kept_since, now),
        };
        changes.reverse();
        changes.retain(|change| change.at >= from);
        let told = || {
            let members = &whole.group(identifier)?.members;
            members.iter().find(|member| *member.facts.id == *id).cloned()
        };
        let member = match group.source {
            Some(_) => told(),
            None => known.and_then(|instance| self.state.roster.assess(&group.facts, instance, now)),
        };
        let presence = match (known, &member) {
            (None, _) | (_, None) => Presence::Gone,
            (Some(instance), _) if instance.deleted => Presence::Deleted,
            (_, Some(member)) if member.hidden => Presence::Hidden,
            _ => Presence::Listed,
        };
        Ok(InstancePage {
            group_listed: whole.group(identifier).is_some(),
            id: id.into(),
            presence,
            token: known.and_then(|instance| self.state.tokens.named(&instance.facts.token)),
            member,
            history: History { window, as_of: now, lines: vec![line] },
            changes,
            notes: self.notes(&whole),
            source: group.source,
            group: group.facts,
        })
    }

    /// The changes of one instance within a window and the last one before it, newest first, and the window's
    /// beginning.
    async fn changes_of(
        &self,
        scope: &Scope,
        group: &PastGroup,
        id: &str,
        window: Window,
        now: Timestamp,
    ) -> Result<(Timestamp, Vec<Transition>), PortError> {
        let from = window.from(now);
        let wanted = HistoryWanted {
            account: scope.account(),
            group: &group.facts.id,
            instance: Some(id),
            from,
            until: now,
            limit: INSTANCE_LINES,
        };
        let mut found = self.state.store.history(&wanted).await.map_err(unreadable)?;
        if found.len() < INSTANCE_LINES as usize {
            let first = Timestamp::from_millis(i64::MIN);
            let before = HistoryWanted { from: first, until: from.plus(-1), limit: 1, ..wanted };
            found.extend(self.state.store.history(&before).await.map_err(unreadable)?);
        }
        Ok((from, found))
    }

    pub(super) async fn group_activity(
        &self,
        scope: &Scope,
        identifier: &str,
        query: &ActivityQuery,
    ) -> Result<Activity, PortError> {
        let group = self.past(scope, identifier)?;
        let now = self.state.clock.now();
        let (until, skip) = place(query.before.as_deref(), now)?;
        let limit = PAGE + skip + 1;
        let instance = query.instance.as_deref();
        let wanted = HistoryWanted {
            account: scope.account(),
            group: &group.facts.id,
            instance,
            from: Timestamp::from_millis(i64::MIN),
            until,
            limit,
        };
        let turns = self.state.store.history(&wanted).await.map_err(unreadable)?;
        let hosts: HashMap<&str, &Arc<str>> =
            group.instances.iter().map(|one| (&*one.facts.id, &one.facts.host_name)).collect();
        let without_deeds = self.grants(Permission::AuditView, scope).err().map(|error| error.to_string());
        let deeds = match &without_deeds {
            Some(_) => Vec::new(),
            // One of ours may have the same name in the same scope.
            None if group.source.is_some() => Vec::new(),
            None => {
                self.deeds_on(
                    &group,
                    instance,
                    hosts.get(instance.unwrap_or_default()).copied(),
                    until,
                    limit,
                )
                .await?
            }
        };
        let mut events: Vec<Event> = deeds.into_iter().map(deed).collect();
        events.extend(turns.into_iter().map(|line| turn(line, &hosts)));
        // Stable: of one instant the deed stands before what followed from it.
        events.sort_by_key(|event| Reverse(event.at));
        let shown = events.iter().take(skip as usize).filter(|event| event.at == until).count();
        events.drain(..shown);
        let more = events.len() > PAGE as usize;
        events.truncate(PAGE as usize);
        let next = events.last().filter(|_| more).map(|last| {
            let same = events.iter().filter(|event| event.at == last.at).count();
            let before = if last.at == until { shown } else { 0 };
            format!("{}-{}", last.at.millis(), same + before)
        });
        let instances = group.instances.iter().take(MAX_OFFERED);
        let instances =
            instances.map(|one| (Arc::clone(&one.facts.id), Arc::clone(&one.facts.host_name))).collect();
        Ok(Activity { group: group.facts, as_of: now, events, next, instances, without_deeds })
    }

    async fn deeds_on(
        &self,
        group: &PastGroup,
        instance: Option<&str>,
        host: Option<&Arc<str>>,
        until: Timestamp,
        limit: u32,
    ) -> Result<Vec<AuditFound>, PortError> {
        let (scope, delegate) = (&*group.facts.scope, &group.facts.name);
        let (name, prefix) = match instance {
            None => (delegate.to_string(), format!("{delegate} / ")),
            Some(id) => {
                (format!("{delegate} / {}", host.map_or(id, |host| host)), format!("{delegate} / {id}"))
            }
        };
        let wanted = DeedsWanted { scope, name: &name, prefix: &prefix, until, limit };
        self.state.store.deeds_on(&wanted).await.map_err(unreadable)
    }
}

/// The line of an instance of which only history is left.
fn gone(id: &str, changes: &[Change], window: Window, kept_since: Timestamp, now: Timestamp) -> Lifeline {
    let first = changes.first().filter(|change| change.from.is_none());
    let registered_at = first.map_or(kept_since, |change| change.at);
    let past = Past { registered_at, last_heartbeat: None, changes, kept_since };
    Lifeline { instance: id.into(), registered_at, runs: runs(past, window.from(now), 0, now) }
}

/// Where a page of events begins: the instant, and how many of that instant stood on pages before.
fn place(before: Option<&str>, now: Timestamp) -> Result<(Timestamp, u32), PortError> {
    let Some(before) = before else { return Ok((now, 0)) };
    let read = || {
        let (at, skip) = before.split_once('-')?;
        let skip = skip.parse().ok().filter(|skip| *skip <= MAX_SKIP)?;
        Some((Timestamp::from_millis(at.parse().ok()?), skip))
    };
    read().ok_or_else(|| PortError::BadParameter {
        field: "before",
        message: "take it from the link to older events".to_owned(),
    })
}

fn turn(line: Transition, hosts: &HashMap<&str, &Arc<str>>) -> Event {
    let instance = Arc::clone(&line.instance);
    let host_name = hosts.get(&*instance).map(|host| Arc::clone(host));
    Event { at: line.at, what: What::Turn { instance, host_name, change: change(line) } }
}

fn deed(found: AuditFound) -> Event {
    let AuditFound { at, actor, action, summary, .. } = found;
    Event { at, what: What::Deed { actor, action, summary } }
}

fn change(line: Transition) -> Change {
    Change { at: line.at, from: line.from, to: line.to, cause: line.cause, note: line.note }
}

#[expect(clippy::needless_pass_by_value, reason = "the shape that map_err wants")]
fn unreadable(error: StoreError) -> PortError {
    tracing::error!(%error, "history cannot be read");
    PortError::NotReady
}
