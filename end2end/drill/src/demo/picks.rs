//! The versions of the demo, chosen from a catalog by the state they have on a day.

use chrono::{Datelike as _, Months, NaiveDate};
use fleet::catalog::Catalog;
use fleet::health::{Status, judge};
use fleet::policy::Policy;
use fleet::time::{HOUR, Timestamp};
use fleet::version::{Line, Version};

/// A version, by what it is there to show.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Pick {
    /// Supported.
    Latest,
    /// Supported, minimal variant.
    LatestMinimal,
    /// The newest unsupported one.
    Recent,
    /// The same, minimal variant.
    RecentMinimal,
    /// The oldest unsupported one.
    Older,
    /// Near its end of support.
    Near,
    /// The same, minimal variant.
    NearMinimal,
    /// Past its end of support.
    Expired,
    /// So old that upgraders do not know it.
    TooOld,
    /// The newest of the legacy line.
    Legacy,
    /// The oldest of the legacy line.
    OldestLegacy,
    /// The newest runner.
    Runner,
    /// A runner behind it.
    OlderRunner,
    /// A vendor version with an own suffix: counts as that version.
    CustomSuffix,
    /// An own image tag: no lifecycle.
    Custom,
}

/// The versions of one day.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picks {
    latest: String,
    recent: String,
    older: String,
    near: String,
    expired: String,
    legacy: (String, String),
    runner: (String, String),
    /// States that the catalog has no version for; the demo lacks them.
    pub missing: Vec<Status>,
}

/// A catalog that no demo can be made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the catalog has no classic version that is released and supported")]
pub struct PicksError;

/// Build and month of an image before the upgrader was made (`agent-protocol 10.5`).
const TOO_OLD: &str = "22.09.75508";

impl Picks {
    /// Chooses from `catalog` by the states at noon of `today` under the default settings.
    ///
    /// # Errors
    /// Nothing in the catalog counts as latest.
    pub fn choose(catalog: &Catalog, today: NaiveDate) -> Result<Self, PicksError> {
        let now = Timestamp::start_of_day(today).plus(12 * HOUR);
        let latest = catalog.latest(None, None, now);
        let policy = Policy::default();
        let status = |version: &Version| judge(Some(version), catalog, &latest, &policy, now).status;
        let released = |line| {
            let mut versions: Vec<&Version> = catalog
                .entries
                .iter()
                .filter(|entry| {
                    entry.line == line && entry.released <= today && entry.version.variant().is_none()
                })
                .map(|entry| &*entry.version)
                .collect();
            versions.sort();
            versions
        };
        let classic = released(Line::Classic);
        let of = |wanted| classic.iter().filter(move |version| status(version) == Some(wanted));
        let newest = latest.classic.as_ref().ok_or(PicksError)?.base();
        let mut missing = Vec::new();
        let mut or_newest = |wanted: Status, found: Option<String>| {
            found.unwrap_or_else(|| {
                missing.push(wanted);
                newest.clone()
            })
        };
        let base = |version: &&Version| version.base();
        let recent = or_newest(Status::Unsupported, of(Status::Unsupported).next_back().map(base));
        let older = of(Status::Unsupported).next().map_or_else(|| recent.clone(), base);
        let near = of(Status::Expiring).next_back().map(base);
        let near = near.or_else(|| by_formula(today).filter(|text| is_near(text, &status)));
        let near = or_newest(Status::Expiring, near);
        let expired = or_newest(Status::Expired, of(Status::Expired).next_back().map(base));
        let ends = |line, newest: &str, oldest: &str| {
            let versions = released(line);
            let text = |version: Option<&&Version>, usual: &str| version.map_or(usual.to_owned(), base);
            (text(versions.last(), newest), text(versions.first(), oldest))
        };
        let legacy = ends(Line::Legacy, "1.0.82007", "1.0.80104");
        let runner = ends(Line::Runner, "3.1.0", "3.0.0");
        Ok(Self { latest: newest, recent, older, near, expired, legacy, runner, missing })
    }

    /// The version as a delegate reports it.
    #[must_use]
    pub fn text(&self, pick: Pick) -> String {
        match pick {
            Pick::Latest => self.latest.clone(),
            Pick::LatestMinimal => format!("{}.minimal", self.latest),
            Pick::Recent => self.recent.clone(),
            Pick::RecentMinimal => format!("{}.minimal", self.recent),
            Pick::Older => self.older.clone(),
            Pick::Near => self.near.clone(),
            Pick::NearMinimal => format!("{}.minimal", self.near),
            Pick::Expired => self.expired.clone(),
            Pick::TooOld => TOO_OLD.to_owned(),
            Pick::Legacy => self.legacy.0.clone(),
            Pick::OldestLegacy => self.legacy.1.clone(),
            Pick::Runner => self.runner.0.clone(),
            Pick::OlderRunner => self.runner.1.clone(),
            Pick::CustomSuffix => format!("{}-own-tools", self.recent),
            Pick::Custom => "delegate-own-tools".to_owned(),
        }
    }
}

/// A version of the month whose support ends with this month, for catalogs that end long before `today`.
fn by_formula(today: NaiveDate) -> Option<String> {
    let month = today.with_day(1)?.checked_sub_months(Months::new(5))?;
    Some(format!("{:02}.{:02}.90001", month.year() % 100, month.month()))
}

fn is_near(text: &str, status: &impl Fn(&Version) -> Option<Status>) -> bool {
    status(&Version::parse(text)) == Some(Status::Expiring)
}
