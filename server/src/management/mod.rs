//! The REST surface of the vendor, so that its clients work here with another base URL (`management-api`).
//!
//! Every path is served as it is written and below `/gateway`. What is done is what pages do: the same deeds, the same
//! snapshot, the same lines in the audit log.

pub(crate) mod answer;
mod body;
pub(crate) mod call;
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

/// Adds routes, each under both of its paths.
macro_rules! routes {
    ($table:expr; $($method:ident $need:ident $path:literal => $handler:path;)+) => {
        $table$(
            .managed::<$need, _>(&Method::$method, $path, $handler)
            .managed::<$need, _>(&Method::$method, concat!("/gateway", $path), $handler)
        )+
    };
}

/// Adds the routes of `management-api 8`.
#[must_use]
#[rustfmt::skip]
pub fn routes(table: Table) -> Table {
    routes! { table;
        POST   View   "/ng/api/delegate-setup/listDelegates" => list::list;
        DELETE Delete "/ng/api/delegate-setup/delegate/{delegateIdentifier}" => delete::delete;
        GET    View   "/ng/api/delegate-setup/latest-supported-version" => version::latest;
        PUT    Edit   "/ng/api/delegate-setup/override-delegate-tag" => overrides::set;
        GET    View   "/ng/api/delegate-setup/override-delegate-tag" => overrides::list;
        DELETE Edit   "/ng/api/delegate-setup/override-delegate-tag" => overrides::delete;
        DELETE Edit   "/ng/api/delegate-setup/delete-delegate-override" => overrides::delete;
        POST   Edit   "/ng/api/delegate-setup/generate-helm-values" => files::helm;
        GET    Edit   "/ng/api/delegate-setup/delegate-terraform-module-file" => files::terraform;
        POST   Edit   "/ng/api/download-delegates/kubernetes" => files::kubernetes;
        POST   Edit   "/ng/api/download-delegates/docker" => files::docker;
        POST   View   "/ng/api/delegate-group-tags/delegate-groups" => tags::groups;
        GET    View   "/ng/api/delegate-group-tags/{groupIdentifier}" => tags::read;
        POST   Edit   "/ng/api/delegate-group-tags/{groupIdentifier}" => tags::add;
        PUT    Edit   "/ng/api/delegate-group-tags/{groupIdentifier}" => tags::replace;
        DELETE Edit   "/ng/api/delegate-group-tags/{groupIdentifier}" => tags::clear;
        POST   Edit   "/ng/api/delegate-token-ng" => tokens::create;
        GET    View   "/ng/api/delegate-token-ng" => tokens::list;
        PUT    Delete "/ng/api/delegate-token-ng" => tokens::revoke;
        DELETE Delete "/ng/api/delegate-token-ng" => tokens::delete;
        GET    View   "/ng/api/delegate-token-ng/{tokenName}" => tokens::one;
        PUT    Delete "/ng/api/delegate-token-ng/{tokenName}" => tokens::revoke_one;
        DELETE Delete "/ng/api/delegate-token-ng/{tokenName}" => tokens::delete_one;
        GET    View   "/ng/api/delegate-token-ng/delegate-groups" => details::of_token;
        GET    View   "/ng/api/delegate-token-ng/{tokenName}/delegates" => details::of_token_in_path;
        POST   View   "/api/setup/delegates/ng/v2" => details::groups;
        GET    View   "/api/setup/delegates/ng/v2" => details::groups;
        GET    View   "/api/setup/delegates/ng/v2/up-the-hierarchy" => details::up_the_hierarchy;
        GET    View   "/api/setup/delegates/ng/v2/{identifier}" => details::one;
    }
}

/// Whether a path belongs to this API, offered or not.
#[must_use]
pub fn is_ours(path: &str) -> bool {
    ["/ng/", "/gateway/", "/api/setup/"].iter().any(|ours| path.starts_with(ours))
}

/// Whether a request only reads although its method does not say so: lists whose filters are bodies come as POST.
#[must_use]
pub fn reads_by_post(method: &Method, path: &str) -> bool {
    const LISTS: [&str; 3] = [
        "/ng/api/delegate-setup/listDelegates",
        "/ng/api/delegate-group-tags/delegate-groups",
        "/api/setup/delegates/ng/v2",
    ];
    method == Method::POST && LISTS.contains(&path.strip_prefix("/gateway").unwrap_or(path))
}

/// Answers a method that a path does not take; pages need no words for it.
pub async fn method_not_allowed(request: Request) -> Response {
    let (parts, _) = request.into_parts();
    if !is_ours(parts.uri.path()) {
        return StatusCode::METHOD_NOT_ALLOWED.into_response();
    }
    ManagementError::Method.respond(call::request_id(&parts))
}

/// Answers what is not offered (`management-api 5.4`).
pub async fn not_found(request: Request) -> Response {
    let (parts, _) = request.into_parts();
    ManagementError::Nothing("there is no such resource").respond(call::request_id(&parts))
}
