//! What is known of a group and of an instance, and the rules of their identity (`agent-protocol 8`).

mod identity;

pub use identity::{
    DEFAULT_NAME, Identity, MAX_NAME, MAX_REGULAR_NAME, MAX_TAG, MAX_TAGS, UNIDENTIFIED, UNKNOWN_HOST,
    clean_tags, free_identifier, group_identifier, group_name, hint, identity, implicit_tag, is_delegate_id,
    is_regular_name, replica_set, short_codes,
};

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::scope::Scope;
use crate::time::Timestamp;
use crate::version::Version;

/// The longest type that is kept, in characters.
const MAX_TYPE: usize = 64;

/// What kind of delegate reports, as it says itself; unknown words are kept as text.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum DelegateType {
    /// `KUBERNETES`.
    Kubernetes,
    /// `HELM_DELEGATE`.
    Helm,
    /// `CE_KUBERNETES`.
    CeKubernetes,
    /// `DOCKER`.
    Docker,
    /// `ECS`.
    Ecs,
    /// `SHELL_SCRIPT`.
    Shell,
    /// Anything else; empty when nothing was reported.
    Other(Box<str>),
}

impl DelegateType {
    /// The word on the wire.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::Kubernetes => "KUBERNETES",
            Self::Helm => "HELM_DELEGATE",
            Self::CeKubernetes => "CE_KUBERNETES",
            Self::Docker => "DOCKER",
            Self::Ecs => "ECS",
            Self::Shell => "SHELL_SCRIPT",
            Self::Other(text) => text,
        }
    }

    /// Kubernetes, Helm and CE Kubernetes: pods, whose addresses move (`product 11.3`, P29).
    #[must_use]
    pub const fn is_kubernetes(&self) -> bool {
        matches!(self, Self::Kubernetes | Self::Helm | Self::CeKubernetes)
    }
}

impl From<&str> for DelegateType {
    fn from(text: &str) -> Self {
        match text.trim() {
            "KUBERNETES" => Self::Kubernetes,
            "HELM_DELEGATE" => Self::Helm,
            "CE_KUBERNETES" => Self::CeKubernetes,
            "DOCKER" => Self::Docker,
            "ECS" => Self::Ecs,
            "SHELL_SCRIPT" => Self::Shell,
            other => Self::Other(identity::cut(other, MAX_TYPE).into()),
        }
    }
}

impl From<String> for DelegateType {
    fn from(text: String) -> Self {
        text.as_str().into()
    }
}

impl From<DelegateType> for String {
    fn from(kind: DelegateType) -> Self {
        kind.as_str().to_owned()
    }
}

/// The three client families (`agent-protocol 0.3`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Family {
    /// Go polling client embedded in virtual-machine runners.
    Go,
    /// Go 3.x runner.
    Runner,
    /// Classic Java delegate.
    Java,
}

/// Tells the family from a registration (`agent-protocol 0.3`, A1).
///
/// `numeric_sequence`: `sequenceNum` came as a number.
#[must_use]
pub fn family(runner: bool, host_name: &str, version_reported: bool, numeric_sequence: bool) -> Family {
    if runner {
        Family::Runner
    } else if host_name.starts_with("dlite-") || (!version_reported && numeric_sequence) {
        Family::Go
    } else {
        Family::Java
    }
}

/// How an instance reaches the server at the moment (`product 3.5`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Transport {
    /// REST heartbeats.
    #[default]
    Polling,
    /// A WebSocket stream.
    WebSocket,
}

/// Whether a person let a group in (`product 10.4`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Approval {
    /// Nothing stands in its way: the normal case.
    #[default]
    Approved,
    /// Waits for a person: listed, not eligible.
    Pending,
    /// Turned away by a person: not listed, refused until that is lifted.
    Rejected,
}

