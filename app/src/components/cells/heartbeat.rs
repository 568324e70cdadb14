//! The Last heartbeat column (`product 3.4`).

use fleet::time::Timestamp;
use fleet::view::Member;
use leptos::prelude::*;

use crate::components::{badges, time};
use crate::words;

/// From this difference on, a clock is called wrong (`product 11.2`), in milliseconds.
const SKEW: i64 = 60_000;

/// The cell of a group: the newest heartbeat of its members.
#[must_use]
pub fn group_cell(last: Option<Timestamp>, as_of: Timestamp) -> AnyView {
    view! { <td class="num">{when(last, as_of)}</td> }.into_any()
}

/// The cell of an instance, with a word on its clock if that is far off.
#[must_use]
pub fn instance_cell(member: &Member, as_of: Timestamp) -> AnyView {
    let skew = badges::clock(member).map(|badge| view! { <div class="sub">{badge}</div> });
    view! { <td class="num">{when(member.last_heartbeat, as_of)}{skew}</td> }.into_any()
}

/// `clock 93 s ahead`, `clock 4 min behind`, for a difference of more than 60 s.
#[must_use]
pub fn skew_text(millis: i64) -> Option<String> {
    let size = millis.unsigned_abs();
    let direction = if millis > 0 { "ahead" } else { "behind" };
    let amount = match size / 1_000 {
        seconds @ ..120 => format!("{seconds} s"),
        seconds @ ..7_200 => format!("{} min", seconds / 60),
        seconds => format!("{} h", words::number(seconds / 3_600)),
    };
    (size > SKEW.unsigned_abs()).then(|| format!("clock {amount} {direction}"))
}

fn when(last: Option<Timestamp>, as_of: Timestamp) -> AnyView {
    match last {
        Some(at) => time::age(at, as_of),
        None => view! { <span class="quiet">"-"</span> }.into_any(),
    }
}
