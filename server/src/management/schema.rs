//! Shapes that are read key by key or written piece by piece, so that no type of ours holds them whole; for the OpenAPI
//! document.
#![expect(dead_code, reason = "nothing but their shape is used")]
#![expect(clippy::struct_field_names, reason = "keys are named by those who read them")]

use utoipa::ToSchema;

use crate::api::details::{Details, Instance, Totals};

/// Which delegates are listed. All conditions hold together; empty texts and lists are none. Unknown keys are ignored.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(super) struct Filter {
    /// Always `Delegate`.
    #[schema(example = "Delegate")]
    filter_type: Option<String>,
    /// Of an instance.
    #[schema(pattern = "^(|CONNECTED|DISCONNECTED|ENABLED|WAITING_FOR_APPROVAL|DISABLED|DELETED)$")]
    status: Option<String>,
    /// Part of the name, whatever its case.
    #[schema(max_length = 256)]
    delegate_name: Option<String>,
    /// Part of it, whatever its case.
    #[schema(max_length = 256)]
    description: Option<String>,
    /// Part of it, whatever its case.
    #[schema(max_length = 256)]
    delegate_type: Option<String>,
    /// Part of it, whatever its case.
    #[schema(max_length = 256)]
    delegate_group_identifier: Option<String>,
    /// Exactly that of an instance.
    #[schema(max_length = 256)]
    host_name: Option<String>,
    /// All of them, the implicit one among them.
    delegate_tags: Option<Vec<String>>,
    /// Of an instance.
    #[schema(pattern = "^(|AVAILABLE|EXPIRED)$")]
    delegate_instance_filter: Option<String>,
    #[schema(pattern = "^(|ON|OFF|DETECTING|SYNCHRONIZING|UNKNOWN)$")]
    auto_upgrade: Option<String>,
    /// Of an instance.
    #[schema(pattern = "^(|ACTIVE|EXPIRING|EXPIRED|UNSUPPORTED)$")]
    version_status: Option<String>,
    /// Delegates 3.x only, or none of them.
    runner: Option<bool>,
}

/// A delegate with its instances, in the shape of the older listing.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(super) struct DelegateDetails {
    #[serde(flatten)]
    #[schema(inline)]
    details: Details<'static>,
    delegate_instance_details: Vec<Instance<'static>>,
}

/// The older listing.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(super) struct DelegateDetailsList {
    delegate_group_details: Vec<DelegateDetails>,
    #[serde(flatten)]
    #[schema(inline)]
    totals: Totals,
}

/// Tags.
#[derive(ToSchema)]
pub(super) struct Tags {
    /// Custom tags; the implicit one needs no mention.
    #[schema(example = json!(["eu", "gpu"]))]
    tags: Vec<String>,
}

/// Where newer clients put the name.
#[derive(ToSchema)]
pub(super) struct NewToken {
    /// Unique in its scope.
    #[schema(example = "edge-a")]
    name: Option<String>,
}

/// What every new delegate is like.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(super) struct New {
    /// Lower-case letters, digits and inner dashes.
    #[schema(example = "edge-a", pattern = "^[a-z]([a-z0-9-]{0,37}[a-z])?$")]
    name: String,
    description: Option<String>,
    /// Taken for what it says in other servers; the files are the same.
    #[schema(pattern = "^(|LAPTOP|SMALL|MEDIUM|LARGE)$")]
    size: Option<String>,
    #[schema(example = json!(["eu"]))]
    tags: Option<Vec<String>>,
    /// An active token of the scope; the default token without it.
    token_name: Option<String>,
    /// The tag of its image; the latest version of the scope without it.
    #[schema(example = "26.10.90107", pattern = "^([A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?$")]
    version: Option<String>,
}

/// A new delegate in a cluster. Unknown keys are ignored.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(super) struct NewDelegate {
    #[serde(flatten)]
    #[schema(inline)]
    new: New,
    /// What it may do in its cluster.
    #[schema(pattern = "^(|CLUSTER_ADMIN|CLUSTER_VIEWER|NAMESPACE_ADMIN)$")]
    cluster_permission_type: Option<String>,
    /// Its namespace.
    #[schema(example = "harness-delegate-ng", pattern = "^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)?$")]
    custom_cluster_namespace: Option<String>,
}

/// A new delegate on a Docker host. Unknown keys are ignored.
#[derive(ToSchema)]
pub(super) struct NewDockerDelegate {
    #[serde(flatten)]
    #[schema(inline)]
    new: New,
}

/// A new delegate of the Helm chart. Unknown keys are ignored.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(super) struct NewHelmDelegate {
    #[serde(flatten)]
    #[schema(inline)]
    new: New,
    /// Any; the chart sets its own.
    #[schema(example = "HELM_DELEGATE", min_length = 1)]
    delegate_type: String,
    /// Taken and not used: it follows from the name.
    #[schema(max_length = 63)]
    identifier: Option<String>,
    k8s_config_details: Option<ClusterDetails>,
}

/// Its place in a cluster.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(super) struct ClusterDetails {
    #[schema(pattern = "^(|CLUSTER_ADMIN|CLUSTER_VIEWER|NAMESPACE_ADMIN)$")]
    k8s_permission_type: Option<String>,
    #[schema(pattern = "^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)?$")]
    namespace: Option<String>,
}
