//! A page in a frame of another site tells that site how high it is, and nobody else.

use std::cell::Cell;

use js_sys::{Array, Object, Reflect};
use leptos::prelude::{document, window};
use wasm_bindgen::JsValue;
use web_sys::{ResizeObserver, Window};

use super::dom;

/// What the message calls itself.
const KIND: &str = "rollcall:height";

thread_local! {
    /// The height that was told last, in whole pixels.
    static TOLD: Cell<i32> = const { Cell::new(0) };
}

/// Whether the page was made for frames.
pub(super) fn framed() -> bool {
    dom::find("[data-embed]").is_some()
}

pub(super) fn start() {
    let Some(sites) = dom::find("[data-embed]").and_then(|page| page.get_attribute("data-embed")) else {
        return;
    };
    let listed: Vec<String> = sites.split_whitespace().map(ToOwned::to_owned).collect();
    let Some(parent) = window().parent().ok().flatten() else { return };
    if parent == window() {
        return;
    }
    // The browser frames the page for listed sites alone. Where it does not say for which, each is addressed by its
    // name, and the browser delivers to that one only.
    let told = match site() {
        Some(site) => listed.into_iter().filter(|listed| *listed == site).collect(),
        None => listed,
    };
    let function = dom::function(move |_| tell(&parent, &told));
    let Ok(observer) = ResizeObserver::new(&function) else { return };
    if let Some(body) = document().body() {
        observer.observe(&body);
    }
}

/// The origin of the page around this one, if the browser tells it.
fn site() -> Option<String> {
    let known = dom::member(&window().location(), "ancestorOrigins")
        .and_then(|around| Reflect::get_u32(&around, 0).ok()?.as_string());
    known.or_else(|| {
        let referrer = document().referrer();
        let (scheme, rest) = referrer.split_once("://")?;
        Some(format!("{scheme}://{}", rest.split('/').next()?))
    })
}

fn tell(parent: &Window, sites: &[String]) {
    let Some(body) = document().body() else { return };
    let height = body.scroll_height();
    if TOLD.replace(height) == height {
        return;
    }
    let message = Object::new();
    let members = [("type", JsValue::from_str(KIND)), ("height", JsValue::from_f64(height.into()))];
    for (name, value) in members {
        let _ = Reflect::set(&message, &JsValue::from_str(name), &value);
    }
    for site in sites {
        let _ = parent.post_message_with_transfer(&message, site, &Array::new());
    }
}
