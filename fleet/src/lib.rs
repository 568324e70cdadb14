//! The rules of Rollcall.
//!
//! Everything here is pure: no clock, no environment, no input or output. Pages, API, export, embed and jobs call
//! these functions, so that no two of them can disagree. It compiles to wasm.

pub mod access;
pub mod catalog;
pub mod delegate;
pub mod health;
pub mod policy;
pub mod query;
pub mod retention;
pub mod scope;
pub mod summary;
pub mod time;
pub mod upgrade;
pub mod version;
pub mod view;
