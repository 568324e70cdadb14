//! The roles that every scope has.

use super::{Permission, PermissionSet};

/// A role that cannot be changed or removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BuiltIn {
    /// Everything.
    Admin,
    /// Runs delegates: everything about delegates, configurations and embeds; reads the audit log.
    Operator,
    /// Looks.
    Viewer,
}

impl BuiltIn {
    /// Every one, most powerful first.
    pub const ALL: [Self; 3] = [Self::Admin, Self::Operator, Self::Viewer];

    /// The stable word, which no custom role can have.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Admin => "admin",
            Self::Operator => "operator",
            Self::Viewer => "viewer",
        }
    }

    /// The name for people.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Admin => "Admin",
            Self::Operator => "Operator",
            Self::Viewer => "Viewer",
        }
    }

    /// The role of this word.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.as_str() == word)
    }

    /// What it allows.
    #[must_use]
    pub fn permissions(self) -> PermissionSet {
        let held = |permission: &Permission| match self {
            Self::Admin => true,
            Self::Operator => !matches!(
                permission,
                Permission::UserManage | Permission::RoleManage | Permission::SettingManage
            ),
            Self::Viewer => matches!(permission, Permission::DelegateView | Permission::ConfigurationView),
        };
        Permission::ALL.into_iter().filter(held).collect()
    }
}
