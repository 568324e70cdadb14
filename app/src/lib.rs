//! The pages of Rollcall: components rendered on the server, one island that wakes them in the browser.
//!
//! With the feature `ssr` the crate holds the pages; with `hydrate` it holds what runs in the browser. The
//! two share [`words`] and nothing else, so that no page ever reaches the wasm file.

#![expect(
    clippy::must_use_candidate,
    reason = "components are called by `view!`, which uses what they return"
)]
#![cfg_attr(
    feature = "ssr",
    expect(clippy::needless_pass_by_value, reason = "components own their properties")
)]

pub mod islands;
pub mod words;

#[cfg(feature = "ssr")]
pub mod components;
#[cfg(feature = "ssr")]
pub mod context;
#[cfg(feature = "ssr")]
pub mod embed;
#[cfg(all(feature = "ssr", debug_assertions))]
pub mod gallery;
#[cfg(feature = "ssr")]
pub mod help;
#[cfg(feature = "ssr")]
pub mod pages;
#[cfg(feature = "ssr")]
pub mod port;
#[cfg(feature = "ssr")]
pub mod root;

#[cfg(feature = "ssr")]
pub use root::{App, part, shell};
