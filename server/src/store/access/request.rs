//! Changes as statements with their values.

use std::borrow::Cow;
use std::collections::BTreeMap;

use fleet::access::{Reach, Resources};
use fleet::delegate::Approval;

pub(in crate::store) use super::step::Step;
use super::{
    ApiKeyRow, AssignmentRow, AuditRow, AuditWanted, Change, DeedsWanted, EmbedKeyRow, LinkRow, RoleRow,
    SessionRow, UserRow, saved, sql,
};
use crate::store::decode::ScopeKey;
use crate::store::request::{Request, Value};
use crate::store::words::Word;
use crate::store::{StoreError, TokenRow, Tombstone, mirrors};

/// The topics that changes count under, each once.
pub(in crate::store) fn topics(changes: &[Change]) -> Vec<&'static str> {
    let mut topics: Vec<_> = changes.iter().filter_map(topic).collect();
    topics.sort_unstable();
    topics.dedup();
    topics
}

fn topic(change: &Change) -> Option<&'static str> {
    match change {
        Change::InsertUser(_)
        | Change::SetPassword { .. }
        | Change::SetDisabled { .. }
        | Change::SetExternalId { .. }
        | Change::InsertRole(_)
        | Change::ChangeRole(_)
        | Change::RemoveRole { .. }
        | Change::PutAssignment(_)
        | Change::RemoveAssignment(_)
        | Change::InsertApiKey(_)
        | Change::RevokeApiKey { .. }
        | Change::InsertEmbedKey(_)
        | Change::RevokeEmbedKey { .. }
        | Change::InsertSavedFilter(_)
        | Change::ChangeSavedFilter(_)
        | Change::RemoveSavedFilter(_)
        | Change::RemoveSession(_)
        | Change::RemoveSessions { .. } => Some("access"),
        Change::InsertToken(_) | Change::RevokeToken { .. } | Change::RemoveToken(_) => Some("tokens"),
        Change::PutSetting { .. } => Some("settings"),
        Change::PutCatalog { .. } => Some("catalog"),
        Change::NoteSignIn { .. }
        | Change::TouchApiKey { .. }
        | Change::PutSession(_)
        | Change::TouchSession { .. }
        | Change::ExpireSessions { .. }
        | Change::PutLink(..)
        | Change::TakeLink { .. }
        | Change::Bury(_)
        | Change::Lift(_)
        | Change::SetApproval { .. }
        | Change::SetByChoice { .. }
        | Change::SetTags { .. }
        | Change::ResealToken { .. }
        | Change::Mirror(_)
        | Change::PurgeAudit(_)
        | Change::Audit(_) => None,
    }
}

