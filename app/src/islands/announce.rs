//! Tells those who asked for it, by voice, how many delegates changed: all changes of half a minute in one sentence.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;

use leptos::prelude::document;
use web_sys::Element;

use super::dom;
use crate::words;

/// The shortest time between two sentences, in milliseconds.
const PAUSE: f64 = 30_000.0;
/// How long a sentence stays, so that the same one can be said again.
const STAYS: f64 = 5_000.0;

thread_local! {
    /// Keys of the rows that changed since the last sentence.
    static CHANGED: RefCell<BTreeSet<String>> = const { RefCell::new(BTreeSet::new()) };
    static SAID: RefCell<String> = const { RefCell::new(String::new()) };
    /// Uptime of the page at the last sentence.
    static SAID_AT: Cell<Option<f64>> = const { Cell::new(None) };
}

/// Something in this part of the page changed by itself. An age that goes on is no change.
pub(super) fn note(part: &Element) {
    let aged = part.closest("time").ok().flatten().is_some();
    let row = part.closest("[data-rows] > tr").ok().flatten().filter(|_| !aged && wanted());
    // The instances of a group stand in a row after its own.
    let row = row.and_then(|row| {
        if row.class_list().contains("inst") { row.previous_element_sibling() } else { Some(row) }
    });
    if let Some(group) = row.and_then(|row| row.get_attribute("data-key")) {
        CHANGED.with_borrow_mut(|changed| changed.insert(group));
    }
}

/// Says what is due.
pub(super) fn beat() {
    let silent = SAID_AT.get().map_or(f64::MAX, |at| dom::uptime() - at);
    if (STAYS..PAUSE).contains(&silent) {
        SAID.with_borrow(|said| dom::unsay(said));
    }
    let changed = CHANGED.with_borrow(BTreeSet::len) as u64;
    if silent >= PAUSE && changed > 0 {
        CHANGED.take();
        // Somebody may have had enough meanwhile.
        if !wanted() {
            return;
        }
        let said = format!("{} changed.", words::count(changed, "delegate", "delegates"));
        dom::say(&said);
        SAID.set(said);
        SAID_AT.set(Some(dom::uptime()));
    }
}

fn wanted() -> bool {
    let root = document().document_element();
    root.and_then(|root| root.get_attribute("data-announce")).as_deref() == Some("on")
}
