//! Releases, their support windows, and the latest version of a scope (`product 5.4`, `5.5`).

mod import;

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use chrono::{Months, NaiveDate};
use serde::{Deserialize, Serialize};

use crate::policy::Anchor;
use crate::time::{DAY, Timestamp};
use crate::version::{Line, Version};

/// A catalog whose data is older than this is called old (`product 5.5`).
pub const STALE_AFTER: i64 = 60 * DAY;

/// The catalog as imported, with its index. Build one with [`Catalog::import`].
#[derive(Clone, Debug, Default)]
pub struct Catalog {
    /// Date of the data; none for the empty catalog.
    pub as_of: Option<NaiveDate>,
    /// The `latest` object.
    pub latest: LatestVersions,
    /// Ring number to its latest classic version.
    pub rings: BTreeMap<String, Arc<Version>>,
    /// Every entry, in the order of the document.
    pub entries: Vec<Entry>,
    /// Version text to its place in `entries`.
    index: HashMap<Box<str>, usize>,
}

/// Newest release per line and variant.
#[derive(Clone, Debug, Default)]
pub struct LatestVersions {
    /// `latest.classic`.
    pub classic: Option<Arc<Version>>,
    /// `latest.classicMinimal`.
    pub classic_minimal: Option<Arc<Version>>,
    /// `latest.runner`.
    pub runner: Option<Arc<Version>>,
    /// `latest.legacy`.
    pub legacy: Option<Arc<Version>>,
}

/// One release.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Its version.
    pub version: Arc<Version>,
    /// Classic, legacy or runner.
    pub line: Line,
    /// Publication.
    pub released: NaiveDate,
    /// End of support.
    pub eos: Option<NaiveDate>,
    /// End of life.
    pub eol: Option<NaiveDate>,
    /// A hotfix may be published after the end of support of its month.
    pub hotfix: bool,
    /// Reference without registry.
    pub image: Option<String>,
    /// Free text.
    pub note: Option<String>,
}

/// One thing that is wrong with a catalog document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{at}: {problem}")]
pub struct Problem {
    /// Where: `schema`, `versions[3].eol`, `latest.classic`.
    pub at: String,
    /// What, in a sentence.
    pub problem: String,
}

/// Where the dates of a version come from; the tooltip names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Source {
    /// Its own catalog entry.
    Catalog,
    /// The entry of its base version.
    BaseEntry,
    /// Last day of month + 5 and + 7 of its yy.mm (`product 5.4`, P12).
    Formula,
    /// 31 January 2024.
    LegacyEnd,
}

/// The support window of a version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Support {
    /// End of support.
    pub eos: Option<NaiveDate>,
    /// End of life.
    pub eol: Option<NaiveDate>,
    /// Publication, where the catalog knows it.
    pub released: Option<NaiveDate>,
    /// Where the dates come from.
    pub source: Source,
}

/// What counts as latest for one scope, per line (`product 5.5`, P14).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Latest {
    /// Classic line: setting of the nearest scope, else ring, else catalog, else highest released.
    pub classic: Option<Arc<Version>>,
    /// The minimal variant of it, where one is known.
    pub classic_minimal: Option<Arc<Version>>,
    /// Runner line.
    pub runner: Option<Arc<Version>>,
    /// Legacy line.
    pub legacy: Option<Arc<Version>>,
}

/// Where a latest version comes from (`product 5.5`, P14).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Origin {
    /// `versions.latest` of the nearest scope upward.
    Setting,
    /// The ring of the account.
    Ring,
    /// The `latest` object of the catalog.
    Catalog,
    /// The highest version of the catalog whose publication is not in the future.
    Released,
    /// Nothing names one.
    #[default]
    Nowhere,
}

/// Where each of [`Latest`] comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Origins {
    /// Classic line.
    pub classic: Origin,
    /// Runner line.
    pub runner: Origin,
    /// Legacy line.
    pub legacy: Origin,
}

impl Origins {
    /// Where the latest version of a line comes from.
    #[must_use]
    pub const fn of(&self, line: Line) -> Origin {
        match line {
            Line::Classic => self.classic,
            Line::Runner => self.runner,
            Line::Legacy => self.legacy,
            Line::Custom => Origin::Nowhere,
        }
    }
}

impl Latest {
    /// The latest version that `version` is measured against.
    #[must_use]
    pub fn of(&self, line: Line) -> Option<&Arc<Version>> {
        match line {
            Line::Classic => self.classic.as_ref(),
            Line::Runner => self.runner.as_ref(),
            Line::Legacy => self.legacy.as_ref(),
            Line::Custom => None,
        }
    }
}

impl Support {
    /// The date that "Expired" and the countdown refer to (`product 5.4`, P13).
    #[must_use]
    pub const fn anchor(&self, anchor: Anchor) -> Option<NaiveDate> {
        match anchor {
            Anchor::Eos => self.eos,
            Anchor::Eol => self.eol,
        }
    }
}

impl Catalog {
    /// Reads and checks a catalog document (`product 5.5`).
    ///
    /// # Errors
    /// Every problem at once: unknown schema, duplicate version, `eol` before `eos`, `eos` before `released` of a
    /// non-hotfix, a version that does not parse or does not fit its line.
    pub fn import(json: &str) -> Result<Self, Vec<Problem>> {
        import::read(json)
    }

    /// The entry of exactly this version text.
    #[must_use]
    pub fn entry(&self, version: &str) -> Option<&Entry> {
        self.index.get(version).and_then(|&at| self.entries.get(at))
    }

