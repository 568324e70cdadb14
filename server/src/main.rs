//! The command line of Rollcall. Each command prints only its result on stdout, errors on stderr.
//!
//! Exit codes: 0 done, 1 refused or failed, 2 not understood, 3 of `check` alone: it could not be checked.

use std::process::ExitCode;

use clap::Parser;
use server::command::Cli;

/// Millions of small things that live long beside thousands of short ones a second: that is what it is good at.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let cli = Cli::parse();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let outcome = match runtime {
        Ok(runtime) => runtime.block_on(server::command::run(cli)),
        Err(error) => Err(format!("the runtime cannot start: {error}").into()),
    };
    match outcome {
        Ok(code) => code,
        Err(error) => {
            eprintln!("rollcall: {error}");
            ExitCode::FAILURE
        }
    }
}
