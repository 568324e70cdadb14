//! Request bodies, key by key in the order of each family (`agent-protocol 3`).

use std::sync::LazyLock;

use fleet::time::Timestamp;
use serde::Serialize;

use crate::profile::{GO_TASK_TYPES, Profile, java_task_types};
use crate::token::Token;

/// How many of its task types a Java delegate repeats in a polling heartbeat.
const REPEATED_TASK_TYPES: usize = 6;
/// Where a Java delegate is installed in its container.
const LOCATION: &str = "/opt/harness-delegate";
/// What a 3.x runner says without a version.
const RUNNER_PLACEHOLDER: &str = "v0.1";

static TASK_TYPES: LazyLock<Vec<String>> = LazyLock::new(java_task_types);

/// Members in the observed order.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct GoBody<'a> {
    account_id: &'a str,
    delegate_name: &'a str,
    delegate_random_token: &'a str,
    last_heart_beat: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    delegate_id: Option<&'a str>,
    delegate_type: &'static str,
    ng: bool,
    polling_mode_enabled: bool,
    host_name: String,
    sequence_num: u32,
    ip: &'a str,
    supported_task_types: [&'static str; 3],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    tags: &'a [Box<str>],
    heartbeat_as_object: bool,
}

/// Register and heartbeat body of a Go client, with its trailing newline; `delegate_id` makes it a heartbeat.
#[must_use]
pub fn go(profile: &Profile, token: &Token, delegate_id: Option<&str>, now: Timestamp) -> Vec<u8> {
    line(&GoBody {
        account_id: &profile.account,
        delegate_name: &profile.name,
        delegate_random_token: token.inner(),
        last_heart_beat: now.millis(),
        delegate_id,
        delegate_type: "DOCKER",
        ng: true,
        polling_mode_enabled: true,
        host_name: go_host(profile),
        sequence_num: 1,
        ip: &profile.ip,
        supported_task_types: GO_TASK_TYPES,
        tags: &profile.tags,
        heartbeat_as_object: true,
    })
}

/// How a Go client calls its machine.
#[must_use]
pub fn go_host(profile: &Profile) -> String {
    format!("dlite-{}", profile.host_name.replace(' ', "-"))
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::struct_excessive_bools, reason = "the wire format has them")]
struct RunnerBody<'a> {
    account_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    delegate_id: Option<&'a str>,
    delegate_name: &'a str,
    last_heart_beat: i64,
    delegate_type: &'static str,
    ng: bool,
    polling_mode_enabled: bool,
    host_name: String,
    ip: &'a str,
    tags: Vec<&'a str>,
    heartbeat_as_object: bool,
    version: &'a str,
    runner: bool,
    capacity_config: Capacity,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Capacity {
    max_stages: Option<u32>,
}

/// Register and heartbeat body of a 3.x runner; `delegate_id` makes it a heartbeat.
#[must_use]
pub fn runner(profile: &Profile, delegate_id: Option<&str>, now: Timestamp) -> Vec<u8> {
    // A list of one blank tag is what a runner makes of an empty setting.
    let tags =
        if profile.tags.is_empty() { vec![""] } else { profile.tags.iter().map(|tag| &**tag).collect() };
    line(&RunnerBody {
        account_id: &profile.account,
        delegate_id,
        delegate_name: &profile.name,
        last_heart_beat: now.millis(),
        delegate_type: "DOCKER",
        ng: true,
        polling_mode_enabled: true,
        host_name: runner_host(profile),
        ip: &profile.ip,
        tags,
        heartbeat_as_object: true,
        version: profile.version.as_deref().unwrap_or(RUNNER_PLACEHOLDER),
        runner: true,
        capacity_config: Capacity { max_stages: profile.max_stages },
    })
}

/// How a 3.x runner calls its machine.
#[must_use]
pub fn runner_host(profile: &Profile) -> String {
    format!("runner-{}", profile.host_name.replace(' ', "-"))
}

/// Nulls are written, as the Java serializer does over REST.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::struct_excessive_bools, reason = "the wire format has them")]
struct JavaBody<'a> {
    account_id: &'a str,
    delegate_id: Option<&'a str>,
    delegate_name: &'a str,
    delegate_group_name: Option<&'a str>,
    delegate_group_id: Option<&'a str>,
    delegate_type: &'a str,
    description: Option<&'a str>,
    host_name: &'a str,
    ip: &'a str,
    version: Option<&'a str>,
    ng: bool,
    immutable: bool,
    polling_mode_enabled: bool,
    last_heart_beat: i64,
    tags: &'a [Box<str>],
    supported_task_types: &'a [String],
    org_identifier: Option<&'a str>,
    project_identifier: Option<&'a str>,
    delegate_profile_id: Option<&'a str>,
    delegate_size: Option<&'a str>,
    session_identifier: Option<&'a str>,
    location: &'static str,
    token_name: Option<&'a str>,
    token: Option<&'a str>,
    delegate_connection_id: &'a str,
    sequence_num: Option<&'a str>,
    delegate_random_token: Option<&'a str>,
    keep_alive_packet: bool,
    proxy: bool,
    ce_enabled: bool,
    connected: bool,
    heartbeat_as_object: bool,
    currently_executing_delegate_tasks: Option<&'a [String]>,
}

