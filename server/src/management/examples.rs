//! Answers as the OpenAPI document shows them.

use serde_json::{Value, json};

/// A resource in its envelope.
pub(super) fn enveloped(resource: &Value) -> Value {
    json!({"metaData": {}, "resource": resource, "responseMessages": []})
}

fn one_details() -> Value {
    json!({"groupId": "g1", "delegateGroupIdentifier": "_edge_a", "delegateType": "KUBERNETES",
        "groupName": "edge-a", "delegateDescription": "", "delegateConfigurationId": null,
        "groupImplicitSelectors": {"edge-a": "DELEGATE_NAME"}, "groupCustomSelectors": ["eu"],
        "lastHeartBeat": 1_795_176_000_000_i64, "connectivityStatus": "connected", "activelyConnected": true,
        "grpcActive": true, "tokenActive": true, "autoUpgrade": "ON",
        "delegateGroupExpirationTime": 1_803_859_199_000_i64, "delegateVersion": "26.09.89620",
        "groupVersion": "26.09.89620", "upgraderLastUpdated": 1_795_175_000_000_i64, "immutable": true,
        "delegateVersionStatusInstanceLevelCount": {"ACTIVE": 0, "EXPIRING": 0, "EXPIRED": 0,
        "UNSUPPORTED": 1}, "delegateInsightsDetails": {}, "delegateInstanceDetails": []})
}

fn one_token() -> Value {
    json!({"uuid": "mV8kQ2rXTb6nZpL0sWcY4g", "accountId": "acme", "name": "edge-a", "createdBy": null,
        "createdByNgUser": {"type": "SERVICE", "name": "SYSTEM", "jwtclaims": {}},
        "createdAt": 1_795_176_000_000_i64, "status": "ACTIVE", "value": null, "ownerIdentifier": "payments",
        "parentUniqueId": null, "revokeAfter": null})
}

fn one_group() -> Value {
    json!({"accountIdentifier": "acme", "orgIdentifier": "payments", "projectIdentifier": null,
        "name": "edge-a", "identifier": "_edge_a", "tags": ["eu"]})
}

/// The older listing.
pub(super) fn details_list() -> Value {
    enveloped(&json!({"delegateGroupDetails": [one_details()], "autoUpgradeOffCount": 0,
        "delegateVersionStatusAggregatedCount": {"ACTIVE": 0, "EXPIRING": 0, "EXPIRED": 0, "UNSUPPORTED": 1}}))
}

/// One group of the older listing.
pub(super) fn details() -> Value {
    enveloped(&one_details())
}

/// The list.
pub(super) fn delegates() -> Value {
    enveloped(&json!([{"type": "KUBERNETES", "name": "edge-a", "description": "", "tags": ["edge-a", "eu"],
        "lastHeartBeat": 1_795_176_000_000_i64, "connected": true, "autoUpgrade": "ON", "legacy": false,
        "delegateGroupIdentifier": "_edge_a", "groupName": "edge-a", "identifier": "_edge_a",
        "status": "CONNECTED", "version": "26.09.89620", "source": "own",
        "delegateReplicas": [{"uuid": "Zx1pQ0cXSTy7mN2vR8uKdw", "lastHeartbeat": 1_795_176_000_000_i64,
        "connected": true, "hostName": "edge-a-7c9d5b6f4-x2kqp", "version": "26.09.89620",
        "expiringAt": 1_803_859_199_000_i64, "status": "UNSUPPORTED", "runner": false}]}]))
}

/// Tokens.
pub(super) fn tokens() -> Value {
    enveloped(&json!([one_token()]))
}

/// A token.
pub(super) fn token() -> Value {
    enveloped(&one_token())
}

/// Groups with their tags.
pub(super) fn groups() -> Value {
    enveloped(&json!([one_group()]))
}

/// A group with its tags.
pub(super) fn group() -> Value {
    enveloped(&one_group())
}

/// Version overrides.
pub(super) fn overrides() -> Value {
    enveloped(&json!([{"delegateTag": "26.10.90107", "accountIdentifier": "acme", "orgIdentifier": null,
        "projectIdentifier": null, "tags": ["eu"], "validTillNextRelease": false,
        "validUntil": 1_810_728_000_000_i64}]))
}
