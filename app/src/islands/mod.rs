//! What runs in the browser: one island, placed once, that wires up the whole page by event delegation.

use leptos::prelude::*;

/// Live updates, relative times, menu keys, copying and navigation without a reload.
///
/// It draws nothing: everything it works on is in the page already, and works without it.
#[island]
pub fn Browser() -> impl IntoView {}
