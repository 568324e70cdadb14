//! `rollcall catalog import FILE`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Subcommand;
use fleet::catalog::Catalog;
use fleet::time::Timestamp;

use super::{CommandError, clock, open_store};
use crate::config::Config;
use crate::deeds::Actor;
use crate::store::Store;
use crate::store::access::Change;

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
    put(&*store, json, clock().now()).await?;
    store.close().await;
    println!("{}", catalog.entries.len());
    Ok(ExitCode::SUCCESS)
}

/// Makes a document the current catalog.
pub(super) async fn put(store: &dyn Store, json: String, now: Timestamp) -> Result<(), CommandError> {
    let line = Actor::command_line()
        .line(now, "catalog.import", "catalog", "catalog", None)
        .says(format!("A catalog of {} bytes was imported", json.len()));
    store.commit(&[Change::PutCatalog { document: json, at: now }, line.change()]).await?;
    Ok(())
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