/// The statements of a change, in their order.
pub(in crate::store) fn steps(change: &Change) -> Result<Vec<Step<'_>>, StoreError> {
    let one = |request| Ok(vec![Step::new(request)]);
    match change {
        Change::InsertUser(user) => {
            Ok(vec![Step::new(put_user(user)).unique(format!("a user {}", user.email))])
        }
        Change::SetPassword { user, hash } => {
            let request = Request::of(sql::SET_PASSWORD).with(&**user).with(&**hash);
            Ok(vec![Step::new(request).wanted("this user, or their access,")])
        }
        Change::SetDisabled { user, disabled } => {
            let request = Request::of(sql::SET_DISABLED).with(&**user).with(flag(*disabled));
            Ok(vec![Step::new(request).wanted("this user, in that state,")])
        }
        Change::SetExternalId { user, external_id } => {
            one(Request::of(sql::SET_EXTERNAL_ID).with(&**user).with(&**external_id))
        }
        Change::NoteSignIn { user, at } => one(Request::of(sql::NOTE_SIGN_IN).with(&**user).with(*at)),
        Change::InsertRole(role) => {
            let request = role_values(sql::INSERT_ROLE, role)?.with(role.created_at);
            Ok(vec![Step::new(request).unique(format!("a role {} of {}", role.name, role.scope))])
        }
        Change::ChangeRole(role) => {
            Ok(vec![Step::new(role_values(sql::CHANGE_ROLE, role)?).wanted("this role")])
        }
        Change::RemoveRole { scope, id } => Ok(vec![
            Step::new(
                Request::of(sql::REMOVE_ASSIGNMENTS_OF_ROLE)
                    .with(Value::Text(format!("{id}@{scope}").into())),
            ),
            Step::new(Request::of_scope(sql::REMOVE_ROLE, scope.into()).with(&**id)).wanted("this role"),
        ]),
        Change::PutAssignment(assignment) => {
            let mut steps: Vec<_> = hold_role(&assignment.role).into_iter().collect();
            steps.push(Step::new(put_assignment(assignment)?));
            Ok(steps)
        }
        Change::RemoveAssignment(id) => {
            Ok(vec![Step::new(Request::of(sql::REMOVE_ASSIGNMENT).with(&**id)).wanted("this assignment")])
        }
        Change::InsertApiKey(key) => one(put_api_key(key)),
        Change::RevokeApiKey { id, at } => {
            Ok(vec![Step::new(Request::of(sql::REVOKE_API_KEY).with(&**id).with(*at)).wanted("this API key")])
        }
        Change::TouchApiKey { id, at } => one(Request::of(sql::TOUCH_API_KEY).with(&**id).with(*at)),
        Change::InsertEmbedKey(key) => one(put_embed_key(key)?),
        Change::RevokeEmbedKey { id, at } => Ok(vec![
            Step::new(Request::of(sql::REVOKE_EMBED_KEY).with(&**id).with(*at)).wanted("this embed key"),
        ]),
        Change::InsertSavedFilter(filter) => Ok(vec![saved::insertion(filter)]),
        Change::ChangeSavedFilter(filter) => Ok(vec![saved::replacement(filter)]),
        Change::RemoveSavedFilter(id) => Ok(vec![saved::removal(id)]),
        Change::PutSession(session) => one(put_session(session)),
        Change::TouchSession { hash, at } => one(Request::of(sql::TOUCH_SESSION).with(&**hash).with(*at)),
        Change::RemoveSession(hash) => one(Request::of(sql::REMOVE_SESSION).with(&**hash)),
        Change::RemoveSessions { user, except } => Ok(vec![
            Step::new(Request::of(sql::REMOVE_SESSIONS).with(&**user).with(&**except)),
            Step::new(Request::of(sql::REMOVE_LINKS).with(&**user)),
        ]),
        Change::ExpireSessions { created_before, seen_before } => {
            one(Request::of(sql::EXPIRE_SESSIONS).with(*created_before).with(*seen_before))
        }
        Change::PutLink(link, now) => {
            Ok(vec![Step::new(Request::of(sql::EXPIRE_LINKS).with(*now)), Step::new(put_link(link))])
        }
        Change::TakeLink { hash, at } => {
            Ok(vec![Step::new(Request::of(sql::TAKE_LINK).with(&**hash).with(*at)).wanted("this link")])
        }
        Change::InsertToken(token) => Ok(vec![insert_token(token)]),
        Change::RevokeToken { id, at } => {
            let request = Request::of(sql::REVOKE_TOKEN_BY_ID).with(&**id).with(*at);
            Ok(vec![Step::new(request).wanted("this active token")])
        }
        Change::RemoveToken(id) => {
            Ok(vec![Step::new(Request::of(sql::REMOVE_TOKEN).with(&**id)).wanted("this revoked token")])
        }
        Change::ResealToken { id, was, sealed } => one(reseal_token(id, was, sealed)),
        Change::PutSetting { scope, key, value, at } => {
            one(Request::put_setting(scope.as_ref(), key, value.as_deref(), *at))
        }
        Change::PutCatalog { document, at } => one(Request::put_catalog(document, *at)),
        Change::Bury(stone) => {
            let request = of_tombstone(sql::BURY, stone).with(stone.at).with(&*stone.by);
            Ok(vec![Step::new(request).wanted("this delegate")])
        }
        Change::Lift(stone) => {
            let request = of_tombstone(sql::LIFT, stone).with(stone.lifted_at);
            Ok(vec![Step::new(request).wanted("this deletion")])
        }
        Change::SetApproval { account, group, from, to } => {
            Ok(vec![set_approval((account, group), *from, *to)])
        }
        Change::SetByChoice { account, group, by_choice } => {
            Ok(vec![set_by_choice(account, group, *by_choice)])
        }
        Change::SetTags { account, group, tags } => Ok(vec![set_tags(account, group, tags)?]),
        Change::Mirror(change) => mirrors::steps(change),
        Change::PurgeAudit(before) => one(Request::of(sql::PURGE_AUDIT).with(*before)),
        Change::Audit(line) => one(put_audit(line)?),
    }
}

