//! One group, page by page of its instances (`product 6.3`).

use super::{Query, Row, Selection};
use crate::view::GroupView;

/// One page of the matching instances of one group: at most one row, whose members are the page.
///
/// `groups` is 1 while the group matches, `pages` counts pages of instances.
#[must_use]
pub fn select_members(group: &GroupView, query: &Query) -> Selection {
    let matching = query.filter.matches(group);
    let groups = usize::from(matching.is_some());
    let matching = matching.unwrap_or_default();
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
