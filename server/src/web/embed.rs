//! `/embed/{key}`: a page that other sites show in a frame (`product 15.2`).
//!
//! The frame may be sandboxed without an origin of its own, so nothing here reads or sets a cookie, and what the page
//! asks for later comes with the origin `null`. Whoever has the key may read anyway: allowing that origin gives nothing
//! away. Who may frame the page is said in its policy, and is never more than the sites of the key.

use std::sync::Arc;

use app::embed::{Embed, Look, SharedEmbed};
use axum::extract::State;
use axum::http::header::{ACCESS_CONTROL_ALLOW_ORIGIN, ORIGIN, RETRY_AFTER, VARY};
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri};
use axum::response::Response;
use fleet::query::{Query, QueryError};

use super::headers::Frames;
use super::page::{Asker, Said, origin, render};
use super::parts::{self, Wanted};
use super::refusal::plain;
use super::scope::PathId;
use super::{AppState, live};
use crate::auth::allowed::{Allowed, ManageEmbeds};
use crate::auth::embed_key::{self, Found};
use crate::auth::peer;
use crate::store::access::EmbedKeyRow;

/// Streams that may be open with one key: a page of another site has many readers.
const MAX_FRAMES: usize = 2_000;

/// The page, or a plain one that says why there is none.
pub async fn show(State(state): State<AppState>, PathId(text): PathId, asker: Asker, uri: Uri) -> Response {
    let key = match opened(&state, &text, &asker) {
        Ok(key) => key,
        Err(refused) => return *refused,
    };
    let framed = Frames(key.origins.clone());
    let feed = Some(format!("/embed/{text}/live"));
    let page = page_of(&state, &key, &uri, feed, &asker);
    let answer = match page {
        Ok(embed) => shown(&state, &key, embed, &asker, &uri).await,
        Err(error) => plain(StatusCode::BAD_REQUEST, &error.to_string()),
    };
    for_frame(answer, framed, asker.headers())
}

/// Tells the page of changes; see [`live::stream`].
pub async fn stream(State(state): State<AppState>, PathId(text): PathId, asker: Asker) -> Response {
    let key = match opened(&state, &text, &asker) {
        Ok(key) => key,
        Err(refused) => return *refused,
    };
    let sight = Query::parse(&key.filter).unwrap_or_default().sight();
    let who = Arc::new(embed_key::identity(&key));
    let answer = live::watched(&state, who, key.scope.clone(), sight, MAX_FRAMES);
    for_frame(answer, Frames(Vec::new()), asker.headers())
}

/// The page as it will look, for those who issue keys: in a frame of our own, and still.
pub async fn preview(
    State(state): State<AppState>,
    allowed: Allowed<ManageEmbeds>,
    PathId(id): PathId,
    asker: Asker,
    uri: Uri,
) -> Response {
    let tables = state.auth.directory.tables();
    let key = tables.embed_keys.iter().find(|key| *key.id == *id && key.scope == allowed.scope);
    let Some(key) = key.filter(|key| embed_key::is_open(key, state.clock.now())) else {
        return plain(StatusCode::NOT_FOUND, "There is no such embed key.");
    };
    let answer = match page_of(&state, key, &uri, None, &asker) {
        Ok(embed) => shown(&state, key, embed, &asker, &uri).await,
        Err(error) => plain(StatusCode::BAD_REQUEST, &error.to_string()),
    };
    for_frame(answer, Frames(vec!["'self'".to_owned()]), asker.headers())
}

/// The key, if it counts and does not come too often from there.
fn opened(state: &AppState, text: &str, asker: &Asker) -> Result<EmbedKeyRow, Box<Response>> {
    let now = state.clock.now();
    let address = peer::address(asker.headers(), asker.extensions(), &state.trusted_proxies);
    if let Err(wait) = state.auth.frames.take(&address, now) {
        let mut refused = plain(StatusCode::TOO_MANY_REQUESTS, "Too many requests from your network.");
        let seconds = u64::try_from(wait).unwrap_or(0).div_ceil(1_000).max(1);
        refused.headers_mut().insert(RETRY_AFTER, HeaderValue::from(seconds));
        return Err(refused.into());
    }
    let (tables, headers) = (state.auth.directory.tables(), asker.headers());
    let refused = || plain(StatusCode::FORBIDDEN, "This frame does not work any more: its key is not valid.");
    match embed_key::find(&tables, text, now) {
        Found::Open(key) => Ok(key),
        Found::Over(key) => Err(for_frame(refused(), Frames(key.origins), headers).into()),
        Found::Nothing => Err(refused().into()),
    }
}

fn page_of(
    state: &AppState,
    key: &EmbedKeyRow,
    uri: &Uri,
    feed: Option<String>,
    asker: &Asker,
) -> Result<Embed, QueryError> {
    let (path, parameters) = (uri.path(), uri.query().unwrap_or_default());
    let query = Query::parse_within(parameters, &Query::parse(&key.filter)?)?;
    let parameters: Vec<(String, String)> =
        form_urlencoded::parse(parameters.as_bytes()).into_owned().collect();
    let look = Look::read(&parameters)?;
    let chosen = look.to_url();
    let path = if chosen.is_empty() { path.to_owned() } else { format!("{path}?{chosen}") };
    let delegates = format!("{}/delegates", key.scope.path());
    let home =
        format!("{}{}", origin(state, asker.headers()), app::components::links::href(&delegates, &query));
    Ok(Embed { scope: key.scope.clone(), query, look, path, feed, sites: key.origins.clone(), home })
}

/// The page, or the part of it that refreshes it.
async fn shown(state: &AppState, key: &EmbedKeyRow, embed: Embed, asker: &Asker, uri: &Uri) -> Response {
    let who = embed_key::identity(key);
    let preferences = app::context::Preferences {
        theme: embed.look.theme,
        density: embed.look.density,
        ..app::context::Preferences::default()
    };
    let (scope, sight) = (embed.scope.clone(), embed.query.sight());
    let embed: SharedEmbed = Arc::new(embed);
    if parts::wanted(asker.headers()) {
        let headers = asker.headers();
        let grants = &who.grants;
        let embed = Some(Arc::clone(&embed));
        let wanted = Wanted { uri, scope: &scope, sight, grants, preferences, headers, embed, owner: None };
        if let Some(answer) = parts::answer(state, wanted).await {
            return answer;
        }
    }
    // Neither cookies nor whoever they name.
    let asker = asker.clone().become_other(who);
    // Any path of an embedded page leads to the same component.
    let uri = Uri::from_static("/embed/page");
    render(state, asker, &uri, Said { embed: Some(embed), preferences: Some(preferences), ..Said::default() })
        .await
}

fn for_frame(mut answer: Response, frames: Frames, asked: &HeaderMap) -> Response {
    answer.extensions_mut().insert(frames);
    let headers = answer.headers_mut();
    headers.append(VARY, HeaderValue::from_static("origin"));
    if asked.get(ORIGIN).is_some_and(|origin| origin == "null") {
        headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("null"));
    }
    answer
}
