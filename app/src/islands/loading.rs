//! Fetches a page from the server and puts its live parts in place of those on screen.

use std::cell::Cell;

use leptos::prelude::{document, window};
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;
use web_sys::{Document, DomParser, Element, HtmlElement, Response, SupportedType};

use super::patch::Patch;
use super::{dom, selection, sight, ticker};

thread_local! {
    /// Counts fetches, so that an answer that was overtaken is thrown away.
    static LATEST: Cell<u32> = const { Cell::new(0) };
}

/// How a fetch ended.
pub(super) enum Loaded {
    /// A page; the document has not been touched yet.
    Page(Page),
    /// A later fetch has begun meanwhile.
    Overtaken,
    /// No page came back.
    Failed,
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
    page.map_or(Loaded::Failed, Loaded::Page)
}

async fn fetch(url: &str) -> Option<Page> {
    let response: Response = JsFuture::from(window().fetch_with_str(url)).await.ok()?.dyn_into().ok()?;
    if response.status() >= 500 || response.redirected() {
        return None;
    }
    let text = JsFuture::from(response.text().ok()?).await.ok()?.as_string()?;
    let page = DomParser::new().ok()?.parse_from_string(&text, SupportedType::TextHtml).ok()?;
    page.query_selector("[data-live]").ok()??;
    Some(Page(page))
}

impl Page {
    /// Patches every live part of the document.
    ///
    /// `by_itself`: nobody asked for it, so rows under the pointer keep their order and changes light up.
    pub(super) fn show(&self, by_itself: bool) {
        let Some(root) = document().document_element() else { return };
        let active = document().active_element();
        let hold = by_itself && dom::find("[data-rows]:hover, [data-rows]:focus-within").is_some();
        let patch = Patch { hold, flash: by_itself };
        document().set_title(&self.0.title());
        if let Some(fresh) = self.0.query_selector("[data-as-of]").ok().flatten() {
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
