//! The command line. Others script it: names, output and exit codes are fixed.

mod api_key;
mod audit;
mod catalog;
mod check;
mod copy;
mod delegates;
mod doctor;
mod key;
mod mirror;
mod remote;
mod role;
mod scope;
mod serve;
mod setting;
mod token;
mod user;

use std::process::ExitCode;
use std::sync::Arc;

use clap::{Parser, Subcommand};

use crate::clock::Clock;
use crate::config::{Config, Options, ServeOptions};
use crate::store::{self, SharedStore, Store};
use crate::tokens::vault::Vault;

/// Anything that ends a command; its text is for a person at a terminal.
pub type CommandError = Box<dyn std::error::Error + Send + Sync>;

/// Rollcall: which delegates are alive, current and supported.
#[derive(Debug, Parser)]
#[command(name = "rollcall", version, about, arg_required_else_help = true)]
pub struct Cli {
    #[command(flatten)]
    options: Options,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run the server.
    Serve(ServeOptions),
    /// Accounts, organizations and projects.
    #[command(subcommand)]
    Scope(scope::Command),
    /// Delegate tokens.
    #[command(subcommand)]
    Token(token::Command),
    /// Versions and their support windows.
    #[command(subcommand)]
    Catalog(catalog::Command),
    /// Thresholds, retention, the latest version of a scope.
    #[command(subcommand)]
    Setting(setting::Command),
    /// People, service accounts and their roles.
    #[command(subcommand)]
    User(user::Command),
    /// Keys of scripts.
    #[command(subcommand)]
    ApiKey(api_key::Command),
    /// Custom roles.
    #[command(subcommand)]
    Role(role::Command),
    /// Other servers whose delegates are shown here.
    #[command(subcommand)]
    Mirror(mirror::Command),
    /// The master key that tokens are sealed under.
    #[command(subcommand)]
    Key(key::Command),
    /// What was done by whom.
    #[command(subcommand)]
    Audit(audit::Command),
    /// Bring the database schema up to date.
    Migrate,
    /// Copy a whole database into another, empty one, of the same kind or the other; stop the server first.
    Copy(copy::Options),
    /// Delegates of a running server, over its API.
    #[command(subcommand)]
    Delegates(delegates::Command),
    /// Say whether too many delegates of a running server are expired, or will be soon; for pipelines.
    Check(check::Options),
    /// Say what is wrong with configuration, database, catalog and clock.
    Doctor(ServeOptions),
}

/// Runs one command.
///
/// # Errors
/// The command was refused or failed; nothing was printed yet.
pub async fn run(cli: Cli) -> Result<ExitCode, CommandError> {
    let serve = match &cli.command {
        Command::Serve(options) | Command::Doctor(options) => options.clone(),
        _ => ServeOptions::default(),
    };
    let config = match Config::load(cli.options, serve) {
        Ok(config) => config,
        Err(error) => {
            eprintln!("rollcall: {error}");
            return Ok(ExitCode::from(2));
        }
    };
    match cli.command {
        Command::Serve(_) => serve::run(&config).await?,
        Command::Scope(command) => scope::run(&config, command).await?,
        Command::Token(command) => token::run(&config, command).await?,
        Command::Catalog(command) => return catalog::run(&config, command).await,
        Command::Setting(command) => setting::run(&config, command).await?,
        Command::User(command) => user::run(&config, command).await?,
        Command::ApiKey(command) => api_key::run(&config, command).await?,
        Command::Role(command) => role::run(&config, command).await?,
        Command::Mirror(command) => mirror::run(&config, command).await?,
        Command::Key(command) => key::run(&config, command).await?,
        Command::Audit(command) => audit::run(&config, command).await?,
        Command::Copy(options) => copy::run(&options).await?,
        Command::Delegates(command) => delegates::run(command).await?,
        Command::Check(options) => return Ok(check::run(&options).await),
        Command::Migrate => drop(open_store(&config).await?),
        Command::Doctor(_) => return Ok(doctor::run(&config).await),
    }
    Ok(ExitCode::SUCCESS)
}

/// The store, with its schema up to date.
async fn open_store(config: &Config) -> Result<SharedStore, CommandError> {
    let store = store::open(&config.database).await?;
    store.migrate().await?;
    Ok(store)
}

/// The vault of the key file. A missing file is made only while no token rests under a key that is somewhere else.
async fn open_vault(config: &Config, store: &dyn Store) -> Result<Arc<Vault>, CommandError> {
    let path = &config.master_key_file;
    let tokens = if path.exists() { 0 } else { store.tokens().await?.len() };
    if tokens > 0 {
        return Err(format!(
            "{tokens} tokens are sealed under a key that is not at {}; restore it",
            path.display()
        )
        .into());
    }
    let opened = Vault::open_or_create(&config.master_key_file)?;
    if opened.exposed {
        eprintln!(
            "rollcall: warning: {} can be read by other users of this machine",
            config.master_key_file.display()
        );
    }
    Ok(Arc::new(opened.vault))
}

const fn clock() -> Clock {
    Clock::system()
}
