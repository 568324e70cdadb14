//! `GET /api/v1/accounts/{a}[/orgs/{o}[/projects/{p}]]/delegates` (`product 15.1`).

use std::hash::{BuildHasher as _, Hash as _, Hasher as _, RandomState};
use std::sync::{Arc, LazyLock};

use axum::Extension;
use axum::body::Body;
use axum::extract::{RawQuery, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_TYPE, ETAG, IF_NONE_MATCH, VARY};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse as _, Response};
use fleet::query::{Query, QueryError, Selection, select, select_all};
use fleet::view::Snapshot;

use super::error::ApiError;
use super::export::{Export, SCHEMA};
use super::format::Format;
use super::schema::{self, Delegates};
use crate::auth::allowed::{Allowed, View};
use crate::roster::{SharedSnapshot, SnapshotError};
use crate::web::AppState;
use crate::web::request_id::RequestId;

/// The instant of the figures, in milliseconds.
const AS_OF: HeaderName = HeaderName::from_static("x-rollcall-as-of");
/// The conditions that were understood, as a query string.
const FILTERS: HeaderName = HeaderName::from_static("x-rollcall-filters");
/// The scope.
const SCOPE: HeaderName = HeaderName::from_static("x-rollcall-scope");
/// [`SCHEMA`].
const SCHEMA_HEADER: HeaderName = HeaderName::from_static("x-rollcall-schema");
/// A header that is longer is left out: clients and proxies refuse it.
const LONGEST_HEADER: usize = 4_096;

/// Tags are good for one run of the server only: they rest on addresses and counters that begin anew.
static RUN: LazyLock<RandomState> = LazyLock::new(RandomState::new);

/// Parameters that are no texts: two of them would contradict each other.
const ONCE: [&str; 5] = ["page", "size", "all", "hidden", "download"];

/// What is asked for.
struct Asked {
    query: Query,
    format: Format,
    /// `view=page`: one page of the list, as the Delegates page shows it under the same query.
    page: bool,
    /// `download=true`: as a file.
    download: bool,
}

impl Asked {
    fn parse(text: &str, headers: &HeaderMap) -> Result<Self, QueryError> {
        let (mut format, mut page, mut download) = (String::new(), false, false);
        let mut seen = Vec::new();
        for (name, value) in form_urlencoded::parse(text.as_bytes()) {
            if let Some(field) = ONCE.into_iter().find(|field| *field == name) {
                once(field, &value, &mut seen)?;
            }
            match &*name {
                "format" => format = value.into_owned(),
                "view" => page = either("view", &value, "page", "all")?,
                "download" => download = either("download", &value, "true", "false")?,
                _ => {}
            }
        }
        Ok(Self { query: Query::parse(text)?, format: Format::asked(&format, headers)?, page, download })
    }
}

fn once(field: &'static str, value: &str, seen: &mut Vec<&'static str>) -> Result<(), QueryError> {
    if value.trim().is_empty() {
        return Err(QueryError { field, message: "must not be empty".to_owned() });
    }
    if seen.contains(&field) {
        return Err(QueryError { field, message: "must be given once".to_owned() });
    }
    seen.push(field);
    Ok(())
}

fn either(field: &'static str, value: &str, yes: &str, no: &str) -> Result<bool, QueryError> {
    match value {
        value if value == yes => Ok(true),
        value if value == no || value.is_empty() => Ok(false),
        _ => Err(QueryError { field, message: format!("must be one of {yes}, {no}") }),
    }
}

