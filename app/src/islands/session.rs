//! The end of the session: a notice five minutes before, and a way back to exactly this view after it (WCAG 2.2.1).
//!
//! The server writes on the page when the session ends if nothing more is asked for, and when it ends whatever happens.
//! An open stream counts as asking.

use std::cell::Cell;

use leptos::prelude::window;
use leptos::task::spawn_local;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::Closure;
use wasm_bindgen_futures::JsFuture;
use web_sys::{Element, Response};

use super::{dom, feed, live, sight, ticker};

/// How long before the end people are told, in milliseconds.
const TOLD_BEFORE: i64 = 5 * 60_000;
/// How often the time is looked at, in milliseconds.
const LOOK_EVERY: i32 = 5_000;
/// Where the server tells when the session ends; asking renews it.
const ASK: &str = "/me/session";

/// What the notice says.
#[derive(Clone, Copy, PartialEq)]
enum Notice {
    None,
    /// It ends soon, but not if something is asked for.
    Renewable,
    /// It ends soon, whatever happens.
    Final,
    Ended,
}

thread_local! {
    static SHOWN: Cell<Notice> = const { Cell::new(Notice::None) };
    static ASKING: Cell<bool> = const { Cell::new(false) };
}

pub(super) fn start() {
    if instant("data-session-end").is_none() {
        return;
    }
    dom::on("click", false, |event| {
        if dom::origin(event, "[data-renew]").is_some() {
            ask();
        }
    });
    dom::on("visibilitychange", false, |_| {
        if !dom::hidden() && SHOWN.get() != Notice::None {
            ask();
        }
    });
    let function = Closure::<dyn Fn()>::new(look).into_js_value();
    let _ =
        window().set_interval_with_callback_and_timeout_and_arguments_0(function.unchecked_ref(), LOOK_EVERY);
    look();
}

/// Whether the session is known to have ended.
pub(super) fn has_ended() -> bool {
    SHOWN.get() == Notice::Ended
}

/// A page of this session was answered with the way to the sign-in page.
pub(super) fn ended() {
    show(Notice::Ended, 0);
}

/// Asks the server whether the session still counts; nothing happens if the server cannot be reached.
pub(super) fn ask() {
    if ASKING.replace(true) {
        return;
    }
    spawn_local(async {
        let answer = JsFuture::from(window().fetch_with_str(ASK)).await;
        ASKING.set(false);
        let Some(response) = answer.ok().and_then(|answer| answer.dyn_into::<Response>().ok()) else {
            return;
        };
        if response.status() == 401 {
            ended();
        } else if response.ok() {
            renewed(response).await;
        }
    });
}

async fn renewed(response: Response) {
    let Ok(reading) = response.json() else { return };
    let Ok(json) = JsFuture::from(reading).await else { return };
    if let Some(now) = dom::member(&json, "now").and_then(|now| now.as_f64()) {
        sight::heard(now);
    }
    for (member, attribute) in [("end", "data-session-end"), ("latest", "data-session-latest")] {
        let at = dom::member(&json, member).and_then(|at| at.as_f64());
        if let (Some(at), Some(page)) = (at, dom::find("#session")) {
            let _ = page.set_attribute(attribute, &at.to_string());
        }
    }
    let back = has_ended();
    show(Notice::None, 0);
    look();
    if back {
        live::resume();
    }
}

fn look() {
    if has_ended() {
        return;
    }
    let (Some(next), Some(latest)) = (instant("data-session-end"), instant("data-session-latest")) else {
        return;
    };
    // The stream asks every second.
    let end = if feed::connected() { latest } else { next };
    let left = end - sight::now();
    if left <= 0 {
        ask();
    } else if left <= TOLD_BEFORE {
        show(if end < latest { Notice::Renewable } else { Notice::Final }, end);
    } else {
        show(Notice::None, 0);
    }
}

/// An instant that the server wrote on the page, in milliseconds.
fn instant(attribute: &str) -> Option<i64> {
    dom::find("#session")?.get_attribute(attribute)?.parse().ok()
}

fn show(notice: Notice, end: i64) {
    if SHOWN.replace(notice) == notice {
        return;
    }
    if let Some(place) = dom::find("#session") {
        draw(&place, notice, end);
    }
    if notice == Notice::Ended {
        live::stop();
    }
}

/// The words hold until the end, so that they are announced once.
fn draw(place: &Element, notice: Notice, end: i64) {
    let at = ticker::clock(end);
    let (tone, icon, text, way) = match notice {
        Notice::None => return place.set_inner_html(""),
        Notice::Renewable => (
            "warn",
            "#i-near",
            format!("Your session ends at {at} unless you go on."),
            "<button type=\"button\" class=\"btn\" data-renew>Stay signed in</button>".to_owned(),
        ),
        Notice::Final => (
            "warn",
            "#i-near",
            format!("Your session ends at {at}. Sign in again to go on."),
            "<a class=\"btn\" href=\"/sign-in?next=%2Fme&amp;again=true\" target=\"_blank\">Sign in again (new tab)</a>"
                .to_owned(),
        ),
        Notice::Ended => (
            "danger",
            "#i-exp",
            "Your session has ended. What you see is no longer updated.".to_owned(),
            format!("<a class=\"btn primary\" href=\"{}\">Sign in</a>", way_back()),
        ),
    };
    place.set_inner_html(&format!(
        "<div class=\"banner {tone}\">\
         <svg class=\"i\" width=\"16\" height=\"16\" aria-hidden=\"true\"><use href=\"{icon}\"></use></svg>\
         <p>{text}</p>{way}</div>"
    ));
}

/// The sign-in page, which leads back to exactly this view. Percent-encoded, so that it is safe inside quotes.
fn way_back() -> String {
    let here = window().location();
    let view = format!("{}{}", here.pathname().unwrap_or_default(), here.search().unwrap_or_default());
    format!(
        "/sign-in?next={}&amp;ended=true",
        String::from(js_sys::encode_uri_component(&view)).replace('\'', "%27")
    )
}
