//! People, their roles, their sessions.

use std::collections::BTreeSet;
use std::sync::Arc;

use fleet::access::{Grant, Permission, Reach, Resources};
use fleet::scope::Scope;
use fleet::time::Timestamp;
use zeroize::Zeroizing;

use super::{Actor, DeedError, checked_name};
use crate::auth::directory::Tables;
use crate::auth::password;
use crate::roster::new_id;
use crate::store::access::{AssignmentRow, Change, UserKind, UserRow};

/// Somebody new, or another role for somebody known.
#[derive(Clone, Debug, Default)]
pub struct NewPerson {
    /// E-mail; the name of a service account.
    pub email: String,
    /// For people; may be empty.
    pub name: String,
    /// Hash in PHC form; none for those who come through the identity provider.
    pub password: Option<Box<str>>,
    /// Person or service account.
    pub kind: UserKind,
}

/// A role to give.
#[derive(Clone, Debug)]
pub struct NewAssignment {
    /// A built-in word, or `id@scope`.
    pub role: String,
    /// Where.
    pub reach: Reach,
    /// On which delegates.
    pub resources: Resources,
}

/// Checks an e-mail: one `@` with something on both sides, no spaces; lower-cased.
///
/// # Errors
/// It cannot be one.
pub fn checked_email(text: &str) -> Result<Arc<str>, DeedError> {
    let email = text.trim().to_lowercase();
    let parts = email.split_once('@');
    let whole = parts.is_some_and(|(user, host)| !user.is_empty() && !host.is_empty() && !host.contains('@'));
    if !whole || email.len() > 254 || email.chars().any(|c| fleet::text::is_hidden(c) || c.is_whitespace()) {
        return Err(DeedError::field("email", "Give an e-mail address, such as name@company.example."));
    }
    Ok(email.into())
}

/// Checks a password before it is hashed.
///
/// # Errors
/// Too short or too long.
pub fn checked_password(field: &'static str, text: &str) -> Result<Zeroizing<String>, DeedError> {
    password::check(text).map_err(|error| DeedError::field(field, format!("Give {error}.")))?;
    Ok(Zeroizing::new(text.to_owned()))
}

/// Reads a list of delegate identifiers, separated by commas; empty is all.
///
/// # Errors
/// Too many.
pub fn checked_resources(text: &str) -> Result<Resources, DeedError> {
    let names: BTreeSet<Arc<str>> =
        text.split(',').map(str::trim).filter(|name| !name.is_empty()).map(Arc::from).collect();
    if names.len() > 1_300 {
        return Err(DeedError::field("resources", "Name at most 1,300 delegates."));
    }
    Ok(if names.is_empty() { Resources::All } else { Resources::Named(names) })
}

/// The changes that create somebody.
///
/// # Errors
/// The e-mail is taken.
pub fn create(
    tables: &Tables,
    actor: &Actor,
    scope: Option<&Scope>,
    new: &NewPerson,
    now: Timestamp,
) -> Result<(UserRow, Vec<Change>), DeedError> {
    let email: Arc<str> = match new.kind {
        UserKind::Person => checked_email(&new.email)?,
        UserKind::Service => checked_name("email", &new.email)?.to_lowercase().into(),
    };
    if tables.by_email(&email).is_some() {
        return Err(DeedError::field("email", format!("There is a user {email} already.")));
    }
    let name = if new.name.trim().is_empty() { String::new() } else { checked_name("name", &new.name)? };
    let user = UserRow {
        id: new_id(),
        email: Arc::clone(&email),
        name: name.into(),
        kind: new.kind,
        password: new.password.clone(),
        external_id: None,
        disabled: false,
        created_at: now,
        created_by: actor.creator(),
        last_sign_in: None,
    };
    let line = actor.line(now, "user.create", "user", &*email, scope).says(format!("{email} was created"));
    Ok((user.clone(), vec![Change::InsertUser(user), line.change()]))
}

