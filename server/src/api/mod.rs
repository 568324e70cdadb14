//! What tools speak: `/api/v1`.

pub mod audit;
pub mod delegates;
pub mod details;
pub mod entry;
pub mod error;
pub mod export;
pub mod format;
pub(crate) mod openapi;
pub(crate) mod schema;

pub use openapi::document;
