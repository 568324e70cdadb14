//! The state of the figures: live, paused, stale or cut off; what the chip and the banner say of it.

use std::cell::{Cell, RefCell};

use leptos::prelude::{document, window};
use leptos::task::spawn_local;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::Closure;
use web_sys::Element;

use super::loading::{Loaded, load, released};
use super::{announce, dom, feed, navigation, session, sight, ticker};
use crate::words;

/// Between two refreshes, in milliseconds.
const PAUSE_BETWEEN: f64 = 1_000.0;
/// After a refresh that failed.
const PAUSE_AFTER_FAILURE: f64 = 5_000.0;
/// Two and a half ticks of the server without a sign of it.
const STALE_AFTER: f64 = 25_000.0;

/// What somebody fills in above the page; the page waits until it is closed.
const FILLED_IN: &str = "dialog[open], [data-hold][open], :popover-open:has(input, select, textarea)";

thread_local! {
    static PAUSED: Cell<bool> = const { Cell::new(false) };
    /// The server has said that something changed since the page was fetched.
    static BEHIND: Cell<bool> = const { Cell::new(false) };
    static LOADING: Cell<bool> = const { Cell::new(false) };
    static FAILED: Cell<bool> = const { Cell::new(false) };
    /// Uptime of the page before which no refresh begins.
    static NOT_BEFORE: Cell<f64> = const { Cell::new(0.0) };
    /// The timer that beats once a second while the page is seen.
    static TIMER: Cell<Option<i32>> = const { Cell::new(None) };
    /// What the banner says at the moment.
    static NOTE: RefCell<String> = const { RefCell::new(String::new()) };
}

/// How far the figures can be trusted.
#[derive(Clone, Copy, PartialEq)]
enum Phase {
    Waiting,
    Live,
    Paused,
    Stale,
    Offline,
    Ended,
}

pub(super) fn start() {
    if dom::find("#live").is_none() {
        return;
    }
    feed::start();
    dom::on("click", false, |event| {
        if dom::origin(event, "#pause, [data-resume]").is_some() {
            pause(!PAUSED.get());
        } else if dom::origin(event, "[data-retry]").is_some() {
            feed::retry();
            beat();
        }
    });
    dom::listen(&window(), "online", false, |_| feed::retry());
    dom::on("visibilitychange", false, |_| if dom::hidden() { sleep() } else { wake() });
    for kind in ["pointerleave", "focusout"] {
        dom::on(kind, true, |event| {
            if dom::origin(event, "[data-rows]").is_some() && dom::find("[data-rows]:hover").is_none() {
                beat();
            }
        });
    }
    dom::listen(&window(), "pagehide", false, |_| sleep());
    dom::listen(&window(), "pageshow", false, |_| wake());
    wake();
}

/// The server has sent a sign of life; `changed` if the figures on the page are no longer right.
pub(super) fn heard(server: f64, changed: bool) {
    sight::heard(server);
    if changed {
        BEHIND.set(true);
    } else if !BEHIND.get() && !PAUSED.get() && !LOADING.get() {
        sight::seen(server);
    }
    beat();
}

/// The connection is there again: what happened meanwhile is not known.
pub(super) fn reconnected() {
    BEHIND.set(true);
    dom::say("Live updates are back.");
    beat();
}

/// The page was just fetched for another reason.
pub(super) fn refreshed() {
    BEHIND.set(false);
    FAILED.set(false);
    NOT_BEFORE.set(dom::uptime() + PAUSE_BETWEEN);
    feed::follow();
    ticker::tell_all();
    draw();
}

/// The session has ended: nothing more comes.
pub(super) fn stop() {
    sleep();
    draw();
}

/// Somebody signed in again elsewhere in this browser.
pub(super) fn resume() {
    if dom::find("#live").is_some() {
        wake();
    }
}

fn wake() {
    if dom::hidden() || TIMER.get().is_some() || session::has_ended() {
        return;
    }
    let function = Closure::<dyn Fn()>::new(beat).into_js_value();
    let timer =
        window().set_interval_with_callback_and_timeout_and_arguments_0(function.unchecked_ref(), 1_000);
    TIMER.set(timer.ok());
    feed::open();
    beat();
}

/// Nobody sees the page: it costs nothing. What it misses is caught up on when it is seen again.
fn sleep() {
    if let Some(timer) = TIMER.take() {
        window().clear_interval_with_handle(timer);
        feed::close();
        BEHIND.set(true);
    }
}

fn pause(paused: bool) {
    PAUSED.set(paused);
    if !paused {
        BEHIND.set(true);
    }
    beat();
}

/// Once a second, and after every event.
fn beat() {
    feed::beat();
    catch_up();
    announce::beat();
    if matches!(phase(), Phase::Live | Phase::Waiting) {
        ticker::tell_all();
    }
    draw();
}

