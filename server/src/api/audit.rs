//! `GET /api/v1/accounts/{a}[/orgs/{o}[/projects/{p}]]/audit`: the audit log, to be kept elsewhere (`product 14`).

use axum::Extension;
use axum::body::Body;
use axum::extract::{RawQuery, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use chrono::NaiveDate;
use fleet::access::{Grants, Permission};
use fleet::scope::{Level, Scope};
use fleet::time::{DAY, Timestamp};
use futures::{StreamExt as _, stream};
use serde::Serialize;
use utoipa::ToSchema;

use super::error::json;
use super::format::{Format, cell};
use crate::auth::allowed::{Allowed, ReadAudit};
use crate::deeds::Actor;
use crate::store::SharedStore;
use crate::store::access::{AuditFound, AuditWanted};
use crate::web::AppState;
use crate::web::request_id::RequestId;

/// Lines that are read at once; the whole export is never in memory.
const CHUNK: u32 = 1_000;
/// Days of the default view.
const DEFAULT_DAYS: i64 = 7;

/// A parameter that cannot be understood.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {message}")]
pub struct AuditError {
    /// The parameter.
    pub field: &'static str,
    /// What it should be.
    pub message: String,
}

/// The parameters of a question, as they stand in the URL.
#[derive(Clone, Debug, Default)]
pub struct Asked {
    /// Part of the actor.
    pub user: String,
    /// Exact action.
    pub action: String,
    /// Exact type.
    pub resource: String,
    /// First day, such as `2026-11-14`; empty for seven days.
    pub from: String,
    /// Last day; empty for today.
    pub to: String,
    /// Where to go on.
    pub before: String,
    /// Scopes below, too.
    pub below: bool,
}

impl Asked {
    fn parse(query: &str) -> Result<(Self, String), AuditError> {
        let (mut asked, mut format, mut all) = (Self::default(), String::new(), None);
        for (name, value) in form_urlencoded::parse(query.as_bytes()) {
            match &*name {
                "user" => asked.user = value.into_owned(),
                "action" => asked.action = value.into_owned(),
                "resource" => asked.resource = value.into_owned(),
                "from" => asked.from = value.into_owned(),
                "to" => asked.to = value.into_owned(),
                "before" => asked.before = value.into_owned(),
                "all" if all.is_some() => {
                    return Err(AuditError { field: "all", message: "only once".to_owned() });
                }
                "all" => all = Some(flag("all", &value)?),
                "format" => format = value.into_owned(),
                _ => {}
            }
        }
        asked.below = all.unwrap_or(false);
        Ok((asked, format))
    }

    /// The question to the store.
    ///
    /// # Errors
    /// A day or place cannot be understood.
    pub fn wanted(&self, scope: &Scope, limit: u32, now: Timestamp) -> Result<AuditWanted, AuditError> {
        let to = match day("to", &self.to)? {
            Some(day) => Timestamp::end_of_day(day).plus(1),
            None => now.plus(1),
        };
        let from = match day("from", &self.from)? {
            Some(day) => Timestamp::start_of_day(day),
            None => to.plus(-DEFAULT_DAYS * DAY),
        };
        let behind = match self.before.split_once('-') {
            None if self.before.is_empty() => None,
            Some((at, id)) => at.parse().ok().map(|at| (Timestamp::from_millis(at), id.to_owned())),
            None => None,
        };
        if behind.is_none() && !self.before.is_empty() {
            return Err(AuditError {
                field: "before",
                message: "take it from the link to older lines".to_owned(),
            });
        }
        Ok(AuditWanted {
            scope: Some(scope.clone()),
            below: self.below,
            server: false,
            actor: self.user.trim().to_owned(),
            action: self.action.trim().to_owned(),
            resource: self.resource.trim().to_owned(),
            from,
            to,
            behind,
            limit,
        })
    }
}

fn day(field: &'static str, text: &str) -> Result<Option<NaiveDate>, AuditError> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(None);
    }
    let parsed = NaiveDate::parse_from_str(text, "%Y-%m-%d");
    parsed.map(Some).map_err(|_| AuditError { field, message: "a day such as 2026-11-14".to_owned() })
}

