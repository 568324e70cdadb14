//! What a delegate says of itself, in the words of the protocol but freed of its forms.

use std::borrow::Cow;

/// A register or heartbeat body (`agent-protocol 3.1`). Absent, null and unusable values are all `None`.
///
/// Secrets of the body never get here.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report<'a> {
    /// `delegateId`; none when blank.
    pub delegate_id: Option<Cow<'a, str>>,
    /// `delegateName`.
    pub name: Option<Cow<'a, str>>,
    /// `delegateType`.
    pub kind: Option<Cow<'a, str>>,
    /// `hostName`; none when blank.
    pub host_name: Option<Cow<'a, str>>,
    /// `ip`.
    pub ip: Option<Cow<'a, str>>,
    /// `ng`.
    pub ng: Option<bool>,
    /// `pollingModeEnabled`.
    pub polling: Option<bool>,
    /// `lastHeartBeat`: the client's clock in milliseconds; never used for liveness.
    pub client_clock: Option<i64>,
    /// `version`.
    pub version: Option<Cow<'a, str>>,
    /// `tags`, as sent.
    pub tags: Option<Vec<Cow<'a, str>>>,
    /// Number of `supportedTaskTypes`.
    pub task_types: Option<u32>,
    /// `heartbeatAsObject`.
    pub heartbeat_as_object: Option<bool>,
    /// `immutable`.
    pub immutable: Option<bool>,
    /// `sequenceNum`.
    pub sequence: Option<Sequence<'a>>,
    /// `runner`.
    pub runner: Option<bool>,
    /// `capacityConfig`: `Some(None)` means unbounded.
    pub capacity: Option<Option<i64>>,
    /// `description`.
    pub description: Option<Cow<'a, str>>,
    /// `orgIdentifier`; none when blank.
    pub organization: Option<Cow<'a, str>>,
    /// `projectIdentifier`; none when blank.
    pub project: Option<Cow<'a, str>>,
    /// `delegateProfileId`.
    pub profile: Option<Cow<'a, str>>,
    /// `delegateSize`.
    pub size: Option<Cow<'a, str>>,
    /// `location`.
    pub location: Option<Cow<'a, str>>,
    /// `delegateGroupName`.
    pub legacy_group: Option<Cow<'a, str>>,
    /// `delegateConnectionId`.
    pub connection: Option<Cow<'a, str>>,
}

/// `sequenceNum` comes as a number or as a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sequence<'a> {
    /// A number marks the Go client.
    Number(i64),
    /// A text.
    Text(Cow<'a, str>),
}

/// An unregister body (`agent-protocol 3.4`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Goodbye<'a> {
    /// `delegateId`; none when blank.
    pub delegate_id: Option<Cow<'a, str>>,
    /// `hostName`.
    pub host_name: Option<Cow<'a, str>>,
    /// `ipAddress`.
    pub ip: Option<Cow<'a, str>>,
    /// `ng`.
    pub ng: Option<bool>,
    /// `delegateType`.
    pub kind: Option<Cow<'a, str>>,
    /// `orgIdentifier`; none when blank.
    pub organization: Option<Cow<'a, str>>,
    /// `projectIdentifier`; none when blank.
    pub project: Option<Cow<'a, str>>,
}
