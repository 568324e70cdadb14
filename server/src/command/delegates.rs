//! `rollcall delegates list --scope acme/payments`: the fleet of a running server.

use std::fmt::Write as _;

use clap::Subcommand;
use client::{Client, Delegate};
use fleet::query::Query;
use fleet::scope::Scope;

use super::CommandError;
use super::remote::{Output, Remote, columns, instant, shown};

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Print delegates, one a line, those of the scope and below it.
    List {
        #[command(flatten)]
        remote: Remote,
        /// Conditions as in the address of the Delegates page, such as `health=expired&delegateTags=eu`.
        #[arg(long, default_value = "", value_name = "QUERY")]
        filter: String,
        /// Delegates of exactly the scope.
        #[arg(long)]
        exact: bool,
        /// How it is printed.
        #[arg(long, value_enum, default_value_t)]
        output: Output,
    },
    /// Print one delegate of exactly the scope with its instances.
    Show {
        #[command(flatten)]
        remote: Remote,
        /// Its identifier, such as `_edge_a`, or its name.
        delegate: String,
        /// How it is printed.
        #[arg(long, value_enum, default_value_t)]
        output: Output,
    },
    /// Delete one delegate of exactly the scope; agents that run on are listed again when they call.
    Delete {
        #[command(flatten)]
        remote: Remote,
        /// Its identifier, such as `_edge_a`, or its name.
        delegate: String,
        /// Although instances are connected.
        #[arg(long)]
        force: bool,
    },
}

pub(super) async fn run(command: Command) -> Result<(), CommandError> {
    match command {
        Command::List { remote, filter, exact, output } => {
            let (client, scope) = remote.open()?;
            let query = Query::parse(&filter)?.with_below(!exact);
            let found = client.delegates(&scope, &query).await?;
            print!("{}", list(&found.delegates, output)?);
        }
        Command::Show { remote, delegate, output } => {
            let (client, scope) = remote.open()?;
            let found = find(&client, &scope, &delegate).await?;
            print!("{}", show(&found, output)?);
        }
        Command::Delete { remote, delegate, force } => {
            let (client, scope) = remote.open()?;
            client.delete(&scope, &delegate, force).await?;
        }
    }
    Ok(())
}

async fn find(client: &Client, scope: &Scope, delegate: &str) -> Result<Delegate, CommandError> {
    let mut found = client.delegates(scope, &Query::default()).await?.delegates;
    let by_identifier = found.iter().position(|known| known.identifier.as_deref() == Some(delegate));
    let place = by_identifier.or_else(|| found.iter().position(|known| known.name == delegate));
    match place {
        Some(place) => Ok(found.swap_remove(place)),
        None => Err(format!("there is no delegate {delegate} in {scope}").into()),
    }
}

fn list(delegates: &[Delegate], output: Output) -> Result<String, CommandError> {
    if output == Output::Json {
        return Ok(format!("{}\n", serde_json::to_string_pretty(delegates)?));
    }
    let rows: Vec<_> = delegates
        .iter()
        .map(|delegate| {
            let place = [&delegate.org_name, &delegate.project_name];
            let place: Vec<&str> = place.into_iter().flatten().map(String::as_str).collect();
            let connected =
                delegate.replicas.iter().filter(|replica| replica.connected == Some(true)).count();
            [
                shown(&delegate.name),
                shown(&place.join("/")),
                format!("{connected}/{}", delegate.replicas.len()),
                shown(delegate.version.as_deref().unwrap_or("-")),
                worst(delegate),
                delegate.auto_upgrade.clone().unwrap_or_else(|| "-".to_owned()),
                instant(delegate.last_heartbeat),
            ]
        })
        .collect();
    let head = ["NAME", "SCOPE", "CONNECTED", "VERSION", "STATUS", "AUTO-UPGRADE", "LAST HEARTBEAT (UTC)"];
    Ok(columns(head, &rows))
}

/// The worst status of its instances.
fn worst(delegate: &Delegate) -> String {
    let of = |wanted: &str| delegate.replicas.iter().any(|replica| replica.status.as_deref() == Some(wanted));
    let worst = ["EXPIRED", "EXPIRING", "UNSUPPORTED", "ACTIVE"].into_iter().find(|status| of(status));
    worst.unwrap_or("-").to_owned()
}

fn show(delegate: &Delegate, output: Output) -> Result<String, CommandError> {
    if output == Output::Json {
        return Ok(format!("{}\n", serde_json::to_string_pretty(delegate)?));
    }
    let facts = [
        ["Name".to_owned(), shown(&delegate.name)],
        ["Identifier".to_owned(), delegate.identifier.clone().unwrap_or_default()],
        ["Type".to_owned(), shown(&delegate.kind)],
        ["Description".to_owned(), shown(&delegate.description)],
        ["Tags".to_owned(), shown(&delegate.tags.join(", "))],
        ["Auto-upgrade".to_owned(), delegate.auto_upgrade.clone().unwrap_or_default()],
    ];
    let mut text = String::new();
    for [name, value] in facts {
        // Writing into a text cannot fail.
        let _ = writeln!(text, "{name:<14}{value}");
    }
    let rows: Vec<_> = delegate
        .replicas
        .iter()
        .map(|replica| {
            [
                shown(&replica.host_name),
                shown(replica.version.as_deref().unwrap_or("-")),
                if replica.connected == Some(true) { "connected" } else { "not connected" }.to_owned(),
                replica.status.clone().unwrap_or_else(|| "-".to_owned()),
                instant(replica.expiring_at),
                instant(replica.last_heartbeat),
            ]
        })
        .collect();
    let head = ["HOST", "VERSION", "CONNECTIVITY", "STATUS", "EXPIRES (UTC)", "LAST HEARTBEAT (UTC)"];
    text.push('\n');
    text.push_str(&columns(head, &rows));
    Ok(text)
}
