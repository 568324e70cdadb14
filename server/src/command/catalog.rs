//! `rollcall catalog import FILE`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Subcommand;
use fleet::catalog::Catalog;

use super::{CommandError, clock, open_store};
use crate::config::Config;

/// A catalog of all versions ever is far below this.
const MAX_FILE: u64 = 16 * 1024 * 1024;

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Check a catalog document and make it the current one; prints how many versions it holds.
    Import {
        /// JSON document.
        file: PathBuf,
    },
}

pub(super) async fn run(config: &Config, command: Command) -> Result<ExitCode, CommandError> {
    let Command::Import { file } = command;
    let json = read(&file)?;
    let catalog = match Catalog::import(&json) {
        Ok(catalog) => catalog,
        Err(problems) => {
            eprintln!("rollcall: {} was not imported:", file.display());
            for problem in problems {
                eprintln!("  {problem}");
            }
            return Ok(ExitCode::FAILURE);
        }
    };
    let store = open_store(config).await?;
    store.put_catalog(&json, clock().now()).await?;
    store.close().await;
    println!("{}", catalog.entries.len());
    Ok(ExitCode::SUCCESS)
}

/// The text of a document.
pub(super) fn read(file: &Path) -> Result<String, CommandError> {
    let describe = |error: std::io::Error| format!("{}: {error}", file.display());
    let size = std::fs::metadata(file).map_err(describe)?.len();
    if size > MAX_FILE {
        return Err(format!("{}: {size} bytes are too many for a catalog", file.display()).into());
    }
    std::fs::read_to_string(file).map_err(|error| describe(error).into())
}