fn reseal_token<'a>(id: &'a str, was: &'a [u8], sealed: &'a [u8]) -> Request<'a> {
    Request::of(sql::RESEAL_TOKEN).with(id).with(was).with(sealed)
}

fn insert_token(token: &TokenRow) -> Step<'_> {
    let name = format!("a token {} of {}", token.name, token.scope);
    let scope = Some(format!("the scope {}", token.scope));
    Step { scope, ..Step::new(Request::insert_token(token)).unique(name) }
}

fn set_approval<'a>((account, group): (&'a str, &'a str), from: Approval, to: Approval) -> Step<'a> {
    let request = Request::of(sql::SET_APPROVAL).with(account).with(group);
    Step::new(request.with(from.word()).with(to.word())).wanted("this delegate, in that state,")
}

fn set_by_choice<'a>(account: &'a str, group: &'a str, by_choice: bool) -> Step<'a> {
    let request = Request::of(sql::SET_BY_CHOICE).with(account).with(group).with(flag(by_choice));
    Step::new(request).wanted("this delegate, in that state,")
}

fn set_tags<'a>(account: &'a str, group: &'a str, tags: &[String]) -> Result<Step<'a>, StoreError> {
    let request = Request::of(sql::SET_TAGS).with(account).with(group).with(json(&tags)?);
    Ok(Step::new(request).wanted("this delegate"))
}

fn flag(flag: bool) -> Value<'static> {
    Value::Integer(flag.into())
}

fn json<T: serde::Serialize>(value: &T) -> Result<Value<'static>, StoreError> {
    let text = serde_json::to_string(value).map_err(crate::store::error::encode)?;
    Ok(Value::Text(text.into()))
}

fn put_user(user: &UserRow) -> Request<'_> {
    Request::of(sql::INSERT_USER)
        .with(&*user.id)
        .with(&*user.email)
        .with(&*user.name)
        .with(user.kind.word())
        .with(Value::OptionalText(user.password.as_deref()))
        .with(Value::OptionalText(user.external_id.as_deref()))
        .with(flag(user.disabled))
        .with(user.created_at)
        .with(Value::OptionalText(user.created_by.as_deref()))
        .with(user.last_sign_in)
}

fn role_values<'a>(sql: &'static str, role: &'a RoleRow) -> Result<Request<'a>, StoreError> {
    Ok(Request::of_scope(sql, (&role.scope).into())
        .with(&*role.id)
        .with(&*role.name)
        .with(json(&role.permissions)?))
}

/// A custom role must be there while it is given; built-in ones always are.
fn hold_role(role: &str) -> Option<Step<'_>> {
    let (id, scope) = role.split_once('@')?;
    let mut parts = scope.split('/');
    let mut part = || parts.next().unwrap_or_default();
    let key = ScopeKey { account: part(), organization: part(), project: part() };
    Some(Step::new(Request::of_scope(sql::HOLD_ROLE, key).with(id)).wanted("this role"))
}

fn put_assignment(assignment: &AssignmentRow) -> Result<Request<'_>, StoreError> {
    let key = match &assignment.reach {
        Reach::Server => ScopeKey { account: "", organization: "", project: "" },
        Reach::Scope(scope) => scope.into(),
    };
    let request = Request::of_scope(sql::PUT_ASSIGNMENT, key)
        .with(&*assignment.id)
        .with(&*assignment.user)
        .with(&*assignment.role);
    let request = match &assignment.resources {
        Resources::All => request.with(Value::OptionalText(None)),
        Resources::Named(names) => request.with(json(&names.iter().map(|name| &**name).collect::<Vec<_>>())?),
    };
    Ok(request
        .with(flag(assignment.external))
        .with(assignment.created_at)
        .with(Value::OptionalText(assignment.created_by.as_deref())))
}

