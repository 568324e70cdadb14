//! Theme, row height, form of times, shortcuts: a plain form, answered with cookies by the server.

use leptos::prelude::*;

use crate::components::icons;
use crate::context::{Density, PageRequest, Shortcuts, Theme, TimeForm, on_or_off};

/// The button and its form. `back` brings the viewer to exactly this view again.
#[must_use]
pub fn display_menu(request: &PageRequest) -> AnyView {
    let chosen = &request.preferences;
    let themes = [(Theme::System, "System"), (Theme::Light, "Light"), (Theme::Dark, "Dark")]
        .map(|(value, word)| (value.as_str(), word, value == chosen.theme));
    let densities = [(Density::Comfortable, "Comfortable"), (Density::Compact, "Compact")]
        .map(|(value, word)| (value.as_str(), word, value == chosen.density));
    let times = [(TimeForm::Relative, "Relative"), (TimeForm::Local, "Local"), (TimeForm::Utc, "UTC")]
        .map(|(value, word)| (value.as_str(), word, value == chosen.time));
    let keys = [(Shortcuts::On, "On"), (Shortcuts::Off, "Off")]
        .map(|(value, word)| (value.as_str(), word, value == chosen.keys));
    let spoken =
        [(true, "On"), (false, "Off")].map(|(on, word)| (on_or_off(on), word, on == chosen.announce));
    view! {
        <button type="button" class="btn icon" popovertarget="display" aria-haspopup="dialog" aria-label="Display">
            {icons::icon(icons::DISPLAY)}
        </button>
        <div popover id="display" class="menu display" role="dialog" aria-label="Display">
            <form method="post" action="/ui/preferences" data-display>
                <input type="hidden" name="back" value=request.uri.clone()/>
                {choices("theme", "Theme", &themes)}
                {choices("density", "Rows", &densities)}
                {choices("time", "Times", &times)}
                <p class="sub noscript">"Relative and local times need scripts; without them, times are in UTC."</p>
                {choices("keys", "Keyboard shortcuts", &keys)}
                <p><a href="/keys" data-dialog>"List of shortcuts"</a></p>
                <div class="js">{choices("announce", "Tell screen readers of changes", &spoken)}</div>
                <button class="btn primary">"Apply"</button>
            </form>
        </div>
    }
    .into_any()
}

/// One set of choices: value, word, whether it is the current one.
fn choices(
    name: &'static str,
    legend: &'static str,
    offered: &[(&'static str, &'static str, bool)],
) -> AnyView {
    let offered: Vec<_> = offered
        .iter()
        .map(|&(value, word, checked)| {
            view! { <label class="radio"><input type="radio" name=name value=value checked=checked/>{word}</label> }
        })
        .collect();
    view! { <fieldset><legend>{legend}</legend>{offered}</fieldset> }.into_any()
}
