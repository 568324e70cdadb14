//! Shapes that are written piece by piece, so that no type of ours holds them whole; for the OpenAPI document.
#![expect(dead_code, reason = "nothing but their shape is used")]
#![expect(clippy::struct_field_names, reason = "keys are named by those who read them")]

use std::collections::BTreeMap;

use utoipa::ToSchema;

use super::entry::{Entry, Replica};

/// A delegate with its instances.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(crate) struct Delegate {
    #[serde(flatten)]
    #[schema(inline)]
    entry: Entry<'static>,
    delegate_replicas: Vec<Replica<'static>>,
}

/// Delegates of a scope at one instant.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(crate) struct Delegates {
    /// Number of this form; grows when a key changes its meaning or goes.
    schema: u32,
    /// The instant of every figure; milliseconds since the Unix epoch.
    generated_at: i64,
    /// Such as `acme/payments`.
    scope: String,
    /// The conditions that were understood.
    #[schema(value_type = Object)]
    filters: BTreeMap<String, String>,
    /// Of the whole scope, whatever the conditions.
    counts: Counts,
    /// Which part of the list it is, where it is not the whole.
    view: Option<View>,
    delegates: Vec<Delegate>,
}

/// One page of the list.
#[derive(ToSchema)]
pub(crate) struct View {
    sort: Option<String>,
    page: u32,
    pages: u32,
    size: u32,
}

/// Instances, and groups where it says so.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(crate) struct Counts {
    /// Groups.
    groups: u64,
    instances: u64,
    connected: u64,
    unreachable: u64,
    unknown: u64,
    expired: u64,
    near_expiry: u64,
    unsupported: u64,
    active: u64,
    /// Groups.
    auto_upgrade_off: u64,
}

/// Why a call failed.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(crate) struct Error {
    /// `FAILURE` where a parameter of the management API cannot be used, else `ERROR`.
    #[schema(pattern = "^(ERROR|FAILURE)$")]
    status: String,
    /// Stable: `INVALID_REQUEST`, `INVALID_TOKEN`, `EXPIRED_TOKEN`, `ACCESS_DENIED`, `ENTITY_NOT_FOUND`,
    /// `RESOURCE_NOT_FOUND`, `TOO_MANY_REQUESTS`, `UNAVAILABLE`.
    #[schema(example = "INVALID_REQUEST")]
    code: String,
    /// A sentence.
    message: String,
    /// To be quoted to whoever runs the server.
    correlation_id: Option<String>,
    /// What is wrong with which parameter.
    errors: Option<Vec<FieldError>>,
}

/// What is wrong with a parameter.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(crate) struct FieldError {
    field_id: String,
    error: String,
}

/// An answer without delegates.
pub(super) fn example() -> serde_json::Value {
    serde_json::json!({
        "schema": 1, "generatedAt": 1_795_176_000_000_i64, "scope": "acme", "filters": {},
        "counts": {"groups": 0, "instances": 0, "connected": 0, "unreachable": 0, "unknown": 0, "expired": 0,
                   "nearExpiry": 0, "unsupported": 0, "active": 0, "autoUpgradeOff": 0},
        "delegates": [],
    })
}
