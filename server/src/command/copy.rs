//! `rollcall copy --from URL --to URL`.

use clap::Args;

use super::CommandError;
use crate::store::copy::copy;

#[derive(Debug, Args)]
pub(super) struct Options {
    /// Database to read, such as `sqlite://data/rollcall.db`.
    #[arg(long, value_name = "URL")]
    from: String,
    /// Empty database to fill.
    #[arg(long, value_name = "URL")]
    to: String,
}

/// Prints a line for each table: its name and how many rows it has.
pub(super) async fn run(options: &Options) -> Result<(), CommandError> {
    for (table, rows) in copy(&options.from, &options.to).await? {
        println!("{table}\t{rows}");
    }
    Ok(())
}
