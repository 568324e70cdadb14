//! Files that start a delegate (`management-api 2.8`, `2.9`).

use axum::body::Bytes;
use axum::http::header::{CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderValue};
use axum::response::{IntoResponse, Response};
use fleet::install::{Choice, File, Install, Platform, World, Wrong, compose, plan};
use fleet::scope::Scope;
use serde_json::{Map, Value};
use zeroize::Zeroizing;

use super::body::{object, text, texts};
use super::call::Call;
use super::error::ManagementError;
use super::schema::{NewDelegate, NewDockerDelegate, NewHelmDelegate};
use crate::auth::allowed::Edit;
use crate::deeds::tokens;
use crate::store::TokenStatus;
use crate::tokens::issue::default_token_name;
use crate::web::page::origin;

/// Longest identifier that a caller may name.
const MAX_IDENTIFIER: usize = 63;
const SIZES: [&str; 4] = ["LAPTOP", "SMALL", "MEDIUM", "LARGE"];

/// The manifest of a new delegate for Kubernetes.
#[utoipa::path(
    post,
    path = "/ng/api/download-delegates/kubernetes",
    operation_id = "downloadKubernetes",
    request_body(content = NewDelegate, example = json!({"name": "edge-a", "tags": ["eu"]})),
    responses((status = 200, description = "The file.", body = String, content_type = "text/plain", example = "…")),
)]
pub(super) async fn kubernetes(
    call: Call<Edit>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Download, ManagementError> {
    made(&call, &headers, Platform::Kubernetes, &body).await
}

/// A Compose file with a new delegate.
#[utoipa::path(
    post,
    path = "/ng/api/download-delegates/docker",
    operation_id = "downloadDocker",
    request_body(content = NewDockerDelegate, example = json!({"name": "edge-a", "tags": ["eu"]})),
    responses((status = 200, description = "The file.", body = String, content_type = "text/plain", example = "…")),
)]
pub(super) async fn docker(
    call: Call<Edit>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Download, ManagementError> {
    made(&call, &headers, Platform::Docker, &body).await
}

/// The values of the Helm chart for a new delegate.
#[utoipa::path(
    post,
    path = "/ng/api/delegate-setup/generate-helm-values",
    operation_id = "generateHelmValues",
    request_body(content = NewHelmDelegate, example = json!({"name": "edge-a", "tags": ["eu"], "delegateType": "HELM_DELEGATE"})),
    responses((status = 200, description = "The file.", body = String, content_type = "text/plain", example = "…")),
)]
pub(super) async fn helm(
    call: Call<Edit>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Download, ManagementError> {
    made(&call, &headers, Platform::Helm, &body).await
}

/// The Terraform module for a delegate of the default name.
///
/// It holds no token: whoever asks says nothing of one.
#[utoipa::path(
    get,
    path = "/ng/api/delegate-setup/delegate-terraform-module-file",
    operation_id = "terraformModule",
    responses((status = 200, description = "The file.", body = String, content_type = "text/plain", example = "…")),
)]
pub(super) async fn terraform(call: Call<Edit>, headers: HeaderMap) -> Result<Download, ManagementError> {
    first_file(&install(&call, &headers, &Choice::default().on(Platform::Terraform), None)?)
}

async fn made(
    call: &Call<Edit>,
    headers: &HeaderMap,
    platform: Platform,
    body: &[u8],
) -> Result<Download, ManagementError> {
    let body = object(body)?;
    same_scope(call.scope(), &body)?;
    let choice = choice(platform, &body)?;
    // Whatever is wrong with the choice is told before a token is looked at.
    install(call, headers, &choice, None)?;
    let value = token(call, text(&body, "tokenName")?, choice.name()).await?;
    let install = install(call, headers, &choice, Some(&value))?;
    if platform == Platform::Docker { Ok(Download(compose(&install))) } else { first_file(&install) }
}

/// A body may name the scope once more, but no other one: the file would hold the token of the wrong scope.
fn same_scope(scope: &Scope, body: &Map<String, Value>) -> Result<(), ManagementError> {
    let named = [("orgIdentifier", scope.organization()), ("projectIdentifier", scope.project())];
    for (key, own) in named {
        if let Some(given) = text(body, key)?
            && own != Some(given)
        {
            return Err(ManagementError::field(key, "must be that of the query"));
        }
    }
    Ok(())
}