fn flag(field: &'static str, text: &str) -> Result<bool, AuditError> {
    match text {
        "false" => Ok(false),
        "true" => Ok(true),
        _ => Err(AuditError { field, message: "true or false".to_owned() }),
    }
}

/// Whether the log of an account shows what concerns the server as a whole: to those who may read all of it.
#[must_use]
pub fn sees_server(grants: &Grants, scope: &Scope) -> bool {
    scope.level() == Level::Account && grants.decide_for_server(Permission::AuditView).is_ok()
}

/// Where to go on behind a line.
#[must_use]
pub fn place(line: &AuditFound) -> String {
    format!("{}-{}", line.at.millis(), line.id)
}

/// One line of the export.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Exported<'a> {
    id: &'a str,
    at: i64,
    actor: &'a str,
    action: &'a str,
    resource: &'a str,
    name: &'a str,
    scope: Option<String>,
    summary: &'a str,
    before: &'a std::collections::BTreeMap<String, String>,
    after: &'a std::collections::BTreeMap<String, String>,
}

impl<'a> From<&'a AuditFound> for Exported<'a> {
    fn from(found: &'a AuditFound) -> Self {
        Self {
            id: &found.id,
            at: found.at.millis(),
            actor: &found.actor,
            action: &found.action,
            resource: &found.resource,
            name: &found.name,
            scope: found.scope.as_ref().map(ToString::to_string),
            summary: &found.summary,
            before: &found.before,
            after: &found.after,
        }
    }
}

/// A log as the OpenAPI document shows it.
fn example() -> serde_json::Value {
    serde_json::json!([{
        "id": "1042", "at": 1_795_176_000_000_i64, "actor": "alex@acme.example", "action": "token.create",
        "resource": "token", "name": "edge-a", "scope": "acme/payments",
        "summary": "Token edge-a was created and its value shown once",
        "before": {}, "after": {"revoked after": "never"},
    }])
}

/// The parts of the text that stand around the lines.
impl Format {
    const fn audit_head(self) -> &'static str {
        match self {
            Self::Json => "[",
            Self::Ndjson => "",
            Self::Csv => "time,actor,action,resource,name,scope,summary,before,after\r\n",
        }
    }

    const fn audit_foot(self) -> &'static str {
        match self {
            Self::Json => "]\n",
            Self::Ndjson | Self::Csv => "",
        }
    }

    fn audit_line(self, found: &AuditFound, first: bool, to: &mut String) {
        let json = || serde_json::to_string(&Exported::from(found)).unwrap_or_default();
        match self {
            Self::Json => {
                if !first {
                    to.push(',');
                }
                to.push_str(&json());
            }
            Self::Ndjson => {
                to.push_str(&json());
                to.push('\n');
            }
            Self::Csv => {
                let scope = found.scope.as_ref().map(ToString::to_string).unwrap_or_default();
                let values = |values| serde_json::to_string(values).unwrap_or_default();
                let time = found.at.to_utc().format("%Y-%m-%dT%H:%M:%S%.3fZ").to_string();
                let (before, after) = (values(&found.before), values(&found.after));
                let cells = [
                    &*time,
                    &found.actor,
                    &found.action,
                    &found.resource,
                    &found.name,
                    &scope,
                    &found.summary,
                    &before,
                    &after,
                ];
                let cells = cells.map(cell);
                to.push_str(&cells.join(","));
                to.push_str("\r\n");
            }
        }
    }
}

