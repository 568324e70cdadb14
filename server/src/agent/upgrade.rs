//! `GET /api/upgrade-check/...`: what upgraders are told (`agent-protocol 10`).

use std::borrow::Cow;

use axum::extract::{Request, State};
use axum::http::request::Parts;
use axum::response::Response;
use fleet::delegate::MAX_NAME;
use fleet::upgrade::{Target, target};

use super::error::{AgentError, is_dangerous};
use super::metrics::Endpoint;
use super::{AgentState, answer, query};

/// The longest image reference that is answered, in bytes.
const MAX_IMAGE: usize = 1024;

/// `delegate` and `delegate-v2`: stamps the group and names the image to run.
pub(super) async fn delegate(State(agent): State<AgentState>, request: Request) -> Response {
    let (parts, _) = request.into_parts();
    let result = check(&agent, &parts);
    agent.answer(Endpoint::Upgrade, result)
}

/// `upgrader`: the image of the upgrader itself.
pub(super) async fn upgrader(State(agent): State<AgentState>, request: Request) -> Response {
    let (parts, _) = request.into_parts();
    let result = check_upgrader(&agent, &parts);
    agent.answer(Endpoint::Upgrade, result)
}

fn check(agent: &AgentState, parts: &Parts) -> Result<Response, AgentError> {
    let caller = agent.caller(parts)?;
    let current = image(parts, "currentDelegateImageTag")?;
    let now = agent.clock.now();
    // The old call carries no name.
    let group = query::value(parts.uri.query(), "delegateGroupName");
    let group = group.filter(|name| !name.trim().is_empty() && name.chars().count() <= MAX_NAME);
    let known = agent.roster.upgrader_seen(&caller, group.as_deref(), now);
    let latest = agent.roster.latest(&caller.token.scope, now);
    let chosen = match known {
        Some(facts) => agent.roster.override_for(&facts.scope, Some(&facts), None, now),
        None => agent.roster.override_of(&caller.token.scope, group.as_deref(), now),
    };
    let chosen = chosen.as_ref().map(|chosen| &*chosen.image_tag);
    Ok(told(&target(&current, chosen, &latest, agent.settings.image_repository.as_deref())))
}

fn check_upgrader(agent: &AgentState, parts: &Parts) -> Result<Response, AgentError> {
    agent.caller(parts)?;
    let current = image(parts, "currentUpgraderImageTag")?;
    let image_tag = agent.settings.upgrader_image.as_deref().unwrap_or(&current);
    Ok(told(&Target { image_tag: image_tag.to_owned(), should_upgrade: image_tag != current }))
}

/// The image that the caller runs. It is repeated in the answer, so it must do no harm there.
fn image<'p>(parts: &'p Parts, name: &str) -> Result<Cow<'p, str>, AgentError> {
    let image = query::value(parts.uri.query(), name);
    let fits = |image: &Cow<'_, str>| !image.is_empty() && image.len() <= MAX_IMAGE && !is_dangerous(image);
    image.filter(fits).ok_or(AgentError::InvalidRequest)
}

fn told(target: &Target) -> Response {
    let image = answer::quoted(&target.image_tag);
    let resource = format!(r#"{{"imageTag":{image},"shouldUpgrade":{}}}"#, target.should_upgrade);
    answer::json(answer::envelope(&resource))
}
