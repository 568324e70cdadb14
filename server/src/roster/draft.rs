//! From a report to facts: names, limits, placement (`agent-protocol 1.7`, `3.2`).

use std::borrow::Cow;
use std::sync::Arc;

use fleet::delegate::{
    self, Approval, DelegateType, Details, Family, GroupFacts, Identity, InstanceFacts, Transport,
    UNKNOWN_HOST,
};
use fleet::scope::Scope;
use fleet::time::Timestamp;
use fleet::version;

use super::beat::far;
use super::intern::Interner;
use super::report::{Report, Sequence};
use crate::tokens::Caller;

/// Longest values that are kept, in characters; longer ones are cut (`agent-protocol 3.2`, A9).
const MAX_HOST_NAME: usize = 253;
const MAX_DESCRIPTION: usize = 4_096;
const MAX_TEXT: usize = 256;

/// A registration in the terms of the fleet, before it is known where it belongs.
#[derive(Debug)]
pub(super) struct Draft {
    pub(super) scope: Arc<Scope>,
    pub(super) name: Arc<str>,
    pub(super) identity: Identity,
    pub(super) kind: DelegateType,
    pub(super) family: Family,
    pub(super) description: Arc<str>,
    pub(super) tags: Arc<[Arc<str>]>,
    pub(super) token_name: Arc<str>,
    facts: InstanceFacts,
}

impl Draft {
    /// Reads a register body or a heartbeat that must stand for one.
    pub(super) fn new(caller: &Caller, report: &Report<'_>, interner: &Interner, now: Timestamp) -> Self {
        let host_name = host_name(report.host_name.as_deref());
        let numeric = matches!(report.sequence, Some(Sequence::Number(_)));
        let family = delegate::family(
            report.runner == Some(true),
            &host_name,
            report.version.as_deref().is_some_and(|text| !text.trim().is_empty()),
            numeric,
        );
        let kind = DelegateType::from(&*clean(report.kind.as_deref().unwrap_or_default(), MAX_TEXT));
        let ip: Arc<str> = clean(report.ip.as_deref().unwrap_or_default(), MAX_TEXT).into();
        let ng = report.ng.unwrap_or(false);
        let tags = tags(report.tags.as_deref().unwrap_or_default(), interner);
        let version = report.version.as_deref().map(|text| clean(text, MAX_TEXT));
        let version = version::reported(version.as_deref(), family).map(|version| interner.version(&version));
        let facts = InstanceFacts {
            id: "".into(),
            group: "".into(),
            host_name: Arc::clone(&host_name),
            ip: Arc::clone(&ip),
            ng,
            kind: kind.clone(),
            family,
            version,
            version_since: now,
            tags: Arc::clone(&tags),
            transport: if report.polling == Some(false) { Transport::WebSocket } else { Transport::Polling },
            token: Arc::clone(&caller.token.id),
            immutable: report.immutable,
            registered_at: now,
            goodbye_at: None,
            capacity: report.capacity.flatten(),
            clock_skew: skew(report, now),
            incomplete: false,
            double_seen: None,
            heartbeat_as_object: report.heartbeat_as_object != Some(false),
            details: Arc::new(details(report)),
        };
        Self {
            scope: placement(&caller.token.scope, report.organization.as_deref(), report.project.as_deref()),
            name: interner.text(&delegate::group_name(
                report.name.as_deref().map(|text| clean(text, MAX_TEXT)).as_deref(),
            )),
            identity: delegate::identity(&caller.account, ng, &kind, &host_name, &ip),
            kind,
            family,
            description: clean(report.description.as_deref().unwrap_or_default(), MAX_DESCRIPTION).into(),
            tags,
            token_name: Arc::clone(&caller.token.name),
            facts,
        }
    }

    /// The facts of a new group.
    pub(super) fn new_group(
        &self,
        id: Arc<str>,
        identifier: Arc<str>,
        approval: Approval,
        now: Timestamp,
    ) -> GroupFacts {
        GroupFacts {
            id,
            scope: Arc::clone(&self.scope),
            name: Arc::clone(&self.name),
            identifier,
            kind: self.kind.clone(),
            family: self.family,
            description: Arc::clone(&self.description),
            tags: Arc::clone(&self.tags),
            first_seen: now,
            last_active: now,
            upgrader_seen: None,
            by_choice: false,
            approval,
            returned_at: None,
            token_name: Arc::clone(&self.token_name),
        }
    }

