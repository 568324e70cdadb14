//! Roles that people make.

use fleet::access::{BuiltIn, Grant, Permission, PermissionSet, Reach, Resources};
use fleet::scope::Scope;
use fleet::time::Timestamp;

use super::{Actor, DeedError, checked_name};
use crate::auth::directory::Tables;
use crate::store::access::{Change, RoleRow};

/// The stable word of a name: lower-case letters and digits, everything else a dash.
fn word(name: &str) -> String {
    let mapped: String =
        name.to_lowercase().chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    mapped.split('-').filter(|part| !part.is_empty()).collect::<Vec<_>>().join("-")
}

/// The changes that make a role. View is always part of it (`product 2.4`, P2).
///
/// # Errors
/// The name is taken, or it holds more than the actor does.
pub fn create(
    tables: &Tables,
    actor: &Actor,
    scope: &Scope,
    name: &str,
    permissions: PermissionSet,
    now: Timestamp,
) -> Result<Vec<Change>, DeedError> {
    let name = checked_name("name", name)?;
    let id = word(&name);
    if id.is_empty() || BuiltIn::parse(&id).is_some() {
        return Err(DeedError::field(
            "name",
            "Give a name with letters or digits that no built-in role has.",
        ));
    }
    if tables.roles.iter().any(|role| role.scope == *scope && *role.id == *id) {
        return Err(DeedError::field("name", format!("There is a role {name} here already.")));
    }
    let permissions = with_view(permissions);
    may_give(actor, scope, permissions)?;
    let role = RoleRow {
        scope: scope.clone(),
        id: id.into(),
        name: name.as_str().into(),
        permissions,
        created_at: now,
    };
    let line = actor
        .line(now, "role.create", "role", &*name, Some(scope))
        .says(format!("Role {name} was made"))
        .after("permissions", text(permissions));
    Ok(vec![Change::InsertRole(role), line.change()])
}

/// The changes that give a role another name or other permissions.
///
/// # Errors
/// There is no such role here, or it would hold more than the actor does.
pub fn change(
    tables: &Tables,
    actor: &Actor,
    scope: &Scope,
    id: &str,
    name: &str,
    permissions: PermissionSet,
    now: Timestamp,
) -> Result<Vec<Change>, DeedError> {
    let role = find(tables, scope, id)?;
    let name = checked_name("name", name)?;
    let permissions = with_view(permissions);
    not_own(tables, actor, role)?;
    may_give(actor, scope, role.permissions)?;
    may_give(actor, scope, permissions)?;
    let line = actor
        .line(now, "role.change", "role", &*name, Some(scope))
        .says(format!("Role {name} was changed"))
        .before("name", &*role.name)
        .before("permissions", text(role.permissions))
        .after("name", &*name)
        .after("permissions", text(permissions));
    let role = RoleRow { name: name.into(), permissions, ..role.clone() };
    Ok(vec![Change::ChangeRole(role), line.change()])
}

/// The changes that remove a role and take it from everybody who has it.
///
/// # Errors
/// There is no such role here.
pub fn remove(
    tables: &Tables,
    actor: &Actor,
    scope: &Scope,
    id: &str,
    now: Timestamp,
) -> Result<Vec<Change>, DeedError> {
    let role = find(tables, scope, id)?;
    not_own(tables, actor, role)?;
    may_give(actor, scope, role.permissions)?;
    let full = format!("{id}@{scope}");
    let given = tables.assignments.iter().filter(|assignment| *assignment.role == *full).count();
    let line = actor
        .line(now, "role.delete", "role", &*role.name, Some(scope))
        .says(format!("Role {} was removed from {given} assignments and deleted", role.name))
        .before("permissions", text(role.permissions));
    Ok(vec![Change::RemoveRole { scope: scope.clone(), id: role.id.clone() }, line.change()])
}

fn find<'a>(tables: &'a Tables, scope: &Scope, id: &str) -> Result<&'a RoleRow, DeedError> {
    let found = tables.roles.iter().find(|role| role.scope == *scope && &*role.id == id);
    found.ok_or(DeedError::Unknown("role"))
}

/// Nobody changes what they may do themselves.
fn not_own(tables: &Tables, actor: &Actor, role: &RoleRow) -> Result<(), DeedError> {
    let full = format!("{}@{}", role.id, role.scope);
    if tables.assignments_of(&actor.id).any(|row| *row.role == *full) {
        return Err(DeedError::Refused(
            "You have this role yourself; somebody else can change it".to_owned(),
        ));
    }
    Ok(())
}

fn with_view(permissions: PermissionSet) -> PermissionSet {
    permissions.iter().chain([Permission::DelegateView]).collect()
}

fn may_give(actor: &Actor, scope: &Scope, permissions: PermissionSet) -> Result<(), DeedError> {
    let Some(grants) = &actor.grants else { return Ok(()) };
    grants.decide(Permission::RoleManage, scope, None)?;
    let grant = Grant { reach: Reach::Scope(scope.clone()), permissions, resources: Resources::All };
    if grants.cover(&grant) {
        return Ok(());
    }
    Err(DeedError::field("permission", "A role cannot hold more than you do."))
}

fn text(permissions: PermissionSet) -> String {
    permissions.iter().map(Permission::as_str).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::word;

    #[test]
    fn the_word_of_a_role_is_made_from_its_name() {
        assert_eq!(word("Night shift (EU)"), "night-shift-eu");
        assert_eq!(word("--"), "");
    }
}
