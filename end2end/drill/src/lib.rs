//! Plays fleets of delegates over real sockets against a running server, in all three client families
//! (`agent-protocol 0.3`): for demo data, browser tests and load.
//!
//! [`client`] drives single steps and gives raw answers; [`play`] plays a whole [`scenario`]; [`demo`] makes one.

pub mod answer;
pub mod base;
pub mod body;
pub mod calendar;
pub mod cast;
pub mod check;
pub mod client;
pub mod clock;
pub mod credential;
pub mod demo;
pub mod environment;
pub mod http;
pub mod jwe;
pub mod play;
pub mod profile;
pub mod scenario;
pub mod span;
pub mod stats;
pub mod token;
pub mod tokens;
