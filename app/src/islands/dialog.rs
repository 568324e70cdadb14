//! Confirmations and the filter page as dialogs: the page behind a link of class `data-dialog` is fetched, and its `.confirm` is shown
//! above the page on screen. Whatever goes wrong, the browser goes to that page in the ordinary way.

use std::cell::RefCell;

use leptos::prelude::{document, window};
use leptos::task::spawn_local;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    DomParser, Element, Event, EventTarget, FormData, HtmlDialogElement, HtmlFormElement, MouseEvent,
    RequestInit, Response, SupportedType, UrlSearchParams,
};

use super::{dom, navigation};

thread_local! {
    /// What the dialog was opened from, and gets the focus back.
    static OPENER: RefCell<Option<Element>> = const { RefCell::new(None) };
}

pub(super) fn start() {
    dom::on("click", false, clicked);
    dom::on("submit", false, submitted);
}

fn clicked(event: &Event) {
    let Some(mouse) = event.dyn_ref::<MouseEvent>() else { return };
    let plain = mouse.button() == 0
        && !(mouse.ctrl_key() || mouse.meta_key() || mouse.shift_key() || mouse.alt_key())
        && !event.default_prevented();
    if !plain {
        return;
    }
    if let Some(link) = dom::origin(event, "a[data-dialog]") {
        event.prevent_default();
        let url = link.get_attribute("href").unwrap_or_default();
        // A menu closes when the dialog opens, so the focus goes back to the button of the menu.
        let menu = link.closest("[popover]").ok().flatten();
        let button = menu.and_then(|menu| dom::find(&format!("[popovertarget={:?}]", menu.id())));
        open(&url, Some(button.unwrap_or(link)));
    } else if dom::origin(event, ".dialog [data-close]").is_some() {
        event.prevent_default();
        close();
    } else if let Some(link) = dom::origin(event, ".dialog a[data-nav]") {
        event.prevent_default();
        close();
        navigation::go(link.get_attribute("href").unwrap_or_default());
    } else if let Some(dialog) = dom::origin(event, ".dialog")
        && event.target().is_some_and(|target| *AsRef::<EventTarget>::as_ref(&dialog) == target)
    {
        // The panel fills the dialog, so that what hits the dialog itself hit the backdrop.
        close();
    }
}

/// Shows the confirmation of the page at `url`; `opener` gets the focus back.
pub(super) fn open(url: &str, opener: Option<Element>) {
    let url = url.to_owned();
    OPENER.set(opener);
    spawn_local(async move {
        let shown = async {
            let response = JsFuture::from(window().fetch_with_str(&url)).await.ok()?;
            let panel = panel(response.dyn_into().ok()?).await?;
            show(&panel)
        };
        if shown.await.is_none() {
            let _ = window().location().set_href(&url);
        }
    });
}

/// The confirmation of an answered page.
async fn panel(response: Response) -> Option<Element> {
    if response.redirected() {
        return None;
    }
    let text = JsFuture::from(response.text().ok()?).await.ok()?.as_string()?;
    let page = DomParser::new().ok()?.parse_from_string(&text, SupportedType::TextHtml).ok()?;
    page.query_selector("main .confirm").ok()?
}

/// Shows a confirmation, in place of another one if that is open.
fn show(panel: &Element) -> Option<()> {
    let dialog: HtmlDialogElement = match dom::find(".dialog") {
        Some(dialog) => dialog.dyn_into().ok()?,
        None => create()?,
    };
    let panel = document().import_node_with_deep(panel, true).ok()?;
    dialog.set_inner_html("");
    dialog.append_child(&panel).ok()?;
    if !dialog.open() {
        dialog.show_modal().ok()?;
    }
    let found = |selector| dialog.query_selector(selector).ok().flatten();
    // What is there to be read begins with its title; what asks, with its field.
    let first = found("[data-first]").or_else(|| found("[aria-invalid], input:not([type=hidden]), a"));
    if let Some(first) = first {
        dom::focus(&first);
    }
    Some(())
}

fn create() -> Option<HtmlDialogElement> {
    let dialog: HtmlDialogElement = document().create_element("dialog").ok()?.dyn_into().ok()?;
    dialog.set_class_name("dialog");
    dialog.set_attribute("aria-labelledby", "confirm-title").ok()?;
    document().body()?.append_child(&dialog).ok()?;
    dom::listen(&dialog, "close", false, |_| {
        if let Some(dialog) = dom::find(".dialog") {
            dialog.remove();
        }
        let opener = OPENER.take().filter(|opener| opener.is_connected());
        if let Some(place) = opener.or_else(|| dom::find("[data-list]")).or_else(|| dom::find("#main")) {
            dom::focus(&place);
        }
    });
    Some(dialog)
}

fn close() {
    if let Some(Ok(dialog)) = dom::find(".dialog").map(JsCast::dyn_into::<HtmlDialogElement>) {
        dialog.close();
    }
}

fn submitted(event: &Event) {
    let Some(form) = dom::origin(event, ".dialog form") else { return };
    let Ok(form) = form.dyn_into::<HtmlFormElement>() else { return };
    let Ok(data) = FormData::new_with_form(&form) else { return };
    let Ok(body) = UrlSearchParams::new_with_str_sequence_sequence(&data) else { return };
    event.prevent_default();
    // A second press while the first is on its way would find nothing left to delete.
    if form.has_attribute("data-sent") {
        return;
    }
    let _ = form.set_attribute("data-sent", "");
    spawn_local(async move {
        let asks = form.method() == "get";
        let done = if asks { led_on(&form, &body).await } else { answered(&form, &body).await };
        if done.is_none() {
            // No confirmation came back: sent in the ordinary way, the answer is a page that says why.
            let _ = form.submit();
        }
    });
}

/// Sends a form that changes nothing: the page that it leads to is shown in place, what is wrong in the dialog.
async fn led_on(form: &HtmlFormElement, body: &UrlSearchParams) -> Option<()> {
    let url = format!("{}?{}", form.get_attribute("action")?, String::from(body.to_string()));
    let response: Response = JsFuture::from(window().fetch_with_str(&url)).await.ok()?.dyn_into().ok()?;
    if !response.redirected() {
        return show(&panel(response).await?);
    }
    let origin = window().location().origin().ok()?;
    let to = response.url().strip_prefix(&*origin)?.to_owned();
    close();
    navigation::go(to);
    Some(())
}

/// Sends the form: a way on is followed, a confirmation with what is wrong takes the place of the one shown.
async fn answered(form: &HtmlFormElement, body: &UrlSearchParams) -> Option<()> {
    let request = RequestInit::new();
    request.set_method("POST");
    request.set_body_opt_url_search_params(Some(body));
    let action = form.get_attribute("action")?;
    let answer = JsFuture::from(window().fetch_with_str_and_init(&action, &request)).await.ok()?;
    let response: Response = answer.dyn_into().ok()?;
    if response.redirected() {
        return window().location().set_href(&response.url()).ok();
    }
    show(&panel(response).await?)
}
