//! The filter box of the scope switcher.

use leptos::prelude::document;
use wasm_bindgen::JsCast;
use web_sys::HtmlInputElement;

use super::dom;

pub(super) fn start() {
    dom::on("input", false, |event| {
        let Some(field) = dom::origin(event, "[data-filter]") else { return };
        let wanted =
            field.dyn_ref::<HtmlInputElement>().map(|field| field.value().to_lowercase()).unwrap_or_default();
        let list = field.get_attribute("data-filter").and_then(|id| document().get_element_by_id(&id));
        let Some(list) = list else { return };
        dom::each(&list, "li", |entry| {
            let matches = entry.text_content().is_some_and(|text| text.to_lowercase().contains(&wanted));
            let _ = entry.toggle_attribute_with_force("hidden", !matches);
        });
    });
}
