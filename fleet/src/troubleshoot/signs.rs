//! What the server itself already sees of the cause.

use std::sync::Arc;

use super::attempt::{Attempt, Refused};
use crate::delegate::Approval;
use crate::explain::Ground;
use crate::health::Standing;
use crate::summary::GroupConnectivity;
use crate::time::{HOUR, Timestamp};
use crate::view::GroupView;

/// Attempts older than this say little about now.
const RECENT: i64 = HOUR;

/// A token as far as a person may know it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenState {
    /// Its name.
    pub name: Arc<str>,
    /// Whether it still opens anything.
    pub active: bool,
    /// When it was revoked.
    pub revoked_at: Option<Timestamp>,
    /// Newest successful authentication.
    pub last_used: Option<Timestamp>,
}

/// How much a sign says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Weight {
    /// The cause, most likely.
    Cause,
    /// Worth a look.
    Look,
    /// Good to know.
    Note,
}

/// Something that the server sees.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sign {
    /// How much it says.
    pub weight: Weight,
    /// What it is.
    pub text: String,
    /// The step that helps.
    pub step: Option<&'static str>,
}

/// What is seen of a group, the most telling first.
#[must_use]
pub fn signs(
    group: &GroupView,
    token: Option<&TokenState>,
    attempts: &[Attempt],
    ground: &Ground,
) -> Vec<Sign> {
    let lost = group.rollup.connectivity != GroupConnectivity::Connected;
    let mut found = Vec::new();
    let mut add = |weight, text: String, step| found.push(Sign { weight, text, step });
    if let Some(token) = token.filter(|token| !token.active) {
        let text = format!("Its token {} was revoked: whoever holds it is shut out.", token.name);
        add(if lost { Weight::Cause } else { Weight::Look }, text, Some("token-revoked"));
    }
    if group.facts.approval == Approval::Pending {
        add(Weight::Cause, "It waits for approval and gets no work until then.".to_owned(), Some("pending"));
    }
    if group.rollup.double_delegate.is_some() {
        add(Weight::Look, "Two delegates may share this name.".to_owned(), Some("double"));
    }
    if group.members.iter().any(|member| member.unstable) {
        add(Weight::Look, "An instance comes and goes: it is called unstable.".to_owned(), Some("unstable"));
    }
    for member in group.members.iter().filter(|member| member.is_clock_off()) {
        let seconds = member.facts.clock_skew.unwrap_or_default() / 1_000;
        let text = format!("The clock of {} is {} s off.", member.facts.host_name, seconds.abs());
        add(Weight::Look, text, Some("clock"));
    }
    for member in group.members.iter().filter(|member| member.facts.goodbye_at.is_some()) {
        if !member.assessment.connectivity.is_connected() {
            add(Weight::Note, format!("{} said goodbye: a planned stop.", member.facts.host_name), None);
        }
    }
    if lost && ground.restarted_at.is_some() {
        let text = "The server restarted a moment ago; it may only not have called in again yet.".to_owned();
        add(Weight::Note, text, None);
    }
    if group.members.iter().any(|member| expired(member, ground)) {
        let text = "Its version is past the end of support. That is not why it does not connect.".to_owned();
        add(Weight::Note, text, None);
    }
    found.extend(if lost { signs_of_attempts(attempts, ground.now) } else { Vec::new() });
    found.sort_by_key(|sign| sign.weight);
    found
}

/// The status of one that is not connected is not told, but its dates are.
fn expired(member: &crate::view::Member, ground: &Ground) -> bool {
    member.assessment.standing == Standing::Expired
        || member.assessment.verdict.expires_at.is_some_and(|end| ground.now > end)
}

/// What calls of the past hour that were turned away say, one sign for each reason.
#[must_use]
pub fn signs_of_attempts(attempts: &[Attempt], now: Timestamp) -> Vec<Sign> {
    let recent = |refused: Refused| {
        let fits = |attempt: &&Attempt| attempt.refused == refused && attempt.at.age(now) <= RECENT;
        attempts.iter().filter(fits).count()
    };
    Refused::ALL
        .into_iter()
        .filter(|refused| recent(*refused) > 0)
        .map(|refused| Sign {
            weight: Weight::Look,
            text: format!("In the past hour a call from this account was turned away: {}.", refused.words()),
            step: Some(refused.finding()),
        })
        .collect()
}
