//! Links and the search form inside a page work without loading the whole document again.

use std::cell::Cell;

use leptos::prelude::window;
use leptos::task::spawn_local;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{
    Element, Event, FormData, HtmlElement, HtmlFormElement, KeyboardEvent, MouseEvent, UrlSearchParams,
};

use super::loading::{Loaded, load};
use super::{dom, live};

/// How long to wait for the next key before searching, in milliseconds.
const TYPING: i32 = 250;

thread_local! {
    static PENDING_SEARCH: Cell<i32> = const { Cell::new(0) };
    static VISITING: Cell<bool> = const { Cell::new(false) };
}

/// What a visit leaves in the history of the tab.
#[derive(Clone, Copy, PartialEq)]
enum History {
    Push,
    Replace,
    Keep,
}

pub(super) fn start() {
    dom::on("click", false, clicked);
    dom::on("keydown", false, pressed);
    dom::on("submit", false, submitted);
    dom::on("input", false, typed);
    dom::on("animationend", false, |event| {
        if let Some(cell) = dom::origin(event, ".flash") {
            let _ = cell.class_list().remove_1("flash");
        }
    });
    if let Some(done) = dom::find("#done p").and_then(|done| done.text_content()) {
        // Not in the same breath as the page itself, or it is not heard.
        dom::after(500, move || dom::say(&done));
    }
    dom::listen(&window(), "popstate", false, |_| {
        if let Ok(url) = window().location().href() {
            visit(url, History::Keep, false);
        }
    });
}

fn clicked(event: &Event) {
    let Some(mouse) = event.dyn_ref::<MouseEvent>() else { return };
    let plain = mouse.button() == 0
        && !mouse.ctrl_key()
        && !mouse.meta_key()
        && !mouse.shift_key()
        && !mouse.alt_key();
    if !plain || event.default_prevented() {
        return;
    }
    if let Some(link) = dom::origin(event, "main a[data-nav]") {
        event.prevent_default();
        leave_menu(&link);
        let top = link.get_attribute("data-nav").as_deref() == Some("top");
        visit(link.get_attribute("href").unwrap_or_default(), History::Push, top);
    } else if dom::origin(event, "a, button, input, label, [popover], .inst").is_none() {
        open_row(event);
    }
}

/// A link of a menu closes it, as a page of its own would.
fn leave_menu(link: &Element) {
    let menu = link.closest("[popover]").ok().flatten().and_then(|menu| menu.dyn_into::<HtmlElement>().ok());
    if let Some(menu) = menu {
        let _ = menu.hide_popover();
    }
}

/// Goes to a page of this server as if a link to it had been pressed.
pub(super) fn go(url: String) {
    visit(url, History::Push, false);
}

/// A click on a row leads to its details, unless somebody selects text there.
fn open_row(event: &Event) {
    let selecting =
        window().get_selection().ok().flatten().is_some_and(|selection| !selection.is_collapsed());
    let link = dom::origin(event, "tr.g").and_then(|row| row.query_selector("a.nm").ok().flatten());
    if let Some(link) = link.filter(|_| !selecting).and_then(|link| link.dyn_into::<HtmlElement>().ok()) {
        link.click();
    }
}

/// A link that looks like a button also listens to the space bar.
fn pressed(event: &Event) {
    let space = event.dyn_ref::<KeyboardEvent>().is_some_and(|key| key.key() == " ");
    if let Some(link) = dom::origin(event, "a[role=button]").filter(|_| space) {
        event.prevent_default();
        if let Some(link) = link.dyn_ref::<HtmlElement>() {
            link.click();
        }
    }
}

fn submitted(event: &Event) {
    if let Some(form) = dom::origin(event, "form[data-search]") {
        event.prevent_default();
        search(&form, History::Push);
    }
}

fn typed(event: &Event) {
    if let Some(form) = dom::origin(event, "form[data-search]") {
        window().clear_timeout_with_handle(PENDING_SEARCH.get());
        PENDING_SEARCH.set(dom::after(TYPING, move || search(&form, History::Replace)));
    }
}

fn search(form: &Element, history: History) {
    window().clear_timeout_with_handle(PENDING_SEARCH.get());
    if let Some(url) = form.dyn_ref::<HtmlFormElement>().and_then(address) {
        visit(url, history, false);
    }
}

/// The address that the form would open; an empty search is left out.
fn address(form: &HtmlFormElement) -> Option<String> {
    let data = FormData::new_with_form(form).ok()?;
    let parameters = UrlSearchParams::new_with_str_sequence_sequence(&data).ok()?;
    if parameters.get("search").is_some_and(|text| text.trim().is_empty()) {
        parameters.delete("search");
    }
    let path = form.get_attribute("action")?;
    let query = String::from(parameters.to_string());
    Some(if query.is_empty() { path } else { format!("{path}?{query}") })
}

/// Shows the page at `url`; the ordinary way takes over if anything goes wrong.
fn visit(url: String, history: History, top: bool) {
    busy(true);
    spawn_local(async move {
        let loaded = load(&url).await;
        match loaded {
            Loaded::Overtaken => return,
            // The server leads to the sign-in page, and from there to what was asked for.
            Loaded::Failed | Loaded::SignedOut => {
                let _ = window().location().set_href(&url);
                return;
            }
            Loaded::Page(page) => {
                remember(&url, history);
                page.show(false);
            }
        }
        busy(false);
        if let Some(done) = dom::find("#done") {
            done.set_inner_html("");
        }
        live::refreshed();
        keep_way_back();
        if let Some(list) = dom::find("[data-list]").filter(|_| top) {
            list.scroll_into_view();
        }
    });
}

/// Whether somebody waits for a page that they asked for.
pub(super) fn visiting() -> bool {
    VISITING.get()
}

fn busy(busy: bool) {
    VISITING.set(busy);
    dom::mark("data-busy", busy);
}

fn remember(url: &str, history: History) {
    let Ok(entries) = window().history() else { return };
    let here = window().location();
    let current = format!("{}{}", here.pathname().unwrap_or_default(), here.search().unwrap_or_default());
    let _ = match history {
        History::Push if current != url => entries.push_state_with_url(&JsValue::NULL, "", Some(url)),
        History::Keep => Ok(()),
        History::Push | History::Replace => entries.replace_state_with_url(&JsValue::NULL, "", Some(url)),
    };
}

/// The form of the display menu leads back to the view that is on screen now.
fn keep_way_back() {
    let here = window().location();
    if let (Some(field), Ok(path), Ok(query)) =
        (dom::find("#display [name=back]"), here.pathname(), here.search())
    {
        let _ = field.set_attribute("value", &format!("{path}{query}"));
    }
}
