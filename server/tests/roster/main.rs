//! The roster over a real store, with a clock that is moved by hand.

#[path = "../support/postgres.rs"]
mod server_of_tests;

mod admission;
mod approval;
mod clock;
mod crossing;
mod deeds;
mod deletion;
mod durability;
mod flaky;
mod group_rows;
mod history;
mod nodes;
mod outage;
mod refusal;
mod settle;
mod snapshots;
mod support;
mod usage;
