//! Buttons that copy a text.

use leptos::prelude::window;
use leptos::task::spawn_local;
use wasm_bindgen_futures::JsFuture;
use web_sys::{Element, Event};

use super::dom;

/// How long a button says that it is done, in milliseconds.
const DONE_FOR: i32 = 1_500;

pub(super) fn start() {
    // Only pages from a secure origin may copy.
    if dom::member(&window().navigator(), "clipboard").is_none() {
        dom::mark("data-nocopy", true);
        return;
    }
    dom::on("click", false, clicked);
}

fn clicked(event: &Event) {
    let Some(button) = dom::origin(event, "[data-copy]") else { return };
    let text = button.get_attribute("data-copy").unwrap_or_default();
    spawn_local(async move {
        let copied = JsFuture::from(window().navigator().clipboard().write_text(&text)).await.is_ok();
        dom::say(if copied { "Copied." } else { "The browser did not allow copying." });
        if copied {
            done(button);
        }
    });
}

/// Shows a tick, or the word where the button has words.
fn done(button: Element) {
    let words = button.text_content().filter(|text| !text.is_empty());
    if words.is_some() {
        button.set_text_content(Some("Copied"));
    } else {
        dom::draw(&button, "#i-ok");
    }
    dom::after(DONE_FOR, move || match words {
        Some(words) => button.set_text_content(Some(&words)),
        None => dom::draw(&button, "#i-copy"),
    });
}
