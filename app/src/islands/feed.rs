//! The stream of server-sent events of a scope, opened again after every loss with growing, jittered pauses.
//!
//! Events: `change` when something in the scope changed, `tick` at least every 10 s; both carry `{"asOf":
//! ms}`.

use std::cell::{Cell, RefCell};

use wasm_bindgen::JsCast;
use web_sys::{Event, EventSource, MessageEvent};

use super::{dom, embed, live, session, sight};

/// The longest pause between two attempts, in milliseconds.
const LONGEST_PAUSE: f64 = 30_000.0;
/// Without a sign of life for this long the connection counts as dead, whatever the browser thinks.
const DEAD_AFTER: f64 = 60_000.0;
/// Attempts in a row, a quarter of an hour of them, after which only people try again.
const MOST_ATTEMPTS: i32 = 40;
/// One failed attempt is a hiccup; from the second on people are told.
const TOLD_FROM: i32 = 2;

thread_local! {
    /// Where the open stream comes from.
    static PATH: RefCell<String> = const { RefCell::new(String::new()) };
    static SOURCE: RefCell<Option<EventSource>> = const { RefCell::new(None) };
    static HANDLER: RefCell<Option<js_sys::Function>> = const { RefCell::new(None) };
    static CONNECTED: Cell<bool> = const { Cell::new(false) };
    /// Attempts since the connection was last there.
    static ATTEMPTS: Cell<i32> = const { Cell::new(0) };
    /// Server time when the connection was lost.
    static LOST_AT: Cell<Option<i64>> = const { Cell::new(None) };
    /// Uptime of the page at which the next attempt begins.
    static RETRY_AT: Cell<Option<f64>> = const { Cell::new(None) };
    /// Uptime of the page at the last sign of life.
    static HEARD_AT: Cell<f64> = const { Cell::new(0.0) };
}

/// Prepares the stream; [`open`] opens it.
pub(super) fn start() {
    HANDLER.set(Some(dom::function(happened)));
}

/// Follows the page on screen: its scope decides which changes concern it.
fn path() -> Option<String> {
    dom::find("[data-feed]")?.get_attribute("data-feed")
}

/// Opens the stream unless it is open.
pub(super) fn open() {
    if SOURCE.with_borrow(Option::is_some) {
        return;
    }
    RETRY_AT.set(None);
    HEARD_AT.set(dom::uptime());
    let Some(path) = path() else { return };
    let Ok(source) = EventSource::new(&path) else { return lose() };
    HANDLER.with_borrow(|handler| {
        for kind in ["open", "change", "tick", "error"] {
            if let Some(handler) = handler {
                let _ = source.add_event_listener_with_callback(kind, handler);
            }
        }
    });
    SOURCE.set(Some(source));
    PATH.set(path);
}

/// Moves to the stream of the page on screen, if that is another one now.
pub(super) fn follow() {
    let moved = SOURCE.with_borrow(Option::is_some)
        && path().is_some_and(|path| PATH.with_borrow(|open| *open != path));
    if moved {
        close();
        open();
    }
}

/// Closes the stream on purpose.
pub(super) fn close() {
    if let Some(source) = SOURCE.take() {
        source.close();
    }
    CONNECTED.set(false);
    RETRY_AT.set(None);
    HEARD_AT.set(dom::uptime());
}

/// Makes the attempt that is due, and gives up a connection that has gone silent.
pub(super) fn beat() {
    if RETRY_AT.get().is_some_and(|at| dom::uptime() >= at) {
        open();
    } else if CONNECTED.get() && silence() > DEAD_AFTER {
        lose();
    }
}

/// Makes an attempt now, because somebody asked for it.
pub(super) fn retry() {
    if !CONNECTED.get() {
        close();
        ATTEMPTS.set(ATTEMPTS.get().min(TOLD_FROM));
        open();
    }
}

/// Whether the stream is open and has spoken.
pub(super) fn connected() -> bool {
    CONNECTED.get()
}

/// Milliseconds since the last sign of life.
pub(super) fn silence() -> f64 {
    dom::uptime() - HEARD_AT.get()
}

/// Server time of the loss, once it is worth telling.
pub(super) fn lost_at() -> Option<i64> {
    LOST_AT.get().filter(|_| ATTEMPTS.get() >= TOLD_FROM)
}

/// Whether nothing is tried any more.
pub(super) fn given_up() -> bool {
    ATTEMPTS.get() >= MOST_ATTEMPTS
}

/// Whole seconds to the next attempt; none while one is being made.
pub(super) fn retry_in() -> Option<u32> {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 30")]
    RETRY_AT.get().map(|at| ((at - dom::uptime()) / 1_000.0).ceil().max(0.0) as u32)
}

fn happened(event: &Event) {
    match &*event.type_() {
        "error" => lose(),
        "open" => arrived(),
        kind => {
            arrived();
            let data = event.dyn_ref::<MessageEvent>().and_then(|message| message.data().as_string());
            let parsed = data.and_then(|data| js_sys::JSON::parse(&data).ok());
            if let Some(server) = parsed.and_then(|parsed| dom::member(&parsed, "asOf")?.as_f64()) {
                live::heard(server, kind == "change");
            }
        }
    }
}

fn arrived() {
    HEARD_AT.set(dom::uptime());
    CONNECTED.set(true);
    ATTEMPTS.set(0);
    if LOST_AT.take().is_some() {
        live::reconnected();
    }
}

fn lose() {
    close();
    if LOST_AT.get().is_none() {
        LOST_AT.set(Some(sight::now()));
    }
    let attempts = ATTEMPTS.get() + 1;
    ATTEMPTS.set(attempts);
    if attempts >= TOLD_FROM && !embed::framed() {
        // A stream does not say why it is refused. A page in a frame has no session that could have ended.
        session::ask();
    }
    if attempts >= MOST_ATTEMPTS {
        return;
    }
    let pause = (1_000.0 * f64::from(attempts - 1).exp2()).min(LONGEST_PAUSE);
    RETRY_AT.set(Some(dom::uptime() + pause * (0.5 + js_sys::Math::random() / 2.0)));
}
