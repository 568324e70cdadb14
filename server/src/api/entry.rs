//! Delegates in JSON: entries of `management-api 2.3`, plus `source` (`product 15.1`).

use std::borrow::Cow;

use fleet::delegate::{Family, implicit_tag};
use fleet::health::Status;
use fleet::query::Origin;
use fleet::time::Timestamp;
use fleet::upgrade::State;
use fleet::version::{Line, Version};
use fleet::view::{GroupView, Member};
use serde::Serialize;
use utoipa::ToSchema;

use super::export::instant;

/// One group, without its instances: those are written one by one, because there can be very many.
#[derive(Debug, Serialize, ToSchema)]
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
    /// Absent where a mirrored server does not say.
    #[serde(skip_serializing_if = "is_unknown")]
    #[schema(value_type = Option<String>, pattern = "^(ON|OFF|DETECTING|SYNCHRONIZING)$")]
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
    /// The mirror that told of it, where it is not one of ours.
    #[serde(skip_serializing_if = "Option::is_none")]
    mirror: Option<&'a str>,
    /// The instant at which that told it, milliseconds; everything of it is as of then.
    #[serde(skip_serializing_if = "Option::is_none")]
    as_of: Option<i64>,
}

/// One instance.
#[derive(Debug, Serialize, ToSchema)]
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
    #[schema(value_type = Option<String>, pattern = "^(ACTIVE|EXPIRING|EXPIRED|UNSUPPORTED)$")]
    status: Option<Status>,
    runner: bool,
}

impl<'a> Entry<'a> {
    /// The entry of a group; `placed` adds organization and project, for lists of several scopes.
    #[must_use]
    pub fn new(group: &'a GroupView, placed: bool) -> Self {
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
            auto_upgrade: group.rollup.auto_upgrade.state,
            legacy: is_legacy(group),
            org_name: facts.scope.organization().filter(|_| placed),
            project_name: facts.scope.project().filter(|_| placed),
            delegate_group_identifier: &facts.identifier,
            group_name: &facts.name,
            identifier: &facts.identifier,
            status: if connected { "CONNECTED" } else { "DISCONNECTED" },
            version: group.rollup.version.as_deref().map_or("N/A", Version::as_str),
            source: Origin::of(group).as_str(),
            mirror: group.source.as_deref().map(|source| &*source.name),
            as_of: group.source.as_deref().map(|source| source.as_of.millis()),
        }
    }

    /// The cells of CSV, with the scope in front.
    pub(super) fn cells<'b>(&'b self, scope: &'b str) -> [Cow<'b, str>; 11] {
        [
            scope.into(),
            self.name.into(),
            self.identifier.into(),
            self.kind.into(),
            self.description.into(),
            self.tags.join(", ").into(),
            self.status.into(),
            self.version.into(),
            self.auto_upgrade.as_str().into(),
            word(self.legacy).into(),
            self.source.into(),
        ]
    }
}

impl<'a> Replica<'a> {
    /// The entry of an instance.
    #[must_use]
    pub fn new(member: &'a Member) -> Self {
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

    /// The cells of CSV.
    pub(super) fn cells(&self) -> [Cow<'_, str>; 8] {
        [
            self.uuid.into(),
            self.host_name.into(),
            word(self.connected).into(),
            self.version.unwrap_or_default().into(),
            self.status.map_or("", Status::as_str).into(),
            instant(self.expiring_at).into(),
            instant(self.last_heartbeat).into(),
            word(self.runner).into(),
        ]
    }
}

const fn word(value: bool) -> &'static str {
    if value { "true" } else { "false" }
}

/// Whether nobody says if a group upgrades itself.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "the shape that serde wants")]
pub(super) fn is_unknown(state: &State) -> bool {
    *state == State::Unknown
}

/// Not an immutable image: a delegate says so, or runs a legacy version.
pub(super) fn is_legacy(group: &GroupView) -> bool {
    group.members.iter().any(|member| {
        member.facts.immutable == Some(false) && member.facts.family == Family::Java
            || member.facts.version.as_ref().is_some_and(|version| version.line() == Line::Legacy)
    })
}
