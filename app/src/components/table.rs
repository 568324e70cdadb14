//! Tables of facts: tokens, people, keys, lines of the audit log.

use leptos::prelude::*;

use crate::components::time;
use fleet::time::Timestamp;

/// A table with its name, in a scroller of its own, so that a narrow page never scrolls sideways itself.
///
/// An empty word in `columns` is a column of buttons.
#[must_use]
pub fn table(id: &'static str, caption: String, columns: &[&'static str], rows: Vec<AnyView>) -> AnyView {
    let columns: Vec<_> = columns
        .iter()
        .map(|word| match *word {
            "" => view! { <th scope="col"><span class="vh">"Actions"</span></th> }.into_any(),
            word => view! { <th scope="col">{word}</th> }.into_any(),
        })
        .collect();
    view! {
        <div class="tw" tabindex="0" role="region" aria-labelledby=id>
            <table class="data">
                <caption id=id class="vh">{caption}</caption>
                <thead><tr>{columns}</tr></thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
    .into_any()
}

/// A cell with an instant, or the word for none.
#[must_use]
pub fn instant_cell(at: Option<Timestamp>, now: Timestamp, none: &'static str) -> AnyView {
    match at {
        Some(at) => view! { <td class="num nb">{time::instant(at, now)}</td> }.into_any(),
        None => view! { <td class="quiet nb">{none}</td> }.into_any(),
    }
}

/// Said where a table would be empty.
#[must_use]
pub fn nothing(text: String) -> AnyView {
    view! { <p class="hint">{text}</p> }.into_any()
}
