//! A delegate token as clients read it (`management-api 4.2`).

use serde::Serialize;
use serde_json::{Value, json};
use zeroize::Zeroizing;

use crate::auth::directory::Tables;
use crate::store::{TokenRow, TokenStatus};

/// The token object.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Token {
    uuid: String,
    account_id: String,
    name: String,
    created_by: Value,
    created_by_ng_user: Value,
    created_at: i64,
    status: TokenStatus,
    /// For those who may edit, of an active token.
    value: Option<String>,
    owner_identifier: Option<String>,
    parent_unique_id: Option<String>,
    revoke_after: Option<i64>,
}

impl Token {
    /// Of a row; `value` in its outer form.
    pub(super) fn new(row: &TokenRow, value: Option<&Zeroizing<String>>, tables: &Tables) -> Self {
        let (organization, project) = (row.scope.organization(), row.scope.project());
        let owner = match (organization, project) {
            (Some(organization), Some(project)) => Some(format!("{organization}/{project}")),
            (organization, _) => organization.map(ToOwned::to_owned),
        };
        Self {
            uuid: row.id.to_string(),
            account_id: row.scope.account().to_owned(),
            name: row.name.to_string(),
            created_by: creator(row, tables),
            created_by_ng_user: principal(row),
            created_at: row.created_at.millis(),
            status: row.status,
            value: value.filter(|_| row.status == TokenStatus::Active).map(|value| value.to_string()),
            owner_identifier: owner,
            parent_unique_id: None,
            revoke_after: row.revoke_after.map(fleet::time::Timestamp::millis),
        }
    }
}

fn creator(row: &TokenRow, tables: &Tables) -> Value {
    let Some(by) = row.created_by.as_deref() else { return Value::Null };
    let user = tables.by_email(by);
    let (id, name) = user.map_or(("", by), |user| (&*user.id, &*user.name));
    let external = user.and_then(|user| user.external_id.as_deref());
    json!({"uuid": id, "name": name, "email": by, "externalUserId": external})
}

/// Values of claims must be texts: a number breaks a client.
fn principal(row: &TokenRow) -> Value {
    match row.created_by.as_deref() {
        Some(by) => json!({"type": "USER", "name": by, "jwtclaims": {"email": by}}),
        None => json!({"type": "SERVICE", "name": "SYSTEM", "jwtclaims": {}}),
    }
}
