//! Whether the delegate that somebody waits for has come (`product 11.7`).

use crate::time::Timestamp;
use crate::view::{GroupView, Snapshot};

/// How far it has come.
#[derive(Clone, Copy, Debug)]
pub enum Arrival<'a> {
    /// Nothing of this name has called.
    Waiting,
    /// The name is known, but nobody of that name is connected.
    Silent(&'a GroupView),
    /// Delegates of this name are connected, all of them for longer than somebody waits.
    Older(&'a GroupView),
    /// A process that came since is connected.
    Here(&'a GroupView),
}

impl<'a> Arrival<'a> {
    /// Looks for the group of this name in exactly the scope of the snapshot. Without `since` every connected process
    /// is the one that is waited for.
    #[must_use]
    pub fn of(snapshot: &'a Snapshot, name: &str, since: Option<Timestamp>) -> Self {
        let own = |group: &&GroupView| {
            group.source.is_none() && *group.facts.scope == snapshot.scope && &*group.facts.name == name
        };
        let Some(group) = snapshot.groups.iter().find(own) else { return Self::Waiting };
        let mut connected =
            group.members.iter().filter(|member| member.assessment.connectivity.is_connected()).peekable();
        if connected.peek().is_none() {
            return Self::Silent(group);
        }
        let new = |registered_at: Timestamp| since.is_none_or(|since| registered_at >= since);
        if connected.any(|member| new(member.facts.registered_at)) {
            Self::Here(group)
        } else {
            Self::Older(group)
        }
    }

    /// The group, where there is one.
    #[must_use]
    pub const fn group(self) -> Option<&'a GroupView> {
        match self {
            Self::Waiting => None,
            Self::Silent(group) | Self::Older(group) | Self::Here(group) => Some(group),
        }
    }
}
