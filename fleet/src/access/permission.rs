//! Permissions and sets of them (`product 2.3`).

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// One thing that a role can allow. The words are those of the vendor where there are any.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Permission {
    /// `core_delegate_view`: see delegates.
    DelegateView,
    /// `core_delegate_edit`: create tokens, approve delegates.
    DelegateEdit,
    /// `core_delegate_delete`: delete delegates, revoke and delete tokens.
    DelegateDelete,
    /// `core_delegateconfiguration_view`.
    ConfigurationView,
    /// `core_delegateconfiguration_edit`.
    ConfigurationEdit,
    /// `core_delegateconfiguration_delete`.
    ConfigurationDelete,
    /// `core_user_manage`: see and change people, their keys and their assignments.
    UserManage,
    /// `core_role_manage`: see and change roles.
    RoleManage,
    /// `core_setting_manage`: change settings.
    SettingManage,
    /// `core_audit_view`: read the audit log.
    AuditView,
    /// `core_embed_manage`: issue and revoke embed keys.
    EmbedManage,
}

/// A word that names no permission.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no permission {0:?}")]
pub struct UnknownPermission(pub String);

impl Permission {
    /// Every permission.
    pub const ALL: [Self; 11] = [
        Self::DelegateView,
        Self::DelegateEdit,
        Self::DelegateDelete,
        Self::ConfigurationView,
        Self::ConfigurationEdit,
        Self::ConfigurationDelete,
        Self::UserManage,
        Self::RoleManage,
        Self::SettingManage,
        Self::AuditView,
        Self::EmbedManage,
    ];

    /// The stable word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::DelegateView => "core_delegate_view",
            Self::DelegateEdit => "core_delegate_edit",
            Self::DelegateDelete => "core_delegate_delete",
            Self::ConfigurationView => "core_delegateconfiguration_view",
            Self::ConfigurationEdit => "core_delegateconfiguration_edit",
            Self::ConfigurationDelete => "core_delegateconfiguration_delete",
            Self::UserManage => "core_user_manage",
            Self::RoleManage => "core_role_manage",
            Self::SettingManage => "core_setting_manage",
            Self::AuditView => "core_audit_view",
            Self::EmbedManage => "core_embed_manage",
        }
    }

    /// What it allows, for people.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::DelegateView => "See delegates",
            Self::DelegateEdit => "Create tokens, approve delegates",
            Self::DelegateDelete => "Delete delegates, revoke tokens",
            Self::ConfigurationView => "See configurations",
            Self::ConfigurationEdit => "Create and change configurations",
            Self::ConfigurationDelete => "Delete configurations",
            Self::UserManage => "Manage people and their roles",
            Self::RoleManage => "Manage roles",
            Self::SettingManage => "Change settings",
            Self::AuditView => "Read the audit log",
            Self::EmbedManage => "Issue and revoke embed keys",
        }
    }

    /// Whether it can be narrowed to named delegates.
    #[must_use]
    pub const fn concerns_delegates(self) -> bool {
        matches!(self, Self::DelegateView | Self::DelegateEdit | Self::DelegateDelete)
    }

    const fn bit(self) -> u16 {
        1 << self as u16
    }
}

impl fmt::Display for Permission {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Permission {
    type Err = UnknownPermission;

    fn from_str(text: &str) -> Result<Self, UnknownPermission> {
        let known = Self::ALL.into_iter().find(|permission| permission.as_str() == text);
        known.ok_or_else(|| UnknownPermission(text.to_owned()))
    }
}

impl TryFrom<String> for Permission {
    type Error = UnknownPermission;

    fn try_from(text: String) -> Result<Self, UnknownPermission> {
        text.parse()
    }
}

impl From<Permission> for String {
    fn from(permission: Permission) -> Self {
        permission.as_str().to_owned()
    }
}

/// Several permissions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(from = "Vec<Permission>", into = "Vec<Permission>")]
pub struct PermissionSet(u16);

impl PermissionSet {
    /// Whether it holds this one.
    #[must_use]
    pub const fn contains(self, permission: Permission) -> bool {
        self.0 & permission.bit() != 0
    }

    /// Whether it holds none.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// These without those of `other`.
    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Its members, in the order of [`Permission::ALL`].
    pub fn iter(self) -> impl Iterator<Item = Permission> {
        Permission::ALL.into_iter().filter(move |permission| self.contains(*permission))
    }
}

impl FromIterator<Permission> for PermissionSet {
    fn from_iter<I: IntoIterator<Item = Permission>>(permissions: I) -> Self {
        Self(permissions.into_iter().fold(0, |bits, permission| bits | permission.bit()))
    }
}

impl From<Vec<Permission>> for PermissionSet {
    fn from(permissions: Vec<Permission>) -> Self {
        permissions.into_iter().collect()
    }
}

impl From<PermissionSet> for Vec<Permission> {
    fn from(set: PermissionSet) -> Self {
        set.iter().collect()
    }
}
