//! The four cards, and what a group amounts to (`product 6`, `9.1`, `9.2`).

mod skew;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::delegate::GroupFacts;
use crate::health::Standing;
use crate::policy::Policy;
use crate::time::Timestamp;
use crate::upgrade::{AutoUpgrade, auto_upgrade};
use crate::version::Version;
use crate::view::Member;

/// How many instances fall where; the keys of `counts` in `/api/v1`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Counts {
    /// Visible groups.
    pub groups: u64,
    /// Visible instances.
    pub instances: u64,
    /// Connected instances.
    pub connected: u64,
    /// Visible instances that are not connected.
    pub unreachable: u64,
    /// Connected instances without a status.
    pub unknown: u64,
    /// First card.
    pub expired: u64,
    /// Second card.
    pub near_expiry: u64,
    /// Third card.
    pub unsupported: u64,
    /// Supported instances.
    pub active: u64,
    /// Fourth card; counts groups.
    pub auto_upgrade_off: u64,
}

impl Counts {
    /// Adds one instance.
    pub fn add_instance(&mut self, standing: Standing) {
        self.instances += 1;
        match standing {
            Standing::Expired => self.expired += 1,
            Standing::NearExpiry => self.near_expiry += 1,
            Standing::Unsupported => self.unsupported += 1,
            Standing::Active => self.active += 1,
            Standing::Unknown => self.unknown += 1,
            Standing::Unreachable => self.unreachable += 1,
        }
        self.connected += u64::from(standing != Standing::Unreachable);
    }

    /// Adds one group.
    pub fn add_group(&mut self, auto_upgrade: &AutoUpgrade) {
        self.groups += 1;
        self.auto_upgrade_off += u64::from(auto_upgrade.counts_as_off());
    }

    /// Adds all of another summary: sums over groups equal the page's cards (`product 6.3`).
    pub fn merge(&mut self, other: &Self) {
        // Named one by one, so that a new figure cannot be forgotten here.
        let Self { groups, instances, connected, unreachable, unknown, .. } = *other;
        let Self { expired, near_expiry, unsupported, active, auto_upgrade_off, .. } = *other;
        self.groups += groups;
        self.instances += instances;
        self.connected += connected;
        self.unreachable += unreachable;
        self.unknown += unknown;
        self.expired += expired;
        self.near_expiry += near_expiry;
        self.unsupported += unsupported;
        self.active += active;
        self.auto_upgrade_off += auto_upgrade_off;
    }
}

/// Connectivity of a group, in the default order of the list (`product 3.2`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum GroupConnectivity {
    /// All visible instances.
    Connected,
    /// Some of them.
    Partial,
    /// None, or there is no instance.
    NotConnected,
}

impl GroupConnectivity {
    /// `connected`, `partially connected` or `disconnected`.
    #[must_use]
    pub const fn api_text(self) -> &'static str {
        match self {
            Self::Connected => "connected",
            Self::Partial => "partially connected",
            Self::NotConnected => "disconnected",
        }
    }
}

/// Why a group looks like two (`product 9.2`, P22).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DoubleDelegate {
    /// Members carry different `cluster:` tags.
    Clusters,
    /// Pods of two or more `ReplicaSets` for more than 30 min.
    ReplicaSets,
    /// Two processes with one id.
    Connections,
}

/// In what members of a group differ (`product 9.2`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a separate fact that a page names")]
pub struct Differences {
    /// For more than 30 min.
    pub version: bool,
    /// Custom tags.
    pub tags: bool,
    /// Token.
    pub token: bool,
    /// Delegate type.
    pub kind: bool,
}

impl Differences {
    /// Whether the badge "Members differ" is shown.
    #[must_use]
    pub const fn any(self) -> bool {
        self.version || self.tags || self.token || self.kind
    }
}

