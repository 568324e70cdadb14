//! Rollcall's input and output: the agent protocol, the roster, the store, pages and API over HTTP.

pub mod agent;
pub mod api;
pub mod application;
pub mod auth;
pub mod clock;
pub mod command;
pub mod config;
pub mod deeds;
pub mod jobs;
pub mod management;
pub mod mirror;
pub mod reload;
pub mod roster;
pub mod routes;
pub mod settings;
pub mod store;
pub mod telemetry;
pub mod tokens;
pub mod web;