impl<'a> JavaBody<'a> {
    fn new(profile: &'a Profile, connection_id: &'a str) -> Self {
        Self {
            account_id: &profile.account,
            delegate_id: None,
            delegate_name: &profile.name,
            delegate_group_name: None,
            delegate_group_id: None,
            delegate_type: &profile.kind,
            description: profile.description.as_deref(),
            host_name: &profile.host_name,
            ip: &profile.ip,
            version: profile.version.as_deref(),
            ng: true,
            immutable: profile.is_immutable(),
            polling_mode_enabled: false,
            last_heart_beat: 0,
            tags: &profile.tags,
            supported_task_types: &TASK_TYPES,
            org_identifier: profile.organization.as_deref(),
            project_identifier: profile.project.as_deref(),
            delegate_profile_id: None,
            delegate_size: None,
            session_identifier: None,
            location: LOCATION,
            token_name: None,
            token: None,
            delegate_connection_id: connection_id,
            sequence_num: None,
            delegate_random_token: None,
            keep_alive_packet: false,
            proxy: false,
            ce_enabled: false,
            connected: false,
            heartbeat_as_object: profile.heartbeat_as_object,
            currently_executing_delegate_tasks: None,
        }
    }
}

/// Register body of a Java delegate, about 15 KB; `polling` is its setting `POLL_FOR_TASKS`.
#[must_use]
pub fn java_register(profile: &Profile, connection_id: &str, polling: bool, now: Timestamp) -> Vec<u8> {
    line(&JavaBody {
        polling_mode_enabled: polling,
        last_heart_beat: now.millis(),
        ..JavaBody::new(profile, connection_id)
    })
}

/// Polling heartbeat of a Java delegate; `jwe` is repeated inside it, and its clock is not told.
#[must_use]
pub fn java_heartbeat(profile: &Profile, connection_id: &str, delegate_id: &str, jwe: &str) -> Vec<u8> {
    line(&JavaBody {
        delegate_id: Some(delegate_id),
        polling_mode_enabled: true,
        supported_task_types: &TASK_TYPES[..REPEATED_TASK_TYPES],
        token_name: Some("default_token"),
        token: Some(jwe),
        ..JavaBody::new(profile, connection_id)
    })
}

/// Nulls are dropped, and booleans have their defaults.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::struct_excessive_bools, reason = "the wire format has them")]
struct Frame<'a> {
    delegate_id: &'a str,
    account_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<&'a str>,
    location: &'static str,
    last_heart_beat: i64,
    token_name: &'static str,
    token: &'a str,
    delegate_connection_id: &'a str,
    ng: bool,
    immutable: bool,
    polling_mode_enabled: bool,
    keep_alive_packet: bool,
    proxy: bool,
    ce_enabled: bool,
    connected: bool,
    heartbeat_as_object: bool,
}

/// Heartbeat frame of a Java delegate on its stream, without a newline (`agent-protocol 7.3`).
#[must_use]
pub fn java_frame(
    profile: &Profile,
    connection_id: &str,
    delegate_id: &str,
    jwe: &str,
    now: Timestamp,
) -> String {
    text(&Frame {
        delegate_id,
        account_id: &profile.account,
        version: profile.version.as_deref(),
        location: LOCATION,
        last_heart_beat: now.millis(),
        token_name: "Unregistered",
        token: jwe,
        delegate_connection_id: connection_id,
        ng: false,
        immutable: false,
        polling_mode_enabled: false,
        keep_alive_packet: false,
        proxy: false,
        ce_enabled: false,
        connected: false,
        heartbeat_as_object: profile.heartbeat_as_object,
    })
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Goodbye<'a> {
    delegate_id: &'a str,
    host_name: &'a str,
    ng: bool,
    delegate_type: &'a str,
    ip_address: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct JavaGoodbye<'a> {
    #[serde(flatten)]
    common: Goodbye<'a>,
    org_identifier: Option<&'a str>,
    project_identifier: Option<&'a str>,
}

/// Unregister body of a 3.x runner (`agent-protocol 3.4`).
#[must_use]
pub fn runner_goodbye(profile: &Profile, delegate_id: &str) -> Vec<u8> {
    let host_name = &runner_host(profile);
    line(&Goodbye { delegate_id, host_name, ng: true, delegate_type: "DOCKER", ip_address: &profile.ip })
}

/// Unregister body of a Java delegate.
#[must_use]
pub fn java_goodbye(profile: &Profile, delegate_id: &str) -> Vec<u8> {
    line(&JavaGoodbye {
        common: Goodbye {
            delegate_id,
            host_name: &profile.host_name,
            ng: true,
            delegate_type: &profile.kind,
            ip_address: &profile.ip,
        },
        org_identifier: profile.organization.as_deref(),
        project_identifier: profile.project.as_deref(),
    })
}

/// Compact JSON; these bodies have only names as keys, so that nothing can fail.
fn text(body: &impl Serialize) -> String {
    serde_json::to_string(body).unwrap_or_default()
}

/// Compact JSON and one newline.
fn line(body: &impl Serialize) -> Vec<u8> {
    let mut line = text(body).into_bytes();
    line.push(b'\n');
    line
}

#[cfg(test)]
mod tests;
