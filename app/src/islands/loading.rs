//! Fetches a page from the server and puts its live parts in place of those on screen.

use std::cell::Cell;

use leptos::prelude::{document, window};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Document, DomParser, Element, HtmlElement, RequestInit, Response, SupportedType};

use super::patch::Patch;
use super::{dom, selection, sight, ticker};
use crate::words::PART;

thread_local! {
    /// Counts fetches, so that an answer that was overtaken is thrown away.
    static LATEST: Cell<u32> = const { Cell::new(0) };
    /// Rows stand where they stood before the last refresh, because somebody pointed at them.
    static HELD: Cell<bool> = const { Cell::new(false) };
}

/// How a fetch ended.
pub(super) enum Loaded {
    /// A page; the document has not been touched yet.
    Page(Page),
    /// A later fetch has begun meanwhile.
    Overtaken,
    /// No page came back.
    Failed,
    /// The session has ended.
    SignedOut,
}

/// A fetched page.
pub(super) struct Page(Document);

/// Fetches the page at `url`.
pub(super) async fn load(url: &str) -> Loaded {
    let turn = LATEST.get().wrapping_add(1);
    LATEST.set(turn);
    let page = fetch(url).await;
    if LATEST.get() != turn {
        return Loaded::Overtaken;
    }
    page.unwrap_or(Loaded::Failed)
}

async fn fetch(url: &str) -> Option<Loaded> {
    let (request, headers) = (RequestInit::new(), js_sys::Object::new());
    // A header that a frame may send from anywhere, too. Pages that have no such form come whole.
    let accept = format!("{PART}, text/html;q=0.9");
    js_sys::Reflect::set(&headers, &JsValue::from_str("accept"), &JsValue::from_str(&accept)).ok()?;
    request.set_headers(&headers);
    let answer = JsFuture::from(window().fetch_with_str_and_init(url, &request)).await.ok()?;
    let response: Response = answer.dyn_into().ok()?;
    if response.redirected() && response.url().contains("/sign-in?") {
        return Some(Loaded::SignedOut);
    }
    if response.status() >= 500 || response.redirected() {
        return None;
    }
    let text = JsFuture::from(response.text().ok()?).await.ok()?.as_string()?;
    let page = DomParser::new().ok()?.parse_from_string(&text, SupportedType::TextHtml).ok()?;
    page.query_selector("[data-live]").ok()??;
    Some(Loaded::Page(Page(page)))
}

impl Page {
    /// Patches every live part of the document.
    ///
    /// `by_itself`: nobody asked for it, so rows under the pointer keep their order and changes light up.
    pub(super) fn show(&self, by_itself: bool) {
        let Some(root) = document().document_element() else { return };
        let active = document().active_element();
        let hold = by_itself && held();
        let patch = Patch { hold, flash: by_itself };
        HELD.set(hold);
        document().set_title(&self.0.title());
        if let Some(fresh) = self.0.query_selector("[data-live=page]").ok().flatten() {
            if let Some(at) = fresh.get_attribute("data-as-of").and_then(|text| text.parse().ok()) {
                sight::heard(at);
                sight::seen(at);
            }
            // Ages are compared as people see them, so that only what changed otherwise is touched.
            ticker::tell(&fresh);
        }
        dom::each(&root, "[data-live]", |old| {
            let selector = format!("[data-live={:?}]", old.get_attribute("data-live").unwrap_or_default());
            if let Ok(Some(new)) = self.0.query_selector(&selector) {
                patch.element(&old, &new);
            }
        });
        if let Some(active) = active {
            refocus(&active);
        }
        selection::tell();
    }
}

/// Whether somebody points at the rows, or works in them by keyboard.
fn held() -> bool {
    dom::find("[data-rows]:hover, [data-rows]:focus-within").is_some()
}

/// Whether rows wait to be put in order, and may be now.
pub(super) fn released() -> bool {
    HELD.get() && !held()
}

/// Gives the focus back to where it was, or to the list if that place is gone.
fn refocus(active: &Element) {
    let body = document().body();
    let is_body =
        |element: &Element| body.as_ref().is_some_and(|body: &HtmlElement| element.is_same_node(Some(body)));
    let lost = document().active_element().is_none_or(|now| is_body(&now));
    if is_body(active) || !lost {
        return;
    }
    if active.is_connected() {
        dom::focus(active);
    } else if let Some(place) = dom::find("[data-list]").or_else(|| dom::find("#main")) {
        dom::focus(&place);
    }
}
