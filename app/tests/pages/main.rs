//! The pages as people get them: HTML of fleets that the rules themselves have judged.

#![cfg(feature = "ssr")]

mod audit;
mod cards;
mod common;
mod delete;
mod embeds;
mod fake;
mod frame;
mod group;
mod instances;
mod list;
mod me;
mod nav;
mod rights;
mod roles;
mod routes;
mod settings;
mod sign_in;
mod states;
mod tokens;
mod toolbar;
mod users;
