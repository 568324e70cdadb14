//! Who may do what where (`product 2`). One function decides: [`Grants::decide`]; deny is the default.
//!
//! A role is a set of permissions. An assignment gives a role to a person in one scope; it holds there and in every
//! scope below. It may be narrowed to named delegates. Several assignments add up.

mod permission;
mod role;

pub use permission::{Permission, PermissionSet, UnknownPermission};
pub use role::BuiltIn;

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use crate::scope::{Level, Scope};

/// How far an assignment reaches.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reach {
    /// Every account, and what belongs to the server as a whole.
    Server,
    /// One scope and those below it.
    Scope(Scope),
}

impl Reach {
    /// Whether it covers a scope.
    #[must_use]
    pub fn covers(&self, scope: &Scope) -> bool {
        match self {
            Self::Server => true,
            Self::Scope(own) => own.contains(scope),
        }
    }
}

impl fmt::Display for Reach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Server => f.write_str("the whole server"),
            Self::Scope(scope) => scope.fmt(f),
        }
    }
}

/// Which delegates an assignment speaks of.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum Resources {
    /// All of its scope.
    #[default]
    All,
    /// Those with one of these identifiers.
    Named(BTreeSet<Arc<str>>),
}

impl Resources {
    fn include(&self, identifier: &str) -> bool {
        match self {
            Self::All => true,
            Self::Named(names) => names.contains(identifier),
        }
    }
}

/// What one assignment gives.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Grant {
    /// Where.
    pub reach: Reach,
    /// What.
    pub permissions: PermissionSet,
    /// On which delegates.
    pub resources: Resources,
}

/// Why something is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// No role in this scope or in one above it.
    NoRole,
    /// There are roles, but none holds the permission.
    NotInRole,
    /// A role holds the permission, for other delegates.
    OtherDelegates,
}

/// A refusal: what is missing, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Denial {
    /// The permission that is missing.
    pub permission: Permission,
    /// Where it is missing; none for the whole server.
    pub scope: Option<Scope>,
    /// Why.
    pub reason: Reason,
}

impl fmt::Display for Denial {
    /// Such as `Needs core_delegate_delete in project checkout: your roles there do not hold it`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Needs {} in ", self.permission)?;
        match &self.scope {
            None => f.write_str("the whole server")?,
            Some(scope) => {
                let level = match scope.level() {
                    Level::Account => "account",
                    Level::Organization => "organization",
                    Level::Project => "project",
                };
                write!(f, "{level} {}", scope.name())?;
            }
        }
        f.write_str(match self.reason {
            Reason::NoRole => ": you have no role there",
            Reason::NotInRole => ": your roles there do not hold it",
            Reason::OtherDelegates => ": your roles hold it for other delegates only",
        })
    }
}

/// Everything that somebody may do; empty for a stranger.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Grants(Arc<[Grant]>);

impl FromIterator<Grant> for Grants {
    fn from_iter<I: IntoIterator<Item = Grant>>(grants: I) -> Self {
        Self(grants.into_iter().collect())
    }
}

impl Grants {
    /// Whether there is nothing that may be done.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The single assignments.
    pub fn iter(&self) -> impl Iterator<Item = &Grant> {
        self.0.iter()
    }

    /// Decides whether `permission` is held in a scope, or with `delegate` on the delegate of this identifier there.
    ///
    /// View is held by everybody who has any role in the scope or above it (`product 2.4`, P2). Without a delegate
    /// the question is whether there may be any for which it is held; what does not concern delegates is held by
    /// assignments only that are not narrowed.
    ///
    /// # Errors
    /// What is missing.
    pub fn decide(
        &self,
        permission: Permission,
        scope: &Scope,
        delegate: Option<&str>,
    ) -> Result<(), Denial> {
        let mut reason = Reason::NoRole;
        for grant in self.0.iter().filter(|grant| grant.reach.covers(scope)) {
            let held = permission == Permission::DelegateView || grant.permissions.contains(permission);
            let meant = match delegate {
                Some(identifier) => grant.resources.include(identifier),
                None => permission.concerns_delegates() || grant.resources == Resources::All,
            };
            match (held, meant) {
                (true, true) => return Ok(()),
                (true, false) => reason = Reason::OtherDelegates,
                (false, _) if reason == Reason::NoRole => reason = Reason::NotInRole,
                (false, _) => {}
            }
        }
        Err(Denial { permission, scope: Some(scope.clone()), reason })
    }

