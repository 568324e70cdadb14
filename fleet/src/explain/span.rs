//! Lengths of time in words.

use crate::time::{DAY, HOUR, MINUTE, SECOND};

/// A threshold in its largest whole unit, such as `300 s`, `90 minutes`, `6 hours`, `28 days`.
#[must_use]
pub fn span(millis: i64) -> String {
    let whole = |unit: i64, least: i64| millis >= least * unit && millis % unit == 0;
    if whole(DAY, 2) {
        format!("{} days", millis / DAY)
    } else if whole(HOUR, 2) {
        format!("{} hours", millis / HOUR)
    } else if whole(MINUTE, 10) {
        format!("{} minutes", millis / MINUTE)
    } else {
        seconds(millis)
    }
}

/// An age beside the threshold that it was compared with: so exact that the two are told apart.
#[must_use]
pub fn age(millis: i64, threshold: i64) -> String {
    let millis = millis.max(0);
    let close = (millis - threshold).abs() < 2 * SECOND;
    match millis {
        _ if close => seconds(millis),
        ..600_000 => format!("{} s", millis / SECOND),
        600_000..7_200_000 => format!("{} min", millis / MINUTE),
        7_200_000..172_800_000 => format!("{} h {} min", millis / HOUR, millis / MINUTE % 60),
        _ => format!("{} days", millis / DAY),
    }
}

/// Exact, without a fraction where there is none.
fn seconds(millis: i64) -> String {
    match millis % SECOND {
        0 => format!("{} s", millis / SECOND),
        rest => format!("{}.{rest:03} s", millis / SECOND),
    }
}
