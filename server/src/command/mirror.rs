//! `rollcall mirror add --account acme --url https://other.example --api-key-file FILE`.

use std::path::PathBuf;

use clap::Subcommand;
use fleet::scope::Scope;
use zeroize::Zeroizing;

use super::remote::{columns, instant, shown};
use super::{CommandError, clock, open_store, open_vault};
use crate::config::Config;
use crate::deeds::Actor;
use crate::deeds::mirrors::{self, NewMirror};
use crate::store::mirrors::MirrorRow;

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Show the delegates of another server here, and print the mirror's name. A running server begins within seconds.
    Add {
        /// Account at that server.
        #[arg(long)]
        account: Option<Scope>,
        /// Account here in which its delegates are shown [default: the same]
        #[arg(long)]
        into: Option<Scope>,
        /// Its address, such as <https://app.harness.io/gateway>.
        #[arg(long)]
        url: String,
        /// File with an API key that may view delegates there, and nothing else.
        #[arg(long, value_name = "FILE")]
        api_key_file: PathBuf,
        /// What it is called [default: the host of its address]
        #[arg(long, default_value = "")]
        name: String,
        /// Only this organization or project of the account, such as acme/payments; repeatable.
        #[arg(long, value_name = "SCOPE")]
        scope: Vec<Scope>,
    },
    /// Print the mirrors of every account.
    List,
    /// Show the delegates of a mirror no more. Nothing is done at its server.
    Remove {
        /// Account here.
        #[arg(long)]
        account: Scope,
        /// Its name.
        #[arg(long)]
        name: String,
    },
}

pub(super) async fn run(config: &Config, command: Command) -> Result<(), CommandError> {
    let store = open_store(config).await?;
    let (actor, now) = (Actor::command_line(), clock().now());
    match command {
        Command::Add { account, into, url, api_key_file, name, scope } => {
            let key = std::fs::read_to_string(&api_key_file);
            let key = Zeroizing::new(key.map_err(|error| format!("{}: {error}", api_key_file.display()))?);
            let asked = if scope.is_empty() { account.iter().cloned().collect() } else { scope };
            let scopes: Vec<String> = asked.iter().map(ToString::to_string).collect();
            let key_of =
                || client::Key::new(&key).account().and_then(|word| Scope::new(word, None, None).ok());
            let into = into.or(account).or_else(key_of);
            let into = into.ok_or("the key names no account: give --account")?;
            if into.organization().is_some() {
                return Err(format!("{into} is no account: give --into").into());
            }
            let vault = open_vault(config, &*store).await?;
            let new = NewMirror { name: &name, url: &url, scopes: &scopes.join("\n"), key: &key };
            let row = mirrors::add(&store, &vault, &actor, &into, &new, now).await?;
            println!("{}", row.name);
        }
        Command::List => print!("{}", table(&store.mirrors().await?)),
        Command::Remove { account, name } => {
            let rows = store.mirrors().await?;
            let row = rows.iter().find(|row| *row.name == *name && *row.account == *account.account());
            let row = row.ok_or_else(|| format!("{account} has no mirror {name}"))?;
            mirrors::remove(&store, &actor, &account, &row.id, now).await?;
        }
    }
    store.close().await;
    Ok(())
}

fn table(rows: &[MirrorRow]) -> String {
    let cells: Vec<[String; 5]> = rows
        .iter()
        .map(|row| {
            let as_of = row.as_of.map_or(0, fleet::time::Timestamp::millis);
            let state = match (row.tried_at, row.detail.is_empty()) {
                (None, _) => "not read yet".to_owned(),
                (Some(_), true) => "up to date".to_owned(),
                (Some(_), false) => shown(&row.detail),
            };
            [row.account.to_string(), row.name.to_string(), row.url.to_string(), instant(as_of), state]
        })
        .collect();
    columns(["ACCOUNT", "NAME", "URL", "AS OF", "STATE"], &cells)
}
