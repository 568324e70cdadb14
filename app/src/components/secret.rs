//! A secret that is shown once, right after it was made.

use leptos::prelude::*;

use crate::components::icons;

/// Said of secrets of which a hash alone is kept.
pub const GONE: &str = "It is not shown again, and nobody can look it up later.";

/// The panel with the value; `later` tells where it is found later, `more` what to do with it.
#[must_use]
pub fn secret_once(name: &str, value: &str, later: &'static str, more: AnyView) -> AnyView {
    let value = value.to_owned();
    view! {
        <section class="panel sheet once" tabindex="-1" autofocus aria-labelledby="once">
            <h2 id="once">{icons::icon(icons::OK)}{format!("{name} is ready")}</h2>
            <p>"Copy this value now. "{later}</p>
            <div class="cmd">
                <code id="secret">{value.clone()}</code>
                <button type="button" class="btn js" data-copy=value>"Copy"</button>
            </div>
            {more}
        </section>
    }
    .into_any()
}
