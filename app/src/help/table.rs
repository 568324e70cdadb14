//! Tables of words.

use fleet::sizing::SIZE_CLASSES;
use leptos::prelude::*;

use super::words;

/// A table in its own scroller; rows begin with their head. Words between backquotes are code.
#[must_use]
pub fn table<Row, Cell>(id: String, caption: &'static str, heads: &[&'static str], rows: &[Row]) -> AnyView
where
    Row: AsRef<[Cell]>,
    Cell: AsRef<str>,
{
    let label = id.clone();
    let heads: Vec<_> = heads.iter().map(|word| view! { <th scope="col">{*word}</th> }).collect();
    let rows: Vec<_> = rows
        .iter()
        .filter_map(|row| {
            let (head, rest) = row.as_ref().split_first()?;
            let cells: Vec<_> = rest.iter().map(|cell| view! { <td>{words(cell.as_ref())}</td> }).collect();
            Some(view! { <tr><th scope="row">{words(head.as_ref())}</th>{cells}</tr> })
        })
        .collect();
    view! {
        <div class="tw" tabindex="0" role="region" aria-labelledby=label>
            <table class="data words">
                <caption id=id>{caption}</caption>
                <thead><tr>{heads}</tr></thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
    .into_any()
}

/// The size classes (`product 9.3`).
#[must_use]
pub fn sizes(id: String) -> AnyView {
    let rows = SIZE_CLASSES.map(|class| {
        [
            class.name.to_owned(),
            class.memory.to_owned(),
            class.cpu.to_owned(),
            class.replicas.to_string(),
            format!("{} GB", class.total_memory),
            class.total_cpu.to_owned(),
            class.parallel.to_string(),
        ]
    });
    let heads = [
        "Older size",
        "Memory",
        "CPU",
        "Replicas today",
        "Memory of all",
        "CPU of all",
        "Deployments and builds at a time",
    ];
    table(id, "Sizes of delegates", &heads, &rows)
}
