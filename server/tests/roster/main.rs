//! The roster over a real store, with a clock that is moved by hand.

mod admission;
mod durability;
mod history;
mod snapshots;
mod support;
