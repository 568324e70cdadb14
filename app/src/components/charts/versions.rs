//! Bars: connected instances by month or minor release, parted by standing.

use fleet::chart::{Series, Stack, Versions};
use leptos::prelude::*;

use super::{Content, PATTERNS, Stop, count_cell, fills, frame, mark, part, rectangle};
use crate::components::list::Listing;
use crate::components::status;
use crate::words;

/// Where bars begin, and how long the longest is, in percent of the width.
const START: f64 = 22.0;
const LONGEST: f64 = 66.0;
/// Height of the drawing and of one row at most, in pixels.
const HEIGHT: f64 = 112.0;
const ROW: f64 = 28.0;
/// A bar of anything at all can be seen.
const LEAST: f64 = 0.8;

pub(super) fn chart(versions: &Versions, listing: &Listing<'_>) -> AnyView {
    let rows = u32::try_from(versions.rows.len()).unwrap_or(u32::MAX);
    let pitch = (HEIGHT / f64::from(rows.max(1))).min(ROW);
    let most = versions.rows.iter().map(|row| row.stack.total()).max().unwrap_or(0);
    let drawn: Vec<_> = (0..rows)
        .zip(&versions.rows)
        .map(|(number, row)| bar(row, f64::from(number) * pitch, pitch, most, listing))
        .collect();
    let rows = versions.rows.iter().map(|row| {
        let total = row.stack.total();
        view! {
            <tr>
                <th scope="row">{row.label.clone()}</th>
                {count_cell(listing, row.filter.as_ref(), total, &format!("of {}", row.label))}
                <td>{standings(&row.stack)}</td>
            </tr>
        }
        .into_any()
    });
    let empty = versions.rows.is_empty().then(|| view! { <text x="0" y="16">"Nothing is connected"</text> });
    frame(Content {
        key: "versions",
        title: "Versions",
        lead: format!("{} connected", words::number(versions.total)),
        sentence: sentence(versions),
        drawing: view! { <defs inner_html=PATTERNS></defs>{empty}{drawn} }.into_any(),
        columns: &["Version", "Instances", "Of these"],
        rows: rows.collect(),
    })
}

fn bar(row: &Series, y: f64, pitch: f64, most: u64, listing: &Listing<'_>) -> AnyView {
    let thick = (pitch - 4.0).clamp(8.0, 12.0);
    let (top, middle) = (y + (pitch - thick) / 2.0, y + pitch / 2.0 + 4.0);
    let mut x = START;
    let parts: Vec<_> = row
        .stack
        .parts()
        .map(|(standing, count)| {
            let width = (part(count, most) * LONGEST).max(LEAST);
            let (fill, over) = fills(standing);
            let drawn = view! {
                {rectangle(fill, x, top, width, thick)}
                {over.map(|over| rectangle(over, x, top, width, thick))}
            };
            x += width;
            drawn
        })
        .collect();
    let total = row.stack.total();
    let number = words::number(total);
    let drawing = view! {
        {rectangle("hit", 0.0, y, 100.0, pitch)}
        <text x="0" y=format!("{middle:.1}")>{row.label.clone()}</text>
        {parts}
        <text x=format!("{x:.2}%") dx="6" y=format!("{middle:.1}")>{number}</text>
    };
    let instances = words::count(total, "instance", "instances");
    let name = format!("{}: {instances}, {}", row.label, standings(&row.stack));
    mark(listing, row.filter.as_ref(), total, name, Stop::Yes, drawing.into_any())
}

/// `286 supported, 3 unknown`, worst first.
fn standings(stack: &Stack) -> String {
    let parts = stack.parts().filter_map(|(standing, count)| {
        let word = status::standing(standing)?.word.to_lowercase();
        Some(format!("{} {word}", words::number(count)))
    });
    parts.collect::<Vec<_>>().join(", ")
}

fn sentence(versions: &Versions) -> String {
    if versions.rows.is_empty() {
        return "No instance is connected, so none runs a version.".to_owned();
    }
    let parts: Vec<_> = versions
        .rows
        .iter()
        .map(|row| format!("{} has {}", row.label, words::number(row.stack.total())))
        .collect();
    let folded = match versions.folded {
        0 => String::new(),
        folded => format!(" Other stands for {} versions.", words::number(folded as u64)),
    };
    format!("Connected instances by version: {}.{folded}", parts.join(", "))
}
