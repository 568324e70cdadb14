//! Connectivity and lifecycle of an instance (`product 3`, `5.7`, `5.8`).

use std::cmp::Ordering;
use std::collections::HashMap;
use std::sync::Arc;

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};

use crate::catalog::{Catalog, Latest, Support};
use crate::mirror::ToldInstance;
use crate::policy::Policy;
use crate::time::Timestamp;
use crate::version::{Line, Version};

/// What is shown where there is no status.
const NO_STATUS: &str = "-";

/// Whether an instance reaches the server (`product 3.1`, P4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Connectivity {
    /// The last heartbeat is at most 300 s old.
    Connected,
    /// Connected, but the last heartbeat is at least 180 s old.
    Late,
    /// The last heartbeat is older, or there was none.
    NotConnected,
}

impl Connectivity {
    /// Connected or late.
    #[must_use]
    pub const fn is_connected(self) -> bool {
        matches!(self, Self::Connected | Self::Late)
    }
}

/// The state of the connection at `now`.
#[must_use]
pub fn connectivity(last_heartbeat: Option<Timestamp>, policy: &Policy, now: Timestamp) -> Connectivity {
    // A heartbeat from the future has a negative age: the clock was set back, and the delegate is there.
    match last_heartbeat.map(|at| at.age(now)) {
        Some(age) if age <= policy.timeout && age >= policy.late => Connectivity::Late,
        Some(age) if age <= policy.timeout => Connectivity::Connected,
        _ => Connectivity::NotConnected,
    }
}

/// Version status in the words of the API (`product 5.7`); ordered worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Status {
    /// Past the anchor.
    Expired,
    /// Inside the window before the anchor.
    Expiring,
    /// Below the latest of its line.
    Unsupported,
    /// None of these.
    Active,
}

/// Where every visible instance falls, exactly once (`product 6.1`, P17); ordered worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Standing {
    /// Status EXPIRED.
    Expired,
    /// Status EXPIRING.
    NearExpiry,
    /// Status UNSUPPORTED.
    Unsupported,
    /// Status ACTIVE.
    Active,
    /// Connected without a status.
    Unknown,
    /// Not connected.
    Unreachable,
}

impl Standing {
    /// The status that the API names; none for unknown and unreachable.
    #[must_use]
    pub const fn status(self) -> Option<Status> {
        match self {
            Self::Expired => Some(Status::Expired),
            Self::NearExpiry => Some(Status::Expiring),
            Self::Unsupported => Some(Status::Unsupported),
            Self::Active => Some(Status::Active),
            Self::Unknown | Self::Unreachable => None,
        }
    }
}

impl From<Status> for Standing {
    fn from(status: Status) -> Self {
        match status {
            Status::Expired => Self::Expired,
            Status::Expiring => Self::NearExpiry,
            Status::Unsupported => Self::Unsupported,
            Status::Active => Self::Active,
        }
    }
}

/// What the version of a connected instance amounts to at one instant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// None: unknown (`product 5.7`).
    pub status: Option<Status>,
    /// The anchor instant E; none without dates and without a status.
    pub expires_at: Option<Timestamp>,
    /// Both dates and where they come from.
    pub support: Option<Support>,
    /// The latest version it was measured against.
    pub latest: Option<Arc<Version>>,
    /// When the passing of time alone changes the status next.
    pub due_at: Option<Timestamp>,
}

/// Judges a version; `None` means that none was reported.
#[must_use]
pub fn judge(
    version: Option<&Version>,
    catalog: &Catalog,
    latest: &Latest,
    policy: &Policy,
    now: Timestamp,
) -> Verdict {
    let Some(version) = version.filter(|version| version.line() != Line::Custom) else {
        return Verdict { status: None, expires_at: None, support: None, latest: None, due_at: None };
    };
    let support = catalog.support(version);
    let newest = latest.of(version.line());
    if version.line() == Line::Runner && newest.is_none() {
        return Verdict { status: None, expires_at: None, support, latest: None, due_at: None };
    }
    let expires_at = support.and_then(|support| support.anchor(policy.anchor)).map(Timestamp::end_of_day);
    let (by_date, due_at) = expires_at.map_or((None, None), |at| lifecycle(at, policy, now));
    let behind = newest.and_then(|newest| version.compare(newest)) == Some(Ordering::Less);
    let by_order = if behind { Status::Unsupported } else { Status::Active };
    Verdict { status: by_date.or(Some(by_order)), expires_at, support, latest: newest.cloned(), due_at }
}