/// The audit log of a scope.
///
/// Parameters: `user`, `action`, `resource`, `from`, `to`, `all`, `format`.
#[utoipa::path(
    get,
    path = "/api/v1/accounts/{account}/audit",
    operation_id = "exportAudit",
    params(
        ("user" = Option<String>, Query, description = "Part of who did it."),
        ("action" = Option<String>, Query, description = "Exactly this action.", example = "token.create"),
        ("resource" = Option<String>, Query, description = "Exactly this kind.", example = "token"),
        ("from" = Option<String>, Query, description = "First day; seven days ago without it.", example = "2026-11-14", pattern = "^(|[0-9]{4}-[0-9]{2}-[0-9]{2})$"),
        ("to" = Option<String>, Query, description = "Last day; today without it.", example = "2026-11-20", pattern = "^(|[0-9]{4}-[0-9]{2}-[0-9]{2})$"),
        ("all" = Option<bool>, Query, description = "With the scopes below."),
        ("format" = Option<String>, Query, description = "In place of Accept.", pattern = "^(|json|ndjson|csv)$")
    ),
    responses((
        status = 200,
        description = "The lines, newest first.",
        content(
            (Vec<Exported<'static>> = "application/json", example = json!(example())),
            (String = "application/x-ndjson"),
            (String = "text/csv")
        )
    ))
)]
pub async fn export(
    State(state): State<AppState>,
    allowed: Allowed<ReadAudit>,
    Extension(request): Extension<RequestId>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Response {
    let scope = &allowed.scope;
    let bad = |field: &'static str, message: &str| {
        let body = json("INVALID_REQUEST", message, Some(field), Some(&request.0));
        (StatusCode::BAD_REQUEST, body).into_response()
    };
    let (asked, format) = match Asked::parse(&query.unwrap_or_default()) {
        Ok(parsed) => parsed,
        Err(error) => return bad(error.field, &error.to_string()),
    };
    let format = match Format::asked(&format, &headers) {
        Ok(format) => format,
        Err(error) => return bad(error.field, &error.to_string()),
    };
    if !state.roster.has_scope(scope) {
        let body = json("ENTITY_NOT_FOUND", "there is no such scope", None, Some(&request.0));
        return (StatusCode::NOT_FOUND, body).into_response();
    }
    let now = state.clock.now();
    let wanted = match asked.wanted(scope, CHUNK, now) {
        Ok(wanted) => AuditWanted { server: sees_server(&allowed.who.grants, scope), ..wanted },
        Err(error) => return bad(error.field, &error.to_string()),
    };
    let line = Actor::person(&allowed.who, &request.0)
        .line(now, "audit.export", "scope", scope.to_string(), Some(scope))
        .says("The audit log was exported");
    if state.store.commit(&[line.change()]).await.is_err() {
        return (StatusCode::SERVICE_UNAVAILABLE, json("UNAVAILABLE", "try again", None, None))
            .into_response();
    }
    let body = Body::from_stream(written(state.store.clone(), wanted, format));
    let mut response = ([(header::CONTENT_TYPE, format.content_type())], body).into_response();
    if let Some(name) = format.attachment("audit", scope, now) {
        response.headers_mut().insert(header::CONTENT_DISPOSITION, name);
    }
    response
}

/// The lines as text, chunk by chunk; ends early, and so visibly broken, when the store fails.
pub fn written(
    store: SharedStore,
    wanted: AuditWanted,
    format: Format,
) -> impl futures::Stream<Item = Result<String, crate::store::StoreError>> + Send {
    enum Step {
        Head,
        Lines,
        End,
    }
    stream::unfold(
        (store, wanted, Step::Head, true),
        move |(store, mut wanted, step, mut first)| async move {
            match step {
                Step::Head => Some((Ok(format.audit_head().to_owned()), (store, wanted, Step::Lines, first))),
                Step::Lines => {
                    let found = match store.audit(&wanted).await {
                        Ok(found) => found,
                        Err(error) => {
                            tracing::error!(%error, "an export of the audit log broke off");
                            return Some((Err(error), (store, wanted, Step::End, first)));
                        }
                    };
                    let mut text = String::new();
                    for line in &found {
                        format.audit_line(line, first, &mut text);
                        first = false;
                    }
                    let more = found.len() == wanted.limit as usize;
                    wanted.behind = found.last().map(|line| (line.at, line.id.clone())).or(wanted.behind);
                    let step = if more {
                        Step::Lines
                    } else {
                        text.push_str(format.audit_foot());
                        Step::End
                    };
                    Some((Ok(text), (store, wanted, step, first)))
                }
                Step::End => None,
            }
        },
    )
    // Compression asks again after the end.
    .fuse()
}