    /// Decides whether `permission` is held on every delegate of a scope: what a token opens is not narrowed to some.
    ///
    /// # Errors
    /// What is missing.
    pub fn decide_on_all(&self, permission: Permission, scope: &Scope) -> Result<(), Denial> {
        self.decide(permission, scope, None)?;
        let whole = self.0.iter().any(|grant| {
            grant.reach.covers(scope)
                && grant.resources == Resources::All
                && (permission == Permission::DelegateView || grant.permissions.contains(permission))
        });
        if whole {
            return Ok(());
        }
        Err(Denial { permission, scope: Some(scope.clone()), reason: Reason::OtherDelegates })
    }

    /// Whether `permission` is held for the server as a whole.
    ///
    /// # Errors
    /// What is missing.
    pub fn decide_for_server(&self, permission: Permission) -> Result<(), Denial> {
        let whole = |grant: &&Grant| grant.reach == Reach::Server && grant.resources == Resources::All;
        let mut reason = Reason::NoRole;
        for grant in self.0.iter().filter(whole) {
            if grant.permissions.contains(permission) {
                return Ok(());
            }
            reason = Reason::NotInRole;
        }
        Err(Denial { permission, scope: None, reason })
    }

    /// Whether [`Grants::decide`] allows it.
    #[must_use]
    pub fn allow(&self, permission: Permission, scope: &Scope, delegate: Option<&str>) -> bool {
        self.decide(permission, scope, delegate).is_ok()
    }

    /// Whether the delegate of this identifier may be seen.
    #[must_use]
    pub fn see(&self, scope: &Scope, identifier: &str) -> bool {
        self.allow(Permission::DelegateView, scope, Some(identifier))
    }

    /// Whether any delegate of a scope may be seen, so that its page opens.
    #[must_use]
    pub fn see_any(&self, scope: &Scope) -> bool {
        self.allow(Permission::DelegateView, scope, None)
    }

    /// Whether every delegate of a scope and of those below may be seen, so that nothing needs to be left out.
    #[must_use]
    pub fn see_all(&self, scope: &Scope) -> bool {
        self.0.iter().any(|grant| grant.resources == Resources::All && grant.reach.covers(scope))
    }

    /// Whether a scope holds anything that may be seen: there, above, or somewhere below.
    #[must_use]
    pub fn touch(&self, scope: &Scope) -> bool {
        self.0.iter().any(|grant| match &grant.reach {
            Reach::Server => true,
            Reach::Scope(own) => own.contains(scope) || scope.contains(own),
        })
    }

    /// What is left of these when they are lent to a key that is bound to one scope.
    #[must_use]
    pub fn within(&self, scope: &Scope) -> Self {
        let lent = self.0.iter().filter_map(|grant| {
            let reach = match &grant.reach {
                Reach::Scope(own) if scope.contains(own) => grant.reach.clone(),
                reach if reach.covers(scope) => Reach::Scope(scope.clone()),
                _ => return None,
            };
            Some(Grant { reach, ..grant.clone() })
        });
        lent.collect()
    }

    /// Whether all that `other` gives is given here too: nobody hands out more than they have.
    #[must_use]
    pub fn cover(&self, other: &Grant) -> bool {
        let mut left = other.permissions;
        for grant in self.0.iter() {
            let reaches = match (&grant.reach, &other.reach) {
                (Reach::Server, _) => true,
                (Reach::Scope(own), Reach::Scope(theirs)) => own.contains(theirs),
                (Reach::Scope(_), Reach::Server) => false,
            };
            let means = match (&grant.resources, &other.resources) {
                (Resources::All, _) => true,
                (Resources::Named(own), Resources::Named(theirs)) => theirs.is_subset(own),
                (Resources::Named(_), Resources::All) => false,
            };
            if reaches && means {
                left = left.without(grant.permissions);
                left = left.without(PermissionSet::from_iter([Permission::DelegateView]));
            }
        }
        left.is_empty()
    }
}
