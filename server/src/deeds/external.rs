//! People who come through the identity provider: created at their first sign-in, their roles follow their groups.

use std::sync::Arc;

use fleet::access::{Reach, Resources};
use fleet::time::Timestamp;

use super::people::checked_email;
use super::{Actor, DeedError};
use crate::auth::directory::Tables;
use crate::roster::new_id;
use crate::store::access::{AssignmentRow, Change, UserKind, UserRow};

/// Who the identity provider says it is.
#[derive(Clone, Debug)]
pub struct Stranger<'a> {
    /// Issuer.
    pub issuer: &'a str,
    /// Subject: what never changes about them.
    pub subject: &'a str,
    /// E-mail that the provider vouches for.
    pub email: &'a str,
    /// Name for people.
    pub name: Option<&'a str>,
}

/// Somebody and the changes that make their roles those of their groups; none of both if no group gives a role and
/// nobody gave them one here.
///
/// # Errors
/// The e-mail cannot be used, or they are shut out.
pub fn follow(
    tables: &Tables,
    stranger: &Stranger<'_>,
    roles: &[(Reach, String)],
    now: Timestamp,
) -> Result<Option<(UserRow, Vec<Change>)>, DeedError> {
    let external_id = format!("{} {}", stranger.issuer, stranger.subject);
    let email = checked_email(stranger.email)?;
    // The first time they are known by the e-mail that an admin invited; from then on by what never changes.
    let known = tables.by_external(&external_id).or_else(|| {
        tables.by_email(&email).filter(|user| user.external_id.is_none() && user.kind == UserKind::Person)
    });
    if known.is_some_and(|user| user.disabled) {
        return Err(DeedError::Refused("You are shut out here. Ask an admin.".to_owned()));
    }
    let wanted: Vec<&(Reach, String)> =
        roles.iter().filter(|(reach, role)| tables.assignable(role, reach)).collect();
    let by_hand = known.is_some_and(|user| tables.assignments_of(&user.id).any(|row| !row.external));
    let mut changes = Vec::new();
    let user = match known {
        None if wanted.is_empty() => return Ok(None),
        None => UserRow {
            id: new_id(),
            email: free_email(tables, &email)?,
            name: stranger.name.unwrap_or_default().into(),
            kind: UserKind::Person,
            password: None,
            external_id: Some(external_id.into()),
            disabled: false,
            created_at: now,
            created_by: None,
            last_sign_in: None,
        },
        Some(user) => UserRow { external_id: Some(external_id.into()), ..user.clone() },
    };
    let actor = Actor::system();
    if known.is_some_and(|known| known.external_id != user.external_id) {
        let external_id = user.external_id.clone().unwrap_or_default();
        changes.push(Change::SetExternalId { user: Arc::clone(&user.id), external_id });
    }
    if known.is_none() {
        changes.push(Change::InsertUser(user.clone()));
        let line = actor
            .line(now, "user.create", "user", &*user.email, None)
            .says(format!("{} came through the identity provider", user.email));
        changes.push(line.change());
    }
    changes.extend(roles_follow(tables, &actor, &user, &wanted, now));
    if wanted.is_empty() && !by_hand {
        // What the groups gave before is taken away all the same: the caller commits, then refuses.
        return Ok(known.map(|_| (user, changes)).filter(|(_, changes)| !changes.is_empty()));
    }
    Ok(Some((user, changes)))
}

fn roles_follow(
    tables: &Tables,
    actor: &Actor,
    user: &UserRow,
    wanted: &[&(Reach, String)],
    now: Timestamp,
) -> Vec<Change> {
    let mut changes = Vec::new();
    let had: Vec<&AssignmentRow> = tables.assignments_of(&user.id).filter(|row| row.external).collect();
    for row in &had {
        if !wanted.iter().any(|(reach, role)| *reach == row.reach && **role == *row.role) {
            changes.push(Change::RemoveAssignment(Arc::clone(&row.id)));
            changes.push(line(actor, "assignment.delete", user, &row.reach, &row.role, now));
        }
    }
    for (reach, role) in wanted {
        if had.iter().any(|row| row.reach == *reach && *row.role == **role) {
            continue;
        }
        changes.push(Change::PutAssignment(AssignmentRow {
            id: new_id(),
            user: Arc::clone(&user.id),
            reach: reach.clone(),
            role: role.as_str().into(),
            resources: Resources::All,
            external: true,
            created_at: now,
            created_by: None,
        }));
        changes.push(line(actor, "assignment.create", user, reach, role, now));
    }
    changes
}

fn line(
    actor: &Actor,
    action: &'static str,
    user: &UserRow,
    reach: &Reach,
    role: &str,
    now: Timestamp,
) -> Change {
    let scope = match reach {
        Reach::Server => None,
        Reach::Scope(scope) => Some(scope),
    };
    actor
        .line(now, action, "assignment", format!("{}: {role}", user.email), scope)
        .says(format!("The groups of {} at the identity provider changed: {role} in {reach}", user.email))
        .change()
}

/// The e-mail, unless somebody else has it.
fn free_email(tables: &Tables, email: &Arc<str>) -> Result<Arc<str>, DeedError> {
    match tables.by_email(email) {
        None => Ok(Arc::clone(email)),
        Some(_) => Err(DeedError::Refused(
            "Somebody else has your e-mail address here. Ask an admin to change that.".to_owned(),
        )),
    }
}
