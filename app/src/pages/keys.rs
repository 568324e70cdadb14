//! The list of keyboard shortcuts; `?` shows it as a dialog.

use leptos::prelude::*;

use crate::components::frame::frame;
use crate::components::page_title::page_title;
use crate::context::{PageRequest, Shortcuts};
use crate::pages::{Asked, answer};

/// Keys to press one after the other, and what they do.
type Shortcut = (&'static [&'static str], &'static str);

/// What the keys do, by where they work.
const GROUPS: [(&str, &[Shortcut]); 3] = [
    (
        "On every page",
        &[
            (&["g", "d"], "Go to the delegates"),
            (&["g", "t"], "Go to the tokens"),
            (&["g", "a"], "Go to the audit log"),
            (&["?"], "Show this list"),
        ],
    ),
    (
        "On a page with figures",
        &[(&["/"], "Search"), (&["f"], "Filter"), (&["p"], "Pause or resume live updates")],
    ),
    (
        "In the list of delegates",
        &[
            (&["j"], "Next row"),
            (&["k"], "Previous row"),
            (&["Enter"], "Open the row"),
            (&["e"], "Show or hide the instances of the row"),
            (&["x"], "Select the row"),
            (&["."], "Open the menu of the row"),
        ],
    ),
];

/// The page.
#[component]
pub fn KeysPage() -> impl IntoView {
    let asked = Asked::from_context();
    answer(asked, async move { Ok(move |_| view! { <KeysView/> }.into_any()) })
}

/// The page itself; its panel is what the dialog shows.
#[component]
pub fn KeysView() -> impl IntoView {
    let request = use_context::<PageRequest>().unwrap_or_default();
    let state = match request.preferences.keys {
        Shortcuts::On => "Shortcuts are on. The Display menu turns all of them off.",
        Shortcuts::Off => "Shortcuts are off. The Display menu turns them on.",
    };
    let groups: Vec<_> = GROUPS
        .iter()
        .map(|(title, keys)| {
            let rows: Vec<_> = keys.iter().map(|(keys, does)| row(keys, does)).collect();
            view! { <h2>{*title}</h2><dl class="keys">{rows}</dl> }
        })
        .collect();
    let body = view! {
        <section class="panel confirm" aria-labelledby="confirm-title">
            <h1 id="confirm-title">"Keyboard shortcuts"</h1>
            <p class="sub">{state}" They need scripts, and wait while you type, in a menu and in a dialog."</p>
            {groups}
            <p class="buttons"><a class="btn" href="/" data-close>"Close"</a></p>
        </section>
    };
    view! { {page_title("Keyboard shortcuts")}{frame(None, &[], None, body.into_any())} }
}

fn row(keys: &[&'static str], does: &'static str) -> AnyView {
    let keys: Vec<_> = keys
        .iter()
        .enumerate()
        .map(|(at, key)| view! { {(at > 0).then_some(" then ")}<kbd>{*key}</kbd> })
        .collect();
    view! { <div><dt>{keys}</dt><dd>{does}</dd></div> }.into_any()
}
