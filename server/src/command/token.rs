//! `rollcall token create --scope acme/payments --name edge`.

use std::io::Read as _;

use clap::Subcommand;
use fleet::scope::Scope;
use zeroize::Zeroizing;

use super::{CommandError, clock, open_store, open_vault};
use crate::config::Config;
use crate::deeds::Actor;
use crate::deeds::tokens::create;
use crate::tokens::key::TokenKey;

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Create a token and print its value, in the form that delegates are given.
    Create {
        /// Owner: ACCOUNT, ACCOUNT/ORGANIZATION or ACCOUNT/ORGANIZATION/PROJECT.
        #[arg(long)]
        scope: Scope,
        /// Name, unique in the scope.
        #[arg(long)]
        name: String,
        /// Take over an existing value, hexadecimal or base64; `-` reads it from standard input.
        #[arg(long, value_name = "VALUE")]
        import: Option<String>,
    },
}

pub(super) async fn run(config: &Config, command: Command) -> Result<(), CommandError> {
    let Command::Create { scope, name, import } = command;
    let key = match import {
        Some(value) => TokenKey::parse(&given(Zeroizing::new(value))?)?,
        None => TokenKey::random(),
    };
    let store = open_store(config).await?;
    let vault = open_vault(config, &*store).await?;
    if !store.scopes().await?.contains(&scope) {
        return Err(
            format!("scope {scope} does not exist; create it with: rollcall scope create {scope}").into()
        );
    }
    let (actor, now) = (Actor::command_line(), clock().now());
    create(&store, &vault, None, &actor, &scope, &name, &key, None, now).await?;
    store.close().await;
    println!("{}", key.outer().as_str());
    Ok(())
}

/// The value itself, or what standard input holds.
fn given(value: Zeroizing<String>) -> Result<Zeroizing<String>, CommandError> {
    if value.as_str() != "-" {
        return Ok(value);
    }
    let mut text = Zeroizing::new(String::new());
    std::io::stdin().take(4_096).read_to_string(&mut text)?;
    Ok(text)
}
