//! One page of a list: filter, count, order, cut. Only the rows of the page are built.

use std::cmp::Ordering;

use super::matching::Matcher;
use super::{Column, Filter, Query, Row, Selection, Sort};
use crate::view::{GroupView, Snapshot};

/// The rows of one page.
#[must_use]
pub fn select(snapshot: &Snapshot, query: &Query) -> Selection {
    let matcher = Matcher::new(&query.filter);
    let mut found = Found::find(snapshot, &query.filter, &matcher);
    let groups = found.groups.len();
    let size = usize::try_from(query.size.max(1)).unwrap_or(usize::MAX);
    let pages = u32::try_from(groups.div_ceil(size).max(1)).unwrap_or(u32::MAX);
    let page = query.page.clamp(1, pages);
    let start = usize::try_from(page - 1).unwrap_or(usize::MAX).saturating_mul(size).min(groups);
    let end = start.saturating_add(size).min(groups);
    order(snapshot, &mut found.groups, query.sort, start, end);
    let rows = rows(snapshot, &matcher, &found.groups[start..end]);
    Selection { rows, groups, instances: found.instances, page, pages }
}

/// Every matching row, for export.
#[must_use]
pub fn select_all(snapshot: &Snapshot, query: &Query) -> Selection {
    let matcher = Matcher::new(&query.filter);
    let mut found = Found::find(snapshot, &query.filter, &matcher);
    let groups = found.groups.len();
    order(snapshot, &mut found.groups, query.sort, 0, groups);
    let rows = rows(snapshot, &matcher, &found.groups);
    Selection { rows, groups, instances: found.instances, page: 1, pages: 1 }
}

/// Places of the matching groups, and the number of their matching instances.
struct Found {
    groups: Vec<u32>,
    instances: usize,
}

impl Found {
    fn find(snapshot: &Snapshot, filter: &Filter, matcher: &Matcher<'_>) -> Self {
        let places = (0_u32..).zip(&snapshot.groups);
        if filter.is_empty() {
            let instances = snapshot.groups.iter().map(|group| group.members.len()).sum();
            return Self { groups: places.map(|(place, _)| place).collect(), instances };
        }
        let mut found = Self { groups: Vec::new(), instances: 0 };
        for (place, group) in places {
            if let Some(count) = matcher.count(group) {
                found.groups.push(place);
                found.instances += count;
            }
        }
        found
    }
}

fn rows(snapshot: &Snapshot, matcher: &Matcher<'_>, groups: &[u32]) -> Vec<Row> {
    let row = |&place: &u32| {
        let group = usize::try_from(place).ok()?;
        Some(Row { group, members: matcher.places(snapshot.groups.get(group)?)? })
    };
    groups.iter().filter_map(row).collect()
}

/// Brings the places between `start` and `end` into the order asked for; the others only to their side of it.
fn order(snapshot: &Snapshot, places: &mut Vec<u32>, sort: Option<Sort>, start: usize, end: usize) {
    let Some(Sort { column, descending }) = sort else {
        return;
    };
    let window = Window { groups: &snapshot.groups, descending, start, end };
    match column {
        Column::Name => window.sort(places, |group| Some(&*group.facts.name)),
        Column::Connectivity => window.sort(places, |group| Some(group.rollup.connectivity)),
        Column::Version => window.sort(places, |group| group.rollup.version.as_deref()),
        Column::Expiry => window.sort(places, |group| group.rollup.expires_at),
        Column::AutoUpgrade => window.sort(places, |group| Some(group.rollup.auto_upgrade.state.rank())),
        Column::LastHeartbeat => window.sort(places, |group| group.rollup.last_heartbeat),
    }
}

struct Window<'a> {
    groups: &'a [GroupView],
    descending: bool,
    start: usize,
    end: usize,
}

impl<'a> Window<'a> {
    fn sort<K: Ord>(&self, places: &mut Vec<u32>, key: impl Fn(&'a GroupView) -> Option<K>) {
        let at = |place: u32| &self.groups[place as usize];
        let mut keyed: Vec<(Option<K>, u32)> = places.iter().map(|&place| (key(at(place)), place)).collect();
        let compare = |a: &(Option<K>, u32), b: &(Option<K>, u32)| {
            self.directed(a.0.as_ref(), b.0.as_ref()).then_with(|| at(a.1).name_order(at(b.1)))
        };
        // The order is total, so that cutting first and sorting the cut gives the rows of a full sort.
        if self.end < keyed.len() {
            keyed.select_nth_unstable_by(self.end, compare);
        }
        if 0 < self.start && self.start < self.end {
            keyed[..self.end].select_nth_unstable_by(self.start, compare);
        }
        keyed[self.start..self.end].sort_unstable_by(compare);
        places.clear();
        places.extend(keyed.into_iter().map(|(_, place)| place));
    }

    /// What a group does not have comes last in both directions.
    fn directed<K: Ord>(&self, a: Option<&K>, b: Option<&K>) -> Ordering {
        match (a, b) {
            (Some(a), Some(b)) if self.descending => b.cmp(a),
            (Some(a), Some(b)) => a.cmp(b),
            _ => a.is_none().cmp(&b.is_none()),
        }
    }
}
