//! What servers answer. Keys that are absent in answers of some servers are optional.

use serde::{Deserialize, Deserializer, Serialize};

/// A delegate with its instances (`management-api 2.3`).
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Delegate {
    /// Such as `KUBERNETES`.
    #[serde(rename = "type", default, deserialize_with = "or_default")]
    pub kind: String,
    /// Its name.
    pub name: String,
    /// May be empty.
    #[serde(default, deserialize_with = "or_default")]
    pub description: String,
    /// Custom tags and the implicit one.
    #[serde(default, deserialize_with = "or_default")]
    pub tags: Vec<String>,
    /// Milliseconds since the Unix epoch; 0 before the first heartbeat.
    #[serde(rename = "lastHeartBeat", default, deserialize_with = "or_default")]
    pub last_heartbeat: i64,
    /// Whether any instance is connected; older servers may not say.
    #[serde(default)]
    pub connected: Option<bool>,
    /// Its instances.
    #[serde(rename = "delegateReplicas", default, deserialize_with = "or_default")]
    pub replicas: Vec<Replica>,
    /// `ON`, `OFF`, `DETECTING`, or another word; none if unknown.
    #[serde(default)]
    pub auto_upgrade: Option<String>,
    /// Not an immutable image.
    #[serde(default, deserialize_with = "or_default")]
    pub legacy: bool,
    /// Organization, where the list reaches further than one scope.
    #[serde(default)]
    pub org_name: Option<String>,
    /// Project, likewise.
    #[serde(default)]
    pub project_name: Option<String>,
    /// Its identifier; the vendor's lists lack it.
    #[serde(default)]
    pub identifier: Option<String>,
    /// Lowest connected version, or `N/A`; the vendor's lists lack it.
    #[serde(default)]
    pub version: Option<String>,
    /// Where the data are from; Rollcall's lists alone say so.
    #[serde(default)]
    pub source: Option<String>,
}

/// One instance (`management-api 2.3`).
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Replica {
    /// Delegate id.
    pub uuid: String,
    /// Milliseconds since the Unix epoch; 0 before the first.
    #[serde(default, deserialize_with = "or_default")]
    pub last_heartbeat: i64,
    /// Older servers do not say.
    #[serde(default)]
    pub connected: Option<bool>,
    /// Host name.
    #[serde(default, deserialize_with = "or_default")]
    pub host_name: String,
    /// As reported; none if it was not.
    #[serde(default)]
    pub version: Option<String>,
    /// Milliseconds since the Unix epoch; 0 where it is not connected or unknown.
    #[serde(default, deserialize_with = "or_default")]
    pub expiring_at: i64,
    /// `ACTIVE`, `EXPIRING`, `EXPIRED`, `UNSUPPORTED`; newer servers say so.
    #[serde(default)]
    pub status: Option<String>,
    /// A delegate 3.x.
    #[serde(default, deserialize_with = "or_default")]
    pub runner: bool,
}

/// Versions that delegates should run (`management-api 2.5`).
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Latest {
    /// Such as `26.11.90604`.
    #[serde(rename = "latestSupportedVersion")]
    pub version: String,
    /// Its minimal variant.
    #[serde(rename = "latestSupportedMinimalVersion", default)]
    pub minimal: Option<String>,
}

/// Delegates of a scope at one instant, from `/api/v1` (`product 15.1`).
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Delegates {
    /// Instant of the figures, milliseconds since the Unix epoch.
    pub generated_at: i64,
    /// Such as `acme/payments`.
    pub scope: String,
    /// Of the whole scope.
    pub counts: Counts,
    /// Those that were asked for.
    pub delegates: Vec<Delegate>,
}

/// Instances of a scope, and groups where it says so (`product 6.1`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Counts {
    /// Groups.
    pub groups: u64,
    /// Instances.
    pub instances: u64,
    /// Connected instances.
    pub connected: u64,
    /// Expired.
    pub expired: u64,
    /// Near expiry.
    pub near_expiry: u64,
    /// Unsupported.
    pub unsupported: u64,
    /// Groups with auto-upgrade off.
    pub auto_upgrade_off: u64,
}

/// A key that may be null as well as absent.
fn or_default<'de, D: Deserializer<'de>, T: Deserialize<'de> + Default>(from: D) -> Result<T, D::Error> {
    Ok(Option::deserialize(from)?.unwrap_or_default())
}
