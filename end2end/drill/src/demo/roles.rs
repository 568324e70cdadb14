//! What a group of the demo is there to show.

use super::Pick;
use crate::client::Kind;

/// A kind of group.
pub(super) struct Role {
    /// End of the name.
    pub(super) suffix: &'static str,
    pub(super) client: Kind,
    /// Word of `delegateType`; none for the usual one of the client.
    pub(super) kind: Option<&'static str>,
    /// Dealt out to the replicas in turn.
    pub(super) versions: &'static [Pick],
    /// Fewest and most.
    pub(super) replicas: (u32, u32),
    pub(super) tag: &'static str,
    /// Value of the hint tag `platform:`.
    pub(super) platform: Option<&'static str>,
    /// Clusters that share the name by mistake.
    pub(super) clusters: &'static [&'static str],
    pub(super) description: &'static str,
    pub(super) capacity: Option<u32>,
    pub(super) upgrader: bool,
    pub(super) plot: Plot,
}

/// What happens to it.
#[derive(Clone, Copy)]
pub(super) enum Plot {
    Steady,
    Old,
    Late,
    /// Goes silent soon after the start: all, or so many.
    Lost(Option<u32>),
    /// Says goodbye soon after the start: all, or so many.
    Left(Option<u32>),
    /// So many are lost and return.
    Flapping(u32),
    Churn,
    Rollout(Pick),
}

/// Pods of the default kind on the latest version, with a working upgrader.
const PODS: Role = Role {
    suffix: "k8s",
    client: Kind::JavaStream,
    kind: None,
    versions: &[Pick::Latest],
    replicas: (7, 12),
    tag: "prod",
    platform: None,
    clusters: &[],
    description: "Deployments",
    capacity: None,
    upgrader: true,
    plot: Plot::Steady,
};

/// No version, no upgrader.
const MACHINES: Role = Role {
    suffix: "vm-pool",
    client: Kind::Go,
    versions: &[],
    replicas: (6, 10),
    tag: "linux",
    description: "Build machines",
    capacity: Some(4),
    upgrader: false,
    ..PODS
};

/// 3.x runners.
const RUNNERS: Role = Role { suffix: "runner", client: Kind::Runner, versions: &[Pick::Runner], ..MACHINES };

/// Every role is played several times.
pub(super) const ROLES: [Role; 32] = [
    PODS,
    MACHINES,
    RUNNERS,
    Role {
        suffix: "rollout",
        versions: &[Pick::Recent],
        replicas: (5, 8),
        plot: Plot::Rollout(Pick::Latest),
        ..PODS
    },
    Role { suffix: "edge", versions: &[Pick::Older], replicas: (3, 6), tag: "edge", ..PODS },
    Role {
        suffix: "batch",
        versions: &[Pick::Near],
        replicas: (3, 6),
        description: "Nightly batches",
        ..PODS
    },
    Role {
        suffix: "helm",
        kind: Some("HELM_DELEGATE"),
        versions: &[Pick::Recent, Pick::Latest],
        replicas: (4, 7),
        description: "Chart installs",
        ..PODS
    },
    Role { suffix: "minimal", versions: &[Pick::LatestMinimal], replicas: (4, 8), tag: "hardened", ..PODS },
    Role {
        suffix: "qa",
        versions: &[Pick::NearMinimal, Pick::RecentMinimal],
        replicas: (2, 4),
        tag: "qa",
        upgrader: false,
        ..PODS
    },
    Role {
        suffix: "recovery",
        versions: &[Pick::Expired],
        replicas: (2, 4),
        tag: "standby",
        upgrader: false,
        ..PODS
    },
    Role { suffix: "legacy", versions: &[Pick::Legacy], replicas: (1, 3), tag: "", plot: Plot::Old, ..PODS },
    Role {
        suffix: "mac-pool",
        replicas: (2, 4),
        tag: "mac",
        capacity: Some(2),
        plot: Plot::Flapping(1),
        ..MACHINES
    },
    Role { suffix: "runner-beta", versions: &[], replicas: (1, 3), tag: "", capacity: None, ..RUNNERS },
    Role {
        suffix: "runner-pilot",
        versions: &[Pick::OlderRunner],
        replicas: (2, 4),
        capacity: Some(8),
        ..RUNNERS
    },
    Role {
        suffix: "fargate",
        client: Kind::JavaRest,
        kind: Some("DOCKER"),
        versions: &[Pick::Recent],
        replicas: (3, 6),
        platform: Some("fargate"),
        description: "Container tasks",
        upgrader: false,
        ..PODS
    },
    Role {
        suffix: "ecs",
        kind: Some("ECS"),
        versions: &[Pick::Near],
        replicas: (2, 4),
        upgrader: false,
        ..PODS
    },
    Role {
        suffix: "docker",
        kind: Some("DOCKER"),
        versions: &[Pick::Expired],
        replicas: (1, 1),
        tag: "on-premises",
        description: "One container",
        upgrader: false,
        ..PODS
    },
    Role {
        suffix: "shell",
        kind: Some("SHELL_SCRIPT"),
        versions: &[Pick::OldestLegacy],
        replicas: (1, 2),
        tag: "on-premises",
        upgrader: false,
        ..PODS
    },
    Role { suffix: "gpu", versions: &[Pick::CustomSuffix], replicas: (2, 4), tag: "gpu", ..PODS },
    Role {
        suffix: "tools",
        versions: &[Pick::Custom],
        replicas: (1, 3),
        tag: "tools",
        upgrader: false,
        ..PODS
    },
    Role { suffix: "canary", replicas: (3, 5), tag: "canary", plot: Plot::Churn, ..PODS },
    Role {
        suffix: "spot",
        versions: &[Pick::Recent],
        replicas: (5, 8),
        tag: "spot",
        plot: Plot::Lost(Some(2)),
        ..PODS
    },
    Role { suffix: "dual", replicas: (4, 4), clusters: &["blue", "green"], ..PODS },
    Role {
        suffix: "remote",
        client: Kind::JavaRest,
        versions: &[Pick::Recent],
        replicas: (2, 3),
        tag: "satellite",
        plot: Plot::Late,
        ..PODS
    },
    Role { suffix: "archive", versions: &[Pick::Expired], replicas: (2, 4), plot: Plot::Lost(None), ..PODS },
    Role { suffix: "nightly", replicas: (4, 7), tag: "nightly", plot: Plot::Left(Some(2)), ..PODS },
    Role { suffix: "review", replicas: (2, 4), tag: "review", plot: Plot::Left(None), ..PODS },
    Role { suffix: "preview", versions: &[], replicas: (1, 3), tag: "preview", upgrader: false, ..PODS },
    Role { suffix: "vault", versions: &[Pick::TooOld], replicas: (1, 2), tag: "vault", ..PODS },
    Role { suffix: "polling", client: Kind::JavaRest, replicas: (6, 10), tag: "proxy", ..PODS },
    Role {
        suffix: "relay",
        replicas: (1, 1),
        tag: "relay",
        description: "One pod",
        plot: Plot::Flapping(1),
        ..PODS
    },
    Role {
        suffix: "mixed",
        versions: &[Pick::Expired, Pick::Recent, Pick::Latest],
        replicas: (3, 7),
        description: "Members that drifted apart",
        upgrader: false,
        ..PODS
    },
];
