//! Columns: how much of each half hour of the past day instances were connected.

use fleet::chart::{Gap, Heartbeats, SLOTS, Slot};
use fleet::history::SLOT;
use fleet::time::Timestamp;
use leptos::prelude::*;

use super::{Content, Stop, count_cell, frame, mark, rectangle};
use crate::components::list::Listing;
use crate::words;

/// Where columns stand, and the height of a whole half hour, in pixels.
const FLOOR: f64 = 88.0;
const WHOLE: f64 = 80.0;

pub(super) fn chart(day: &Heartbeats, listing: &Listing<'_>) -> AnyView {
    let slots = u32::try_from(SLOTS).unwrap_or(u32::MAX);
    let step = 100.0 / f64::from(slots.max(1));
    let columns: Vec<_> = (0..slots)
        .zip(&day.slots)
        .map(|(number, slot)| column(slot, f64::from(number) * step, step, listing))
        .collect();
    let time = |place: usize| day.slots.get(place).map(|slot| hour(slot.from));
    let rows = day.slots.iter().rev().filter(|slot| slot.expected > 0).map(|slot| {
        let of = format!("not connected at {}", hour(slot.from));
        view! {
            <tr>
                <th scope="row">{stretch(slot.from)}</th>
                <td class="n">{slot.share().map(percent)}</td>
                {count_cell(listing, Some(&slot.filter), slot.silent, &of)}
            </tr>
        }
        .into_any()
    });
    frame(Content {
        key: "heartbeats",
        title: "Heartbeats, 24 h",
        lead: day.share().map_or_else(String::new, percent),
        sentence: sentence(day),
        drawing: view! {
            {columns}
            <text x="0" y="108">{time(0)}</text>
            <text class="mid" x="50%" y="108">{time(SLOTS / 2)}</text>
            <text class="end" x="100%" y="108">"now"</text>
        }
        .into_any(),
        columns: &["Half hour, UTC", "Connected", "Not connected"],
        rows: rows.collect(),
    })
}

fn column(slot: &Slot, x: f64, step: f64, listing: &Listing<'_>) -> AnyView {
    let (left, width) = (x + step * 0.12, step * 0.76);
    let Some(share) = slot.share() else {
        return rectangle("track", left, FLOOR - WHOLE, width, WHOLE);
    };
    let height = WHOLE * f64::from(i32::try_from(share).unwrap_or(0)) / 1_000.0;
    let fill = if slot.is_gap() { "f-danger" } else { "f-ok" };
    // Too little to be seen in the height of a column, and yet not nothing.
    let some = (slot.silent > 0).then(|| rectangle("f-danger", left, FLOOR + 2.0, width, 4.0));
    let drawing = view! {
        {rectangle("hit", x, 0.0, step, FLOOR + 6.0)}
        {rectangle("track", left, FLOOR - WHOLE, width, WHOLE)}
        {rectangle(fill, left, FLOOR - height, width, height)}
        {some}
    };
    let instances = words::count(slot.silent, "instance", "instances");
    let name = format!(
        "{}: {} of expected time connected, {instances} not connected for a time",
        stretch(slot.from),
        percent(share)
    );
    mark(listing, Some(&slot.filter), slot.silent, name, Stop::No, drawing.into_any())
}

/// `98.6 % of expected time connected in the past 24 h, one gap: 14:00 to 15:00 UTC.`
pub(super) fn sentence(day: &Heartbeats) -> String {
    let Some(share) = day.share() else {
        return "Nothing was expected to be connected in the past 24 h.".to_owned();
    };
    let gaps = day.gaps();
    let longest = gaps.iter().rev().max_by_key(|gap| gap.from.age(gap.until));
    let told = match (gaps.len(), longest) {
        (_, None) => "no gap".to_owned(),
        (1, Some(gap)) => format!("one gap: {}", between(gap)),
        (count, Some(gap)) => format!("{count} gaps, the longest: {}", between(gap)),
    };
    format!("{} of expected time connected in the past 24 h, {told}.", percent(share))
}

fn between(gap: &Gap) -> String {
    format!("{} to {}", hour(gap.from), words::clock_minute(gap.until.millis()))
}

/// `14:00 to 14:30`.
fn stretch(from: Timestamp) -> String {
    format!("{} to {}", hour(from), hour(from.plus(SLOT)))
}

/// `14:00`.
fn hour(at: Timestamp) -> String {
    at.to_utc().format("%H:%M").to_string()
}

/// Thousandths as `98.6 %`.
fn percent(share: i64) -> String {
    match (share / 10, share % 10) {
        (whole, 0) => format!("{whole} %"),
        (whole, tenth) => format!("{whole}.{tenth} %"),
    }
}
