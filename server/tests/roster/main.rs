//! The roster over a real store, with a clock that is moved by hand.

mod admission;
mod durability;
mod flaky;
mod history;
mod outage;
mod snapshots;
mod support;
