//! A delegate token as clients read it (`management-api 4.2`).

use std::collections::BTreeMap;

use serde::Serialize;
use utoipa::ToSchema;
use zeroize::Zeroizing;

use crate::auth::directory::Tables;
use crate::store::{TokenRow, TokenStatus};

/// A delegate token.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Token {
    uuid: String,
    account_id: String,
    /// Unique in its scope, revoked ones included.
    name: String,
    /// None for a token that came with its scope.
    created_by: Option<Creator>,
    created_by_ng_user: Principal,
    /// Milliseconds since the Unix epoch.
    created_at: i64,
    #[schema(value_type = String, pattern = "^(ACTIVE|REVOKED)$")]
    status: TokenStatus,
    /// The token itself, of an active one, for those who may edit.
    value: Option<String>,
    /// `organization` or `organization/project`; none for an account.
    owner_identifier: Option<String>,
    parent_unique_id: Option<String>,
    /// When it is revoked by itself; milliseconds since the Unix epoch.
    revoke_after: Option<i64>,
}

/// A person.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct Creator {
    uuid: String,
    name: String,
    email: String,
    external_user_id: Option<String>,
}

/// The same in another form.
#[derive(Serialize, ToSchema)]
struct Principal {
    #[serde(rename = "type")]
    kind: &'static str,
    name: String,
    /// Texts only: a number breaks a client.
    jwtclaims: BTreeMap<&'static str, String>,
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

fn creator(row: &TokenRow, tables: &Tables) -> Option<Creator> {
    let by = row.created_by.as_deref()?;
    let user = tables.by_email(by);
    let (id, name) = user.map_or(("", by), |user| (&*user.id, &*user.name));
    Some(Creator {
        uuid: id.to_owned(),
        name: name.to_owned(),
        email: by.to_owned(),
        external_user_id: user.and_then(|user| user.external_id.as_deref()).map(ToOwned::to_owned),
    })
}

fn principal(row: &TokenRow) -> Principal {
    match row.created_by.as_deref() {
        Some(by) => Principal {
            kind: "USER",
            name: by.to_owned(),
            jwtclaims: BTreeMap::from([("email", by.to_owned())]),
        },
        None => Principal { kind: "SERVICE", name: "SYSTEM".to_owned(), jwtclaims: BTreeMap::new() },
    }
}
