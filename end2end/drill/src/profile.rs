//! What one delegate process says about itself.

use std::sync::Arc;

use fleet::version::{Line, Version};

/// Names of the handlers that a Go client offers.
pub const GO_TASK_TYPES: [&str; 3] = ["SAMPLE_VM_SETUP", "SAMPLE_VM_STEP", "SAMPLE_VM_CLEANUP"];

/// One delegate process: a pod, a container or a program on a machine. Cheap to clone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profile {
    /// Account id.
    pub account: Arc<str>,
    /// Delegate name; becomes the group.
    pub name: Arc<str>,
    /// Word of `delegateType`; Go clients and runners always say `DOCKER`.
    pub kind: Arc<str>,
    /// Name of the machine or pod; Go clients and runners put their prefix before it.
    pub host_name: Arc<str>,
    /// Address.
    pub ip: Arc<str>,
    /// Image tag of a Java delegate or version of a runner; none when it reports none.
    pub version: Option<Arc<str>>,
    /// Custom tags.
    pub tags: Arc<[Box<str>]>,
    /// Java only.
    pub description: Option<Arc<str>>,
    /// Runner only: concurrent stages; none means unbounded.
    pub max_stages: Option<u32>,
    /// Java only: an organization named in the body.
    pub organization: Option<Arc<str>>,
    /// Java only: a project named in the body.
    pub project: Option<Arc<str>>,
    /// False asks for the short acknowledgement on a stream; first-generation agents do.
    pub heartbeat_as_object: bool,
}

impl Profile {
    /// A Kubernetes pod without version, tags and description.
    #[must_use]
    pub fn new(account: &str, name: &str, host_name: &str, ip: &str) -> Self {
        Self {
            account: account.into(),
            name: name.into(),
            kind: "KUBERNETES".into(),
            host_name: host_name.into(),
            ip: ip.into(),
            version: None,
            tags: Arc::new([]),
            description: None,
            max_stages: None,
            organization: None,
            project: None,
            heartbeat_as_object: true,
        }
    }

    /// Whether the image cannot update itself: all but the legacy line.
    #[must_use]
    pub fn is_immutable(&self) -> bool {
        self.version.as_deref().is_none_or(|version| Version::parse(version).line() != Line::Legacy)
    }
}

/// What a Java delegate says it can do: 490 invented names of realistic length.
#[must_use]
pub fn java_task_types() -> Vec<String> {
    const SUBJECTS: [&str; 28] = [
        "HARBOR", "LANTERN", "MEADOW", "ORCHARD", "QUARRY", "SUMMIT", "TUNDRA", "VALLEY", "WILLOW", "ANCHOR",
        "BEACON", "CINDER", "DELTA", "EMBER", "FALCON", "GRANITE", "HOLLOW", "ISLAND", "JUNIPER", "KESTREL",
        "LAGOON", "MARBLE", "NECTAR", "OBSIDIAN", "PEBBLE", "QUIVER", "RAVINE", "SADDLE",
    ];
    const ACTIONS: [&str; 9] = [
        "FETCH_INVENTORY",
        "LIST_REVISIONS",
        "SYNC_STATE",
        "CHECK_LINK",
        "PUSH_BUNDLE",
        "WATCH_CHANGES",
        "RENDER_PLAN",
        "APPLY_PLAN",
        "COLLECT_LOGS",
    ];
    const COUNT: usize = 490;
    let of_generation = |suffix: &'static str| {
        SUBJECTS.iter().flat_map(move |subject| {
            ACTIONS.iter().map(move |action| format!("{subject}_{action}_TASK{suffix}"))
        })
    };
    of_generation("").chain(of_generation("_NG")).take(COUNT).collect()
}
