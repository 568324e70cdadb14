//! Forms of the page for a new delegate: its files with the value of the token, on the page or as a download.

use axum::extract::State;
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::http::{HeaderValue, Uri};
use axum::response::{IntoResponse as _, Response};
use fleet::install::{Choice, File, Install, World, Wrong, plan};
use fleet::scope::Scope;

use super::{Fields, FormPage, actor, page_of};
use crate::auth::allowed::{Allowed, Edit};
use crate::deeds::{DeedError, tokens};
use crate::web::AppState;
use crate::web::page::{Asker, origin};

/// The page with the value of the chosen token in its files.
pub async fn show(
    State(state): State<AppState>,
    allowed: Allowed<Edit>,
    asker: Asker,
    uri: Uri,
    fields: Fields,
) -> Response {
    let scope = &allowed.scope;
    let query = uri.query().unwrap_or_default();
    let shown = async {
        let install = chosen(&state, scope, &asker, query, None)?;
        let actor = actor(&allowed.who, &asker);
        let purpose = format!("in the files for delegate {}", install.name);
        let now = state.clock.now();
        tokens::show(&state.store, &state.vault, &actor, scope, fields.get("token"), &purpose, now).await
    };
    let shown = shown.await;
    let page = FormPage { state: &state, asker, path: path(scope, query), form: "new", fields: &fields };
    match shown {
        Ok((row, value)) => page.once(row.name.to_string(), value.to_string()).await,
        Err(error) => page.again(&error).await,
    }
}

/// One file as a download, with the value of the token where it holds one.
pub async fn download(
    State(state): State<AppState>,
    allowed: Allowed<Edit>,
    asker: Asker,
    uri: Uri,
    fields: Fields,
) -> Response {
    let scope = &allowed.scope;
    let query = uri.query().unwrap_or_default();
    let name = fields.get("file");
    let made = async {
        let masked = file(&chosen(&state, scope, &asker, query, None)?, name)?;
        if !masked.secret {
            return Ok(masked);
        }
        let actor = actor(&allowed.who, &asker);
        let purpose = format!("in the download {name}");
        let now = state.clock.now();
        let token = fields.get("token");
        let (_, value) =
            tokens::show(&state.store, &state.vault, &actor, scope, token, &purpose, now).await?;
        file(&chosen(&state, scope, &asker, query, Some(&value))?, name)
    };
    match made.await {
        Ok(file) => attachment(file),
        Err(error) => {
            let path = path(scope, query);
            FormPage { state: &state, asker, path, form: "new", fields: &fields }.again(&error).await
        }
    }
}

/// What the address of the page says.
fn chosen(
    state: &AppState,
    scope: &Scope,
    asker: &Asker,
    query: &str,
    token: Option<&str>,
) -> Result<Install, DeedError> {
    let latest = state.roster.latest(scope, state.clock.now());
    let manager = origin(state, asker.headers());
    let world = World {
        scope,
        manager: &manager,
        latest: &latest,
        repository: state.image_repository.as_deref(),
        token,
    };
    let refused = |wrong: Wrong| DeedError::Field { field: wrong.field, message: wrong.message };
    let choice = Choice::parse(query).map_err(refused)?;
    choice.install(&world).map_err(|wrong| {
        let first = wrong.into_iter().next();
        first.map_or(DeedError::Refused("the choice cannot be used".to_owned()), refused)
    })
}

fn file(install: &Install, name: &str) -> Result<File, DeedError> {
    plan(install).files.into_iter().find(|file| file.name == name).ok_or(DeedError::Unknown("file"))
}

fn attachment(file: File) -> Response {
    let mut response = file.text.into_response();
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    // File names are the generator's own.
    if let Ok(value) = HeaderValue::try_from(format!("attachment; filename=\"{}\"", file.name)) {
        headers.insert(CONTENT_DISPOSITION, value);
    }
    response
}

/// The page again, under the address that holds the choice.
fn path(scope: &Scope, query: &str) -> String {
    let page = page_of(scope, "new");
    if query.is_empty() { page } else { format!("{page}?{query}") }
}
