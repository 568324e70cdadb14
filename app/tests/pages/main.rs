//! The pages as people get them: HTML of fleets that the rules themselves have judged.

#![cfg(feature = "ssr")]

mod cards;
mod common;
mod frame;
mod group;
mod instances;
mod list;
mod routes;
mod states;
mod toolbar;
