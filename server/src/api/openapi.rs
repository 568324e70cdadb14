//! The OpenAPI document of what scripts and tools call.

use std::sync::LazyLock;

use axum::http::StatusCode;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use serde_json::json;
use utoipa::OpenApi;
use utoipa::openapi::path::{Operation, Parameter, ParameterBuilder, ParameterIn, PathItem};
use utoipa::openapi::security::{ApiKey, ApiKeyValue, SecurityRequirement, SecurityScheme};
use utoipa::openapi::{
    Components, ContentBuilder, HttpMethod, ObjectBuilder, Ref, RefOr, Required, ResponseBuilder, Type,
};

use super::{audit, delegates, error, schema};
use crate::management;

/// The operations of `/api/v1`, as their handlers describe them.
#[derive(OpenApi)]
#[openapi(
    info(
        title = "Rollcall",
        description = "Delegates of a company: which are alive, current and supported.",
        license(name = "")
    ),
    paths(delegates::list, audit::export, show),
    components(schemas(schema::Error))
)]
struct Operations;

/// Where the document stands.
pub(crate) const PATH: &str = "/api/v1/openapi.json";
/// Paths of the handlers of `/api/v1`, and how they go on for scopes below the account.
const BELOW: [&str; 2] = ["/orgs/{org}", "/orgs/{org}/projects/{project}"];
const ACCOUNT: &str = "/api/v1/accounts/{account}";
/// Operations that answer on a second path, or to a second method, too.
const TWINS: [(&str, HttpMethod, &str, HttpMethod, &str); 2] = [
    (
        "/ng/api/delegate-setup/override-delegate-tag",
        HttpMethod::Delete,
        "/ng/api/delegate-setup/delete-delegate-override",
        HttpMethod::Delete,
        "deleteOverrideByOtherPath",
    ),
    (
        "/api/setup/delegates/ng/v2",
        HttpMethod::Post,
        "/api/setup/delegates/ng/v2",
        HttpMethod::Get,
        "readDelegateDetailsList",
    ),
];
/// What every call may be answered with instead.
const REFUSALS: [(&str, &str); 6] = [
    ("400", "A parameter cannot be used, or it is refused whatever the parameters say."),
    ("401", "The API key is unknown or has ended."),
    ("403", "A permission is missing, or the key belongs to another account."),
    ("404", "There is no such thing or scope."),
    ("429", "The key was used too often; see Retry-After."),
    ("503", "The fleet cannot be read for now."),
];

static DOCUMENT: LazyLock<Result<String, serde_json::Error>> = LazyLock::new(|| document().to_json());

/// This document.
#[utoipa::path(
    get,
    path = "/api/v1/openapi.json",
    operation_id = "readOpenApi",
    responses((status = 200, description = "OpenAPI 3.1.", body = Object, example = json!({"openapi": "3.1.0"})))
)]
pub(crate) async fn show() -> Response {
    match &*DOCUMENT {
        Ok(text) => {
            let headers = [(CONTENT_TYPE, "application/json"), (CACHE_CONTROL, "no-cache")];
            (headers, text.as_str()).into_response()
        }
        Err(cause) => {
            tracing::error!(%cause, "the OpenAPI document cannot be written");
            (
                StatusCode::INTERNAL_SERVER_ERROR,
                error::json("UNKNOWN_ERROR", "There is no document.", None, None),
            )
                .into_response()
        }
    }
}

/// The whole document.
#[must_use]
pub fn document() -> utoipa::openapi::OpenApi {
    let mut document = Operations::openapi();
    document.merge(management::openapi::Operations::openapi());
    document.info.license = None;
    let components = document.components.get_or_insert_with(Components::new);
    let key = SecurityScheme::ApiKey(ApiKey::Header(ApiKeyValue::new("x-api-key")));
    components.add_security_scheme("apiKey", key);
    for (path, method, other, of_other, id) in TWINS {
        let operation = document.paths.get_path_operation(path, method).cloned();
        let Some(mut operation) = operation else { continue };
        operation.operation_id = Some(id.to_owned());
        if of_other == HttpMethod::Get {
            operation.request_body = None;
        }
        document.paths.add_path_operation(other, vec![of_other], operation);
    }
    let of_accounts = document.paths.paths.clone();
    for (path, item) in of_accounts {
        let Some(rest) = path.strip_prefix(ACCOUNT) else { continue };
        for below in BELOW {
            document.paths.paths.insert(format!("{ACCOUNT}{below}{rest}"), renamed(&item, below));
        }
    }
    for (path, item) in &mut document.paths.paths {
        for operation in operations(item) {
            complete(path, operation);
        }
    }
    document
}

