//! The rules of Rollcall.
//!
//! Everything here is pure: no clock, no environment, no input or output. Pages, API, export, embed and jobs call
//! these functions, so that no two of them can disagree. It compiles to wasm.

pub mod access;
pub mod catalog;
pub mod chart;
pub mod delegate;
pub mod explain;
pub mod health;
pub mod history;
pub mod install;
pub mod loss;
pub mod mirror;
pub mod overrides;
pub mod policy;
pub mod query;
pub mod retention;
pub mod scope;
pub mod sizing;
pub mod summary;
pub mod text;
pub mod time;
pub mod troubleshoot;
pub mod update;
pub mod upgrade;
pub mod version;
pub mod view;
