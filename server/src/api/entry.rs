//! Delegates in JSON: entries of `management-api 2.3`, plus `source` (`product 15.1`).

use std::borrow::Cow;

use fleet::delegate::{Family, implicit_tag};
use fleet::health::Status;
use fleet::time::Timestamp;
use fleet::upgrade::State;
use fleet::version::{Line, Version};
use fleet::view::{GroupView, Member};
use serde::Serialize;

/// One group.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Entry<'a> {
    #[serde(rename = "type")]
    kind: &'a str,
    name: &'a str,
    description: &'a str,
    /// The implicit tag first.
    tags: Vec<Cow<'a, str>>,
    /// Milliseconds; 0 before the first heartbeat. Note the capital B.
    last_heart_beat: i64,
    connected: bool,
    delegate_replicas: Vec<Replica<'a>>,
    auto_upgrade: State,
    legacy: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    org_name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    project_name: Option<&'a str>,
    delegate_group_identifier: &'a str,
    group_name: &'a str,
    identifier: &'a str,
    status: &'static str,
    version: &'a str,
    source: &'static str,
}

/// One instance.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Replica<'a> {
    uuid: &'a str,
    /// Milliseconds; note the small b.
    last_heartbeat: i64,
    connected: bool,
    host_name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<&'a str>,
    /// The anchor instant; 0 when not connected or unknown.
    expiring_at: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<Status>,
    runner: bool,
}

impl<'a> Entry<'a> {
    /// The entry of a group with the given members; `placed` adds organization and project, for lists of several
    /// scopes.
    #[must_use]
    pub fn new(group: &'a GroupView, members: impl Iterator<Item = &'a Member>, placed: bool) -> Self {
        let facts = &group.facts;
        let implicit = implicit_tag(&facts.name);
        let custom = facts.tags.iter().filter(|tag| ***tag != *implicit).map(|tag| Cow::Borrowed(&**tag));
        let tags = std::iter::once(Cow::Owned(implicit.clone())).chain(custom).collect();
        let connected = group.rollup.counts.connected > 0;
        Self {
            kind: facts.kind.as_str(),
            name: &facts.name,
            description: &facts.description,
            tags,
            last_heart_beat: group.rollup.last_heartbeat.map_or(0, Timestamp::millis),
            connected,
            delegate_replicas: members.map(Replica::new).collect(),
            auto_upgrade: group.rollup.auto_upgrade.state,
            legacy: is_legacy(group),
            org_name: facts.scope.organization().filter(|_| placed),
            project_name: facts.scope.project().filter(|_| placed),
            delegate_group_identifier: &facts.identifier,
            group_name: &facts.name,
            identifier: &facts.identifier,
            status: if connected { "CONNECTED" } else { "DISCONNECTED" },
            version: group.rollup.version.as_deref().map_or("N/A", Version::as_str),
            source: "own",
        }
    }
}

impl<'a> Replica<'a> {
    fn new(member: &'a Member) -> Self {
        let assessment = &member.assessment;
        let connected = assessment.connectivity.is_connected();
        let expires_at = assessment.verdict.expires_at.filter(|_| assessment.standing.status().is_some());
        Self {
            uuid: &member.facts.id,
            last_heartbeat: member.last_heartbeat.map_or(0, Timestamp::millis),
            connected,
            host_name: &member.facts.host_name,
            version: member.facts.version.as_deref().map(Version::as_str),
            expiring_at: expires_at.map_or(0, Timestamp::millis),
            status: assessment.standing.status(),
            runner: member.facts.family == Family::Runner,
        }
    }
}

/// Not an immutable image: a delegate says so, or runs a legacy version.
fn is_legacy(group: &GroupView) -> bool {
    group.members.iter().any(|member| {
        member.facts.immutable == Some(false) && member.facts.family == Family::Java
            || member.facts.version.as_ref().is_some_and(|version| version.line() == Line::Legacy)
    })
}
