//! The command line of the drill.

use std::process::ExitCode;

use clap::Parser as _;

mod command;

fn main() -> ExitCode {
    match command::Cli::parse().run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("drill: {problem}");
            ExitCode::FAILURE
        }
    }
}
