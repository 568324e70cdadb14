//! What the program is asked to do.

use std::fmt::Display;
use std::future::Future;
use std::io::Write as _;
use std::path::Path;

use chrono::NaiveDate;
use clap::{Args, Parser, Subcommand};
use drill::base::Base;
use drill::clock;
use drill::tokens::Tokens;
use tokio::runtime::{Builder, Runtime};
use tokio::signal::unix::{SignalKind, signal};

mod check;
mod delegate;
mod demo;
mod run;

/// Plays fleets of delegates over real sockets against a running Rollcall.
#[derive(Debug, Parser)]
#[command(name = "drill", version, about)]
pub(crate) struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Plays a scenario file.
    Run(run::Run),
    /// Plays a lively demo fleet in every state, or prints the scopes that it needs.
    Demo(demo::Demo),
    /// Registers one delegate, beats once, and compares every answer with the protocol.
    Check(check::Check),
    /// Plays one delegate as its environment describes it.
    Delegate(delegate::Delegate),
    /// Prints a plausible version catalog for a day.
    Catalog(Catalog),
}

/// Prints a plausible version catalog for a day.
#[derive(Debug, Args)]
struct Catalog {
    #[command(flatten)]
    day: Day,
}

/// The day that versions are chosen for.
#[derive(Debug, Args)]
struct Day {
    /// The day that versions are chosen for, such as 2026-11-20 [default: today]
    #[arg(long, value_name = "DATE")]
    today: Option<NaiveDate>,
}

/// Where delegates report to.
#[derive(Debug, Args)]
struct Target {
    /// Manager URL; its path, if it has one, is part of it
    #[arg(long, default_value = "http://127.0.0.1:3000")]
    url: String,
    /// Allow a server on another machine
    #[arg(long)]
    allow_remote: bool,
}

/// Whose tokens are used.
#[derive(Debug, Args)]
struct TokenArgs {
    /// File of tokens: a JSON object or a TOML table of scope and token, or one scope=token per line
    #[arg(long, value_name = "FILE")]
    tokens: Option<std::path::PathBuf>,
    /// One token as scope=token, in either form; may be repeated, and wins over the file
    #[arg(long = "token", value_name = "SCOPE=TOKEN")]
    pairs: Vec<String>,
}

/// A problem in words, for standard error.
type Outcome = Result<(), String>;

impl Cli {
    /// Does it.
    pub(crate) fn run(self) -> Outcome {
        match self.command {
            Command::Run(run) => run.run(),
            Command::Demo(demo) => demo.run(),
            Command::Check(check) => check.run(),
            Command::Delegate(delegate) => delegate.run(),
            Command::Catalog(catalog) => {
                say(&drill::calendar::catalog(catalog.day.get()).map_err(words)?);
                Ok(())
            }
        }
    }
}

impl Day {
    fn get(&self) -> NaiveDate {
        self.today.unwrap_or_else(|| clock::now().date())
    }
}

impl Target {
    fn base(&self) -> Result<Base, String> {
        Base::parse(&self.url, self.allow_remote).map_err(words)
    }
}

impl TokenArgs {
    fn read(&self) -> Result<Tokens, String> {
        let mut tokens = match &self.tokens {
            Some(path) => read(path)?.parse().map_err(|error| format!("{}: {error}", path.display()))?,
            None => Tokens::default(),
        };
        self.pairs.iter().try_for_each(|pair| tokens.add_pair(pair)).map_err(words)?;
        if tokens.is_empty() {
            Err("no tokens: use --tokens FILE or --token SCOPE=TOKEN".to_owned())
        } else {
            Ok(tokens)
        }
    }
}

/// One line on standard output. A reader that has left, such as `head`, is no reason to fail.
fn say(line: &str) {
    let _ = writeln!(std::io::stdout(), "{line}");
}

fn words(error: impl Display) -> String {
    error.to_string()
}

fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

fn runtime() -> Result<Runtime, String> {
    Builder::new_multi_thread().enable_all().build().map_err(words)
}

/// Ready at the first interrupt or request to terminate.
fn interrupted() -> Result<impl Future<Output = ()>, String> {
    let mut interrupt = signal(SignalKind::interrupt()).map_err(words)?;
    let mut terminate = signal(SignalKind::terminate()).map_err(words)?;
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}
