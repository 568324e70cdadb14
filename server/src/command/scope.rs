//! `rollcall scope create acme/payments/checkout`.

use clap::Subcommand;
use fleet::scope::Scope;

use super::{CommandError, clock, open_store, open_vault};
use crate::config::Config;
use crate::tokens::issue::create_scope;

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Create an account, organization or project, and those above it that are missing; prints what was created.
    Create {
        /// ACCOUNT, ACCOUNT/ORGANIZATION or ACCOUNT/ORGANIZATION/PROJECT.
        scope: Scope,
    },
    /// Print every scope, one a line.
    List,
}

pub(super) async fn run(config: &Config, command: Command) -> Result<(), CommandError> {
    let store = open_store(config).await?;
    let scopes = match command {
        Command::Create { scope } => {
            create_scope(&*store, &*open_vault(config, &*store).await?, &scope, clock().now()).await?
        }
        Command::List => store.scopes().await?,
    };
    for scope in scopes {
        println!("{scope}");
    }
    store.close().await;
    Ok(())
}
