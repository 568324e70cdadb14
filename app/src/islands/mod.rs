//! What runs in the browser: one island, placed once, that wires up the whole page by event delegation.
//!
//! It draws nothing of its own. Everything it works on is in the page already and works without it: links,
//! forms, native popovers, absolute times. It adds freshness, relative times, navigation without a reload,
//! menu keys, shortcuts, copying, counts of chosen rows, confirmations as dialogs, a word before the session ends.

use leptos::prelude::*;

#[cfg(feature = "hydrate")]
mod announce;
#[cfg(feature = "hydrate")]
mod copying;
#[cfg(feature = "hydrate")]
mod dialog;
#[cfg(feature = "hydrate")]
mod display;
#[cfg(feature = "hydrate")]
mod dom;
#[cfg(feature = "hydrate")]
mod embed;
#[cfg(feature = "hydrate")]
mod feed;
#[cfg(feature = "hydrate")]
mod live;
#[cfg(feature = "hydrate")]
mod loading;
#[cfg(feature = "hydrate")]
mod menu;
#[cfg(feature = "hydrate")]
mod navigation;
#[cfg(feature = "hydrate")]
mod patch;
#[cfg(feature = "hydrate")]
mod scopes;
#[cfg(feature = "hydrate")]
mod selection;
#[cfg(feature = "hydrate")]
mod session;
#[cfg(feature = "hydrate")]
mod shortcuts;
#[cfg(feature = "hydrate")]
mod sight;
#[cfg(feature = "hydrate")]
mod ticker;

/// Wakes the page it stands in; on the server it is an empty mark.
#[island]
pub fn Browser() -> impl IntoView {
    #[cfg(feature = "hydrate")]
    wake();
}

#[cfg(feature = "hydrate")]
fn wake() {
    if embed::framed() {
        // In a frame links are followed by the browser alone: the history belongs to the page around it.
        embed::start();
        live::start();
        dom::mark("data-on", true);
        return;
    }
    navigation::start();
    menu::start();
    copying::start();
    display::start();
    scopes::start();
    selection::start();
    dialog::start();
    shortcuts::start();
    ticker::start();
    live::start();
    session::start();
    dom::mark("data-on", true);
}