    /// The support window of a version: own entry, entry of the base version, else the fallback (`product 5.4`).
    ///
    /// None for custom texts and for runner versions without an entry.
    #[must_use]
    pub fn support(&self, version: &Version) -> Option<Support> {
        let listed = |text: &str, source| {
            self.entry(text).map(|e| Support { eos: e.eos, eol: e.eol, released: e.released.into(), source })
        };
        if version.line() == Line::Custom {
            return None;
        }
        listed(version.as_str(), Source::Catalog)
            .or_else(|| listed(&version.base(), Source::BaseEntry))
            .or_else(|| fallback(version))
    }

    /// The latest versions for a scope; `pinned` is the setting of the nearest scope upward, `ring` the account's.
    ///
    /// A pinned version speaks for its own line only (`product 5.5`, P14).
    #[must_use]
    pub fn latest(&self, pinned: Option<&Version>, ring: Option<&str>, now: Timestamp) -> Latest {
        self.latest_with_origins(pinned, ring, now).0
    }

    /// The same, and where each of them comes from.
    #[must_use]
    pub fn latest_with_origins(
        &self,
        pinned: Option<&Version>,
        ring: Option<&str>,
        now: Timestamp,
    ) -> (Latest, Origins) {
        let (classic, origin) = self.classic(ring, now);
        let listed =
            |version: &Option<Arc<Version>>| version.as_ref().map_or(Origin::Nowhere, |_| Origin::Catalog);
        let mut origins = Origins {
            classic: origin,
            runner: listed(&self.latest.runner),
            legacy: listed(&self.latest.legacy),
        };
        let mut latest = Latest {
            classic,
            classic_minimal: None,
            runner: self.latest.runner.clone(),
            legacy: self.latest.legacy.clone(),
        };
        if let Some(pinned) = pinned {
            match pinned.line() {
                Line::Classic => {
                    (latest.classic, origins.classic) = (Some(without_minimal(pinned)), Origin::Setting);
                }
                Line::Runner => {
                    (latest.runner, origins.runner) = (Some(Arc::new(pinned.clone())), Origin::Setting);
                }
                Line::Legacy => {
                    (latest.legacy, origins.legacy) = (Some(Arc::new(pinned.clone())), Origin::Setting);
                }
                Line::Custom => {}
            }
        }
        latest.classic_minimal =
            match pinned.filter(|pinned| pinned.line() == Line::Classic && pinned.is_minimal()) {
                Some(pinned) => Some(Arc::new(pinned.clone())),
                None => latest.classic.as_ref().and_then(|classic| self.minimal_of(classic)),
            };
        (latest, origins)
    }

    /// The latest classic version without any setting: of the ring, else as named, else the highest released.
    fn classic(&self, ring: Option<&str>, now: Timestamp) -> (Option<Arc<Version>>, Origin) {
        if let Some(version) = ring.and_then(|ring| self.rings.get(ring)) {
            return (Some(Arc::clone(version)), Origin::Ring);
        }
        if let Some(version) = &self.latest.classic {
            return (Some(Arc::clone(version)), Origin::Catalog);
        }
        let highest = self.highest_released(now.date());
        let origin = if highest.is_some() { Origin::Released } else { Origin::Nowhere };
        (highest, origin)
    }

    /// The known minimal variant of a classic version.
    fn minimal_of(&self, classic: &Version) -> Option<Arc<Version>> {
        let fits = |minimal: &&Arc<Version>| minimal.compare(classic) == Some(Ordering::Equal);
        self.latest.classic_minimal.as_ref().filter(fits).cloned().or_else(|| {
            let entry = self.entry(&format!("{}.minimal", classic.base()))?;
            Some(Arc::clone(&entry.version))
        })
    }

    /// The highest classic version whose publication is not in the future.
    fn highest_released(&self, today: NaiveDate) -> Option<Arc<Version>> {
        let released = |entry: &&Entry| entry.line == Line::Classic && entry.released <= today;
        let highest = self.entries.iter().filter(released).map(|entry| &entry.version).max_by(|a, b| {
            // Among the variants of one version the plain one has the shortest text.
            a.numbers().cmp(&b.numbers()).then_with(|| b.as_str().len().cmp(&a.as_str().len()))
        })?;
        Some(if highest.is_minimal() { without_minimal(highest) } else { Arc::clone(highest) })
    }

    /// Whether the data is older than 60 days; the empty catalog has no age.
    #[must_use]
    pub fn is_stale(&self, now: Timestamp) -> bool {
        self.as_of.is_some_and(|as_of| Timestamp::start_of_day(as_of).age(now) > STALE_AFTER)
    }
}

fn without_minimal(version: &Version) -> Arc<Version> {
    Arc::new(if version.is_minimal() { Version::parse(&version.base()) } else { version.clone() })
}

/// The dates of a version that the catalog does not know (`product 5.4`, P12).
fn fallback(version: &Version) -> Option<Support> {
    match version.line() {
        Line::Classic => {
            let (year, month, _) = version.numbers();
            let first = NaiveDate::from_ymd_opt(2000 + i32::try_from(year).ok()?, month, 1)?;
            let last_day = |months: u32| first.checked_add_months(Months::new(months + 1))?.pred_opt();
            Some(Support { eos: last_day(5), eol: last_day(7), released: None, source: Source::Formula })
        }
        Line::Legacy => {
            let end = NaiveDate::from_ymd_opt(2024, 1, 31);
            Some(Support { eos: end, eol: end, released: None, source: Source::LegacyEnd })
        }
        Line::Runner | Line::Custom => None,
    }
}
