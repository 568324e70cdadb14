//! Which account and scope a call speaks of (`management-api 1.3`, `1.4`).

use std::borrow::Cow;

use axum::http::HeaderName;
use axum::http::request::Parts;
use fleet::scope::Scope;

use super::error::ManagementError;
use crate::auth::directory::Tables;
use crate::auth::{Identity, Via};

const ACCOUNT: HeaderName = HeaderName::from_static("harness-account");
/// The names of the account, organization and project, those of older paths last.
const ACCOUNTS: [&str; 3] = ["account", "accountIdentifier", "accountId"];
const ORGANIZATIONS: [&str; 2] = ["orgIdentifier", "orgId"];
const PROJECTS: [&str; 2] = ["projectIdentifier", "projectId"];

/// The scope of a call.
///
/// # Errors
/// The account is not named, or not that of the key; a project is named without its organization; a name cannot be one.
pub fn scope(parts: &Parts, who: &Identity, tables: &Tables) -> Result<Scope, ManagementError> {
    let query = parts.uri.query().unwrap_or_default().as_bytes();
    // The last one counts where a parameter is given twice; empty ones are absent.
    let find = |names: &[&str]| {
        let named = |name: &&str| {
            form_urlencoded::parse(query)
                .filter(|(key, value)| key == name && !value.is_empty())
                .map(|(_, value)| value)
                .last()
        };
        names.iter().find_map(named)
    };
    let header = parts.headers.get(ACCOUNT).and_then(|value| value.to_str().ok()).map(str::trim);
    let own = match &who.via {
        Via::Key(id) => tables.api_keys.get(id).map(|key| key.scope.account().to_owned()),
        _ => None,
    };
    let header = header.filter(|account| !account.is_empty()).map(Cow::Borrowed);
    let given: Vec<Cow<'_, str>> =
        header.into_iter().chain(ACCOUNTS.iter().filter_map(|name| find(&[name]))).collect();
    // Whoever names another account than that of the key, wherever, speaks of that one: and has no rights there.
    let other = own.as_deref().and_then(|own| given.iter().find(|account| **account != own));
    if given.iter().any(|account| *account != given[0]) && other.is_none() {
        return Err(ManagementError::field("accountIdentifier", "contradicts another account of the call"));
    }
    let account = other.or(given.first()).cloned().or(own.map(Cow::Owned));
    let account = account.ok_or_else(|| ManagementError::field("accountIdentifier", "must not be null"))?;
    let (organization, project) = (find(&ORGANIZATIONS), find(&PROJECTS));
    if project.is_some() && organization.is_none() {
        return Err(ManagementError::field("orgIdentifier", "must be given with projectIdentifier"));
    }
    Scope::new(&account, organization.as_deref(), project.as_deref())
        .map_err(|error| ManagementError::field("accountIdentifier", error.to_string()))
}