fn put_api_key(key: &ApiKeyRow) -> Request<'_> {
    Request::of_scope(sql::INSERT_API_KEY, (&key.scope).into())
        .with(&*key.id)
        .with(&*key.user)
        .with(&*key.name)
        .with(&*key.hash)
        .with(key.created_at)
        .with(Value::OptionalText(key.created_by.as_deref()))
        .with(key.expires_at)
        .with(key.revoked_at)
        .with(key.last_used)
}

fn put_embed_key(key: &EmbedKeyRow) -> Result<Request<'_>, StoreError> {
    Ok(Request::of_scope(sql::INSERT_EMBED_KEY, (&key.scope).into())
        .with(&*key.id)
        .with(&*key.name)
        .with(&*key.hash)
        .with(&*key.filter)
        .with(json(&key.origins)?)
        .with(key.created_at)
        .with(&*key.created_by)
        .with(key.expires_at)
        .with(key.revoked_at))
}

fn put_session(session: &SessionRow) -> Request<'_> {
    Request::of(sql::PUT_SESSION)
        .with(&*session.hash)
        .with(&*session.user)
        .with(session.created_at)
        .with(session.last_seen)
        .with(&*session.agent)
        .with(&*session.address)
}

fn put_link(link: &LinkRow) -> Request<'_> {
    Request::of(sql::PUT_LINK)
        .with(&*link.hash)
        .with(link.purpose.word())
        .with(&*link.user)
        .with(link.expires_at)
}

fn of_tombstone<'a>(sql: &'static str, stone: &'a Tombstone) -> Request<'a> {
    Request::of(sql).with(&*stone.account).with(&*stone.group).with(&*stone.instance)
}

fn put_audit(line: &AuditRow) -> Result<Request<'_>, StoreError> {
    let values = |values: &BTreeMap<String, String>| json(values);
    Ok(Request::of_scope(sql::PUT_AUDIT, line.scope.as_ref().into())
        .with(line.at)
        .with(&*line.actor_id)
        .with(&*line.actor)
        .with(line.action)
        .with(line.resource)
        .with(&*line.name)
        .with(&*line.summary)
        .with(values(&line.before)?)
        .with(values(&line.after)?)
        .with(&*line.request_id))
}

/// The question for lines of the audit log.
pub(in crate::store) fn audit(wanted: &AuditWanted) -> Request<'_> {
    let (at, id) = wanted.behind.as_ref().map_or((i64::MAX, ""), |(at, id)| (at.millis(), id));
    let sql = if wanted.scope.is_some() { sql::AUDIT } else { sql::AUDIT_OF_ALL };
    let request = Request::of(sql)
        .with(wanted.from)
        .with(wanted.to)
        .with(Value::Text(Cow::Owned(part(&wanted.actor))))
        .with(&*wanted.action)
        .with(&*wanted.resource)
        .with(Value::Integer(at))
        .with(id)
        .with(Value::Integer(wanted.limit.into()));
    let Some(scope) = &wanted.scope else { return request };
    let key = ScopeKey::from(scope);
    request
        .with(key.account)
        .with(key.organization)
        .with(key.project)
        .with(flag(wanted.below))
        .with(if wanted.server { "" } else { key.account })
}

/// The question for what people did to a delegate.
pub(in crate::store) fn deeds_on<'a>(wanted: &DeedsWanted<'a>) -> Request<'a> {
    Request::of_scope(sql::DEEDS_ON, wanted.scope.into())
        .with(wanted.until)
        .with(wanted.name)
        .with(wanted.prefix)
        .with(Value::Integer(wanted.limit.into()))
}

/// A pattern for a part of a text.
fn part(text: &str) -> String {
    let mut pattern = String::from("%");
    for c in text.to_lowercase().chars() {
        if matches!(c, '%' | '_' | '\\') {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    pattern.push('%');
    pattern
}
