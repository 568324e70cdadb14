//! The wasm entry: wakes the islands of the page that the server sent.

/// The island of every page; naming it keeps it in this file.
pub use app::islands::Browser;

/// Called by the script of the page once the module is loaded.
#[wasm_bindgen::prelude::wasm_bindgen]
pub fn hydrate() {
    leptos::mount::hydrate_islands();
}
