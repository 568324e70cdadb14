//! What survives when things break: real servers that are killed and cut off while many call them.
//!
//! `make chaos` runs the long form and prints the tables of `docs/reliability.md`; the tests run a short one.

#[path = "../support/postgres.rs"]
mod database;

mod caller;
mod disk;
mod failover;
mod house;
mod kills;
mod ledger;
mod outage;
mod proxy;

/// Whether the long form is wanted.
#[expect(clippy::disallowed_methods, reason = "the one who runs the tests says so")]
fn is_long() -> bool {
    std::env::var_os("ROLLCALL_CHAOS").is_some()
}

/// One line of a table in Markdown.
fn row(cells: &[String]) {
    println!("| {} |", cells.join(" | "));
}
