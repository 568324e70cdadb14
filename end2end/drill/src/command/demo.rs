//! `drill demo`.

use std::path::PathBuf;

use clap::Args;
use drill::demo::{self, Picks};
use drill::span::Span;
use fleet::catalog::Catalog;

use super::run::PlayArgs;
use super::{Day, Outcome, read, say, words};

/// Plays a lively demo fleet in every state, or prints the scopes that it needs.
#[derive(Debug, Args)]
pub(super) struct Demo {
    /// Print the scopes of the fleet, one per line, each after its parent, and play nothing
    #[arg(long)]
    print_scopes: bool,
    /// Account of the fleet
    #[arg(long, default_value = "acme")]
    account: String,
    /// Another seed gives another fleet
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Version catalog that the server has imported [default: that of `drill catalog`]
    #[arg(long, value_name = "FILE")]
    catalog: Option<PathBuf>,
    #[command(flatten)]
    day: Day,
    #[command(flatten)]
    play: PlayArgs,
    /// End by itself after this time
    #[arg(long, default_value = "12h")]
    duration: Span,
}

impl Demo {
    pub(super) fn run(self) -> Outcome {
        if self.print_scopes {
            for scope in demo::scopes(&self.account).map_err(words)? {
                say(&scope.to_string());
            }
            return Ok(());
        }
        let picks = self.picks()?;
        for status in &picks.missing {
            eprintln!("drill: the catalog has no version that is {status:?}; the demo goes without");
        }
        let scenario = demo::scenario(&self.account, self.seed, &picks).map_err(words)?;
        self.play.run(&scenario, self.duration)
    }

    fn picks(&self) -> Result<Picks, String> {
        let today = self.day.get();
        let text = match &self.catalog {
            Some(path) => read(path)?,
            None => drill::calendar::catalog(today).map_err(words)?,
        };
        let catalog = Catalog::import(&text).map_err(|problems| {
            let lines: Vec<String> = problems.iter().map(ToString::to_string).collect();
            format!("the catalog cannot be used:\n  {}", lines.join("\n  "))
        })?;
        Picks::choose(&catalog, today).map_err(words)
    }
}
