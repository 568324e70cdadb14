//! `rollcall key add`, `rollcall key rotate`.

use clap::Subcommand;

use super::{CommandError, clock, open_store, open_vault};
use crate::config::Config;
use crate::deeds::Actor;
use crate::deeds::master_key::rotate;
use crate::tokens::vault::Vault;

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Put a fresh master key before those of the key file. Give the file to every node and restart them, then rotate.
    Add,
    /// Seal every token and every key of a mirror under the first key of the file; prints how many were under another one.
    Rotate {
        /// Then remove all other keys from the file. Every node must have the first one by now.
        #[arg(long)]
        drop_old: bool,
    },
}

pub(super) async fn run(config: &Config, command: Command) -> Result<(), CommandError> {
    let path = &config.master_key_file;
    match command {
        Command::Add => Vault::add_key(path)?,
        Command::Rotate { drop_old } => {
            let store = open_store(config).await?;
            let vault = open_vault(config, &*store).await?;
            let sealed = rotate(&store, &vault, &Actor::command_line(), clock().now()).await?;
            store.close().await;
            if drop_old {
                Vault::drop_old_keys(path)?;
            }
            println!("{sealed}");
        }
    }
    Ok(())
}
