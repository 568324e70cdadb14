//! Columns: connected instances by the week in which they reach their anchor.

use fleet::chart::{Expiry, WEEKS, Week};
use fleet::policy::Anchor;
use fleet::time::Timestamp;
use leptos::prelude::*;

use super::{Content, Stop, count_cell, frame, mark, part, rectangle};
use crate::components::list::Listing;
use crate::words;

/// Where columns stand, and the height of the highest, in pixels.
const FLOOR: f64 = 92.0;
const HIGHEST: f64 = 74.0;
const LEAST: f64 = 2.0;
/// Every so many weeks a date is written.
const DATED: u32 = 4;

pub(super) fn chart(expiry: &Expiry, listing: &Listing<'_>) -> AnyView {
    let most = expiry.weeks.iter().map(Week::total).max().unwrap_or(0);
    let weeks = u32::try_from(WEEKS).unwrap_or(u32::MAX);
    let step = 100.0 / f64::from(weeks.max(1));
    let columns: Vec<_> = (0..weeks)
        .zip(&expiry.weeks)
        .map(|(number, week)| column(week, f64::from(number) * step, step, most, listing))
        .collect();
    let dates: Vec<_> = (0..weeks)
        .zip(&expiry.weeks)
        .filter(|(number, _)| number % DATED == 0)
        .map(|(number, week)| {
            let x = format!("{:.2}%", f64::from(number) * step + step * 0.15);
            view! { <text x=x y="108">{short(Timestamp::start_of_day(week.monday))}</text> }
        })
        .collect();
    let rows = expiry.weeks.iter().map(|week| {
        let of = format!("in the week of {}", long(Timestamp::start_of_day(week.monday)));
        view! {
            <tr>
                <th scope="row">{long(Timestamp::start_of_day(week.monday))}</th>
                {count_cell(listing, Some(&week.filter), week.total(), &of)}
                <td class="n">{words::number(week.near)}</td>
            </tr>
        }
        .into_any()
    });
    let axis = view! { <line class="axis" x1="0" x2="100%" y1="92.5" y2="92.5"></line> };
    frame(Content {
        key: "expiry",
        title: "Expiry, next 12 weeks",
        lead: lead(expiry),
        sentence: sentence(expiry, listing.policy.anchor),
        drawing: view! { {columns}{axis}{dates} }.into_any(),
        columns: &["Week of", "Instances", "Near expiry"],
        rows: rows.collect(),
    })
}

fn column(week: &Week, x: f64, step: f64, most: u64, listing: &Listing<'_>) -> Option<AnyView> {
    let total = week.total();
    if total == 0 {
        return None;
    }
    let height = |count: u64| if count == 0 { 0.0 } else { (part(count, most) * HIGHEST).max(LEAST) };
    let (near, rest) = (height(week.near), height(week.rest));
    let (left, width) = (x + step * 0.15, step * 0.7);
    let drawing = view! {
        {rectangle("hit", x, 0.0, step, FLOOR)}
        {(week.rest > 0).then(|| rectangle("f-neutral", left, FLOOR - rest, width, rest))}
        {(week.near > 0).then(|| view! {
            {rectangle("f-warn", left, FLOOR - rest - near, width, near)}
            {rectangle("o-warn", left, FLOOR - rest - near, width, near)}
        })}
        <text class="mid" x=format!("{:.2}%", x + step / 2.0) y=format!("{:.1}", FLOOR - rest - near - 4.0)>
            {words::number(total)}
        </text>
    };
    let verb = if total == 1 { "expires" } else { "expire" };
    let instances = words::count(total, "instance", "instances");
    let near = match week.near {
        0 => String::new(),
        near => format!(", {} near expiry", words::number(near)),
    };
    let name = format!("Week of {}: {instances} {verb}{near}", long(Timestamp::start_of_day(week.monday)));
    Some(mark(listing, Some(&week.filter), total, name, Stop::Yes, drawing.into_any()))
}

fn lead(expiry: &Expiry) -> String {
    match expiry.expired {
        0 => words::number(expiry.total()),
        expired => format!("{} · {} expired already", words::number(expiry.total()), words::number(expired)),
    }
}

fn sentence(expiry: &Expiry, anchor: Anchor) -> String {
    let end = match anchor {
        Anchor::Eos => "end of support",
        Anchor::Eol => "end of life",
    };
    let total = expiry.total();
    let within = format!(
        "{} {} {end} within 12 weeks",
        words::count(total, "connected instance", "connected instances"),
        if total == 1 { "reaches its" } else { "reach their" },
    );
    let first_of_most = expiry.weeks.iter().rev().max_by_key(|week| week.total()).filter(|_| total > 0);
    let most = first_of_most.map_or_else(String::new, |week| {
        format!(
            ", most in the week of {}: {}",
            long(Timestamp::start_of_day(week.monday)),
            words::number(week.total())
        )
    });
    let rest: Vec<_> =
        [(expiry.expired, "expired already"), (expiry.later, "later"), (expiry.undated, "without a date")]
            .into_iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, word)| format!("{} {word}", words::number(count)))
            .collect();
    let rest = if rest.is_empty() { String::new() } else { format!(" Not drawn: {}.", rest.join(", ")) };
    format!("{within}{most}.{rest}")
}

/// `23 Nov`.
fn short(day: Timestamp) -> String {
    day.to_utc().format("%-d %b").to_string()
}

/// `23 Nov 2026`.
fn long(day: Timestamp) -> String {
    day.to_utc().format("%-d %b %Y").to_string()
}
