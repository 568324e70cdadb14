//! Groups and instances in the shape of the older listing (`management-api 5.2`, `5.3`).

use std::collections::BTreeMap;

use fleet::delegate::{Approval, Family, Transport, implicit_tag};
use fleet::health::Status;
use fleet::query::Selection;
use fleet::summary::Counts;
use fleet::time::Timestamp;
use fleet::upgrade::State;
use fleet::version::Version;
use fleet::view::{GroupView, Member, Snapshot};
use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::entry::{is_legacy, is_unknown};

/// One group, without its instances.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::struct_excessive_bools, reason = "each is a key of its own")]
pub struct Details<'a> {
    group_id: &'a str,
    delegate_group_identifier: &'a str,
    delegate_type: &'a str,
    group_name: &'a str,
    delegate_description: &'a str,
    delegate_configuration_id: Option<&'a str>,
    group_implicit_selectors: BTreeMap<String, &'static str>,
    group_custom_selectors: Vec<&'a str>,
    /// Milliseconds; 0 before the first heartbeat.
    last_heart_beat: i64,
    connectivity_status: &'static str,
    actively_connected: bool,
    /// Nobody speaks gRPC any more; clients take it for "connected".
    grpc_active: bool,
    /// All instances are on an active token.
    token_active: bool,
    /// Absent where a mirrored server does not say.
    #[serde(skip_serializing_if = "is_unknown")]
    #[schema(value_type = Option<String>, pattern = "^(ON|OFF|DETECTING|SYNCHRONIZING)$")]
    auto_upgrade: State,
    /// The earliest of the connected instances; 0 if none is connected.
    delegate_group_expiration_time: i64,
    delegate_version: &'a str,
    group_version: &'a str,
    /// 0 if never.
    upgrader_last_updated: i64,
    immutable: bool,
    delegate_version_status_instance_level_count: StatusCounts,
    #[serde(rename = "delegateInsightsDetails")]
    #[schema(value_type = Object)]
    insights: Map<String, Value>,
}

/// One instance.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::struct_excessive_bools, reason = "each is a key of its own")]
pub struct Instance<'a> {
    uuid: &'a str,
    last_heartbeat: i64,
    actively_connected: bool,
    host_name: &'a str,
    token_active: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<&'a str>,
    delegate_expiration_time: i64,
    connections: Vec<Connection<'a>>,
    /// Spelled as some clients read it.
    pollling_mode_enabled: bool,
    polling_mode_enabled: bool,
    disabled: bool,
    unsupported: bool,
    runner: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, pattern = "^(ACTIVE|EXPIRING|EXPIRED|UNSUPPORTED)$")]
    version_status: Option<Status>,
}

/// The connection of an instance that is connected.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct Connection<'a> {
    uuid: &'a str,
    version: Option<&'a str>,
    last_heartbeat: i64,
    last_grpc_heartbeat: i64,
}

/// What stands behind the groups (`management-api 5.1`).
#[derive(Clone, Copy, Debug, Default, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Totals {
    auto_upgrade_off_count: u64,
    delegate_version_status_aggregated_count: StatusCounts,
}

/// Instances by the status of their version.
#[derive(Clone, Copy, Debug, Default, Serialize, ToSchema)]
#[serde(rename_all = "UPPERCASE")]
struct StatusCounts {
    active: u64,
    expiring: u64,
    expired: u64,
    unsupported: u64,
}

impl From<&Counts> for StatusCounts {
    fn from(counts: &Counts) -> Self {
        let Counts { active, near_expiry: expiring, expired, unsupported, .. } = *counts;
        Self { active, expiring, expired, unsupported }
    }
}

impl Totals {
    /// Of what was selected.
    #[must_use]
    pub fn of(snapshot: &Snapshot, selection: &Selection) -> Self {
        let mut counts = Counts::default();
        for row in &selection.rows {
            let Some(group) = snapshot.groups.get(row.group) else { continue };
            counts.add_group(&group.rollup.auto_upgrade);
            let members = row.members.iter().filter_map(|&at| group.members.get(usize::try_from(at).ok()?));
            members.for_each(|member| counts.add_instance(member.assessment.standing));
        }
        Self {
            auto_upgrade_off_count: counts.auto_upgrade_off,
            delegate_version_status_aggregated_count: (&counts).into(),
        }
    }
}

impl<'a> Details<'a> {
    /// The object of a group; `is_active` tells whether a token of this id is.
    #[must_use]
    pub fn new(group: &'a GroupView, is_active: &dyn Fn(&str) -> bool) -> Self {
        let (facts, rollup) = (&group.facts, &group.rollup);
        let implicit = implicit_tag(&facts.name);
        let custom = facts.tags.iter().map(|tag| &**tag).filter(|tag| *tag != implicit);
        let connected = rollup.counts.connected > 0;
        let version = rollup.version.as_deref().map_or("N/A", Version::as_str);
        Self {
            group_id: &facts.id,
            delegate_group_identifier: &facts.identifier,
            delegate_type: facts.kind.as_str(),
            group_name: &facts.name,
            delegate_description: &facts.description,
            delegate_configuration_id: None,
            group_custom_selectors: custom.collect(),
            group_implicit_selectors: BTreeMap::from([(implicit, "DELEGATE_NAME")]),
            last_heart_beat: millis(rollup.last_heartbeat),
            connectivity_status: rollup.connectivity.api_text(),
            actively_connected: connected,
            grpc_active: connected,
            token_active: group.members.iter().all(|member| is_active(&member.facts.token)),
            auto_upgrade: rollup.auto_upgrade.state,
            delegate_group_expiration_time: millis(rollup.expires_at),
            delegate_version: version,
            group_version: version,
            upgrader_last_updated: millis(facts.upgrader_seen),
            immutable: !is_legacy(group),
            delegate_version_status_instance_level_count: (&rollup.counts).into(),
            insights: Map::new(),
        }
    }
}

impl<'a> Instance<'a> {
    /// The object of an instance of this group.
    #[must_use]
    pub fn new(group: &GroupView, member: &'a Member, is_active: &dyn Fn(&str) -> bool) -> Self {
        let (facts, assessment) = (&member.facts, &member.assessment);
        let connected = assessment.connectivity.is_connected();
        let (status, polling) = (assessment.standing.status(), facts.transport == Transport::Polling);
        let version = facts.version.as_deref().map(Version::as_str);
        let last_heartbeat = millis(member.last_heartbeat);
        let connection = Connection { uuid: &facts.id, version, last_heartbeat, last_grpc_heartbeat: 0 };
        Self {
            uuid: &facts.id,
            last_heartbeat,
            actively_connected: connected,
            host_name: &facts.host_name,
            token_active: is_active(&facts.token),
            version,
            delegate_expiration_time: millis(assessment.verdict.expires_at.filter(|_| status.is_some())),
            connections: Vec::from_iter(connected.then_some(connection)),
            pollling_mode_enabled: polling,
            polling_mode_enabled: polling,
            disabled: group.facts.approval == Approval::Rejected,
            unsupported: status == Some(Status::Unsupported),
            runner: facts.family == Family::Runner,
            version_status: status,
        }
    }
}

/// 0 for none.
fn millis(at: Option<Timestamp>) -> i64 {
    at.map_or(0, Timestamp::millis)
}
