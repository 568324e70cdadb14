//! A server that a command asks over its API, with a key in place of the database.

use std::fmt::Write as _;
use std::path::PathBuf;

use clap::Args;
use client::{Client, Key};
use fleet::scope::Scope;
use zeroize::Zeroizing;

use super::CommandError;

/// Which server, as whom, and which part of it.
#[derive(Debug, Args)]
pub(super) struct Remote {
    /// Address of the server.
    #[arg(long, env = "ROLLCALL_URL", default_value = "http://127.0.0.1:3000")]
    url: String,
    /// File with an API key.
    #[arg(long, env = "ROLLCALL_API_KEY_FILE", value_name = "FILE")]
    api_key_file: Option<PathBuf>,
    /// The API key itself; better kept in a file.
    #[arg(
        long,
        env = "ROLLCALL_API_KEY",
        hide_env_values = true,
        conflicts_with = "api_key_file",
        hide = true
    )]
    api_key: Option<String>,
    /// ACCOUNT[/ORGANIZATION[/PROJECT]]; the account of the key without it.
    #[arg(long)]
    scope: Option<Scope>,
}

impl Remote {
    /// A client, and the scope to ask about.
    pub(super) fn open(&self) -> Result<(Client, Scope), CommandError> {
        let text = match (&self.api_key, &self.api_key_file) {
            (Some(key), _) => Zeroizing::new(key.clone()),
            (None, Some(file)) => {
                let read = std::fs::read_to_string(file);
                Zeroizing::new(read.map_err(|error| format!("{}: {error}", file.display()))?)
            }
            (None, None) => {
                return Err("an API key is needed: --api-key-file FILE, or ROLLCALL_API_KEY".into());
            }
        };
        let client = Client::new(&self.url, Key::new(&text))?;
        let scope = match (&self.scope, client.account()) {
            (Some(scope), _) => scope.clone(),
            (None, Some(account)) => Scope::new(account, None, None)?,
            (None, None) => return Err("the key names no account: give --scope".into()),
        };
        Ok((client, scope))
    }
}

/// How a result is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Output {
    /// Columns for people.
    #[default]
    Table,
    /// For scripts.
    Json,
}

/// Lines of cells as columns, two spaces apart.
pub(super) fn columns<const N: usize>(head: [&str; N], rows: &[[String; N]]) -> String {
    let mut widths = head.map(|word| word.chars().count());
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let head = head.map(ToOwned::to_owned);
    let mut text = String::new();
    for row in std::iter::once(&head).chain(rows) {
        let mut line = String::new();
        for (cell, width) in row.iter().zip(widths) {
            // Writing into a text cannot fail.
            let _ = write!(line, "{cell:<width$}  ");
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// An instant of an answer; a dash for none.
pub(super) fn instant(millis: i64) -> String {
    if millis == 0 {
        return "-".to_owned();
    }
    fleet::time::Timestamp::from_millis(millis).to_utc().format("%Y-%m-%d %H:%M").to_string()
}

/// A text of somebody else's, with every character in words that nobody sees.
pub(super) fn shown(text: &str) -> String {
    fleet::text::shown(text)
}
