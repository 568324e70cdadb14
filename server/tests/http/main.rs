//! Pages, API and probes through the router, over a real store.

mod delegates;
mod live;
mod pages;
mod probes;
mod support;