/// Every matching delegate, or one page of them.
///
/// Parameters: those of the Delegates page (`management-api 2.1` among them), `format`, `view`, `download`.
#[utoipa::path(
    get,
    path = "/api/v1/accounts/{account}/delegates",
    operation_id = "exportDelegates",
    params(
        ("search" = Option<String>, Query, description = "Part of a name, identifier, tag, host, version or address.", max_length = 256),
        ("health" = Option<String>, Query, description = "One card or figure.", pattern = "^(|expired|nearExpiry|unsupported|autoUpgradeOff|active|unknown|unreachable|connected)$"),
        ("status" = Option<String>, Query, description = "Of an instance.", pattern = "^(|CONNECTED|DISCONNECTED|ENABLED|WAITING_FOR_APPROVAL|DISABLED|DELETED)$"),
        ("versionStatus" = Option<String>, Query, description = "Of an instance.", pattern = "^(|ACTIVE|EXPIRING|EXPIRED|UNSUPPORTED)$"),
        ("autoUpgrade" = Option<String>, Query, description = "Of a group.", pattern = "^(|ON|OFF|DETECTING|SYNCHRONIZING|UNKNOWN)$"),
        ("delegateName" = Option<String>, Query, description = "Part of it.", max_length = 256),
        ("delegateTags" = Option<Vec<String>>, Query, description = "All of them."),
        ("hostName" = Option<String>, Query, description = "Exactly that of an instance.", max_length = 256),
        ("source" = Option<String>, Query, description = "Registered here, or mirrored from another server.", pattern = "^(|own|mirror)$"),
        ("all" = Option<bool>, Query, description = "With the scopes below."),
        ("hidden" = Option<bool>, Query, description = "With those that are no longer listed."),
        ("view" = Option<String>, Query, description = "One page, or all.", pattern = "^(|page|all)$"),
        ("page" = Option<u64>, Query, description = "With view=page: which one.", minimum = 1),
        ("sort" = Option<String>, Query, description = "The order; a dash in front turns it around.", pattern = "^(|-?(name|connectivity|version|expiry|lastHeartbeat|autoUpgrade))$"),
        ("format" = Option<String>, Query, description = "In place of Accept.", pattern = "^(|json|ndjson|csv)$"),
        ("download" = Option<bool>, Query, description = "As a file."),
    ),
    responses((
        status = 200,
        description = "The delegates.",
        content(
            (Delegates = "application/json", example = json!(schema::example())),
            (String = "application/x-ndjson"),
            (String = "text/csv")
        )
    ))
)]
pub async fn list(
    State(state): State<AppState>,
    allowed: Allowed<View>,
    Extension(request): Extension<RequestId>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Response {
    let answer = async {
        let asked = Asked::parse(&query.unwrap_or_default(), &headers)?;
        let now = state.clock.now();
        let shared = state.roster.snapshot(&allowed.scope, asked.query.sight(), now).await;
        let shared = shared.map_err(|error| match error {
            SnapshotError::UnknownScope(_) => ApiError::UnknownScope,
            SnapshotError::Stopping => ApiError::Unavailable,
        })?;
        // Looking through a large fleet takes a while: not on a thread that heartbeats need.
        let grants = allowed.who.grants.clone();
        let found = tokio::task::spawn_blocking(move || {
            let seen = shared.snapshot.narrowed(&grants).map(Arc::new);
            let seen = seen.unwrap_or_else(|| Arc::clone(&shared.snapshot));
            let selection =
                if asked.page { select(&seen, &asked.query) } else { select_all(&seen, &asked.query) };
            let tag = tag(&shared, &seen, &selection, &asked);
            (asked, seen, selection, tag)
        });
        found.await.map_err(|_| ApiError::Unavailable)
    };
    match answer.await {
        Ok((asked, seen, selection, tag)) => {
            let known = is_known(&headers, &tag);
            let headers = described(&asked, &seen, tag);
            if known {
                return (StatusCode::NOT_MODIFIED, headers).into_response();
            }
            let export = Export::new(seen, selection, &asked.query, asked.page, asked.format);
            (headers, Body::from_stream(export.written())).into_response()
        }
        Err(error) => error.respond(&request),
    }
}

/// The headers, which tell what a line of NDJSON or CSV has no room for.
fn described(asked: &Asked, seen: &Snapshot, tag: HeaderValue) -> HeaderMap {
    let mut headers = HeaderMap::from_iter([
        (CONTENT_TYPE, asked.format.content_type()),
        (ETAG, tag),
        (CACHE_CONTROL, HeaderValue::from_static("no-cache, private")),
        (VARY, HeaderValue::from_static("accept, cookie, x-api-key, authorization")),
        (AS_OF, HeaderValue::from(seen.as_of.millis())),
        (SCHEMA_HEADER, HeaderValue::from(SCHEMA)),
    ]);
    let filters = asked.query.conditions().to_url();
    for (name, value) in [(FILTERS, filters), (SCOPE, seen.scope.to_string())] {
        if let Some(value) = HeaderValue::try_from(value).ok().filter(|value| value.len() <= LONGEST_HEADER) {
            headers.insert(name, value);
        }
    }
    if asked.download
        && let Some(name) = asked.format.attachment("delegates", &seen.scope, seen.as_of)
    {
        headers.insert(CONTENT_DISPOSITION, name);
    }
    headers
}

/// Stands for everything that would be sent but the instant of the figures. The last heartbeats count: whoever decides
/// by them must not be told that nothing has changed.
///
/// The rows are those that the viewer sees, so that one viewer's tag is never good for more than they may see.
fn tag(shared: &SharedSnapshot, seen: &Snapshot, selection: &Selection, asked: &Asked) -> HeaderValue {
    let mut hasher = RUN.build_hasher();
    // Facts are replaced, never changed. An address that is used again belongs to another revision.
    shared.revision().hash(&mut hasher);
    seen.scope.hash(&mut hasher);
    (asked.format, asked.page, asked.query.to_url()).hash(&mut hasher);
    seen.counts.hash(&mut hasher);
    (selection.page, selection.pages).hash(&mut hasher);
    for row in &selection.rows {
        let Some(group) = seen.groups.get(row.group) else { continue };
        (Arc::as_ptr(&group.facts) as usize, group.rollup.auto_upgrade.state as u8).hash(&mut hasher);
        (group.rollup.last_heartbeat, group.rollup.counts.connected).hash(&mut hasher);
        group.rollup.version.as_deref().map(fleet::version::Version::as_str).hash(&mut hasher);
        row.members.len().hash(&mut hasher);
        for member in row.members.iter().filter_map(|&at| group.members.get(usize::try_from(at).ok()?)) {
            let assessment = &member.assessment;
            (Arc::as_ptr(&member.facts) as usize, member.last_heartbeat).hash(&mut hasher);
            (assessment.connectivity as u8, assessment.standing as u8).hash(&mut hasher);
            assessment.verdict.expires_at.hash(&mut hasher);
        }
    }
    let tag = format!("W/\"{:016x}\"", hasher.finish());
    HeaderValue::try_from(tag).unwrap_or(HeaderValue::from_static("W/\"\""))
}

/// Whether the client has this already (RFC 9110, 13.1.2).
fn is_known(headers: &HeaderMap, tag: &HeaderValue) -> bool {
    let opaque = |tag: &str| tag.trim().trim_start_matches("W/").to_owned();
    let own = opaque(tag.to_str().unwrap_or_default());
    let lines = headers.get_all(IF_NONE_MATCH).iter().filter_map(|line| line.to_str().ok());
    lines.flat_map(|line| line.split(',')).any(|known| known.trim() == "*" || opaque(known) == own)
}
