//! `drill run`.

use std::path::PathBuf;

use clap::Args;
use drill::play::{Options, play};
use drill::scenario::Scenario;
use drill::span::Span;

use super::{Outcome, Target, TokenArgs, interrupted, read, runtime, words};

/// Plays a scenario file.
#[derive(Debug, Args)]
pub(super) struct Run {
    /// Scenario in TOML
    #[arg(long, value_name = "FILE")]
    scenario: PathBuf,
    #[command(flatten)]
    play: PlayArgs,
    /// End by itself after this time
    #[arg(long, default_value = "10m")]
    duration: Span,
}

/// How a scenario is played.
#[derive(Debug, Args)]
pub(super) struct PlayArgs {
    #[command(flatten)]
    pub(super) target: Target,
    #[command(flatten)]
    pub(super) tokens: TokenArgs,
    /// Start the replicas evenly over this time
    #[arg(long, default_value = "10s")]
    ramp: Span,
    /// Make every interval shorter by this factor
    #[arg(long, default_value_t = 1.0)]
    speed: f64,
    /// REST requests at a time, and connections that are kept for them
    #[arg(long, default_value_t = 256)]
    connections: usize,
    /// Refuse scenarios with more instances
    #[arg(long, default_value_t = 25_000)]
    max_instances: u64,
    /// How long goodbyes may take at the end
    #[arg(long, default_value = "10s")]
    grace: Span,
    /// Time between two progress lines
    #[arg(long, default_value = "10s")]
    report: Span,
    /// Print the summary at the end as JSON instead of all lines
    #[arg(long)]
    json: bool,
}

impl Run {
    pub(super) fn run(self) -> Outcome {
        let text = read(&self.scenario)?;
        let scenario =
            Scenario::parse(&text).map_err(|error| format!("{}: {error}", self.scenario.display()))?;
        self.play.run(&scenario, self.duration)
    }
}

impl PlayArgs {
    /// Plays until the time is over or a signal comes.
    pub(super) fn run(&self, scenario: &Scenario, duration: Span) -> Outcome {
        let tokens = self.tokens.read()?;
        let options = Options {
            duration: duration.0,
            ramp: self.ramp.0,
            speed: self.speed,
            connections: self.connections,
            max_instances: self.max_instances,
            grace: self.grace.0,
            report_every: self.report.0,
            ..Options::new(self.target.base()?)
        };
        let say = |line: &str| {
            if !self.json {
                super::say(line);
            }
        };
        let summary = runtime()?.block_on(async {
            let stop = interrupted()?;
            play(scenario, &tokens, &options, stop, say).await.map_err(words)
        })?;
        if self.json {
            super::say(&serde_json::to_string(&summary).map_err(words)?);
        }
        Ok(())
    }
}
