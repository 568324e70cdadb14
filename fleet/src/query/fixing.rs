//! A question inside one that is fixed: what an embed key shows can be narrowed by its address, never widened.

use form_urlencoded::{Serializer, parse};

use super::{Query, QueryError};

/// Names whose values add up by AND, so that more of them only narrow.
const ADDED: [&str; 1] = ["delegateTags"];
/// Names that decide which delegates there are to choose from.
const SIGHT: [&str; 3] = ["all", "usable", "hidden"];

pub(super) fn parse_within(query: &str, fixed: &Query) -> Result<Query, QueryError> {
    let conditions = fixed.conditions().to_url();
    let conditions: Vec<_> = parse(conditions.as_bytes()).collect();
    let is_fixed = |name: &str| {
        SIGHT.contains(&name) || !ADDED.contains(&name) && conditions.iter().any(|(fixed, _)| fixed == name)
    };
    let asked = parse(query.strip_prefix('?').unwrap_or(query).as_bytes());
    let mut within = Serializer::new(String::new());
    // Of a name that is given twice the last one counts: the URL decides on order and size.
    within.extend_pairs(parse(fixed.to_url().as_bytes()).filter(|(name, _)| name != "page"));
    within.extend_pairs(asked.filter(|(name, _)| !is_fixed(name)));
    Query::parse(&within.finish())
}
