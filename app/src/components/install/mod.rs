//! The parts of the page for a new delegate (`product 11.7`).

pub mod files;
pub mod platforms;
pub mod reference;
pub mod settings;
pub mod sizes;
pub mod waiting;

use leptos::prelude::*;

/// One numbered part of the page.
#[must_use]
pub fn part(id: &'static str, number: u8, title: &'static str, body: AnyView) -> AnyView {
    view! {
        <section class="panel part" aria-labelledby=id data-key=id>
            <h2 id=id><span class="no" aria-hidden="true">{number}</span>{title}</h2>
            {body}
        </section>
    }
    .into_any()
}
