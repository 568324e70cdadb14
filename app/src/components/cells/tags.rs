//! The Tags column: custom tags and the implicit one, all within reach (`product 11.2`).

use fleet::delegate::{GroupFacts, implicit_tag};
use leptos::prelude::*;

use crate::components::popover::explained;

/// How many tags a row shows before the rest moves behind a button.
pub const VISIBLE_TAGS: usize = 2;

/// A tag of at most this many characters is never cut, however long its neighbour is.
const SHORT: usize = 7;

/// One tag; `implicit` ones look quieter.
#[must_use]
pub fn tag(text: &str, implicit: bool) -> AnyView {
    let class = match (implicit, text.chars().count() <= SHORT) {
        (true, true) => "tag implicit short",
        (true, false) => "tag implicit",
        (false, true) => "tag short",
        (false, false) => "tag",
    };
    view! { <span class=class title=text.to_owned()>{text.to_owned()}</span> }.into_any()
}

/// Every tag of a group: custom ones in their order, then the implicit one unless it is among them.
#[must_use]
pub fn all(facts: &GroupFacts) -> Vec<(String, bool)> {
    let implicit = implicit_tag(&facts.name);
    let mut tags: Vec<_> = facts.tags.iter().map(|tag| (tag.to_string(), false)).collect();
    if !facts.tags.iter().any(|tag| **tag == *implicit) {
        tags.push((implicit, true));
    }
    tags
}

/// The cell; `place` is the row's number on the page.
#[must_use]
pub fn tags_cell(facts: &GroupFacts, place: usize) -> AnyView {
    let tags = all(facts);
    let hidden = tags.len().saturating_sub(VISIBLE_TAGS);
    let rest = (hidden > 0).then(|| {
        let listed: Vec<_> = tags
            .iter()
            .map(|(text, implicit)| {
                let kind = implicit.then(|| view! { <span class="sub">" implicit"</span> });
                view! { <li><span class="tag full">{text.clone()}</span>{kind}</li> }
            })
            .collect();
        let body =
            view! { <p class="ph">{format!("Tags of {}", facts.name)}</p><ul>{listed}</ul> }.into_any();
        let name = format!("+{hidden} tags, show all {} of {}", tags.len(), facts.name);
        explained(format!("t{place}"), "more", format!("+{hidden}").into_any(), name, body)
    });
    let shown: Vec<_> = tags.iter().take(VISIBLE_TAGS).map(|(text, implicit)| tag(text, *implicit)).collect();
    view! { <td><div class="tags">{shown}{rest}</div></td> }.into_any()
}