/// Whether a version whose anchor is this instant is expired at `when`: on its last day it is not yet. Never without an
/// anchor.
#[must_use]
pub fn is_expired_at(expires_at: Option<Timestamp>, when: Timestamp) -> bool {
    expires_at.is_some_and(|at| when > at)
}

/// The status that the anchor instant alone decides, and when it changes next.
fn lifecycle(expires_at: Timestamp, policy: &Policy, now: Timestamp) -> (Option<Status>, Option<Timestamp>) {
    let near = expires_at.plus(-policy.near_expiry);
    if is_expired_at(Some(expires_at), now) {
        (Some(Status::Expired), None)
    } else if now >= near {
        (Some(Status::Expiring), Some(expires_at.plus(1)))
    } else {
        (None, Some(near))
    }
}

/// One instance at one instant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assessment {
    /// Whether it reaches the server.
    pub connectivity: Connectivity,
    /// Where it falls.
    pub standing: Standing,
    /// What its version amounts to, also while it is not connected.
    pub verdict: Arc<Verdict>,
    /// When the passing of time alone changes connectivity or status next.
    pub due_at: Option<Timestamp>,
}

/// Judges the versions of one scope at one instant, each distinct version once.
pub struct Judge<'a> {
    catalog: &'a Catalog,
    latest: Latest,
    policy: &'a Policy,
    now: Timestamp,
    /// The start of the server, as long as that explains silence.
    restarted_at: Option<Timestamp>,
    /// Keyed by the version's text.
    seen: HashMap<Arc<Version>, Arc<Verdict>>,
    /// The verdict on a version that was not reported.
    unreported: Arc<Verdict>,
    /// The version asked about last: neighbours in a group mostly share one allocation.
    last: Option<(Arc<Version>, Arc<Verdict>)>,
}

impl<'a> Judge<'a> {
    /// A judge for one scope at one instant.
    #[must_use]
    pub fn new(catalog: &'a Catalog, latest: Latest, policy: &'a Policy, now: Timestamp) -> Self {
        let unreported = Arc::new(judge(None, catalog, &latest, policy, now));
        Self {
            catalog,
            latest,
            policy,
            now,
            restarted_at: None,
            seen: HashMap::new(),
            unreported,
            last: None,
        }
    }

    /// The same shortly after a start of the server: whoever was heard before it and not since is not called lost yet
    /// (`product 3.7`).
    #[must_use]
    pub const fn after_restart(mut self, restarted_at: Option<Timestamp>) -> Self {
        self.restarted_at = restarted_at;
        self
    }

    /// Whether the silence since this heartbeat may only mean that the server was away.
    #[must_use]
    pub fn is_unproven(&self, last_heartbeat: Option<Timestamp>) -> bool {
        self.restarted_at.is_some_and(|start| last_heartbeat.is_none_or(|beat| beat < start))
    }

    /// The instant it judges at.
    #[must_use]
    pub const fn now(&self) -> Timestamp {
        self.now
    }

    /// The settings it judges by.
    #[must_use]
    pub const fn policy(&self) -> &'a Policy {
        self.policy
    }

    /// What is latest for the scope it judges.
    #[must_use]
    pub const fn latest(&self) -> &Latest {
        &self.latest
    }

    /// The verdict on a version, remembered.
    pub fn verdict(&mut self, version: Option<&Arc<Version>>) -> Arc<Verdict> {
        let Some(version) = version else {
            return Arc::clone(&self.unreported);
        };
        if let Some((last, verdict)) = &self.last
            && Arc::ptr_eq(last, version)
        {
            return Arc::clone(verdict);
        }
        let verdict = self.seen.get(version).map_or_else(
            || Arc::new(judge(Some(version), self.catalog, &self.latest, self.policy, self.now)),
            Arc::clone,
        );
        self.seen.entry(Arc::clone(version)).or_insert_with(|| Arc::clone(&verdict));
        self.last = Some((Arc::clone(version), Arc::clone(&verdict)));
        verdict
    }

    /// One instance.
    pub fn assess(
        &mut self,
        last_heartbeat: Option<Timestamp>,
        version: Option<&Arc<Version>>,
    ) -> Assessment {
        let connectivity = connectivity(last_heartbeat, self.policy, self.now);
        let verdict = self.verdict(version);
        let standing = standing(connectivity, &verdict);
        let due_at = match last_heartbeat {
            Some(beat) if connectivity.is_connected() => {
                earliest(verdict.due_at, connection_due(beat, self.policy, self.now))
            }
            _ => None,
        };
        Assessment { connectivity, standing, verdict, due_at }
    }
}

