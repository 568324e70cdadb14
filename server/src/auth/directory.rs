//! Everybody, their roles and keys, in memory: no database call to learn what somebody may do.

use std::collections::HashMap;
use std::sync::Arc;

use fleet::access::{BuiltIn, Grant, Grants, PermissionSet, Reach};
use fleet::scope::Scope;
use parking_lot::RwLock;
use tokio::sync::Mutex;

use crate::store::access::{
    AccessTables, ApiKeyRow, AssignmentRow, EmbedKeyRow, RoleRow, SavedFilterRow, UserKind, UserRow,
};
use crate::store::{Store, StoreError};

/// The tables as they were read last, with what follows from them.
#[derive(Debug, Default)]
pub struct Tables {
    /// By id.
    pub users: HashMap<Arc<str>, UserRow>,
    /// By scope and word.
    pub roles: Vec<RoleRow>,
    /// By creation.
    pub assignments: Vec<AssignmentRow>,
    /// By public part.
    pub api_keys: HashMap<Arc<str>, ApiKeyRow>,
    /// By creation.
    pub embed_keys: Vec<EmbedKeyRow>,
    /// By creation.
    pub saved_filters: Vec<SavedFilterRow>,
    by_email: HashMap<Arc<str>, Arc<str>>,
    by_external: HashMap<Box<str>, Arc<str>>,
    grants: HashMap<Arc<str>, Grants>,
}

impl Tables {
    fn new(tables: AccessTables) -> Self {
        let mut grants: HashMap<Arc<str>, Vec<Grant>> = HashMap::new();
        for assignment in &tables.assignments {
            let Some(permissions) = permissions(&tables.roles, &assignment.role) else { continue };
            grants.entry(Arc::clone(&assignment.user)).or_default().push(Grant {
                reach: assignment.reach.clone(),
                permissions,
                resources: assignment.resources.clone(),
            });
        }
        let external =
            |user: &UserRow| user.external_id.clone().map(|external| (external, Arc::clone(&user.id)));
        Self {
            by_email: tables
                .users
                .iter()
                .map(|user| (Arc::clone(&user.email), Arc::clone(&user.id)))
                .collect(),
            by_external: tables.users.iter().filter_map(external).collect(),
            users: tables.users.into_iter().map(|user| (Arc::clone(&user.id), user)).collect(),
            roles: tables.roles,
            assignments: tables.assignments,
            api_keys: tables.api_keys.into_iter().map(|key| (Arc::clone(&key.id), key)).collect(),
            embed_keys: tables.embed_keys,
            saved_filters: tables.saved_filters,
            grants: grants.into_iter().map(|(user, grants)| (user, grants.into_iter().collect())).collect(),
        }
    }

    /// Somebody by e-mail, in any case.
    #[must_use]
    pub fn by_email(&self, email: &str) -> Option<&UserRow> {
        let id = self.by_email.get(&*email.trim().to_lowercase())?;
        self.users.get(id)
    }

    /// Somebody by issuer and subject.
    #[must_use]
    pub fn by_external(&self, external: &str) -> Option<&UserRow> {
        let id = self.by_external.get(external)?;
        self.users.get(id)
    }

    /// What somebody may do; nothing if they are disabled.
    #[must_use]
    pub fn grants(&self, user: &str) -> Grants {
        match self.users.get(user) {
            Some(known) if !known.disabled => self.grants.get(user).cloned().unwrap_or_default(),
            _ => Grants::default(),
        }
    }

    /// Assignments of somebody.
    pub fn assignments_of<'a>(&'a self, user: &'a str) -> impl Iterator<Item = &'a AssignmentRow> {
        self.assignments.iter().filter(move |assignment| &*assignment.user == user)
    }

    /// Where somebody belongs: the widest scope that holds all of their roles; none if they have roles in several
    /// accounts or for the whole server.
    #[must_use]
    pub fn home(&self, user: &str) -> Option<Scope> {
        let mut home: Option<Scope> = None;
        for assignment in self.assignments_of(user) {
            let Reach::Scope(scope) = &assignment.reach else { return None };
            let Some(known) = home else {
                home = Some(scope.clone());
                continue;
            };
            home = Some(known.ancestors().find(|outer| outer.contains(scope))?);
        }
        home
    }

    /// What the role of an assignment allows; none if there is no such role (any more).
    #[must_use]
    pub fn permissions(&self, role: &str) -> Option<PermissionSet> {
        permissions(&self.roles, role)
    }

    /// The name of a role for people.
    #[must_use]
    pub fn role_name(&self, role: &str) -> Arc<str> {
        match BuiltIn::parse(role) {
            Some(built_in) => built_in.label().into(),
            None => custom(&self.roles, role).map_or_else(|| role.into(), |role| Arc::clone(&role.name)),
        }
    }

    /// Whether a role can be assigned in a reach: built-in ones anywhere, custom ones in their scope and below.
    #[must_use]
    pub fn assignable(&self, role: &str, reach: &Reach) -> bool {
        BuiltIn::parse(role).is_some()
            || custom(&self.roles, role).is_some_and(|role| match reach {
                Reach::Server => false,
                Reach::Scope(scope) => role.scope.contains(scope),
            })
    }

    /// Whether a person can sign in: by password, or with `external` through the identity provider.
    #[must_use]
    pub fn anybody(&self, external: bool) -> bool {
        external
            || self
                .users
                .values()
                .any(|user| user.kind == UserKind::Person && !user.disabled && user.password.is_some())
    }
}

/// What the role of this word allows.
fn permissions(roles: &[RoleRow], role: &str) -> Option<PermissionSet> {
    BuiltIn::parse(role)
        .map(BuiltIn::permissions)
        .or_else(|| custom(roles, role).map(|role| role.permissions))
}

/// A custom role by `id@scope`.
fn custom<'a>(roles: &'a [RoleRow], role: &str) -> Option<&'a RoleRow> {
    let (id, scope) = role.split_once('@')?;
    let scope: Scope = scope.parse().ok()?;
    roles.iter().find(|role| &*role.id == id && role.scope == scope)
}

/// The tables as they are now; replaced whole.
#[derive(Debug, Default)]
pub struct Directory {
    tables: RwLock<Arc<Tables>>,
    /// Readers of the store take turns, so that an older state never replaces a newer one.
    turn: Mutex<()>,
}

impl Directory {
    /// The tables as they are now.
    #[must_use]
    pub fn tables(&self) -> Arc<Tables> {
        Arc::clone(&self.tables.read())
    }

    /// Reads everything anew.
    ///
    /// # Errors
    /// The store cannot be read; the old state stays.
    pub async fn reload(&self, store: &dyn Store) -> Result<(), StoreError> {
        let _turn = self.turn.lock().await;
        let tables = Tables::new(store.access().await?);
        *self.tables.write() = Arc::new(tables);
        Ok(())
    }
}
