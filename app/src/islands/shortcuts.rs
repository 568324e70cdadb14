//! Single keys that press what is on the page. They wait while somebody types, in menus and in dialogs, and never act
//! in a frame; one switch of the Display menu turns them off (WCAG 2.1.4).
//!
//! A key looks for the element that names it with `data-press`, so that a page brings its own. Rows are those of the
//! list of delegates: the row with the focus is the one that the keys act on.

use std::cell::Cell;

use leptos::prelude::{document, window};
use wasm_bindgen::JsCast;
use web_sys::{Element, Event, HtmlElement, HtmlInputElement, KeyboardEvent};

use super::{dialog, dom};

/// How long `g` waits for its second key, in milliseconds.
const PREFIX_LASTS: f64 = 1_500.0;

thread_local! {
    /// Uptime of the page at which `g` was pressed.
    static PREFIX_AT: Cell<Option<f64>> = const { Cell::new(None) };
}

pub(super) fn start() {
    if !framed() {
        dom::on("keydown", false, pressed);
    }
}

/// In a frame the keys belong to the page around it.
fn framed() -> bool {
    window().top().ok().flatten().is_none_or(|top| !js_sys::Object::is(&top, &window()))
}

fn pressed(event: &Event) {
    let Some(key) = event.dyn_ref::<KeyboardEvent>() else { return };
    let plain = !(key.ctrl_key() || key.meta_key() || key.alt_key() || key.is_composing());
    if !plain || event.default_prevented() || off() || busy(event) {
        PREFIX_AT.set(None);
        return;
    }
    let second = PREFIX_AT.take().is_some_and(|at| dom::uptime() - at < PREFIX_LASTS);
    let key = key.key();
    let done = if second { press(&format!("g{key}")) } else { act(&key) };
    if done {
        event.prevent_default();
    }
}

fn off() -> bool {
    let root = document().document_element();
    root.and_then(|root| root.get_attribute("data-keys")).as_deref() == Some("off")
}

/// Whether the key is meant for something else: a field, or what lies above the page.
fn busy(event: &Event) -> bool {
    dom::origin(event, "input:not([type=checkbox]), textarea, select, [contenteditable], dialog, [popover]")
        .is_some()
        || dom::find("dialog[open], :popover-open").is_some()
}

/// Does what a key stands for; says whether there was anything to do.
fn act(key: &str) -> bool {
    match key {
        "g" => {
            PREFIX_AT.set(Some(dom::uptime()));
            true
        }
        "?" => {
            dialog::open("/keys", document().active_element());
            true
        }
        "j" => step(true),
        "k" => step(false),
        "x" => in_row("td.sel input"),
        "e" => in_row("a.xp"),
        "." => in_row("td.act button[popovertarget]"),
        "/" | "f" | "p" => press(key),
        _ => false,
    }
}

/// Presses what names the key; a field gets the focus instead.
fn press(keys: &str) -> bool {
    let Some(found) = dom::find(&format!("[data-press={keys:?}]")) else { return false };
    let Some(element) = found.dyn_ref::<HtmlElement>() else { return false };
    if let Some(field) = found.dyn_ref::<HtmlInputElement>() {
        let _ = field.focus();
        field.select();
    } else {
        element.click();
    }
    true
}

/// Moves the focus to the name in the next row, or the one before; from elsewhere to the first.
fn step(forward: bool) -> bool {
    let rows = rows();
    let here = row().and_then(|row| rows.iter().position(|other| other.is_same_node(Some(&row))));
    let next = match here {
        None => 0,
        Some(at) if forward => (at + 1).min(rows.len().saturating_sub(1)),
        Some(at) => at.saturating_sub(1),
    };
    let Some(link) = rows.get(next).and_then(|row| row.query_selector("a.nm").ok().flatten()) else {
        return false;
    };
    // With scrolling, so that the row comes into view below the head that sticks.
    link.dyn_ref::<HtmlElement>().is_some_and(|link| link.focus().is_ok())
}

/// Presses something in the row with the focus.
fn in_row(selector: &str) -> bool {
    let found = row().and_then(|row| row.query_selector(selector).ok().flatten());
    let Some(element) = found.and_then(|found| found.dyn_into::<HtmlElement>().ok()) else { return false };
    element.click();
    true
}

fn rows() -> Vec<Element> {
    let mut rows = Vec::new();
    if let Some(list) = dom::find("[data-rows]") {
        dom::each(&list, "tr.g", |row| rows.push(row));
    }
    rows
}

/// The row with the focus; a row of instances belongs to the one above.
fn row() -> Option<Element> {
    let row = document().active_element()?.closest("[data-rows] > tr").ok().flatten()?;
    if row.matches("tr.g").unwrap_or(false) { Some(row) } else { row.previous_element_sibling() }
}
