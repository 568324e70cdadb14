//! `rollcall audit export --format csv`.

use std::io::Write as _;
use std::pin::pin;

use clap::{Subcommand, ValueEnum};
use fleet::scope::Scope;
use fleet::time::Timestamp;
use futures::StreamExt as _;

use super::{CommandError, clock, open_store};
use crate::api::audit::{Asked, written};
use crate::api::format::Format;
use crate::config::Config;
use crate::deeds::Actor;
use crate::store::access::AuditWanted;

/// How lines are written.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum Shape {
    /// One JSON array.
    Json,
    /// One JSON object a line.
    Ndjson,
    /// Comma-separated values.
    Csv,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Write the audit log to standard output, newest line first.
    Export {
        /// Only this scope and those below it.
        #[arg(long)]
        scope: Option<Scope>,
        /// First day, such as 2026-11-14, UTC; without, from the beginning.
        #[arg(long, default_value = "")]
        from: String,
        /// Last day; without, today.
        #[arg(long, default_value = "")]
        to: String,
        /// How lines are written.
        #[arg(long, value_enum, default_value = "ndjson")]
        format: Shape,
    },
}

pub(super) async fn run(config: &Config, command: Command) -> Result<(), CommandError> {
    let Command::Export { scope, from, to, format } = command;
    let store = open_store(config).await?;
    let now = clock().now();
    let everything = from.is_empty();
    let asked = Asked { from, to, below: true, ..Asked::default() };
    // Without a scope everything is wanted, and the one that stands in for it is not looked at.
    let stand_in = Scope::new("-", None, None)?;
    let wanted = asked.wanted(scope.as_ref().unwrap_or(&stand_in), 1_000, now)?;
    let from = if everything { Timestamp::from_millis(0) } else { wanted.from };
    let wanted = AuditWanted { scope: scope.clone(), from, ..wanted };
    let line = Actor::command_line()
        .line(
            now,
            "audit.export",
            "scope",
            scope.as_ref().map_or_else(String::new, ToString::to_string),
            scope.as_ref(),
        )
        .says("The audit log was exported");
    store.commit(&[line.change()]).await?;
    let format = match format {
        Shape::Json => Format::Json,
        Shape::Ndjson => Format::Ndjson,
        Shape::Csv => Format::Csv,
    };
    let mut lines = pin!(written(store.clone(), wanted, format));
    let mut out = std::io::stdout().lock();
    while let Some(text) = lines.next().await {
        out.write_all(text?.as_bytes())?;
    }
    out.flush()?;
    drop(out);
    store.close().await;
    Ok(())
}
