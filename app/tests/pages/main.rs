//! The pages as people get them: HTML of fleets that the rules themselves have judged.

#![cfg(feature = "ssr")]

mod audit;
mod badges;
mod cards;
mod charts;
mod common;
mod delete;
mod embed_looks;
mod embeds;
mod explain;
mod export;
mod fake;
mod filters;
mod frame;
mod group;
mod help;
mod instances;
mod list;
mod me;
mod mirrors;
mod nav;
mod new_delegate;
mod past;
mod rights;
mod roles;
mod routes;
mod settings;
mod sign_in;
mod states;
mod tokens;
mod toolbar;
mod troubleshoot;
mod users;