/// What is known of a group: all delegates of one name in one scope.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupFacts {
    /// Internal key, unique in the account.
    pub id: Arc<str>,
    /// Who owns it: the scope of the token, or one below it (`agent-protocol 1.7`).
    pub scope: Arc<Scope>,
    /// The delegate name.
    pub name: Arc<str>,
    /// Unique inside the scope (`agent-protocol 8.1`).
    pub identifier: Arc<str>,
    /// Type of the latest registration.
    pub kind: DelegateType,
    /// Family of the latest registration.
    pub family: Family,
    /// Empty if none was reported.
    pub description: Arc<str>,
    /// Custom tags of the latest registration, without the implicit one.
    pub tags: Arc<[Arc<str>]>,
    /// First registration.
    pub first_seen: Timestamp,
    /// The last time that any instance was active, as far as it is stored; members may know a later one.
    pub last_active: Timestamp,
    /// The last upgrader call (`agent-protocol 10.3`).
    pub upgrader_seen: Option<Timestamp>,
    /// Marked "updated by hand on purpose" (`product 7`, P20).
    pub by_choice: bool,
    /// Name of the token of the latest registration.
    pub token_name: Arc<str>,
    /// Whether a person let it in.
    pub approval: Approval,
    /// When it called again after a person had deleted it (`agent-protocol 9.4`).
    pub returned_at: Option<Timestamp>,
}

impl GroupFacts {
    /// Whether it runs on ECS or Fargate: it says so itself, or carries the hint tag of an install file
    /// (`product 16.5`, `agent-protocol 8.5`).
    #[must_use]
    pub fn is_on_ecs(&self) -> bool {
        let platform = hint(&self.tags, "platform").unwrap_or_default();
        self.kind == DelegateType::Ecs
            || platform.eq_ignore_ascii_case("ecs")
            || platform.eq_ignore_ascii_case("fargate")
    }
}

/// What is known of an instance, except for its last heartbeat, which changes too often to live here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstanceFacts {
    /// The delegate id given at registration.
    pub id: Arc<str>,
    /// `GroupFacts::id` of its group.
    pub group: Arc<str>,
    /// As reported, or `unknown-host`.
    pub host_name: Arc<str>,
    /// As reported; empty if not.
    pub ip: Arc<str>,
    /// Next generation; part of the identity.
    pub ng: bool,
    /// As reported.
    pub kind: DelegateType,
    /// Detected at registration.
    pub family: Family,
    /// None when not reported (`product 5.1`). One allocation for all instances of a version.
    pub version: Option<Arc<Version>>,
    /// Since when this instance reports this version.
    pub version_since: Timestamp,
    /// Custom tags of this instance.
    pub tags: Arc<[Arc<str>]>,
    /// Where the last heartbeat came in.
    pub transport: Transport,
    /// Internal id of the token that it used last.
    pub token: Arc<str>,
    /// As reported; none when the delegate does not say.
    pub immutable: Option<bool>,
    /// First registration of this instance.
    pub registered_at: Timestamp,
    /// A planned stop hides the instance at once (`agent-protocol 9.2`).
    pub goodbye_at: Option<Timestamp>,
    /// Concurrent stages or builds it takes; none when not reported or unbounded.
    pub capacity: Option<i64>,
    /// Client clock minus server clock, in milliseconds, if it reported its clock.
    pub clock_skew: Option<i64>,
    /// Rebuilt from a WebSocket frame alone (`agent-protocol 7.5`).
    pub incomplete: bool,
    /// When two processes were last seen to share this id (`agent-protocol 8.6`).
    pub double_seen: Option<Timestamp>,
    /// `heartbeatAsObject` of the registration; false selects the short acknowledgement.
    pub heartbeat_as_object: bool,
    /// What is only displayed.
    pub details: Arc<Details>,
}

/// Reported values that no rule reads.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Details {
    /// Names in `supportedTaskTypes` of the latest registration.
    pub task_types: u32,
    /// Path inside the agent's container.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location: Option<Box<str>>,
    /// `delegateProfileId`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profile: Option<Box<str>>,
    /// `delegateSize`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<Box<str>>,
    /// `delegateGroupName`: first-generation grouping, not used for grouping here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub legacy_group: Option<Box<str>>,
    /// `sequenceNum` as text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sequence: Option<Box<str>>,
    /// `delegateConnectionId`: one per process.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub connection: Option<Box<str>>,
    /// The `delegateConnectionId` before that: tells a restart from two processes (`agent-protocol 8.6`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub previous_connection: Option<Box<str>>,
}
