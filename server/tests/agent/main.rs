//! Real delegates against the real router: agent-protocol, chapter by chapter and trap by trap.

#[path = "../support/shortcuts.rs"]
mod token_shortcuts;

mod chaos;
mod chores;
mod clients;
mod credentials;
mod endpoints;
mod errors;
mod gate;
mod rows;
mod secrets;
mod stream;
mod stream_ends;
mod upgrade;
mod wire;
mod world;
