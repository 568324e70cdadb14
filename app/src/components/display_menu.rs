//! Theme and density: a plain form, answered with cookies by the server.

use leptos::prelude::*;

use crate::components::icons;
use crate::context::{Density, PageRequest, Theme};

/// The button and its form. `back` brings the viewer to exactly this view again.
#[must_use]
pub fn display_menu(request: &PageRequest) -> AnyView {
    let theme = request.preferences.theme;
    let density = request.preferences.density;
    let themes: Vec<_> = [(Theme::System, "System"), (Theme::Light, "Light"), (Theme::Dark, "Dark")]
        .into_iter()
        .map(|(value, word)| choice("theme", value.as_str(), word, value == theme))
        .collect();
    let densities: Vec<_> = [(Density::Comfortable, "Comfortable"), (Density::Compact, "Compact")]
        .into_iter()
        .map(|(value, word)| choice("density", value.as_str(), word, value == density))
        .collect();
    view! {
        <button type="button" class="btn icon" popovertarget="display" aria-haspopup="dialog" aria-label="Display">
            {icons::icon(icons::DISPLAY)}
        </button>
        <div popover id="display" class="menu display" role="dialog" aria-label="Display">
            <form method="post" action="/ui/preferences" data-display>
                <input type="hidden" name="back" value=request.uri.clone()/>
                <fieldset><legend>"Theme"</legend>{themes}</fieldset>
                <fieldset><legend>"Rows"</legend>{densities}</fieldset>
                <button class="btn primary">"Apply"</button>
            </form>
        </div>
    }
    .into_any()
}

fn choice(name: &'static str, value: &'static str, word: &'static str, checked: bool) -> AnyView {
    view! { <label class="radio"><input type="radio" name=name value=value checked=checked/>{word}</label> }
        .into_any()
}
