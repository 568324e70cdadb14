//! Logs.

use std::io::IsTerminal as _;

use tracing::{Level, Metadata};
use tracing_subscriber::filter::{EnvFilter, filter_fn};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{Layer as _, fmt};

/// Sends logs to stderr; stdout belongs to results.
///
/// # Errors
/// The filter cannot be read.
pub fn start(filter: &str, json: bool) -> Result<(), String> {
    let filter = EnvFilter::try_new(filter).map_err(|error| format!("log: {error}"))?;
    let lines = fmt::layer()
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal())
        .with_target(false);
    let lines = if json { lines.json().boxed() } else { lines.boxed() };
    let logs =
        tracing_subscriber::registry().with(lines.with_filter(filter_fn(is_harmless)).with_filter(filter));
    logs.try_init().map_err(|error| format!("log: {error}"))
}

/// Below warn the WebSocket library prints whole frames, credentials included, whatever filter is asked for.
fn is_harmless(event: &Metadata<'_>) -> bool {
    let prints_frames =
        ["tungstenite", "tokio_tungstenite"].iter().any(|name| event.target().starts_with(name));
    !prints_frames || *event.level() <= Level::WARN
}
