//! Logs.

use tracing_subscriber::EnvFilter;

/// Sends logs to stderr; stdout belongs to results.
///
/// # Errors
/// The filter cannot be read.
pub fn start(filter: &str, json: bool) -> Result<(), String> {
    // Below warn these print whole frames, credentials included; they win over what is asked for.
    let filter = format!("{filter},tungstenite=warn,tokio_tungstenite=warn");
    let filter = EnvFilter::try_new(filter).map_err(|error| format!("log: {error}"))?;
    let logs = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    let started = if json { logs.json().try_init() } else { logs.with_target(false).try_init() };
    started.map_err(|error| format!("log: {error}"))
}
