//! `rollcall setting set connectivity.timeout_seconds 300`.

use clap::Subcommand;
use fleet::scope::Scope;

use super::{CommandError, clock, open_store};
use crate::config::Config;
use crate::deeds::Actor;
use crate::deeds::settings::put;
use crate::settings::check;

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Set a value; a running server follows within two seconds.
    Set {
        /// Such as `connectivity.timeout_seconds`, `lifecycle.anchor`, `versions.latest`.
        key: String,
        /// The value.
        value: String,
        /// For versions.latest and versions.ring: where it holds, and below.
        #[arg(long)]
        scope: Option<Scope>,
    },
    /// Go back to the default.
    Unset {
        /// The setting.
        key: String,
        /// Where it was set.
        #[arg(long)]
        scope: Option<Scope>,
    },
    /// Print what is set, one `key=value` a line, with ` scope` behind it where it has one.
    List,
}

pub(super) async fn run(config: &Config, command: Command) -> Result<(), CommandError> {
    let store = open_store(config).await?;
    let now = clock().now();
    let scopes = store.scopes().await?;
    match command {
        Command::Set { key, value, scope } => {
            check(scope.as_ref(), &key, &value)?;
            if let Some(scope) = scope.as_ref().filter(|scope| !scopes.contains(scope)) {
                return Err(format!("scope {scope} does not exist").into());
            }
            put(&store, &Actor::command_line(), scope.as_ref(), &key, Some(&value), now).await?;
        }
        Command::Unset { key, scope } => {
            if !store.settings().await?.contains_key(&(scope.clone(), key.clone())) {
                return Err(format!("{key} is not set").into());
            }
            put(&store, &Actor::command_line(), scope.as_ref(), &key, None, now).await?;
        }
        Command::List => {
            for ((scope, key), value) in store.settings().await? {
                let scope = scope.map(|scope| format!(" {scope}")).unwrap_or_default();
                println!("{key}={value}{scope}");
            }
        }
    }
    store.close().await;
    Ok(())
}
