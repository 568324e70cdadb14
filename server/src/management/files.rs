//! Files that start a delegate (`management-api 2.8`, `2.9`).

use axum::Extension;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::header::{CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderValue};
use axum::response::{IntoResponse as _, Response};
use fleet::install::{Choice, File, Install, Platform, World, Wrong, compose, plan};
use serde_json::{Map, Value};

use super::answer::actor;
use super::body::{object, text, texts};
use super::error::ManagementError;
use super::schema::{NewDelegate, NewDockerDelegate, NewHelmDelegate};
use crate::auth::Identity;
use crate::auth::allowed::{Allowed, Edit};
use crate::deeds::tokens;
use crate::store::TokenStatus;
use crate::tokens::issue::default_token_name;
use crate::web::AppState;
use crate::web::page::origin;
use crate::web::request_id::RequestId;

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
pub(super) async fn kubernetes(call: Call, body: Bytes) -> Response {
    call.answer(Platform::Kubernetes, &body).await
}

/// A Compose file with a new delegate.
#[utoipa::path(
    post,
    path = "/ng/api/download-delegates/docker",
    operation_id = "downloadDocker",
    request_body(content = NewDockerDelegate, example = json!({"name": "edge-a", "tags": ["eu"]})),
    responses((status = 200, description = "The file.", body = String, content_type = "text/plain", example = "…")),
)]
pub(super) async fn docker(call: Call, body: Bytes) -> Response {
    call.answer(Platform::Docker, &body).await
}

/// The values of the Helm chart for a new delegate.
#[utoipa::path(
    post,
    path = "/ng/api/delegate-setup/generate-helm-values",
    operation_id = "generateHelmValues",
    request_body(content = NewHelmDelegate, example = json!({"name": "edge-a", "tags": ["eu"], "delegateType": "HELM_DELEGATE"})),
    responses((status = 200, description = "The file.", body = String, content_type = "text/plain", example = "…")),
)]
pub(super) async fn helm(call: Call, body: Bytes) -> Response {
    call.answer(Platform::Helm, &body).await
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
pub(super) async fn terraform(call: Call) -> Response {
    let made = call.install(&Choice::default().on(Platform::Terraform), None);
    call.respond(made.and_then(|install| first_file(&install)))
}

/// A call with whoever made it.
#[derive(axum::extract::FromRequestParts)]
#[from_request(state(AppState))]
pub(super) struct Call {
    state: State<AppState>,
    allowed: Allowed<Edit>,
    request: Extension<RequestId>,
    headers: HeaderMap,
}

impl Call {
    async fn answer(&self, platform: Platform, body: &[u8]) -> Response {
        let made = async {
            let body = object(body)?;
            self.same_scope(&body)?;
            let choice = choice(platform, &body)?;
            // Whatever is wrong with the choice is told before a token is looked at.
            self.install(&choice, None)?;
            let value = self.token(text(&body, "tokenName")?, choice.name()).await?;
            let install = self.install(&choice, Some(&value))?;
            if platform == Platform::Docker { Ok(compose(&install)) } else { first_file(&install) }
        };
        self.respond(made.await)
    }

    /// A body may name the scope once more, but no other one: the file would hold the token of the wrong scope.
    fn same_scope(&self, body: &Map<String, Value>) -> Result<(), ManagementError> {
        let scope = &self.allowed.scope;
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

    fn install(&self, choice: &Choice, token: Option<&str>) -> Result<Install, ManagementError> {
        let (state, scope) = (&*self.state, &self.allowed.scope);
        let world = World {
            scope,
            manager: &origin(state, &self.headers),
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
        &self,
        name: Option<&str>,
        delegate: &str,
    ) -> Result<zeroize::Zeroizing<String>, ManagementError> {
        let (state, scope, who): (_, _, &Identity) = (&*self.state, &self.allowed.scope, &self.allowed.who);
        let name = name.map_or_else(|| default_token_name(scope), ToOwned::to_owned);
        let rows = super::tokens::rows(state, scope).await?;
        let row = rows.into_iter().find(|row| *row.name == *name && row.status == TokenStatus::Active);
        let row = row.ok_or_else(|| {
            ManagementError::field("tokenName", format!("there is no active token {name} in this scope"))
        })?;
        let purpose = format!("in the files for delegate {delegate}");
        let actor = actor(who, &self.request);
        let now = state.clock.now();
        let shown = tokens::show(&state.store, &state.vault, &actor, scope, &row.id, &purpose, now);
        Ok(shown.await?.1)
    }

    fn respond(&self, made: Result<File, ManagementError>) -> Response {
        match made {
            Ok(file) => download(file),
            Err(error) => error.respond(Some(&self.request.0.0)),
        }
    }
}

fn first_file(install: &Install) -> Result<File, ManagementError> {
    plan(install).files.into_iter().next().ok_or(ManagementError::Nothing("there is no such file"))
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

fn download(file: File) -> Response {
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