/// The changes that give somebody a role. Nobody gives more than they have.
///
/// # Errors
/// There is no such role there, or the actor lacks something of it.
pub fn assign(
    tables: &Tables,
    actor: &Actor,
    user: &UserRow,
    new: &NewAssignment,
    now: Timestamp,
) -> Result<Vec<Change>, DeedError> {
    if !tables.assignable(&new.role, &new.reach) {
        return Err(DeedError::field("role", "There is no such role here."));
    }
    let Some(permissions) = tables.permissions(&new.role) else { return Err(DeedError::Unknown("role")) };
    let grant = Grant { reach: new.reach.clone(), permissions, resources: new.resources.clone() };
    may_manage(actor, &new.reach)?;
    if actor.grants.as_ref().is_some_and(|grants| !grants.cover(&grant)) {
        return Err(DeedError::field(
            "role",
            "This role holds more than you do; nobody can give more than they have.",
        ));
    }
    let same = |known: &&crate::store::access::AssignmentRow| {
        known.reach == new.reach && *known.role == *new.role && known.resources == new.resources
    };
    if tables.assignments_of(&user.id).any(|known| same(&known)) {
        return Err(DeedError::field("role", format!("{} has this role here already.", user.email)));
    }
    let row = AssignmentRow {
        id: new_id(),
        user: Arc::clone(&user.id),
        reach: new.reach.clone(),
        role: new.role.as_str().into(),
        resources: new.resources.clone(),
        external: false,
        created_at: now,
        created_by: actor.creator(),
    };
    let line = assignment_line(actor, now, "assignment.create", user, &row, tables)
        .says(format!("{} became {} in {}", user.email, tables.role_name(&row.role), row.reach))
        .after("role", &*row.role)
        .after("delegates", resources_text(&row.resources));
    Ok(vec![Change::PutAssignment(row), line.change()])
}

/// The changes that take a role away. The last admin of a scope cannot be lost by mistake: that of oneself stays.
///
/// # Errors
/// It is the actor's own, or not theirs to take.
pub fn unassign(tables: &Tables, actor: &Actor, id: &str, now: Timestamp) -> Result<Vec<Change>, DeedError> {
    let Some(row) = tables.assignments.iter().find(|row| &*row.id == id) else {
        return Err(DeedError::Unknown("assignment"));
    };
    let user = tables.users.get(&row.user).ok_or(DeedError::Unknown("user"))?;
    may_manage(actor, &row.reach)?;
    let held = tables.permissions(&row.role).unwrap_or_default();
    let theirs = Grant { reach: row.reach.clone(), permissions: held, resources: row.resources.clone() };
    if actor.grants.as_ref().is_some_and(|grants| !grants.cover(&theirs)) {
        return Err(DeedError::Refused("This role holds more than you do".to_owned()));
    }
    if row.external {
        return Err(DeedError::Refused(
            "This role follows a group of the identity provider; change it there.".to_owned(),
        ));
    }
    if user.id == actor.id {
        return Err(DeedError::Refused("Your own roles can only be taken away by somebody else.".to_owned()));
    }
    let line = assignment_line(actor, now, "assignment.delete", user, row, tables)
        .says(format!("{} is no longer {} in {}", user.email, tables.role_name(&row.role), row.reach))
        .before("role", &*row.role)
        .before("delegates", resources_text(&row.resources));
    Ok(vec![Change::RemoveAssignment(Arc::clone(&row.id)), line.change()])
}

/// The changes that shut somebody out, or let them in again.
///
/// # Errors
/// It is the actor, or somebody with roles that the actor does not manage.
pub fn set_disabled(
    tables: &Tables,
    actor: &Actor,
    scope: Option<&Scope>,
    user: &str,
    disabled: bool,
    now: Timestamp,
) -> Result<Vec<Change>, DeedError> {
    let user = managed(tables, actor, user)?;
    if user.id == actor.id {
        return Err(DeedError::Refused("You cannot shut yourself out.".to_owned()));
    }
    let (action, words) =
        if disabled { ("user.disable", "was shut out") } else { ("user.enable", "may sign in again") };
    let line = actor.line(now, action, "user", &*user.email, scope).says(format!("{} {words}", user.email));
    let mut changes = vec![Change::SetDisabled { user: Arc::clone(&user.id), disabled }, line.change()];
    if disabled {
        changes.push(Change::RemoveSessions { user: Arc::clone(&user.id), except: "".into() });
    }
    Ok(changes)
}

