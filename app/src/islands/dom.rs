//! The few things that every part needs of the document.

use leptos::prelude::{document, window};
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::{Closure, JsValue};
use web_sys::{Element, Event, EventTarget, HtmlElement};

/// Calls `handler` for every event of this kind on the whole document, before elements see it if `capture`.
pub(super) fn on(kind: &str, capture: bool, handler: impl Fn(&Event) + 'static) {
    listen(&document(), kind, capture, handler);
}

/// Calls `handler` for every event of this kind on `target`, for as long as the page lives.
pub(super) fn listen(target: &EventTarget, kind: &str, capture: bool, handler: impl Fn(&Event) + 'static) {
    let function = function(handler);
    // It cannot fail: the kind is a plain word and the function exists.
    let _ = target.add_event_listener_with_callback_and_bool(kind, &function, capture);
}

/// A function of the browser that lives as long as the page. It may be called again while it runs.
pub(super) fn function(handler: impl Fn(&Event) + 'static) -> js_sys::Function {
    Closure::<dyn Fn(Event)>::new(move |event| handler(&event)).into_js_value().unchecked_into()
}

/// Calls `action` once, after this many milliseconds.
pub(super) fn after(millis: i32, action: impl FnOnce() + 'static) -> i32 {
    let function: js_sys::Function = Closure::once_into_js(action).unchecked_into();
    window().set_timeout_with_callback_and_timeout_and_arguments_0(&function, millis).unwrap_or_default()
}

/// The first element that matches.
pub(super) fn find(selector: &str) -> Option<Element> {
    document().query_selector(selector).ok().flatten()
}

/// Every element below `root` that matches.
pub(super) fn each(root: &Element, selector: &str, mut action: impl FnMut(Element)) {
    let Ok(list) = root.query_selector_all(selector) else { return };
    for at in 0..list.length() {
        if let Some(element) = list.get(at).and_then(|node| node.dyn_into().ok()) {
            action(element);
        }
    }
}

/// The element that an event started from, or the nearest one around it, that matches.
pub(super) fn origin(event: &Event, selector: &str) -> Option<Element> {
    event.target()?.dyn_into::<Element>().ok()?.closest(selector).ok().flatten()
}

/// Sets or removes an attribute of the document's root; style sheets read the state of the page there.
pub(super) fn mark(attribute: &str, on: bool) {
    if let Some(root) = document().document_element() {
        let _ = root.toggle_attribute_with_force(attribute, on);
    }
}

/// Sets the text of an element if it is another one; an unchanged text must not wake a screen reader.
pub(super) fn write(element: &Element, text: &str) {
    if element.text_content().as_deref() != Some(text) {
        element.set_text_content(Some(text));
    }
}

/// Tells those who listen rather than look.
pub(super) fn say(text: &str) {
    if let Some(element) = find("#say") {
        write(&element, text);
    }
}

/// Takes this text back, unless another one has taken its place.
pub(super) fn unsay(text: &str) {
    if let Some(element) = find("#say").filter(|element| element.text_content().as_deref() == Some(text)) {
        write(&element, "");
    }
}

/// Moves the focus without moving the page.
pub(super) fn focus(element: &Element) {
    if let Some(element) = element.dyn_ref::<HtmlElement>() {
        let options = web_sys::FocusOptions::new();
        options.set_prevent_scroll(true);
        let _ = element.focus_with_options(&options);
    }
}

/// Points the icon inside `element` at another drawing of the sprite.
pub(super) fn draw(element: &Element, icon: &str) {
    if let Ok(Some(usage)) = element.query_selector("use")
        && usage.get_attribute("href").as_deref() != Some(icon)
    {
        let _ = usage.set_attribute("href", icon);
    }
}

/// Milliseconds since the page was opened, by a clock that nobody sets.
pub(super) fn uptime() -> f64 {
    window().performance().map_or(0.0, |performance| performance.now())
}

/// Whether the page is in a tab that nobody sees.
pub(super) fn hidden() -> bool {
    document().hidden()
}

/// A member of a value of the browser.
pub(super) fn member(value: &JsValue, name: &str) -> Option<JsValue> {
    js_sys::Reflect::get(value, &JsValue::from_str(name)).ok().filter(|member| !member.is_undefined())
}
