//! The conditions of a query.

use chrono::NaiveDate;

use super::{Availability, Generation, Health, InstanceStatus, Mark, Origin, Redundancy, matching};
use crate::delegate::Transport;
use crate::health::Status;
use crate::scope::Scope;
use crate::summary::GroupConnectivity;
use crate::time::Timestamp;
use crate::upgrade::State;
use crate::view::GroupView;

/// Which delegates; all given conditions must hold, of a list one value suffices (tags: all). Empty texts count as
/// absent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// `health`: a card or figure.
    pub health: Option<Health>,
    /// `search`: part of name, identifier, a tag, a host name, a version or an address, without regard to case.
    pub search: Option<String>,
    /// `status`, on instances.
    pub status: Option<InstanceStatus>,
    /// `versionStatus`, on instances.
    pub version_status: Option<Status>,
    /// `autoUpgrade`, on groups.
    pub auto_upgrade: Option<State>,
    /// `delegateName`: part of the name, without regard to case.
    pub name: Option<String>,
    /// `delegateGroupIdentifier`: part of the identifier, without regard to case.
    pub identifier: Option<String>,
    /// `description`: part of the description, without regard to case.
    pub description: Option<String>,
    /// `delegateType`: part of the type, without regard to case.
    pub kind: Option<String>,
    /// `delegateTags`, repeatable or separated by commas: all must be present, the implicit tag included.
    pub tags: Vec<String>,
    /// `hostName`, equal, on instances.
    pub host_name: Option<String>,
    /// `connectivity`, repeatable, on groups.
    pub connectivity: Vec<GroupConnectivity>,
    /// `type`, repeatable: equal to the type as it was reported.
    pub types: Vec<String>,
    /// `version`, repeatable, on instances: equal to the version of a connected one, or what it begins with
    /// up to a dot; `none` for not reported, `custom` for texts of no series.
    pub versions: Vec<String>,
    /// `token`, repeatable, on groups: equal to the name of the token of the latest registration.
    pub tokens: Vec<String>,
    /// `scope`, repeatable, on groups: the scope that owns it.
    pub scopes: Vec<Scope>,
    /// `redundancy`, repeatable, on groups.
    pub redundancy: Vec<Redundancy>,
    /// `mark`, repeatable, on groups: what deserves a second look.
    pub marks: Vec<Mark>,
    /// `generation`, on groups.
    pub generation: Option<Generation>,
    /// `transport`, on instances.
    pub transport: Option<Transport>,
    /// `source`, on groups.
    pub source: Option<Origin>,
    /// `delegateInstanceFilter`, on instances.
    pub availability: Option<Availability>,
    /// `expires`, on instances: the first of seven days in one of which a connected instance reaches its anchor.
    pub expires: Option<NaiveDate>,
    /// `silent`, on instances: the beginning of a half hour during which it was not connected for a time.
    pub silent: Option<Timestamp>,
}

impl Filter {
    /// Whether it lets everything through.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Whether a condition speaks of instances, so that groups without a matching one are left out.
    ///
    /// `search` does not: a group that is found by its name stays, whatever its instances are.
    #[must_use]
    pub fn narrows_instances(&self) -> bool {
        matches!(self.health, Some(Health::Standing(_) | Health::Connected))
            || self.status.is_some()
            || self.version_status.is_some()
            || self.host_name.is_some()
            || !self.versions.is_empty()
            || self.transport.is_some()
            || self.availability.is_some()
            || self.expires.is_some()
            || self.silent.is_some()
    }

    /// Places of the matching members; none when the group does not match.
    #[must_use]
    pub fn matches(&self, group: &GroupView) -> Option<Vec<u32>> {
        matching::Matcher::new(self).places(group)
    }
}
