//! The roster over a real store, with a clock that is moved by hand.

mod admission;
mod approval;
mod deeds;
mod deletion;
mod durability;
mod flaky;
mod history;
mod outage;
mod refusal;
mod snapshots;
mod support;
mod usage;
