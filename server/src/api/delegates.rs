//! `GET /api/v1/accounts/{a}[/orgs/{o}[/projects/{p}]]/delegates` (`product 15.1`).

use axum::extract::{RawQuery, State};
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse as _, Response};
use axum::{Extension, body::Body};
use fleet::query::{Query, Selection, select_all};
use fleet::summary::Counts;
use fleet::time::Timestamp;
use fleet::view::Snapshot;
use serde::Serialize;
use serde::ser::{SerializeSeq, Serializer};

use super::entry::Entry;
use super::error::ApiError;
use crate::auth::allowed::{Allowed, View};
use crate::roster::SnapshotError;
use crate::web::AppState;
use crate::web::request_id::RequestId;

/// The fleet of a scope, filtered; `counts` stay those of the scope (`product 6.2`).
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Answer<'a> {
    generated_at: Timestamp,
    scope: String,
    filters: serde_json::Map<String, serde_json::Value>,
    counts: Counts,
    #[serde(serialize_with = "entries")]
    delegates: (&'a Snapshot, &'a Selection),
}

/// Every matching delegate; no pages. Parameters: `all`, `usable`, and the filters of `management-api 2.1`.
pub async fn list(
    State(state): State<AppState>,
    allowed: Allowed<View>,
    Extension(request): Extension<RequestId>,
    RawQuery(query): RawQuery,
) -> Response {
    let scope = &allowed.scope;
    let answer = async {
        let query = Query::parse(&query.unwrap_or_default())?;
        let now = state.clock.now();
        let shared =
            state.roster.snapshot(scope, query.extent(), now).await.map_err(|error| match error {
                SnapshotError::UnknownScope(_) => ApiError::UnknownScope,
                SnapshotError::Stopping => ApiError::Unavailable,
            })?;
        // A large fleet takes a while to write out: not on a thread that heartbeats need.
        let grants = allowed.who.grants.clone();
        tokio::task::spawn_blocking(move || match shared.snapshot.narrowed(&grants) {
            Some(seen) => body(&seen, &query),
            None => body(&shared.snapshot, &query),
        })
        .await
        .map_err(|_| ApiError::Unavailable)?
    };
    match answer.await {
        Ok(body) => {
            ([(header::CONTENT_TYPE, HeaderValue::from_static("application/json"))], body).into_response()
        }
        Err(error) => error.respond(&request),
    }
}

fn body(snapshot: &Snapshot, query: &Query) -> Result<Body, ApiError> {
    let selection = select_all(snapshot, query);
    let answer = Answer {
        generated_at: snapshot.as_of,
        scope: snapshot.scope.to_string(),
        filters: filters(query),
        counts: snapshot.counts,
        delegates: (snapshot, &selection),
    };
    serde_json::to_vec(&answer).map(Body::from).map_err(|_| ApiError::Unavailable)
}

fn entries<S: Serializer>((snapshot, selection): &(&Snapshot, &Selection), to: S) -> Result<S::Ok, S::Error> {
    let mut entries = to.serialize_seq(Some(selection.rows.len()))?;
    for row in &selection.rows {
        if let Some(group) = snapshot.groups.get(row.group) {
            let members = row.members.iter().filter_map(|&at| group.members.get(usize::try_from(at).ok()?));
            entries.serialize_element(&Entry::new(group, members, snapshot.below || snapshot.usable))?;
        }
    }
    entries.end()
}

/// The conditions that were understood, under their own names.
fn filters(query: &Query) -> serde_json::Map<String, serde_json::Value> {
    let filter = query.filter.clone();
    let conditions = Query { filter, below: query.below, usable: query.usable, ..Query::default() };
    let mut filters = serde_json::Map::new();
    for (name, value) in form_urlencoded::parse(conditions.to_url().as_bytes()) {
        let known = filters.entry(name).or_insert(serde_json::Value::Null);
        *known = match known.take() {
            serde_json::Value::Null => value.into(),
            serde_json::Value::Array(mut values) => {
                values.push(value.into());
                values.into()
            }
            first => vec![first, value.into()].into(),
        };
    }
    filters
}