fn install(
    call: &Call<Edit>,
    headers: &HeaderMap,
    choice: &Choice,
    token: Option<&str>,
) -> Result<Install, ManagementError> {
    let (state, scope) = (&call.state, call.scope());
    let world = World {
        scope,
        manager: &origin(state, headers),
        latest: &state.roster.latest(scope, state.clock.now()),
        repository: state.image_repository.as_deref(),
        token,
    };
    choice.install(&world).map_err(|wrong| {
        let first = wrong.into_iter().next();
        first.map_or_else(|| ManagementError::Refused("this cannot be made".to_owned()), refused)
    })
}

/// The value of a token of the scope by its name; of its default token without one.
async fn token(
    call: &Call<Edit>,
    name: Option<&str>,
    delegate: &str,
) -> Result<Zeroizing<String>, ManagementError> {
    let (state, scope) = (&call.state, call.scope());
    let name = name.map_or_else(|| default_token_name(scope), ToOwned::to_owned);
    let rows = super::tokens::rows(call).await?;
    let row = rows.into_iter().find(|row| *row.name == *name && row.status == TokenStatus::Active);
    let row = row.ok_or_else(|| {
        ManagementError::field("tokenName", format!("there is no active token {name} in this scope"))
    })?;
    let purpose = format!("in the files for delegate {delegate}");
    let (actor, now) = (call.actor(), state.clock.now());
    let shown = tokens::show(&state.store, &state.vault, &actor, scope, &row.id, &purpose, now);
    Ok(shown.await?.1)
}

fn first_file(install: &Install) -> Result<Download, ManagementError> {
    let first = plan(install).files.into_iter().next();
    first.map(Download).ok_or(ManagementError::Nothing("there is no such file"))
}

/// What the body chooses, in the words of the page for new delegates.
fn choice(platform: Platform, body: &Map<String, Value>) -> Result<Choice, ManagementError> {
    let name = text(body, "name")?.ok_or_else(|| ManagementError::field("name", "must not be null"))?;
    if platform == Platform::Helm && text(body, "delegateType")?.is_none() {
        return Err(ManagementError::field("delegateType", "must not be null"));
    }
    if let Some(size) = text(body, "size")?
        && !SIZES.contains(&size)
    {
        return Err(ManagementError::field("size", format!("must be one of {}", SIZES.join(", "))));
    }
    if text(body, "identifier")?.is_some_and(|identifier| identifier.chars().count() > MAX_IDENTIFIER) {
        return Err(ManagementError::field("identifier", "must have at most 63 characters"));
    }
    let cluster = match body.get("k8sConfigDetails") {
        None | Some(Value::Null) => &Map::new(),
        Some(Value::Object(details)) => details,
        Some(_) => return Err(ManagementError::field("k8sConfigDetails", "must be an object")),
    };
    let permission = match text(body, "clusterPermissionType")?.or(text(cluster, "k8sPermissionType")?) {
        None | Some("CLUSTER_ADMIN") => "",
        Some("CLUSTER_VIEWER") => "cluster-viewer",
        Some("NAMESPACE_ADMIN") => "namespace-admin",
        Some(_) => {
            let message = "must be CLUSTER_ADMIN, CLUSTER_VIEWER or NAMESPACE_ADMIN";
            return Err(ManagementError::field("clusterPermissionType", message));
        }
    };
    let namespace = text(body, "customClusterNamespace")?.or(text(cluster, "namespace")?);
    let chosen = Choice::default()
        .on(platform)
        .with("name", name)
        .with("tags", &texts(body, "tags")?.join(","))
        .with("description", text(body, "description")?.unwrap_or_default())
        .with("version", text(body, "version")?.unwrap_or_default())
        .with("permission", permission)
        .with("namespace", namespace.unwrap_or_default());
    Ok(chosen)
}

fn refused(wrong: Wrong) -> ManagementError {
    let field = match wrong.field {
        "permission" => "clusterPermissionType",
        "namespace" => "customClusterNamespace",
        field => field,
    };
    ManagementError::field(field, wrong.message)
}

/// A file that a browser saves.
pub(super) struct Download(File);

impl IntoResponse for Download {
    fn into_response(self) -> Response {
        let Self(file) = self;
        let mut response = file.text.into_response();
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        // File names are the generator's own.
        if let Ok(value) = HeaderValue::try_from(format!("attachment; filename=\"{}\"", file.name)) {
            headers.insert(CONTENT_DISPOSITION, value);
        }
        response
    }
}
