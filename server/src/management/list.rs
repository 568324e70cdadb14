//! `POST /ng/api/delegate-setup/listDelegates` (`management-api 2.1` to `2.3`).

use std::sync::Arc;

use axum::body::Bytes;
use axum::response::Response;
use fleet::delegate::{Family, MAX_TAGS};
use fleet::query::{Query, Row, Selection, select_all};
use fleet::view::{GroupView, Snapshot};
use serde_json::Value;

use super::answer::{Envelope, stream};
use super::body::{object, text, texts};
use super::call::Call;
use super::error::ManagementError;
use super::examples;
use super::schema::Filter;
use crate::api::export::Export;
use crate::api::schema::Delegate;
use crate::auth::allowed::View;
use crate::roster::SnapshotError;

/// Keys of the body that hold one text, named as the parameters of `/api/v1`.
const TEXTS: [&str; 9] = [
    "status",
    "delegateName",
    "description",
    "delegateType",
    "delegateGroupIdentifier",
    "hostName",
    "delegateInstanceFilter",
    "autoUpgrade",
    "versionStatus",
];

/// Every delegate that the body asks for, in one answer however many they are.
#[utoipa::path(
    post,
    path = "/ng/api/delegate-setup/listDelegates",
    operation_id = "listDelegates",
    params(("all" = Option<bool>, Query, description = "With the scopes below; the body is ignored then.")),
    request_body(content = Option<Filter>, example = json!({"filterType": "Delegate", "versionStatus": "EXPIRED"})),
    responses((status = 200, description = "Every matching delegate.", body = Envelope<Vec<Delegate>>, example = json!(examples::delegates()))),
)]
pub(super) async fn list(call: Call<View>, body: Bytes) -> Result<Response, ManagementError> {
    let asked = asked(&body)?;
    let asked = if call.flag("all")? { Query::default().with_below(true).into() } else { asked };
    let (seen, selection) = select(&call, asked, |_| true).await?;
    Ok(stream(Export::managed(seen, selection)))
}

/// What a call asks for: a query of ours, and a condition on instances that it has no word for.
#[derive(Clone, Debug, Default)]
pub(super) struct Asked {
    pub(super) query: Query,
    /// Delegates 3.x only, or none of them.
    pub(super) runner: Option<bool>,
}

impl From<Query> for Asked {
    fn from(query: Query) -> Self {
        Self { query, runner: None }
    }
}

/// The groups that a question and a second condition select, among those that the caller may see.
pub(super) async fn select(
    call: &Call<View>,
    asked: Asked,
    keep: impl Fn(&GroupView) -> bool + Send + 'static,
) -> Result<(Arc<Snapshot>, Selection), ManagementError> {
    let state = &call.state;
    let shared = state.roster.snapshot(call.scope(), asked.query.sight(), state.clock.now()).await;
    let shared = shared.map_err(|error| match error {
        SnapshotError::UnknownScope(scope) => ManagementError::Unknown(format!("there is no scope {scope}")),
        SnapshotError::Stopping => ManagementError::Unavailable,
    })?;
    let grants = call.who().grants.clone();
    // Not on a thread that heartbeats need.
    let selected = tokio::task::spawn_blocking(move || {
        let seen = shared.snapshot.narrowed(&grants).map(Arc::new);
        let seen = seen.unwrap_or_else(|| Arc::clone(&shared.snapshot));
        let mut selection = select_all(&seen, &asked.query);
        selection.rows.retain_mut(|row| {
            let Some(group) = seen.groups.get(row.group).filter(|group| keep(group)) else { return false };
            asked.runner.is_none_or(|runner| only_runners(group, row, runner))
        });
        (seen, selection)
    });
    selected.await.map_err(|_| ManagementError::Unavailable)
}

/// Leaves the instances of a row that are delegates 3.x, or those that are not; whether there are any.
fn only_runners(group: &GroupView, row: &mut Row, runner: bool) -> bool {
    row.members.retain(|&at| {
        let member = usize::try_from(at).ok().and_then(|at| group.members.get(at));
        member.is_some_and(|member| (member.facts.family == Family::Runner) == runner)
    });
    !row.members.is_empty()
}

/// The question in a body.
pub(super) fn asked(body: &[u8]) -> Result<Asked, ManagementError> {
    let body = object(body)?;
    // It can be nothing else, so its value says nothing.
    text(&body, "filterType")?;
    let mut parameters = form_urlencoded::Serializer::new(String::new());
    for key in TEXTS {
        if let Some(text) = text(&body, key)? {
            parameters.append_pair(key, text);
        }
    }
    let mut query = Query::parse(&parameters.finish())?;
    let tags: Vec<String> = texts(&body, "delegateTags")?.into_iter().map(ToOwned::to_owned).collect();
    if tags.len() > MAX_TAGS {
        return Err(ManagementError::field("delegateTags", format!("must be at most {MAX_TAGS}")));
    }
    query.filter.tags = tags.into_iter().filter(|tag| !tag.trim().is_empty()).collect();
    let runner = match body.get("runner") {
        None | Some(Value::Null) => None,
        Some(Value::Bool(runner)) => Some(*runner),
        Some(_) => return Err(ManagementError::field("runner", "must be true or false")),
    };
    Ok(Asked { query, runner })
}