/// What a group amounts to at one instant.
#[derive(Clone, Debug, PartialEq)]
pub struct Rollup {
    /// Visible instances and the cards of this group alone.
    pub counts: Counts,
    /// All, some or none.
    pub connectivity: GroupConnectivity,
    /// Worst of the connected members; `Unreachable` when none is connected (`product 5.7`).
    pub standing: Standing,
    /// Lowest version among connected members (`product 5.6`).
    pub version: Option<Arc<Version>>,
    /// How many other versions connected members run.
    pub other_versions: u32,
    /// Earliest anchor of connected members (`product 5.7`).
    pub expires_at: Option<Timestamp>,
    /// Place in the members of the one that the Instance Status column speaks of.
    pub speaker: Option<usize>,
    /// Newest heartbeat of the members.
    pub last_heartbeat: Option<Timestamp>,
    /// The last time that any member was active: newest heartbeat, or what is stored.
    pub last_active: Timestamp,
    /// ON, OFF or DETECTING.
    pub auto_upgrade: AutoUpgrade,
    /// How many connected members it can lose: connected - 1 (`product 9.1`).
    pub tolerates: u64,
    /// Exactly one is connected.
    pub single_instance: bool,
    /// In what members differ.
    pub differences: Differences,
    /// Looks like two delegates under one name.
    pub double_delegate: Option<DoubleDelegate>,
}

/// What a group amounts to; `members` are its visible instances.
#[must_use]
pub fn roll_up(group: &GroupFacts, members: &[Member], policy: &Policy, now: Timestamp) -> Rollup {
    roll_up_told(group, members, None, policy, now)
}

/// The same for a group whose source says itself whether it upgrades.
#[must_use]
pub fn roll_up_told(
    group: &GroupFacts,
    members: &[Member],
    told: Option<AutoUpgrade>,
    policy: &Policy,
    now: Timestamp,
) -> Rollup {
    let tally = Tally::of(members);
    let marks = skew::find(members, policy, now);
    let auto_upgrade =
        told.unwrap_or_else(|| auto_upgrade(group, tally.lowest.map(AsRef::as_ref), policy, now));
    let mut counts = tally.counts;
    counts.add_group(&auto_upgrade);
    Rollup {
        counts,
        connectivity: match counts.connected {
            0 => GroupConnectivity::NotConnected,
            connected if connected == counts.instances => GroupConnectivity::Connected,
            _ => GroupConnectivity::Partial,
        },
        standing: tally.standing,
        version: tally.lowest.cloned(),
        other_versions: marks.other_versions,
        expires_at: tally.speaker.and_then(|(at, ..)| at),
        speaker: tally.speaker.map(|(_, place)| place),
        last_heartbeat: tally.last_heartbeat,
        last_active: tally.last_heartbeat.map_or(group.last_active, |beat| beat.max(group.last_active)),
        auto_upgrade,
        tolerates: counts.connected.saturating_sub(1),
        single_instance: counts.connected == 1,
        differences: marks.differences,
        double_delegate: marks.double_delegate,
    }
}

/// What one pass over the members gives.
struct Tally<'a> {
    counts: Counts,
    standing: Standing,
    lowest: Option<&'a Arc<Version>>,
    /// Earliest anchor of a connected member, and its place; without anchors the worst connected member.
    speaker: Option<(Option<Timestamp>, usize)>,
    last_heartbeat: Option<Timestamp>,
}

impl<'a> Tally<'a> {
    fn of(members: &'a [Member]) -> Self {
        let (counts, standing) = (Counts::default(), Standing::Unreachable);
        let mut tally = Self { counts, standing, lowest: None, speaker: None, last_heartbeat: None };
        let mut first: Option<(bool, Option<Timestamp>, Standing)> = None;
        for (place, member) in members.iter().enumerate() {
            let standing = member.assessment.standing;
            tally.counts.add_instance(standing);
            tally.last_heartbeat = tally.last_heartbeat.max(member.last_heartbeat);
            if standing == Standing::Unreachable {
                continue;
            }
            tally.standing = tally.standing.min(standing);
            tally.consider_version(member.facts.version.as_ref());
            let expires_at = member.assessment.verdict.expires_at;
            let rank = (expires_at.is_none(), expires_at, standing);
            if first.is_none_or(|first| rank < first) {
                first = Some(rank);
                tally.speaker = Some((expires_at, place));
            }
        }
        tally
    }

    fn consider_version(&mut self, version: Option<&'a Arc<Version>>) {
        let Some(version) = version else { return };
        let lower = |lowest: &Arc<Version>| !Arc::ptr_eq(version, lowest) && version < lowest;
        if self.lowest.is_none_or(lower) {
            self.lowest = Some(version);
        }
    }
}