/// The same operation for a scope further down.
fn renamed(item: &PathItem, below: &str) -> PathItem {
    let mut item = item.clone();
    let word = if below.contains("project") { "OfProject" } else { "OfOrganization" };
    for operation in operations(&mut item) {
        let id = operation.operation_id.take().unwrap_or_default();
        operation.operation_id = Some(format!("{id}{word}"));
    }
    item
}

fn operations(item: &mut PathItem) -> impl Iterator<Item = &mut Operation> {
    [&mut item.get, &mut item.put, &mut item.post, &mut item.delete].into_iter().flatten()
}

/// Adds what all operations of a kind have: the scope, the key, the ways to be refused.
fn complete(path: &str, operation: &mut Operation) {
    if path == PATH {
        operation.tags = Some(vec!["This document".to_owned()]);
        operation.security = Some(Vec::new());
        return;
    }
    operation.tags = Some(vec![tag(path).to_owned()]);
    operation.security = Some(vec![SecurityRequirement::new::<_, [&str; 0], &str>("apiKey", [])]);
    let parameters = operation.parameters.get_or_insert_default();
    parameters.extend(scope(path).into_iter().map(RefOr::T));
    for (status, description) in REFUSALS {
        let content = ContentBuilder::new().schema(Some(Ref::from_schema_name("Error"))).build();
        let refusal =
            ResponseBuilder::new().description(description).content("application/json", content).build();
        operation.responses.responses.entry(status.to_owned()).or_insert(RefOr::T(refusal));
    }
}

/// Under which heading it stands.
fn tag(path: &str) -> &'static str {
    if path.starts_with("/api/v1/") {
        "Rollcall"
    } else if path.contains("delegate-token-ng") {
        "Tokens"
    } else if path.contains("delegate-group-tags") {
        "Tags"
    } else if path.contains("download") || path.contains("generate") || path.contains("terraform") {
        "Install files"
    } else if path.starts_with("/api/setup/") {
        "Group details"
    } else {
        "Delegates"
    }
}

/// The parameters that name the scope.
fn scope(path: &str) -> Vec<Parameter> {
    let text = |name: &str, place: ParameterIn, required: bool, about: &str, example: &str| {
        let text = ObjectBuilder::new().schema_type(Type::String).build();
        ParameterBuilder::new()
            .name(name)
            .parameter_in(place)
            .required(if required { Required::True } else { Required::False })
            .description(Some(about))
            .schema(Some(text))
            .example(Some(json!(example)))
            .build()
    };
    if path.starts_with(ACCOUNT) {
        let all = [
            ("account", "Account.", "acme"),
            ("org", "Organization.", "payments"),
            ("project", "Project.", "checkout"),
        ];
        let named = all.into_iter().filter(|(name, ..)| path.contains(&format!("{{{name}}}")));
        return named
            .map(|(name, about, example)| text(name, ParameterIn::Path, true, about, example))
            .collect();
    }
    let [account, organization, project] = if path.starts_with("/api/setup/") {
        ["accountId", "orgId", "projectId"]
    } else {
        ["accountIdentifier", "orgIdentifier", "projectIdentifier"]
    };
    vec![
        text(account, ParameterIn::Query, false, "Account; that of the key without it.", "acme"),
        text(organization, ParameterIn::Query, false, "Organization.", "payments"),
        text(project, ParameterIn::Query, false, "Project; never without its organization.", "checkout"),
    ]
}
