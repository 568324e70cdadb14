//! `drill check`.

use std::sync::Arc;

use clap::Args;
use drill::check::check;
use drill::client::Kind;
use drill::clock;
use drill::http::Http;
use drill::profile::Profile;
use drill::stats::Stats;
use fleet::scope::Scope;

use super::{Outcome, Target, TokenArgs, runtime, say, words};

/// Registers one delegate, beats once, and compares every answer with the protocol. Prints the delegate id.
#[derive(Debug, Args)]
pub(super) struct Check {
    #[command(flatten)]
    target: Target,
    #[command(flatten)]
    tokens: TokenArgs,
    /// Scope whose token is used, such as acme/payments
    #[arg(long)]
    scope: Scope,
    /// Client family
    #[arg(long, value_enum, default_value_t = Kind::Go)]
    client: Kind,
    /// Delegate name
    #[arg(long, default_value = "drill-check")]
    name: String,
    /// Host name; the same one finds the same row again
    #[arg(long, default_value = "drill-check-host")]
    host: String,
    /// Version to report; a Go client reports none
    #[arg(long)]
    version: Option<String>,
    /// Say goodbye in the end, where the family has one
    #[arg(long)]
    goodbye: bool,
}

impl Check {
    pub(super) fn run(self) -> Outcome {
        let tokens = self.tokens.read()?;
        let token = tokens.get(&self.scope).ok_or_else(|| format!("no token for {}", self.scope))?.clone();
        let profile = Profile {
            version: self.version.as_deref().map(Arc::from),
            ..Profile::new(self.scope.account(), &self.name, &self.host, "127.0.0.1")
        };
        let base = self.target.base()?;
        let id = runtime()?.block_on(async {
            let http = Http::new(base, 2, Arc::new(Stats::default()));
            check(http, self.client, profile, token, self.goodbye, clock::now()).await
        });
        say(&id.map_err(words)?);
        Ok(())
    }
}
