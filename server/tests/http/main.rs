//! Pages, API, forms and probes through the router, over a real store.

#[path = "../support/postgres.rs"]
mod database;

mod access;
mod comfort;
mod delegates;
mod embed;
mod explain;
mod export;
mod external;
mod filters;
mod forms;
mod guards;
mod install;
mod leaks;
mod live;
mod management;
mod management_details;
mod management_files;
mod management_overrides;
mod management_rights;
mod management_tags;
mod mirror;
mod mirror_setup;
mod mirror_trouble;
mod openapi;
mod overload;
mod pages;
mod parts;
mod past;
mod probes;
mod replays;
mod sign_in;
mod support;
mod usable;
