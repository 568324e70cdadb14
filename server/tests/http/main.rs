//! Pages, API, forms and probes through the router, over a real store.

mod access;
mod delegates;
mod external;
mod forms;
mod guards;
mod leaks;
mod live;
mod pages;
mod probes;
mod sign_in;
mod support;
mod usable;
