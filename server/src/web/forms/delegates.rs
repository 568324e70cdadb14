//! Forms about delegates: delete, undo, allow, approve, by hand.

use app::components::links;
use axum::extract::State;
use axum::response::Response;
use fleet::scope::Scope;

use super::{Fields, FormPage, actor, page_of};
use crate::auth::allowed::{Allowed, Delete, Edit, Need};
use crate::deeds::DeedError;
use crate::deeds::delegates::MAX_BULK;
use crate::web::AppState;
use crate::web::page::Asker;
use crate::web::scope::PathGroup;

/// Deletes a group, or one of its instances, whose name was typed.
pub async fn delete(
    State(state): State<AppState>,
    allowed: Allowed<Delete>,
    place: PathGroup,
    asker: Asker,
    fields: Fields,
) -> Response {
    let scope = &allowed.scope;
    let who = actor(&allowed.who, &asker);
    let deeds = state.delegates(&who);
    let done = async {
        let group = state.roster.group_id(scope, &place.group).ok_or(DeedError::Unknown("delegate"))?;
        let found = deeds.deletion(scope, &group, place.instance.as_deref())?;
        let wanted = found.host_name.as_ref().unwrap_or(&found.facts.name);
        if fields.get("name").trim() != wanted.trim() {
            return Err(DeedError::Field {
                field: "name",
                message: format!("Type {wanted} exactly as it is written."),
            });
        }
        deeds.delete(found).await
    };
    let done = done.await;
    let list = page_of(scope, "delegates");
    let group = format!("{list}/{}", links::encode(&place.group));
    let (path, to) = match &place.instance {
        None => (format!("{group}/delete"), list),
        Some(instance) => (format!("{group}/instances/{}/delete", links::encode(instance)), group),
    };
    FormPage { state: &state, asker, path, form: "delete", fields: &fields }.finish(done, &to).await
}

/// Deletes a selection whose number was typed.
pub async fn delete_selection(
    State(state): State<AppState>,
    allowed: Allowed<Delete>,
    asker: Asker,
    fields: Fields,
) -> Response {
    let scope = &allowed.scope;
    let who = actor(&allowed.who, &asker);
    let deeds = state.delegates(&who);
    let mut ids: Vec<&str> = fields.all("id").collect();
    ids.sort_unstable();
    ids.dedup();
    let done = async {
        if ids.is_empty() || ids.len() > MAX_BULK {
            return Err(DeedError::Field {
                field: "id",
                message: format!("Select 1 to {MAX_BULK} delegates."),
            });
        }
        let found: Result<Vec<_>, _> = ids.iter().map(|id| deeds.deletion(scope, id, None)).collect();
        let found = found?;
        if fields.get("count").trim() != found.len().to_string() {
            let message = format!("Type {}, the number of delegates that would be deleted.", found.len());
            return Err(DeedError::Field { field: "count", message });
        }
        deeds.delete_all(found).await
    };
    let done = done.await;
    let query: Vec<String> = ids.iter().map(|id| format!("id={}", links::encode(id))).collect();
    let path = format!("{}?{}", page_of(scope, "delete"), query.join("&"));
    let page = FormPage { state: &state, asker, path, form: "delete", fields: &fields };
    page.finish(done, &page_of(scope, "delegates")).await
}

/// Takes a deletion back.
pub async fn undo(
    State(state): State<AppState>,
    allowed: Allowed<Delete>,
    asker: Asker,
    fields: Fields,
) -> Response {
    let scope = &allowed.scope;
    let who = actor(&allowed.who, &asker);
    let deeds = state.delegates(&who);
    let done = deeds.undo(scope, fields.get("group"), fields.get("instance")).await;
    answer(&state, done, asker, scope, "undo", &fields).await
}

/// Lets a deleted or rejected delegate back in.
pub async fn allow(
    State(state): State<AppState>,
    allowed: Allowed<Edit>,
    asker: Asker,
    fields: Fields,
) -> Response {
    let scope = &allowed.scope;
    let who = actor(&allowed.who, &asker);
    let deeds = state.delegates(&who);
    let done = deeds.allow(scope, fields.get("group")).await;
    answer(&state, done, asker, scope, "allow", &fields).await
}

/// Approves a delegate that waits.
pub async fn approve(
    state: State<AppState>,
    allowed: Allowed<Edit>,
    place: PathGroup,
    asker: Asker,
    fields: Fields,
) -> Response {
    decide(&state, &allowed, &place, asker, &fields, true).await
}

/// Rejects a delegate that waits.
pub async fn reject(
    state: State<AppState>,
    allowed: Allowed<Edit>,
    place: PathGroup,
    asker: Asker,
    fields: Fields,
) -> Response {
    decide(&state, &allowed, &place, asker, &fields, false).await
}

/// Marks a delegate as updated by hand on purpose, or ends that.
pub async fn by_hand(
    State(state): State<AppState>,
    allowed: Allowed<Edit>,
    place: PathGroup,
    asker: Asker,
    fields: Fields,
) -> Response {
    let scope = &allowed.scope;
    let who = actor(&allowed.who, &asker);
    let deeds = state.delegates(&who);
    let done = async {
        let by_choice = match fields.get("on") {
            "true" => true,
            "false" => false,
            _ => {
                let message = "Give true or false.".to_owned();
                return Err(DeedError::Field { field: "on", message });
            }
        };
        let group = state.roster.group_id(scope, &place.group).ok_or(DeedError::Unknown("delegate"))?;
        deeds.by_choice(scope, &group, by_choice).await
    };
    let done = done.await;
    let path = format!("{}/{}", page_of(scope, "delegates"), links::encode(&place.group));
    let page = FormPage { state: &state, asker, path: path.clone(), form: "by-hand", fields: &fields };
    page.finish(done, &path).await
}

async fn decide<N: Need>(
    state: &AppState,
    allowed: &Allowed<N>,
    place: &PathGroup,
    asker: Asker,
    fields: &Fields,
    approve: bool,
) -> Response {
    let scope = &allowed.scope;
    let who = actor(&allowed.who, &asker);
    let deeds = state.delegates(&who);
    let done = match state.roster.group_id(scope, &place.group) {
        Some(group) => deeds.decide(scope, &group, approve).await,
        None => Err(DeedError::Unknown("delegate")),
    };
    let form = if approve { "approve" } else { "reject" };
    answer(state, done, asker, scope, form, fields).await
}

async fn answer(
    state: &AppState,
    done: Result<(), DeedError>,
    asker: Asker,
    scope: &Scope,
    form: &'static str,
    fields: &Fields,
) -> Response {
    let path = page_of(scope, "delegates");
    let page = FormPage { state, asker, path: path.clone(), form, fields };
    page.finish(done, &path).await
}
