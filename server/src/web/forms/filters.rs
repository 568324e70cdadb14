//! The filter page and the forms of saved filters.

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Redirect, Response};
use fleet::query::Query;
use fleet::scope::Scope;

use super::{Fields, FormPage, page_of};
use crate::auth::allowed::{Allowed, View};
use crate::auth::directory::Tables;
use crate::deeds::filters::{self, Told};
use crate::deeds::{Actor, DeedError};
use crate::web::AppState;
use crate::web::page::{Asker, Said, render};
use crate::web::scope::PathId;

/// What an empty filter is answered with.
const EMPTY: &str = "Nothing is chosen, so there is nothing to filter by. Choose at least one condition.";

/// Shows what a filter can be made of; what was chosen leads on to the list, an empty filter is refused.
pub async fn choose(
    State(state): State<AppState>,
    allowed: Allowed<View>,
    asker: Asker,
    request: Request,
) -> Response {
    let text = request.uri().query().unwrap_or_default();
    let applied = form_urlencoded::parse(text.as_bytes()).any(|(name, _)| name == "apply");
    let mut said = Said::default();
    // A query that cannot be understood is told by the page.
    if let Ok(query) = Query::parse(text)
        && applied
    {
        if !query.is_plain() {
            let query = Query { page: 1, ..query.closed() };
            return Redirect::to(&list(&allowed.scope, &query.to_url())).into_response();
        }
        said.status = Some(StatusCode::UNPROCESSABLE_ENTITY);
        said.outcome.errors.push((String::new(), EMPTY.to_owned()));
    }
    render(&state, asker, request.uri(), said).await
}

/// Saves a filter.
pub async fn create(
    State(state): State<AppState>,
    allowed: Allowed<View>,
    asker: Asker,
    fields: Fields,
) -> Response {
    let (scope, now, told) = (&allowed.scope, state.clock.now(), told(&fields));
    let deed = |tables: &Tables, actor: &Actor| {
        filters::create(tables, actor, scope, told, fields.get("query"), now)
    };
    let done = state.deed(&allowed.who, asker.request_id(), deed).await;
    let path = new_page(scope, fields.get("query"));
    let page = FormPage { state: &state, asker, path, form: "save", fields: &fields };
    shown(page, scope, done).await
}

/// Lets a saved filter mean what is on screen now.
pub async fn replace(
    State(state): State<AppState>,
    allowed: Allowed<View>,
    asker: Asker,
    fields: Fields,
) -> Response {
    let (scope, now) = (&allowed.scope, state.clock.now());
    let deed = |tables: &Tables, actor: &Actor| {
        filters::replace(tables, actor, scope, fields.get("id"), fields.get("query"), now)
    };
    let done = state.deed(&allowed.who, asker.request_id(), deed).await;
    let path = new_page(scope, fields.get("query"));
    let page = FormPage { state: &state, asker, path, form: "replace", fields: &fields };
    shown(page, scope, done).await
}

/// Gives a saved filter another name or visibility.
pub async fn change(
    State(state): State<AppState>,
    allowed: Allowed<View>,
    PathId(id): PathId,
    asker: Asker,
    fields: Fields,
) -> Response {
    let (scope, now, told) = (&allowed.scope, state.clock.now(), told(&fields));
    let deed =
        |tables: &Tables, actor: &Actor| Ok(((), filters::change(tables, actor, scope, &id, told, now)?));
    let done = state.deed(&allowed.who, asker.request_id(), deed).await;
    let path = format!("{}/{}", page_of(scope, "filters"), app::components::links::encode(&id));
    let page = FormPage { state: &state, asker, path, form: "change", fields: &fields };
    page.finish(done, &page_of(scope, "filters")).await
}

/// Deletes a saved filter.
pub async fn delete(
    State(state): State<AppState>,
    allowed: Allowed<View>,
    PathId(id): PathId,
    asker: Asker,
    fields: Fields,
) -> Response {
    let (scope, now) = (&allowed.scope, state.clock.now());
    let deed = |tables: &Tables, actor: &Actor| Ok(((), filters::delete(tables, actor, scope, &id, now)?));
    let done = state.deed(&allowed.who, asker.request_id(), deed).await;
    let path = page_of(scope, "filters");
    let page = FormPage { state: &state, asker, path: path.clone(), form: "delete", fields: &fields };
    page.finish(done, &path).await
}

fn told(fields: &Fields) -> Told<'_> {
    Told { name: fields.get("name"), visibility: fields.get("visibility") }
}

/// The list under a filter that was just saved, or the form again.
async fn shown(page: FormPage<'_>, scope: &Scope, done: Result<String, DeedError>) -> Response {
    match done {
        Ok(query) => Redirect::to(&list(scope, &query)).into_response(),
        Err(error) => page.again(&error).await,
    }
}

fn list(scope: &Scope, query: &str) -> String {
    format!("{}?{query}", page_of(scope, "delegates"))
}

/// The page with the form for a new filter, for a query that was sent with it.
fn new_page(scope: &Scope, query: &str) -> String {
    let query = Query::parse(query).map(|query| query.lasting().to_url()).unwrap_or_default();
    format!("{}?{query}", page_of(scope, "filters/new"))
}
