//! The members of agents' bodies that are read at all.

use serde::Deserialize;

/// Declares the keys with their spelling in one place.
macro_rules! keys {
    ($($variant:ident = $name:literal,)*) => {
        /// A member of an agent's body. What is not listed is passed over unread.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
        #[serde(field_identifier)]
        pub enum Key {
            $(
                #[doc = concat!("`", $name, "`.")]
                #[serde(rename = $name)]
                $variant,
            )*
            /// Any other.
            #[serde(other)]
            Other,
        }

        impl Key {
            /// Every key but [`Key::Other`].
            pub const ALL: [Self; Self::COUNT] = [$(Self::$variant,)*];
            /// How many keys are read.
            pub const COUNT: usize = Self::Other as usize;

            /// As it is written in a body.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                    Self::Other => "other",
                }
            }
        }
    };
}

keys! {
    AccountId = "accountId",
    DelegateId = "delegateId",
    DelegateName = "delegateName",
    DelegateType = "delegateType",
    HostName = "hostName",
    Ip = "ip",
    IpAddress = "ipAddress",
    Ng = "ng",
    PollingModeEnabled = "pollingModeEnabled",
    LastHeartBeat = "lastHeartBeat",
    Version = "version",
    Tags = "tags",
    SupportedTaskTypes = "supportedTaskTypes",
    HeartbeatAsObject = "heartbeatAsObject",
    Immutable = "immutable",
    SequenceNum = "sequenceNum",
    Runner = "runner",
    CapacityConfig = "capacityConfig",
    Description = "description",
    OrgIdentifier = "orgIdentifier",
    ProjectIdentifier = "projectIdentifier",
    DelegateProfileId = "delegateProfileId",
    DelegateSize = "delegateSize",
    Location = "location",
    DelegateGroupName = "delegateGroupName",
    DelegateConnectionId = "delegateConnectionId",
    MaximumNumberOfBuilds = "maximumNumberOfBuilds",
    Token = "token",
}

/// Members that were dropped for their type.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dropped(u32);

impl Dropped {
    pub(super) fn insert(&mut self, key: Key) {
        self.0 |= 1 << key as u32;
    }

    /// Each of them once.
    pub fn keys(self) -> impl Iterator<Item = Key> {
        Key::ALL.into_iter().filter(move |&key| self.0 & (1 << key as u32) != 0)
    }

    /// Whether there are none: the usual case.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }
}

// One bit per key.
const _: () = assert!(Key::COUNT <= 32);
