//! What to try when a delegate does not connect (`product 17`): questions and answers as data, commands with names in
//! place, and what the server itself already sees.
//!
//! Rollcall runs nothing: every command is for the person who has the cluster or host.

mod attempt;
mod docker;
mod ecs;
mod findings;
mod kubernetes;
mod machine;
mod problems;
mod shell;
mod signs;
mod step;
mod subject;

pub use attempt::{Attempt, Refused};
pub use problems::{PROBLEMS, Problem};
pub use shell::quote;
pub use signs::{Sign, TokenState, Weight, signs, signs_of_attempts};
pub use step::{Answer, Command, Guide, Next, Step, guide};
pub use subject::{Platform, Subject};
