//! Rows that are chosen: how many, and all of the page at once.

use wasm_bindgen::JsCast;
use web_sys::{Element, Event, HtmlInputElement};

use super::dom;

pub(super) fn start() {
    dom::on("change", false, changed);
    // A page that comes back from the history still has its boxes ticked.
    tell();
}

fn changed(event: &Event) {
    if let Some(all) = dom::origin(event, "[data-all]") {
        let on = box_of(&all).is_some_and(HtmlInputElement::checked);
        each(|row| row.set_checked(on));
    } else if dom::origin(event, ".sel").is_none() {
        return;
    }
    tell();
}

/// Brings the count and the box for all in line with the rows.
pub(super) fn tell() {
    let Some(place) = dom::find("#selected") else { return };
    let (mut rows, mut chosen) = (0_u32, 0_u32);
    each(|row| {
        rows += 1;
        chosen += u32::from(row.checked());
    });
    dom::write(&place, &if chosen == 0 { String::new() } else { format!("{chosen} selected") });
    let all = dom::find("[data-all]");
    if let Some(all) = all.as_ref().and_then(box_of) {
        all.set_checked(rows > 0 && chosen == rows);
        all.set_indeterminate(chosen > 0 && chosen < rows);
    }
}

fn each(mut action: impl FnMut(&HtmlInputElement)) {
    let Some(list) = dom::find("[data-list]") else { return };
    dom::each(&list, "td.sel input", |row| {
        if let Some(row) = box_of(&row) {
            action(row);
        }
    });
}

fn box_of(element: &Element) -> Option<&HtmlInputElement> {
    element.dyn_ref()
}