/// The changes that end all sessions of somebody.
///
/// # Errors
/// There is nobody of this id, or their roles are not the actor's to manage.
pub fn sign_out(
    tables: &Tables,
    actor: &Actor,
    scope: Option<&Scope>,
    user: &str,
    now: Timestamp,
) -> Result<Vec<Change>, DeedError> {
    let user = managed(tables, actor, user)?;
    let line = actor
        .line(now, "user.sign_out", "user", &*user.email, scope)
        .says(format!("{} was signed out everywhere", user.email));
    Ok(vec![Change::RemoveSessions { user: Arc::clone(&user.id), except: "".into() }, line.change()])
}

/// The changes that give somebody another password; other sessions end.
#[must_use]
pub fn set_password(
    actor: &Actor,
    scope: Option<&Scope>,
    user: &UserRow,
    hash: Box<str>,
    keep: &str,
    now: Timestamp,
) -> Vec<Change> {
    let line = actor
        .line(now, "user.password", "user", &*user.email, scope)
        .says(format!("The password of {} was changed", user.email));
    vec![
        Change::SetPassword { user: Arc::clone(&user.id), hash },
        Change::RemoveSessions { user: Arc::clone(&user.id), except: keep.into() },
        line.change(),
    ]
}

/// Whether the actor may bring somebody who is known into a scope: those of its account, and those who have no role.
/// People of other accounts are for the admins of the whole server.
///
/// # Errors
/// They belong elsewhere.
pub fn invitable(tables: &Tables, actor: &Actor, scope: &Scope, user: &UserRow) -> Result<(), DeedError> {
    let elsewhere = |row: &AssignmentRow| match &row.reach {
        Reach::Server => true,
        Reach::Scope(own) => own.account() != scope.account(),
    };
    let Some(grants) = &actor.grants else { return Ok(()) };
    let foreign = tables.assignments_of(&user.id).any(elsewhere);
    if foreign && grants.decide_for_server(Permission::UserManage).is_err() {
        let message = "This address belongs to another account; ask an admin of the whole server.".to_owned();
        return Err(DeedError::Field { field: "email", message });
    }
    Ok(())
}

/// Whether the actor may shut somebody out and end their sessions.
///
/// # Errors
/// There is nobody of this id, or their roles are not the actor's to manage.
pub fn manageable(tables: &Tables, actor: &Actor, user: &str) -> Result<(), DeedError> {
    managed(tables, actor, user).map(|_| ())
}

/// Somebody all of whose roles are the actor's to manage, and hold no more than the actor does: what is done to them
/// concerns every role.
fn managed<'a>(tables: &'a Tables, actor: &Actor, user: &str) -> Result<&'a UserRow, DeedError> {
    let user = tables.users.get(user).ok_or(DeedError::Unknown("user"))?;
    let Some(grants) = &actor.grants else { return Ok(user) };
    let mut rows = tables.assignments_of(&user.id).peekable();
    if rows.peek().is_none() {
        grants.decide_for_server(Permission::UserManage)?;
    }
    for row in rows {
        let held = tables.permissions(&row.role).unwrap_or_default();
        let theirs = Grant { reach: row.reach.clone(), permissions: held, resources: row.resources.clone() };
        if may_manage(actor, &row.reach).is_err() || !grants.cover(&theirs) {
            return Err(DeedError::Refused(format!(
                "{} has roles that you do not manage, or that hold more than yours. An admin of the account can do this",
                user.email
            )));
        }
    }
    Ok(user)
}

fn may_manage(actor: &Actor, reach: &Reach) -> Result<(), DeedError> {
    let Some(grants) = &actor.grants else { return Ok(()) };
    match reach {
        Reach::Server => grants.decide_for_server(Permission::UserManage)?,
        Reach::Scope(scope) => grants.decide(Permission::UserManage, scope, None)?,
    }
    Ok(())
}

fn assignment_line(
    actor: &Actor,
    now: Timestamp,
    action: &'static str,
    user: &UserRow,
    row: &AssignmentRow,
    tables: &Tables,
) -> super::Line {
    let scope = match &row.reach {
        Reach::Server => None,
        Reach::Scope(scope) => Some(scope),
    };
    let name = format!("{}: {}", user.email, tables.role_name(&row.role));
    actor.line(now, action, "assignment", name, scope)
}

/// Delegates of an assignment as text.
#[must_use]
pub fn resources_text(resources: &Resources) -> String {
    match resources {
        Resources::All => "all".to_owned(),
        Resources::Named(names) => names.iter().map(|name| &**name).collect::<Vec<_>>().join(", "),
    }
}
