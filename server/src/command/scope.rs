//! `rollcall scope create acme/payments/checkout`.

use clap::Subcommand;
use fleet::scope::Scope;

use super::{CommandError, clock, open_store, open_vault};
use crate::config::Config;
use crate::deeds::Actor;
use crate::store::access::Change;
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
            let (vault, now) = (open_vault(config, &*store).await?, clock().now());
            let created = create_scope(&*store, &vault, &scope, now).await?;
            let line = |scope: &Scope| {
                Actor::command_line()
                    .line(now, "scope.create", "scope", scope.to_string(), Some(scope))
                    .says(format!("{scope} was created with its default token"))
                    .change()
            };
            let lines: Vec<Change> = created.iter().map(line).collect();
            store.commit(&lines).await?;
            created
        }
        Command::List => store.scopes().await?,
    };
    for scope in scopes {
        println!("{scope}");
    }
    store.close().await;
    Ok(())
}