    /// A known group after this registration; none if it stays as it is (`agent-protocol 8.5`).
    pub(super) fn regrouped(&self, group: &GroupFacts) -> Option<GroupFacts> {
        let changed = GroupFacts {
            kind: self.kind.clone(),
            family: self.family,
            description: Arc::clone(&self.description),
            tags: Arc::clone(&self.tags),
            token_name: Arc::clone(&self.token_name),
            ..group.clone()
        };
        (changed != *group).then_some(changed)
    }

    /// The facts of a new instance.
    pub(super) fn new_instance(&self, id: Arc<str>, group: Arc<str>) -> InstanceFacts {
        InstanceFacts { id, group, ..self.facts.clone() }
    }

    /// A known instance after this registration: what it was keeps its age.
    pub(super) fn renewed(&self, known: &InstanceFacts, group: Arc<str>) -> InstanceFacts {
        let same_version = known.version == self.facts.version;
        let mut details = (*self.facts.details).clone();
        if details.connection.is_none() || details.connection == known.details.connection {
            details.connection.clone_from(&known.details.connection);
            details.previous_connection.clone_from(&known.details.previous_connection);
        }
        // A repeated registration must be the same to the letter, or it would be written each time.
        let skew = self.facts.clock_skew.filter(|&skew| far(known.clock_skew, skew));
        InstanceFacts {
            registered_at: known.registered_at,
            version_since: if same_version { known.version_since } else { self.facts.version_since },
            double_seen: known.double_seen,
            clock_skew: skew.or(known.clock_skew),
            capacity: self.facts.capacity.or(known.capacity),
            details: if details == *known.details { Arc::clone(&known.details) } else { Arc::new(details) },
            ..self.new_instance(Arc::clone(&known.id), group)
        }
    }
}

/// Where a delegate belongs: what the body names counts only inside the reach of its token (A6).
pub(super) fn placement(owner: &Arc<Scope>, organization: Option<&str>, project: Option<&str>) -> Arc<Scope> {
    if organization.is_none() && project.is_none() {
        return Arc::clone(owner);
    }
    let named = Scope::new(owner.account(), organization.or(owner.organization()), project);
    match named {
        Ok(named) if named == **owner => Arc::clone(owner),
        Ok(named) if owner.contains(&named) => Arc::new(named),
        _ => {
            tracing::warn!(token_scope = %owner, "a delegate names a scope outside its token; the token's scope is used");
            Arc::clone(owner)
        }
    }
}

/// A host name as it is kept: without control characters, `unknown-host` when blank (`agent-protocol 3.2`).
pub(super) fn host_name(reported: Option<&str>) -> Arc<str> {
    let cleaned = reported.map(|text| clean(text, MAX_HOST_NAME)).unwrap_or_default();
    if cleaned.trim().is_empty() { UNKNOWN_HOST.into() } else { cleaned.into() }
}

/// Client clock minus server clock, if the client sent its clock (`agent-protocol 3.1`).
pub(super) fn skew(report: &Report<'_>, now: Timestamp) -> Option<i64> {
    report.client_clock.filter(|&clock| clock > 0).map(|clock| clock.saturating_sub(now.millis()))
}

/// Custom tags as they are kept.
pub(super) fn tags(reported: &[Cow<'_, str>], interner: &Interner) -> Arc<[Arc<str>]> {
    let cleaned: Vec<String> = reported.iter().map(|tag| clean(tag, MAX_TEXT)).collect();
    let tags = delegate::clean_tags(cleaned.iter().map(String::as_str));
    interner.tags(tags.iter().map(String::as_str))
}

fn details(report: &Report<'_>) -> Details {
    let keep =
        |text: &Option<Cow<'_, str>>| text.as_deref().map(|text| clean(text, MAX_TEXT).into_boxed_str());
    Details {
        task_types: report.task_types.unwrap_or_default(),
        location: keep(&report.location),
        profile: keep(&report.profile),
        size: keep(&report.size),
        legacy_group: keep(&report.legacy_group),
        sequence: report.sequence.as_ref().map(|sequence| match sequence {
            Sequence::Number(number) => number.to_string().into(),
            Sequence::Text(text) => clean(text, MAX_TEXT).into(),
        }),
        connection: keep(&report.connection),
        previous_connection: None,
    }
}

/// Cuts a text and drops control characters, which no screen shows and no database should be handed.
pub(super) fn clean(text: &str, max: usize) -> String {
    text.chars().filter(|c| !c.is_control()).take(max).collect()
}
