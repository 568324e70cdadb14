//! What a new delegate is started with (`product 16`).

mod common;
mod facts;
mod fields;
mod quoting;
mod tools;
