//! One group, page by page of its instances (`product 6.3`).

use std::cmp::Ordering;

use super::{Column, Query, Row, Selection, Sort};
use crate::view::{GroupView, Member};

/// One page of the matching instances of one group: at most one row, whose members are the page.
///
/// `groups` is 1 while the group matches, `pages` counts pages of instances.
#[must_use]
pub fn select_members(group: &GroupView, query: &Query) -> Selection {
    let matching = query.filter.matches(group);
    let groups = usize::from(matching.is_some());
    let mut matching = matching.unwrap_or_default();
    if let Some(sort) = query.sort {
        order(group, &mut matching, sort);
    }
    let size = query.size.max(1) as usize;
    let pages = matching.len().div_ceil(size).max(1);
    let page = (query.page.max(1) as usize).min(pages);
    let members: Vec<u32> = matching.iter().skip((page - 1) * size).take(size).copied().collect();
    Selection {
        rows: if groups == 1 { vec![Row { group: 0, members }] } else { Vec::new() },
        groups,
        instances: matching.len(),
        page: u32::try_from(page).unwrap_or(u32::MAX),
        pages: u32::try_from(pages).unwrap_or(u32::MAX),
    }
}

/// Orders places of members. What a member does not have comes last in both directions; the order by name decides
/// between equal ones, and is all there is to a column that instances do not have.
fn order(group: &GroupView, places: &mut [u32], sort: Sort) {
    let at = |place: &u32| usize::try_from(*place).ok().and_then(|place| group.members.get(place));
    places.sort_by(|a, b| match (at(a), at(b)) {
        (Some(one), Some(other)) => compare(one, other, sort).then(a.cmp(b)),
        _ => a.cmp(b),
    });
}

fn compare(one: &Member, other: &Member, sort: Sort) -> Ordering {
    fn directed<K: Ord>(a: Option<K>, b: Option<K>, descending: bool) -> Ordering {
        match (a, b) {
            (Some(a), Some(b)) if descending => b.cmp(&a),
            (Some(a), Some(b)) => a.cmp(&b),
            (a, b) => a.is_none().cmp(&b.is_none()),
        }
    }
    let down = sort.descending;
    match sort.column {
        Column::Name | Column::AutoUpgrade => {
            directed(Some(&one.facts.host_name), Some(&other.facts.host_name), down)
        }
        Column::Connectivity => {
            let silent = |member: &Member| Some(!member.assessment.connectivity.is_connected());
            directed(silent(one), silent(other), down)
        }
        Column::Version => directed(one.facts.version.as_deref(), other.facts.version.as_deref(), down),
        Column::Expiry => {
            directed(one.assessment.verdict.expires_at, other.assessment.verdict.expires_at, down)
        }
        Column::LastHeartbeat => directed(one.last_heartbeat, other.last_heartbeat, down),
    }
}
