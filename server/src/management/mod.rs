//! The REST surface of the vendor, so that its clients work here with another base URL (`management-api`).
//!
//! Every path is served as it is written and below `/gateway`. What is done is what pages do: the same deeds, the same
//! snapshot, the same lines in the audit log.

pub(crate) mod answer;
mod body;
mod delete;
mod details;
pub mod error;
mod examples;
mod files;
mod list;
pub(crate) mod openapi;
mod overrides;
pub mod place;
mod schema;
mod tags;
mod token;
mod tokens;
mod version;

use axum::extract::Request;
use axum::http::{Method, StatusCode};
use axum::response::{IntoResponse as _, Response};

use self::error::ManagementError;
use crate::auth::allowed::{Delete, Edit, Table, View};

/// A route under both of its paths.
macro_rules! both {
    ($table:expr, $method:ident, $need:ty, $path:literal, $handler:path) => {
        $table.managed::<$need, _>(&Method::$method, $path, $handler).managed::<$need, _>(
            &Method::$method,
            concat!("/gateway", $path),
            $handler,
        )
    };
}

/// The beginnings of its paths.
const OURS: [&str; 3] = ["/ng/", "/gateway/", "/api/setup/"];

/// Adds the routes of `management-api 8`.
#[must_use]
pub fn routes(table: Table) -> Table {
    let table = both!(table, POST, View, "/ng/api/delegate-setup/listDelegates", list::list);
    let table =
        both!(table, DELETE, Delete, "/ng/api/delegate-setup/delegate/{delegateIdentifier}", delete::delete);
    let table = both!(table, GET, View, "/ng/api/delegate-setup/latest-supported-version", version::latest);
    let table = both!(table, PUT, Edit, "/ng/api/delegate-setup/override-delegate-tag", overrides::set);
    let table = both!(table, GET, View, "/ng/api/delegate-setup/override-delegate-tag", overrides::list);
    let table = both!(table, DELETE, Edit, "/ng/api/delegate-setup/override-delegate-tag", overrides::delete);
    let table =
        both!(table, DELETE, Edit, "/ng/api/delegate-setup/delete-delegate-override", overrides::delete);
    let table = both!(table, POST, Edit, "/ng/api/delegate-setup/generate-helm-values", files::helm);
    let table =
        both!(table, GET, Edit, "/ng/api/delegate-setup/delegate-terraform-module-file", files::terraform);
    let table = both!(table, POST, Edit, "/ng/api/download-delegates/kubernetes", files::kubernetes);
    let table = both!(table, POST, Edit, "/ng/api/download-delegates/docker", files::docker);
    let table = both!(table, POST, View, "/ng/api/delegate-group-tags/delegate-groups", tags::groups);
    let table = both!(table, GET, View, "/ng/api/delegate-group-tags/{groupIdentifier}", tags::read);
    let table = both!(table, POST, Edit, "/ng/api/delegate-group-tags/{groupIdentifier}", tags::add);
    let table = both!(table, PUT, Edit, "/ng/api/delegate-group-tags/{groupIdentifier}", tags::replace);
    let table = both!(table, DELETE, Edit, "/ng/api/delegate-group-tags/{groupIdentifier}", tags::clear);
    let table = both!(table, POST, Edit, "/ng/api/delegate-token-ng", tokens::create);
    let table = both!(table, GET, View, "/ng/api/delegate-token-ng", tokens::list);
    let table = both!(table, PUT, Delete, "/ng/api/delegate-token-ng", tokens::revoke);
    let table = both!(table, DELETE, Delete, "/ng/api/delegate-token-ng", tokens::delete);
    let table = both!(table, GET, View, "/ng/api/delegate-token-ng/{tokenName}", tokens::one);
    let table = both!(table, PUT, Delete, "/ng/api/delegate-token-ng/{tokenName}", tokens::revoke_one);
    let table = both!(table, DELETE, Delete, "/ng/api/delegate-token-ng/{tokenName}", tokens::delete_one);
    let table = both!(table, GET, View, "/ng/api/delegate-token-ng/delegate-groups", details::of_token);
    let table =
        both!(table, GET, View, "/ng/api/delegate-token-ng/{tokenName}/delegates", details::of_token_in_path);
    let table = both!(table, POST, View, "/api/setup/delegates/ng/v2", details::groups);
    let table = both!(table, GET, View, "/api/setup/delegates/ng/v2", details::groups);
    let table =
        both!(table, GET, View, "/api/setup/delegates/ng/v2/up-the-hierarchy", details::up_the_hierarchy);
    both!(table, GET, View, "/api/setup/delegates/ng/v2/{identifier}", details::one)
}

/// Answers a method that a path does not take; pages need no words for it.
pub async fn method_not_allowed(request: Request) -> Response {
    let (parts, _) = request.into_parts();
    let path = parts.uri.path();
    if !OURS.iter().any(|ours| path.starts_with(ours)) {
        return StatusCode::METHOD_NOT_ALLOWED.into_response();
    }
    ManagementError::Method.respond(answer::request_id(&parts))
}

/// Answers what is not offered (`management-api 5.4`).
pub async fn not_found(request: Request) -> Response {
    let (parts, _) = request.into_parts();
    ManagementError::Nothing("there is no such resource").respond(answer::request_id(&parts))
}
