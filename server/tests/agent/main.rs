//! Real delegates against the real router: agent-protocol, chapter by chapter and trap by trap.

mod chaos;
mod clients;
mod credentials;
mod endpoints;
mod errors;
mod rows;
mod secrets;
mod stream;
mod stream_ends;
mod upgrade;
mod wire;
mod world;
