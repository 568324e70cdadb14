//! `drill delegate`.

use std::collections::BTreeMap;

use clap::Args;
use drill::base::Base;
use drill::environment::{Container, image_tag};
use drill::play::{Options, play};
use drill::span::Span;

use super::{Outcome, interrupted, runtime, words};

/// Plays one delegate that finds account, token, address, name, type and tags in its environment, as a container does.
#[derive(Debug, Args)]
pub(super) struct Delegate {
    /// Image that the container would run; its tag is the version that is reported
    #[arg(long)]
    image: Option<String>,
    /// Allow a server on another machine
    #[arg(long)]
    allow_remote: bool,
    /// End by itself after this time
    #[arg(long, default_value = "10m")]
    duration: Span,
}

impl Delegate {
    #[expect(clippy::disallowed_methods, reason = "the environment is what a container is started with")]
    pub(super) fn run(self) -> Outcome {
        let variables: BTreeMap<String, String> = std::env::vars().collect();
        let version = self.image.as_deref().and_then(image_tag);
        let container = Container::read(&variables, version).map_err(words)?;
        let base = Base::parse(&container.url, self.allow_remote).map_err(words)?;
        let options = Options { duration: self.duration.0, ..Options::new(base) };
        runtime()?.block_on(async {
            let stop = interrupted()?;
            play(&container.scenario, &container.tokens, &options, stop, super::say).await.map_err(words)
        })?;
        Ok(())
    }
}