impl Judge<'_> {
    /// One instance of a mirrored source: as the source says it, and by our rules where it does not (`management-api 7.4`).
    pub fn assess_told(&mut self, told: &ToldInstance) -> Assessment {
        let mut verdict = self.verdict(told.facts.version.as_ref());
        if let Some(at) = told.expires_at.filter(|at| verdict.expires_at != Some(*at)) {
            verdict = Arc::new(self.by_anchor(&verdict, at));
        }
        if let Some(status) = told.status.filter(|status| verdict.status != Some(*status)) {
            verdict = Arc::new(Verdict { status: Some(status), ..(*verdict).clone() });
        }
        let connectivity = if told.connected { Connectivity::Connected } else { Connectivity::NotConnected };
        let standing = standing(connectivity, &verdict);
        // Nothing changes until the source is asked again.
        Assessment { connectivity, standing, verdict, due_at: None }
    }

    /// The same verdict with another anchor.
    fn by_anchor(&self, verdict: &Verdict, expires_at: Timestamp) -> Verdict {
        let (by_date, due_at) = lifecycle(expires_at, self.policy, self.now);
        // What the order of versions alone would say.
        let by_order = verdict.status.map(|status| match status {
            Status::Unsupported => Status::Unsupported,
            Status::Active | Status::Expiring | Status::Expired => Status::Active,
        });
        Verdict { status: by_date.or(by_order), expires_at: Some(expires_at), due_at, ..verdict.clone() }
    }
}

fn standing(connectivity: Connectivity, verdict: &Verdict) -> Standing {
    match verdict.status {
        _ if !connectivity.is_connected() => Standing::Unreachable,
        None => Standing::Unknown,
        Some(status) => Standing::from(status),
    }
}

/// When silence alone changes the connectivity of a connected instance next.
fn connection_due(beat: Timestamp, policy: &Policy, now: Timestamp) -> Option<Timestamp> {
    [beat.plus(policy.late), beat.plus(policy.timeout.saturating_add(1))]
        .into_iter()
        .filter(|at| *at > now)
        .min()
}

fn earliest(one: Option<Timestamp>, other: Option<Timestamp>) -> Option<Timestamp> {
    one.into_iter().chain(other).min()
}

/// The words of the Instance Status column, such as `Expiring in 5 days` (`product 5.8`, P16), without the date.
///
/// `Upgrade required` for legacy; `-` when unknown or not connected, or where a status has no dates.
#[must_use]
pub fn status_text(
    assessment: &Assessment,
    version: Option<&Version>,
    policy: &Policy,
    now: Timestamp,
) -> String {
    if assessment.standing.status().is_none() {
        NO_STATUS.to_owned()
    } else if version.is_some_and(|version| version.line() == Line::Legacy) {
        "Upgrade required".to_owned()
    } else {
        anchor_date(assessment, policy)
            .map_or(NO_STATUS.to_owned(), |date| countdown((date - now.date()).num_days()))
    }
}

/// The same words with the anchor date, such as `Expiring in 10 days (2026-11-30)` (`product 5.8`).
///
/// Without a countdown there is no date either.
#[must_use]
pub fn status_text_with_date(
    assessment: &Assessment,
    version: Option<&Version>,
    policy: &Policy,
    now: Timestamp,
) -> String {
    let text = status_text(assessment, version, policy, now);
    let counts_down =
        assessment.standing.status().is_some() && version.is_some_and(|v| v.line() != Line::Legacy);
    match anchor_date(assessment, policy).filter(|_| counts_down) {
        Some(date) => format!("{text} ({date})"),
        None => text,
    }
}

fn anchor_date(assessment: &Assessment, policy: &Policy) -> Option<NaiveDate> {
    // A mirrored server may say another one than the catalog.
    let told = assessment.verdict.expires_at.map(Timestamp::date);
    told.or_else(|| assessment.verdict.support.and_then(|support| support.anchor(policy.anchor)))
}

/// The countdown for `days` from today to the anchor date, negative once it has passed (`product 5.8`).
#[must_use]
pub fn countdown(days: i64) -> String {
    match days {
        ..=-60 => format!("Expired {} months ago", days.unsigned_abs() / 30),
        -59..=-2 => format!("Expired {} days ago", days.unsigned_abs()),
        -1 => "Expired 1 day ago".to_owned(),
        0 => "Expiring today".to_owned(),
        1 => "Expiring in 1 day".to_owned(),
        2..=59 => format!("Expiring in {days} days"),
        60.. => format!("Expiring in {} months", days / 30),
    }
}
