//! Many instances that are lost at once (`product 3.8`, P9): mostly a network, not the delegates.

use crate::history::State;
use crate::time::{HOUR, SECOND, Timestamp};
use crate::view::Member;

/// Losses within so many milliseconds of the first one belong together.
pub const MASS_WINDOW: i64 = 60 * SECOND;
/// From so many lost instances on.
pub const MASS_COUNT: u64 = 5;
/// For how long it is worth telling, in milliseconds.
pub const MASS_MATTERS: i64 = HOUR;

/// At least 5 instances, and at least half of those connected, lost within 60 s.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MassLoss {
    /// The first loss.
    pub at: Timestamp,
    /// The last loss.
    pub until: Timestamp,
    /// How many were lost.
    pub lost: u64,
    /// How many had been connected.
    pub connected: u64,
    /// How many of them are back.
    pub back: u64,
}

/// The largest mass loss of the past hour from which not everyone has returned; of equal ones the newest.
#[must_use]
pub fn mass_loss<'a>(members: impl Iterator<Item = &'a Member> + Clone, now: Timestamp) -> Option<MassLoss> {
    let losses = losses(members.clone(), now);
    if (losses.len() as u64) < MASS_COUNT {
        return None;
    }
    let (connected, changes) = connections(members, &losses);
    let mut worst: Option<MassLoss> = None;
    let (mut end, mut counted, mut connected) = (0, 0, connected);
    for (start, first) in losses.iter().enumerate() {
        while losses.get(end).is_some_and(|loss| first.at.age(loss.at) <= MASS_WINDOW) {
            end += 1;
        }
        while let Some((_, change)) = changes.get(counted).filter(|(at, _)| *at < first.at) {
            connected += change;
            counted += 1;
        }
        let together = losses.get(start..end).unwrap_or_default();
        let loss = MassLoss {
            at: first.at,
            until: together.last().map_or(first.at, |last| last.at),
            lost: together.len() as u64,
            connected: u64::try_from(connected).unwrap_or(0),
            back: together.iter().filter(|loss| loss.back).count() as u64,
        };
        let mass = loss.lost >= MASS_COUNT && loss.lost * 2 >= loss.connected && loss.back < loss.lost;
        if mass && worst.is_none_or(|worst| loss.lost >= worst.lost) {
            worst = Some(loss);
        }
    }
    worst
}

/// One loss of one instance.
struct Loss {
    at: Timestamp,
    /// Whether the instance is connected now.
    back: bool,
}

/// The losses of the past hour by time; an instance that was lost twice within the window counts once.
fn losses<'a>(members: impl Iterator<Item = &'a Member>, now: Timestamp) -> Vec<Loss> {
    let mut losses: Vec<Loss> = Vec::new();
    for member in members {
        let back = member.assessment.connectivity.is_connected();
        let mut last: Option<Timestamp> = None;
        for turn in member.turns.as_deref().unwrap_or_default() {
            // Nobody who was not there yet can have been lost.
            let recent =
                turn.at > member.facts.registered_at && turn.at <= now && turn.at.age(now) <= MASS_MATTERS;
            let again = last.is_some_and(|last| last.age(turn.at) <= MASS_WINDOW);
            if turn.to == State::NotConnected && recent && !again {
                last = Some(turn.at);
                losses.push(Loss { at: turn.at, back });
            }
        }
    }
    losses.sort_unstable_by_key(|loss| loss.at);
    losses
}

/// How many instances were connected just before the first loss, and how that number changed since, by time.
fn connections<'a>(
    members: impl Iterator<Item = &'a Member>,
    losses: &[Loss],
) -> (i64, Vec<(Timestamp, i64)>) {
    let from = losses.first().map_or(Timestamp::default(), |loss| loss.at.plus(-1));
    let (mut steady, mut changes) = (0, Vec::new());
    for member in members {
        if member.is_steady() && member.facts.registered_at <= from {
            steady += 1;
            continue;
        }
        for span in member.spans(from) {
            if span.state == State::Connected {
                changes.push((span.from, 1));
                changes.push((span.until, -1));
            }
        }
    }
    changes.sort_unstable();
    (steady, changes)
}
