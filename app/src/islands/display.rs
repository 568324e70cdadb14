//! What the Display menu offers takes effect at once, and are kept by the same form that works without scripts.

use leptos::prelude::{document, window};
use wasm_bindgen::JsCast;
use web_sys::{FormData, HtmlFormElement, HtmlInputElement, RequestInit, RequestRedirect, UrlSearchParams};

use super::{dom, ticker};

pub(super) fn start() {
    dom::on("change", false, |event| {
        let Some(form) = dom::origin(event, "form[data-display]") else { return };
        let Some(choice) = event.target().and_then(|target| target.dyn_into::<HtmlInputElement>().ok())
        else {
            return;
        };
        if let Some(root) = document().document_element() {
            let _ = root.set_attribute(&format!("data-{}", choice.name()), &choice.value());
        }
        ticker::tell_all();
        if let Some(form) = form.dyn_ref::<HtmlFormElement>() {
            keep(form);
        }
    });
}

/// Sends the form without following its way back.
fn keep(form: &HtmlFormElement) {
    let Ok(data) = FormData::new_with_form(form) else { return };
    let Ok(body) = UrlSearchParams::new_with_str_sequence_sequence(&data) else { return };
    let request = RequestInit::new();
    request.set_method("POST");
    request.set_redirect(RequestRedirect::Manual);
    request.set_body_opt_url_search_params(Some(&body));
    let action = form.get_attribute("action").unwrap_or_default();
    // A choice that cannot be kept still holds for this page.
    let _ = window().fetch_with_str_and_init(&action, &request);
}
