//! Instants in the form that the viewer chose: every `time` of class `ago` or `at` below an element, in one pass.
//! `ago` is an age, `at` a time of day or date; what has no class stays as the server wrote it.

use std::cell::Cell;

use leptos::prelude::{document, window};
use wasm_bindgen::JsValue;
use web_sys::Element;

use super::{dom, sight};
use crate::words;

/// How instants are shown.
#[derive(Clone, Copy, PartialEq)]
enum Form {
    Relative,
    Local,
    Utc,
}

thread_local! {
    /// On paper an age tells nothing.
    static PRINTING: Cell<bool> = const { Cell::new(false) };
}

/// Writes the instants of pages that never tick.
pub(super) fn start() {
    sight::read();
    tell_all();
    for (kind, printing) in [("beforeprint", true), ("afterprint", false)] {
        dom::listen(&window(), kind, false, move |_| {
            PRINTING.set(printing);
            tell_all();
        });
    }
}

/// Writes every instant of the document.
pub(super) fn tell_all() {
    if let Some(root) = document().document_element() {
        tell(&root);
    }
}

/// Writes the instants as of now; the exact time stays within reach as a title.
pub(super) fn tell(root: &Element) {
    let (now, form) = (sight::now(), chosen());
    dom::each(root, "time.ago, time.at", |time| {
        let Some(at) = time.get_attribute("datetime").and_then(|text| instant(&text)) else { return };
        let relative = form == Form::Relative && time.class_list().contains("ago");
        let ahead = ahead(form, at);
        let exact = words::exact_at(at, ahead);
        if time.get_attribute("title").as_deref() != Some(&*exact) {
            let _ = time.set_attribute("title", &exact);
        }
        let text = match (relative, time.has_attribute("data-s")) {
            (true, true) => words::seconds_ago(now - at),
            (true, false) => words::ago(now - at),
            (false, _) => words::stamp_at(at, now, ahead),
        };
        dom::write(&time, &text);
    });
}

/// The time of day of an instant in the form that the viewer chose; never an age.
pub(super) fn clock(at: i64) -> String {
    words::clock_at(at, ahead(chosen(), at))
}

fn chosen() -> Form {
    let root = document().document_element();
    match root.and_then(|root| root.get_attribute("data-time")).as_deref() {
        Some("local") => Form::Local,
        Some("utc") => Form::Utc,
        _ if PRINTING.get() => Form::Utc,
        _ => Form::Relative,
    }
}

fn instant(text: &str) -> Option<i64> {
    let at = js_sys::Date::parse(text);
    #[expect(clippy::cast_possible_truncation, reason = "dates of this age fit by far")]
    (!at.is_nan()).then_some(at as i64)
}

/// How many minutes the browser's clock is ahead of UTC at an instant; it changes twice a year in many places.
fn ahead(form: Form, at: i64) -> i64 {
    if form != Form::Local {
        return 0;
    }
    #[expect(clippy::cast_precision_loss, reason = "milliseconds of this age are exact")]
    let date = js_sys::Date::new(&JsValue::from_f64(at as f64));
    #[expect(clippy::cast_possible_truncation, reason = "at most a day of minutes")]
    let behind = date.get_timezone_offset() as i64;
    -behind
}
