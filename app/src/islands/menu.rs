//! Keys of menus (`ux 1.4`). Opening, closing and giving the focus back is the browser's own work.

use leptos::prelude::document;
use wasm_bindgen::JsCast;
use web_sys::{Element, Event, HtmlElement, KeyboardEvent};

use super::dom;

pub(super) fn start() {
    dom::on("keydown", false, pressed);
    dom::on("toggle", true, toggled);
}

/// An open menu has the focus on one of its items, the first unless a key chose another.
fn toggled(event: &Event) {
    let opened =
        dom::member(event, "newState").and_then(|state| state.as_string()).as_deref() == Some("open");
    let Some(menu) = dom::origin(event, "[role=menu]").filter(|_| opened) else { return };
    let inside = document().active_element().is_some_and(|active| menu.contains(Some(&active)));
    if let Some(first) = items(&menu).first().filter(|_| !inside) {
        dom::focus(first);
    }
}

fn pressed(event: &Event) {
    let Some(key) = event.dyn_ref::<KeyboardEvent>().map(KeyboardEvent::key) else { return };
    if let Some(menu) = dom::origin(event, "[role=menu]") {
        inside(event, &menu, &key);
    } else if let Some(button) = dom::origin(event, "[aria-haspopup=menu]")
        && matches!(&*key, "ArrowDown" | "ArrowUp")
    {
        event.prevent_default();
        open(&button, key == "ArrowUp");
    }
}

fn open(button: &Element, at_end: bool) {
    let menu = button.get_attribute("popovertarget").and_then(|id| document().get_element_by_id(&id));
    let Some(menu) = menu.and_then(|menu| menu.dyn_into::<HtmlElement>().ok()) else { return };
    // One that a quick Enter has just opened has not got the focus yet; another click would close it.
    let closed = !menu.matches(":popover-open").unwrap_or(false);
    if let Some(button) = button.dyn_ref::<HtmlElement>().filter(|_| closed) {
        button.click();
    }
    let items = items(&menu);
    if let Some(item) = if at_end { items.last() } else { items.first() } {
        dom::focus(item);
    }
}

fn inside(event: &Event, menu: &Element, key: &str) {
    let items = items(menu);
    let active = document().active_element();
    let here =
        items.iter().position(|item| active.as_ref().is_some_and(|active| item.is_same_node(Some(active))));
    let count = items.len();
    let next = match (key, here) {
        ("ArrowDown", Some(at)) => (at + 1) % count.max(1),
        ("ArrowUp", Some(at)) => (at + count - 1) % count.max(1),
        ("ArrowDown" | "Home", _) => 0,
        ("ArrowUp" | "End", _) => count.saturating_sub(1),
        ("Tab", _) => {
            if let Some(menu) = menu.dyn_ref::<HtmlElement>() {
                let _ = menu.hide_popover();
            }
            return;
        }
        _ => return,
    };
    event.prevent_default();
    if let Some(item) = items.get(next) {
        dom::focus(item);
    }
}

fn items(menu: &Element) -> Vec<Element> {
    let mut items = Vec::new();
    dom::each(menu, "[role=menuitem]", |item| items.push(item));
    items
}
