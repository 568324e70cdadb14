//! What time it is for the figures on the page: the server's time, so that a wrong clock here does no harm.

use std::cell::Cell;

use super::dom;

thread_local! {
    /// Server time at [`READ_AT`], in milliseconds.
    static SERVER: Cell<f64> = const { Cell::new(0.0) };
    /// Uptime of the page when [`SERVER`] was learned.
    static READ_AT: Cell<f64> = const { Cell::new(0.0) };
    /// The instant of the figures on the page.
    static AS_OF: Cell<f64> = const { Cell::new(0.0) };
}

/// The server has just said what time it is.
pub(super) fn heard(server: f64) {
    SERVER.set(server);
    READ_AT.set(dom::uptime());
}

/// The figures on the page hold at this instant.
pub(super) fn seen(server: f64) {
    AS_OF.set(server);
}

/// The server's time now, in milliseconds.
pub(super) fn now() -> i64 {
    whole(SERVER.get() + dom::uptime() - READ_AT.get())
}

/// The instant of the figures, in milliseconds.
pub(super) fn as_of() -> i64 {
    whole(AS_OF.get())
}

/// Reads the instants that the server wrote on the page: when it was made, and when its figures hold.
pub(super) fn read() {
    let written =
        |name: &str| dom::find("[data-live=page]").and_then(|page| page.get_attribute(name)?.parse().ok());
    if let Some(server) = written("data-now") {
        heard(server);
    }
    if let Some(server) = written("data-as-of") {
        heard(server);
        seen(server);
    }
}

#[expect(clippy::cast_possible_truncation, reason = "milliseconds of this age fit by far")]
const fn whole(millis: f64) -> i64 {
    millis as i64
}
