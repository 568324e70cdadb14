//! A secret that is shown once, right after it was made.

use leptos::prelude::*;

use crate::components::icons;

/// The panel with the value; `more` says what to do with it.
#[must_use]
pub fn secret_once(name: &str, value: &str, more: AnyView) -> AnyView {
    let value = value.to_owned();
    view! {
        <section class="panel sheet once" tabindex="-1" autofocus aria-labelledby="once">
            <h2 id="once">{icons::icon(icons::OK)}{format!("{name} is ready")}</h2>
            <p>"Copy this value now. It is not shown again, and nobody can look it up later."</p>
            <div class="cmd">
                <code id="secret">{value.clone()}</code>
                <button type="button" class="btn js" data-copy=value>"Copy"</button>
            </div>
            {more}
        </section>
    }
    .into_any()
}