fn catch_up() {
    if released() {
        BEHIND.set(true);
    }
    // What somebody chooses from must not change under their hands.
    let choosing = dom::find("dialog[open] [data-hold]").is_some() || dom::find(FILLED_IN).is_some();
    let idle = !choosing && !PAUSED.get() && !LOADING.get() && !navigation::visiting();
    let due = BEHIND.get() && idle && dom::uptime() >= NOT_BEFORE.get();
    let Some(url) = window().location().href().ok().filter(|_| due && feed::connected() && !dom::hidden())
    else {
        return;
    };
    BEHIND.set(false);
    LOADING.set(true);
    spawn_local(async move {
        let loaded = load(&url).await;
        LOADING.set(false);
        if matches!(loaded, Loaded::SignedOut) {
            return session::ended();
        }
        let failed = matches!(loaded, Loaded::Failed);
        if failed {
            BEHIND.set(true);
        } else if let Loaded::Page(page) = loaded
            && !PAUSED.get()
        {
            page.show(true);
        }
        FAILED.set(failed);
        NOT_BEFORE.set(dom::uptime() + if failed { PAUSE_AFTER_FAILURE } else { PAUSE_BETWEEN });
        draw();
    });
}

fn phase() -> Phase {
    if session::has_ended() {
        Phase::Ended
    } else if PAUSED.get() {
        Phase::Paused
    } else if feed::lost_at().is_some() {
        Phase::Offline
    } else if FAILED.get() || feed::silence() > STALE_AFTER {
        Phase::Stale
    } else if feed::connected() {
        Phase::Live
    } else {
        Phase::Waiting
    }
}

/// Brings chip, button and banner in line with the state.
fn draw() {
    let phase = phase();
    let as_of = ticker::clock(sight::as_of());
    let (state, icon, text) = match phase {
        Phase::Waiting => ("still", "#i-ring", format!("As of {as_of}")),
        Phase::Live => ("live", "#i-ok", format!("Live · {as_of}")),
        Phase::Paused => ("paused", "#i-pause", format!("Paused · {as_of}")),
        Phase::Stale => {
            ("stale", "#i-near", format!("Updated {}", words::ago(sight::now() - sight::as_of())))
        }
        Phase::Offline => ("offline", "#i-exp", "Disconnected".to_owned()),
        Phase::Ended => ("offline", "#i-exp", "Signed out".to_owned()),
    };
    if let Some(chip) = dom::find("#live") {
        let _ = chip.set_attribute("data-state", state);
        dom::draw(&chip, icon);
        if let Ok(Some(words)) = chip.query_selector(".lt") {
            dom::write(&words, &text);
        }
    }
    if let Some(button) = dom::find("#pause") {
        dom::write(&button, if phase == Phase::Paused { "Resume" } else { "Pause" });
    }
    if let Some(root) = document().document_element() {
        let _ = root.set_attribute("data-link", state);
    }
    if let Some(place) = dom::find("#note") {
        note(&place, phase, &as_of);
    }
}

/// The banner. Its words are announced once; the seconds that run in it are not.
fn note(place: &Element, phase: Phase, as_of: &str) {
    let (tone, icon, text) = match (phase, feed::lost_at()) {
        (Phase::Paused, _) => {
            ("warn", "#i-pause", format!("Live updates paused. Figures are as of {as_of}."))
        }
        (Phase::Offline, Some(since)) => {
            let since = words::clock_minute(since);
            ("danger", "#i-exp", format!("Disconnected since {since}. Figures are as of {as_of}."))
        }
        _ => ("", "", String::new()),
    };
    let offline = phase == Phase::Offline && !text.is_empty();
    if NOTE.with_borrow(|shown| *shown != text) {
        let button = match phase {
            Phase::Paused => "<button type=\"button\" class=\"btn\" data-resume>Resume</button>",
            _ if offline => "<button type=\"button\" class=\"btn\" data-retry>Retry</button>",
            _ => "",
        };
        place.set_inner_html(&if text.is_empty() {
            String::new()
        } else {
            format!(
                "<div class=\"banner {tone}\">\
                 <svg class=\"i\" width=\"16\" height=\"16\" aria-hidden=\"true\"><use href=\"{icon}\"></use></svg>\
                 <p>{text} <span aria-hidden=\"true\"></span></p>{button}</div>"
            )
        });
        NOTE.set(text);
    }
    if let Ok(Some(countdown)) = place.query_selector("[aria-hidden=true]:not(svg)") {
        let seconds = feed::retry_in().map(|seconds| format!("Retrying in {seconds} s."));
        let tries = seconds.or_else(|| feed::given_up().then(|| "Not retrying any more.".to_owned()));
        dom::write(&countdown, &tries.filter(|_| offline).unwrap_or_default());
    }
}
