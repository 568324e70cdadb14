//! The three charts over the list, and what they count (`ux 5.6`).
//!
//! Each mark comes with the filter that lists exactly what it counts, so that a press on it explains it.

mod expiry;
mod heartbeats;
mod versions;

pub use expiry::{Expiry, WEEKS, Week};
pub use heartbeats::{Gap, Heartbeats, SLOTS, Slot};
pub use versions::{MAX_ROWS, Series, Versions};

use crate::health::Standing;
use crate::loss::{MassLoss, mass_loss};
use crate::view::Snapshot;

/// What one snapshot looks like drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Charts {
    /// Which versions connected instances run.
    pub versions: Versions,
    /// When they reach their anchor.
    pub expiry: Expiry,
    /// How much of the past day instances were connected.
    pub heartbeats: Heartbeats,
    /// Many instances that were lost at once a short time ago (`product 3.8`).
    pub loss: Option<MassLoss>,
}

impl Charts {
    /// The charts of everything that is listed; one pass over the instances.
    #[must_use]
    pub fn of(snapshot: &Snapshot) -> Self {
        let now = snapshot.as_of;
        let mut versions = versions::Tally::default();
        let mut expiry = expiry::Tally::new(now);
        let mut heartbeats = heartbeats::Tally::new(now);
        let members = || snapshot.groups.iter().flat_map(|group| &group.members);
        for member in members() {
            if member.assessment.connectivity.is_connected() {
                versions.add(member);
                expiry.add(member);
            }
            heartbeats.add(member);
        }
        Self {
            versions: versions.finish(),
            expiry: expiry.finish(),
            heartbeats: heartbeats.finish(),
            loss: mass_loss(members(), now),
        }
    }
}

/// How many connected instances of each standing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stack([u64; 5]);

impl Stack {
    /// What a connected instance can be, worst first.
    const PARTS: [Standing; 5] =
        [Standing::Expired, Standing::NearExpiry, Standing::Unsupported, Standing::Active, Standing::Unknown];

    fn add(&mut self, standing: Standing) {
        for (part, count) in Self::PARTS.iter().zip(&mut self.0) {
            *count += u64::from(*part == standing);
        }
    }

    fn merge(&mut self, other: &Self) {
        for (count, more) in self.0.iter_mut().zip(other.0) {
            *count += more;
        }
    }

    /// All of them.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.0.iter().sum()
    }

    /// Each standing that occurs with its number, worst first.
    pub fn parts(&self) -> impl Iterator<Item = (Standing, u64)> {
        Self::PARTS.into_iter().zip(self.0).filter(|(_, count)| *count > 0)
    }
}
