//! Which versions connected instances run, by month or minor release.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::Arc;

use super::Stack;
use crate::query::{Filter, MAX_FILTER_TAGS, NO_VERSION, OWN_VERSION};
use crate::version::{LATEST, Version};
use crate::view::Member;

/// Bars of the chart at most, the one for all others included.
pub const MAX_ROWS: usize = 8;
/// Series that are told apart; agents may report any text.
const MAX_SERIES: usize = 200;
/// What legacy images are called, with a number or without.
const LEGACY: &str = "1.0";

/// Connected instances by series.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Versions {
    /// The largest series, newest first, [`MAX_ROWS`] at most; what has no series stands at the end.
    pub rows: Vec<Series>,
    /// How many series the last row stands for; 0 when every series has its own.
    pub folded: usize,
    /// Connected instances.
    pub total: u64,
}

/// Connected instances of one series.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Series {
    /// `26.10`, `1.0`, `3.1`, `custom`, `not reported`, or `other`.
    pub label: String,
    /// How many.
    pub stack: Stack,
    /// What lists exactly these; none for others of too many series to name.
    pub filter: Option<Filter>,
}

/// Newest first; the last ones have no numbers.
type Rank = (u8, Reverse<(u32, u32)>);

/// One series while it is counted.
struct Found {
    label: String,
    rank: Rank,
    stack: Stack,
    /// What its versions begin with: `3.1` and `v3.1` are one series.
    values: Vec<String>,
}

/// Counts series.
#[derive(Default)]
pub(super) struct Tally {
    places: HashMap<String, usize>,
    /// By allocation: instances mostly share one.
    known: HashMap<*const Version, Option<usize>>,
    unreported: Option<usize>,
    found: Vec<Found>,
    /// Beyond [`MAX_SERIES`].
    nameless: Stack,
}

impl Tally {
    /// Adds a connected instance.
    pub(super) fn add(&mut self, member: &Member) {
        let place = match &member.facts.version {
            None => self.unreported(),
            Some(version) => match self.known.get(&Arc::as_ptr(version)) {
                Some(place) => *place,
                None => self.of(version),
            },
        };
        let standing = member.assessment.standing;
        match place.and_then(|place| self.found.get_mut(place)) {
            Some(found) => found.stack.add(standing),
            None => self.nameless.add(standing),
        }
    }

    fn unreported(&mut self) -> Option<usize> {
        if self.unreported.is_none() {
            self.unreported = self.place("not reported", NO_VERSION, (2, Reverse((0, 0))));
        }
        self.unreported
    }

    fn of(&mut self, version: &Arc<Version>) -> Option<usize> {
        let place = self.of_text(version);
        self.known.insert(Arc::as_ptr(version), place);
        place
    }

    fn of_text(&mut self, version: &Version) -> Option<usize> {
        match version.series() {
            None => self.place(OWN_VERSION, OWN_VERSION, (1, Reverse((0, 0)))),
            Some(LATEST) => self.place(LEGACY, LATEST, numbered(LEGACY)),
            Some(value) => {
                let label = value.strip_prefix('v').unwrap_or(value);
                self.place(label, value, numbered(label))
            }
        }
    }

    /// The place of a series; none when there are too many.
    fn place(&mut self, label: &str, value: &str, rank: Rank) -> Option<usize> {
        let place = match self.places.get(label) {
            Some(place) => *place,
            None if self.found.len() >= MAX_SERIES => return None,
            None => {
                let label = label.to_owned();
                self.places.insert(label.clone(), self.found.len());
                self.found.push(Found { label, rank, stack: Stack::default(), values: Vec::new() });
                self.found.len() - 1
            }
        };
        let found = self.found.get_mut(place)?;
        if !found.values.iter().any(|known| known == value) {
            found.values.push(value.to_owned());
        }
        Some(place)
    }

    pub(super) fn finish(self) -> Versions {
        let Self { mut found, nameless, .. } = self;
        let total = found.iter().map(|series| series.stack.total()).sum::<u64>() + nameless.total();
        found.sort_by(|a, b| (a.rank, &a.label).cmp(&(b.rank, &b.label)));
        let all = nameless.total() == 0 && found.len() <= MAX_ROWS;
        let rest = if all { Vec::new() } else { smaller(&mut found) };
        let folded = rest.len() + usize::from(nameless.total() > 0);
        let mut rows: Vec<Series> = found.into_iter().map(Series::from).collect();
        if folded > 0 {
            rows.push(other(rest, nameless));
        }
        Versions { rows, folded, total }
    }
}

/// Takes all but the largest series out, in their order.
fn smaller(found: &mut Vec<Found>) -> Vec<Found> {
    let mut sizes: Vec<(Reverse<u64>, usize)> =
        found.iter().enumerate().map(|(place, series)| (Reverse(series.stack.total()), place)).collect();
    sizes.sort_unstable();
    let mut large = vec![false; found.len()];
    for (_, place) in sizes.into_iter().take(MAX_ROWS - 1) {
        if let Some(large) = large.get_mut(place) {
            *large = true;
        }
    }
    let mut large = large.into_iter();
    found.extract_if(.., |_| large.next() == Some(false)).collect()
}

fn other(rest: Vec<Found>, nameless: Stack) -> Series {
    let mut stack = nameless;
    let mut values = Vec::new();
    for mut series in rest {
        stack.merge(&series.stack);
        values.append(&mut series.values);
    }
    let named = nameless.total() == 0 && values.len() <= MAX_FILTER_TAGS;
    Series { label: "other".to_owned(), stack, filter: named.then(|| running(values)) }
}

impl From<Found> for Series {
    fn from(found: Found) -> Self {
        let named = found.values.len() <= MAX_FILTER_TAGS;
        Self { label: found.label, stack: found.stack, filter: named.then(|| running(found.values)) }
    }
}

fn running(versions: Vec<String>) -> Filter {
    Filter { versions, ..Filter::default() }
}

fn numbered(label: &str) -> Rank {
    let (first, second) = label.split_once('.').unwrap_or((label, ""));
    let number = |text: &str| text.parse().unwrap_or(0);
    (0, Reverse((number(first), number(second))))
}
