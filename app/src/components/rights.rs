//! What the viewer may do with the thing on the page, so that a denied control can say why.

use fleet::access::Permission;
use fleet::scope::Scope;

use crate::context::Viewer;

/// The answer for one control.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Right {
    /// It works.
    Held,
    /// It is shown, but does not work; the permission, the scope and the reason.
    Denied(String),
    /// There is nobody to ask about, so it is not shown.
    Nobody,
}

impl Right {
    /// Whether `viewer` holds `permission` in `scope`, or there on the delegate of this identifier.
    #[must_use]
    pub fn of(
        viewer: Option<&Viewer>,
        permission: Permission,
        scope: &Scope,
        delegate: Option<&str>,
    ) -> Self {
        match viewer.map(|viewer| viewer.grants.decide(permission, scope, delegate)) {
            None => Self::Nobody,
            Some(Ok(())) => Self::Held,
            Some(Err(denial)) => Self::Denied(denial.to_string()),
        }
    }

    /// Whether the control works.
    #[must_use]
    pub fn held(&self) -> bool {
        *self == Self::Held
    }
}
